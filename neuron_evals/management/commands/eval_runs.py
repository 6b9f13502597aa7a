"""`manage.py eval_runs`: look at stored runs, execute, cancel, resume and repeat them, and tidy up."""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.db import router

from neuron_evals import container, runs
from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.discovery import discover
from neuron_evals.core.exceptions import OutputError
from neuron_evals.core.printable import printable
from neuron_evals.core.report.gate import FAILED, INTERRUPTED, NOTHING_JUDGED, PASSED
from neuron_evals.core.results import full_name
from neuron_evals.management import options as run_options
from neuron_evals.management.run_texts import description, detailed_values, run_values, table
from neuron_evals.management.transfers import RowsCommand
from neuron_evals.models import EvalRun, EvalSuite, ItemStatus, RunStatus
from neuron_evals.models.counts import counted
from neuron_evals.models.shards import ShardStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from django.core.management.base import CommandParser

    from neuron_evals.core.evaluators import BaseEvaluator

DEFAULT_PATH = "evaluators"
SHOWN_ITEMS = 50
WAITING = timedelta(minutes=5)
"""After how long a run that is queued, and that nobody has begun, is reported."""

LARGEST_RUN = 2**63 - 1
"""The largest number that a row can have."""

_OF_INTEREST = (ItemStatus.FAILED, ItemStatus.ERROR)
_WORK = {
    "execute": "execute what is left of a run, in this process",
    "resume": "go on with a run that broke or was cancelled",
    "rerun-failed": "run the failed items of a run again, as a new run",
    "rerun-errors": "run the items that broke again, as a new run",
}


class Command(RowsCommand):
    """Works on stored runs."""

    help = "List, show, execute, resume, cancel, repeat, sweep and prune stored runs."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the verbs."""
        run_options.one_line_errors(parser)
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        listed = verbs.add_parser("list", help="list runs, the newest first")
        listed.add_argument("--suite", type=run_options.filled, metavar="SUITE", help="runs of this suite (slug or id)")
        listed.add_argument("--status", choices=RunStatus.values, help="runs with this status")
        listed.add_argument("--batch", type=run_options.filled, metavar="BATCH", help="runs of one command")
        _add_limit(listed, "runs", 20)
        shown = verbs.add_parser("show", help="show a run, and the items that did not pass")
        _add_run(shown)
        shown.add_argument("--all", action="store_true", help="show every item")
        _add_limit(shown, "items", SHOWN_ITEMS)
        for verb, text in _WORK.items():
            work = verbs.add_parser(verb, help=text)
            _add_run(work)
            where = f"folder of evaluators, for a run of one from code (default: {DEFAULT_PATH})"
            work.add_argument("--path", type=run_options.filled, default=DEFAULT_PATH, metavar="PATH", help=where)
            if verb != "execute":
                launch = "hand it to the launcher of the setting LAUNCHER, and do not wait"
                work.add_argument("--detach", action="store_true", help=launch)
        _add_run(verbs.add_parser("cancel", help="cancel a run"))
        sweep = verbs.add_parser("sweep", help="close the runs whose executors are gone")
        sweep.add_argument("--relaunch", action="store_true", help="launch those again that nobody has begun")
        prune = verbs.add_parser("prune", help="delete runs that are over; baselines stay")
        prune.add_argument("--older-than", type=run_options.age, metavar="AGE", help="that ended before, such as 90d")
        prune.add_argument(
            "--keep", type=run_options.whole_number(0), metavar="N", help="leave the newest N of each suite"
        )
        prune.add_argument("--dry-run", action="store_true", help="say which, and delete nothing")
        for each in verbs.choices.values():
            each.add_argument("--format", choices=("text", "json"), default="text", help="form of what is printed")
            run_options.one_line_errors(each)

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what the verb says, and end with the exit status."""
        del args
        status = getattr(self, f"_{options['verb'].replace('-', '_')}")(options)
        if status:
            sys.exit(status)

    def _list(self, options: Mapping[str, Any]) -> None:
        found = EvalRun.objects.with_names().without_large_columns().newest_first()
        if options["suite"] is not None:
            found = found.for_suite(_suite(options["suite"]))
        if options["status"] is not None:
            found = found.filter(status=options["status"])
        if options["batch"] is not None:
            found = found.in_batch(options["batch"])
        shown = list(found[: options["limit"]])
        self._print(options, [run_values(run) for run in shown], table(shown) if shown else ["No runs."])

    def _show(self, options: Mapping[str, Any]) -> None:
        self._print_run(options, _run(options), of_interest=not options["all"], limit=options["limit"])

    def _execute(self, options: Mapping[str, Any]) -> int:
        return self._executed(_run(options), options)

    def _resume(self, options: Mapping[str, Any]) -> int:
        run = _run(options)
        evaluator = self._evaluator(run, options)
        return self._done(partial(runs.resume_run, run), evaluator, options)

    def _rerun_failed(self, options: Mapping[str, Any]) -> int:
        return self._rerun(options, "failed")

    def _rerun_errors(self, options: Mapping[str, Any]) -> int:
        return self._rerun(options, "error")

    def _rerun(self, options: Mapping[str, Any], only: str) -> int:
        run = _run(options)
        evaluator = self._evaluator(run, options)
        return self._done(partial(runs.rerun, run, only, evaluator=evaluator), evaluator, options)

    def _cancel(self, options: Mapping[str, Any]) -> None:
        run = _run(options)
        if not runs.cancel_run(run):
            raise runs.RunError([f"run {run.pk} is over: {run.status}"])
        self._print_run(options, run)

    def _sweep(self, options: Mapping[str, Any]) -> int:
        closed = runs.sweep_runs()
        waiting = runs.waiting_runs(WAITING)
        lines = [f"Run {run.pk} was closed: {run.status}. {printable(run.error)}".rstrip() for run in closed]
        status = PASSED
        for run in waiting:
            try:
                lines.append(f"Run {run.pk} {_relaunched(run) if options['relaunch'] else _waiting(run)}.")
            except runs.RunError as exc:
                status = NOTHING_JUDGED
                lines.append(printable(f"Run {run.pk} could not be launched again: {'; '.join(exc.problems)}"))
        values = {"closed": [run.pk for run in closed], "waiting": [run.pk for run in waiting]}
        self._print(options, values, lines or ["Nothing to sweep."])
        return status

    def _prune(self, options: Mapping[str, Any]) -> None:
        dry = options["dry_run"]
        deleted = runs.prune_runs(options["older_than"], keep=options["keep"], dry=dry)
        what = "1 run" if len(deleted) == 1 else f"{len(deleted)} runs"
        self._print(options, {"deleted": deleted, "dry_run": dry}, [f"{'Would delete' if dry else 'Deleted'} {what}."])

    def _done(self, make: Callable[[], EvalRun], evaluator: BaseEvaluator | None, options: Mapping[str, Any]) -> int:
        """Make or resume a run, and execute it, or hand it to the launcher."""
        if not options["detach"]:
            return self._executed(make(), options, evaluator)
        run = runs.make_and_launch(make)
        self._print_run(options, run)
        return NOTHING_JUDGED if run.dispatch_error else PASSED

    def _executed(self, run: EvalRun, options: Mapping[str, Any], evaluator: BaseEvaluator | None = None) -> int:
        stop = StopToken(ends_process=True)
        evaluator = evaluator or self._evaluator(run, options)
        try:
            done = runs.execute_run(run.pk, evaluator=evaluator, stop=stop)
        except OutputError as exc:
            self.stderr.write(printable(str(exc)))
            return INTERRUPTED if stop.interrupted else FAILED
        self._print_run(options, _run({"run": done.pk}), of_interest=True, limit=SHOWN_ITEMS)
        if not done.is_over:
            self.stderr.write(printable(_elsewhere(done)))
        return INTERRUPTED if stop.interrupted else _exit_status(done)

    def _evaluator(self, run: EvalRun, options: Mapping[str, Any]) -> BaseEvaluator | None:
        """Return the evaluator of a run of one from code: from the folder that the command names, never by its name.

        Raises:
            RunError: The folder has no such evaluator.
        """
        if run.suite_id is not None or (run.is_over and options["verb"] == "execute"):
            return None
        if options.get("detach") and Path(options["path"]).resolve() != Path(DEFAULT_PATH).resolve():
            why = f'a launcher looks for evaluators in the folder "{DEFAULT_PATH}", and not in "{options["path"]}"'
            raise runs.RunError([f"{why}; leave --detach out"])
        found = discover(options["path"])
        for cls in found.evaluators:
            if full_name(cls) == run.source:
                return container.build(cls)
        broken = "; ".join(f"{file.path.name}: {file.error}" for file in found.broken)
        why = f"; what cannot be imported there: {broken}" if broken else ""
        raise runs.RunError([f'{options["path"]}: there is no evaluator "{run.source}" in this folder{why}'])

    def _print_run(
        self, options: Mapping[str, Any], run: EvalRun, *, of_interest: bool = False, limit: int = 0
    ) -> None:
        items = run.items.in_dataset_order().defer("input", "output", "trajectory", "details")
        if of_interest:
            items = items.filter(status__in=_OF_INTEREST)
        shown = list(items[:limit]) if limit else []
        if not run.is_over:
            _count_now(run)
        as_json = options["format"] == "json"
        self._print(options, detailed_values(run, shown) if as_json else None, description(run, shown))

    def _print(self, options: Mapping[str, Any], values: Any, lines: Iterable[str]) -> None:
        if options["format"] == "json":
            self.stdout.write(json.dumps(values, indent=2))
            return
        for line in lines:
            self.stdout.write(line)


def _count_now(run: EvalRun) -> None:
    """Give a run the figures of the results that are there; its row has them only when it is over."""
    for name, value in counted(run.items.using(run.database)).items():
        setattr(run, name, value)


def _elsewhere(run: EvalRun) -> str:
    """Return that a run goes on somewhere else, and where as far as its shards tell."""
    running = run.shards.using(run.database).filter(status=ShardStatus.RUNNING).order_by("number")
    names = ", ".join(dict.fromkeys(filter(None, running.values_list("executor", flat=True))))
    who = f" ({names})" if names else ""
    return f"run {run.pk}: another process has it{who}, and goes on with it; nothing is done twice"


def _waiting(run: EvalRun) -> str:
    if run.launcher:
        return "waits, and nobody has begun it; see --relaunch"
    return f"waits, and no launcher was to carry it; `eval_runs execute {run.pk}` or `eval_runs cancel {run.pk}`"


def _relaunched(run: EvalRun) -> str:
    """Launch a run again; one that no launcher was to carry is not begun without anybody asking for it."""
    if not run.launcher:
        return _waiting(run)
    runs.launch_run(run)
    return "was launched again"


def _exit_status(run: EvalRun) -> int:
    if run.status == RunStatus.PASSED:
        return PASSED
    judged = run.passed_count + run.failed_count + run.error_count
    return FAILED if judged and run.is_over else NOTHING_JUDGED


def _run(options: Mapping[str, Any]) -> EvalRun:
    # Not from a replica: it may not have the row yet, and what is done next is done where the row was read.
    stored = EvalRun.objects.using(router.db_for_write(EvalRun))
    found: EvalRun | None = stored.with_names().filter(pk=options["run"]).first()
    if found is None:
        raise runs.RunError([f"there is no run {options['run']}; `eval_runs list` names those there are"])
    return found


def _suite(reference: str) -> EvalSuite:
    try:
        found: EvalSuite = EvalSuite.objects.without_dataset().find(reference)
    except EvalSuite.DoesNotExist as exc:
        raise runs.RunError([str(exc)]) from exc
    return found


def _add_run(parser: CommandParser) -> None:
    parser.add_argument("run", type=run_options.whole_number(1, LARGEST_RUN), metavar="RUN", help="number of the run")


def _add_limit(parser: CommandParser, what: str, default: int) -> None:
    parser.add_argument(
        "--limit",
        type=run_options.whole_number(1),
        default=default,
        metavar="N",
        help=f"{what} to show at most (default: {default})",
    )
