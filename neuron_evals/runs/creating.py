"""Making a run: everything is validated first, and all that shapes the results is kept with it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.db import router

from neuron_evals.container import make_cache
from neuron_evals.core.datasets import as_dataset, identified
from neuron_evals.core.datasets.identity import item_key
from neuron_evals.core.exceptions import ConfigurationError, EvaluationError
from neuron_evals.core.runner.limits import Resolver
from neuron_evals.models import AgentDefinition, EvalRun, EvalSuite, Trigger
from neuron_evals.models.run_queries import WHOLE_DATASET
from neuron_evals.outputs.surroundings import surroundings
from neuron_evals.runs.options import RunOptions
from neuron_evals.runs.problems import RunError, lines_of
from neuron_evals.runs.reruns import kept_by_parent
from neuron_evals.runs.subjects import chosen_agent, evaluator_of, suite_problems
from neuron_evals.suites import agent_snapshot, judge_snapshot, suite_judge, suite_snapshot

if TYPE_CHECKING:
    from neuron_evals.core.evaluators import BaseEvaluator
    from neuron_evals.core.suites import SuiteEvaluator


def create_run(  # noqa: PLR0913  (all that a run is)
    suite: EvalSuite | str | int | None = None,
    *,
    evaluator: BaseEvaluator | None = None,
    agent: AgentDefinition | str | None = None,
    judge: AgentDefinition | str | None = None,
    options: RunOptions | Mapping[str, Any] | None = None,
    trigger: str = Trigger.COMMAND,
    user: Any = None,
    fake: Any = False,
    idempotency_key: str = "",
    parent: EvalRun | None = None,
    batch: str = "",
    shards: int = 1,
    using: str | None = None,
) -> EvalRun:
    """Make a queued run of a stored suite, or of an evaluator from code. Nothing is stored when there is a problem.

    Args:
        suite: The suite: its row, slug or number.
        evaluator: The evaluator, in place of a suite. Commands alone make such runs, and execute them.
        agent: The agent under test: a row, a slug or a name in `AGENTS`; the suite's by default.
        judge: The agent that grades, likewise.
        options: How it runs; see `RunOptions`.
        trigger: What asked for it: `command`, `admin`, `api` or `schedule`.
        user: Who asked for it.
        fake: Canned replies in place of the agent, as `run_suite` takes them; it goes before `fake` in `options`.
        idempotency_key: Text that the one who asks chose. Asked again with the same by the same person, the run is the
            one that was made the first time.
        parent: The run of which this one repeats a part.
        batch: Shared by the runs of one command.
        shards: In how many parts executors may share the run, from 1; a suite has as many items at least.
        using: Alias of the database; by default that of the suite, else the one that routers name.

    Returns:
        The run; launch it with `launch_run`, or execute it with `execute_run`.

    Raises:
        RunError: It cannot be run; all problems are listed.
        SettingsError: The settings cannot be used.
    """
    if (suite is None) == (evaluator is None):
        raise RunError(["give a suite or an evaluator, one of the two"])
    using = using or _database(suite)
    chosen = _options(options, fake)
    before = _asked_before(using, user, idempotency_key)
    if before is not None:
        return before
    columns = {
        "trigger": _trigger(trigger),
        "triggered_by": user,
        "parent": parent,
        "batch": batch,
        "options": chosen.told(),
        "fake": chosen.fake is not False,
    }
    around = surroundings()
    if evaluator is not None:
        columns |= _of_evaluator(evaluator, chosen)
        parts: list[tuple[int, int | None]] = list(WHOLE_DATASET)
    else:
        row = _suite(suite, agent, judge, using)
        of_suite, positions = _of_suite(row, chosen, parent)
        columns |= of_suite
        parts = split(positions, shards)
    columns = around | columns | {"metadata": around["metadata"] | columns.get("metadata", {})}
    run, _ = EvalRun.objects.using(using).enqueue(shards=parts, idempotency_key=idempotency_key, **columns)
    return run


def split(positions: list[int], parts: int) -> list[tuple[int, int | None]]:
    """Return the positions behind which shards begin and end, each shard with about as many of the items.

    Args:
        positions: Positions of the items that run, in order; at least one.
        parts: Number of shards, from 1; there are never more than items.

    Raises:
        RunError: `parts` is below 1.
    """
    if parts < 1:
        raise RunError([f"shards is a whole number from 1 up, got {parts}"])
    count = min(parts, len(positions))
    starts = [0, *(positions[len(positions) * number // count] for number in range(1, count))]
    return list(zip(starts, [*starts[1:], None], strict=True))


def _database(suite: object) -> str:
    if isinstance(suite, EvalSuite) and suite._state.db:  # noqa: SLF001  (Django's documented name)
        return suite._state.db  # noqa: SLF001  (as above)
    return str(router.db_for_write(EvalRun))


def _options(given: RunOptions | Mapping[str, Any] | None, fake: Any) -> RunOptions:
    said = given.told() if isinstance(given, RunOptions) else dict(given or {})
    return RunOptions.of(said if fake is False or fake is None else {**said, "fake": fake})


def _asked_before(using: str, user: Any, key: str) -> EvalRun | None:
    """Return the run that was made for the same key: what has become of the suite since then is no matter."""
    if not key:
        return None
    found: EvalRun | None = EvalRun.objects.using(using).asked_with(key, None if user is None else user.pk)
    return found


def _trigger(trigger: str) -> str:
    if trigger not in Trigger.values:
        raise RunError([f"trigger is one of {', '.join(Trigger.values)}, got {trigger!r}"])
    return trigger


def _suite(suite: Any, agent: Any, judge: Any, using: str) -> EvalSuite:
    """Return the suite with the agent and the judge of the run; the row itself stays as it is."""
    row = copy.copy(suite) if isinstance(suite, EvalSuite) else _found(suite, using)
    problems: list[str] = []
    for role, given in (("agent", agent), ("judge", judge)):
        if given is None:
            continue
        try:
            setattr(row, role, chosen_agent(given, using, role))
        except RunError as exc:
            problems += exc.problems
    if problems:
        raise RunError(problems)
    if judge is not None:
        row.judge_config = {}
    return row


def _found(reference: str | int, using: str) -> EvalSuite:
    try:
        found: EvalSuite = EvalSuite.objects.using(using).select_related("agent", "judge").find(reference)
    except EvalSuite.DoesNotExist as exc:
        raise RunError([str(exc)]) from exc
    return found


def _of_suite(suite: EvalSuite, options: RunOptions, parent: EvalRun | None) -> tuple[dict[str, Any], list[int]]:
    """Return the columns of a run of a suite, and the positions of its items.

    Raises:
        RunError: It cannot be run.
    """
    problems = [*suite_problems(suite, options), *_cache_problems(options)]
    if problems:
        raise RunError(problems)
    evaluator = evaluator_of(suite, options)
    planned, positions = _planned(evaluator, options, parent)
    if not positions:
        asked = " ".join(filter(None, [str(options.selection()), options.only and f"only {options.only}"]))
        raise RunError([f'no item of suite "{suite.slug}" matches {asked}'])
    judge = suite_judge(suite)
    graded = judge_snapshot(suite)
    columns = {
        "suite": suite,
        "suite_hash": suite.content_hash,
        "source": suite.name,
        "agent": suite.agent if suite.agent.pk else None,
        "judge": judge if judge is not None and judge.pk else None,
        "agent_snapshot": agent_snapshot(suite.agent, build=not evaluator.fake),
        "agent_fingerprint": "" if evaluator.fake else evaluator.agent.fingerprint,
        "judge_snapshot": graded,
        "judge_fingerprint": graded.get("fingerprint", ""),
        "planned_count": planned,
        "metadata": {"suite": suite_snapshot(suite)},
    }
    return columns, positions


def _planned(evaluator: SuiteEvaluator, options: RunOptions, parent: EvalRun | None) -> tuple[int, list[int]]:
    """Return how many results the run has, and the positions of its items."""
    limits = Resolver(options.limits(), evaluator)
    wanted = None if options.only is None or parent is None else kept_by_parent(parent, options.only)
    count = 0
    positions = []
    for entry in options.selection().of(identified(as_dataset(evaluator.get_dataset())), evaluator):
        if wanted is None or item_key(entry.item_id) in wanted:
            count += limits.of(entry.item)[1]
            positions.append(entry.index)
    return count, positions


def _of_evaluator(evaluator: BaseEvaluator, options: RunOptions) -> dict[str, Any]:
    if problems := _cache_problems(options):
        raise RunError(problems)
    return {"source": evaluator.evaluator_name, "fake": evaluator.fake or options.fake is not False}


def _cache_problems(options: RunOptions) -> list[str]:
    if not (options.cache or options.fresh):
        return []
    try:
        return list(make_cache().problems())
    except (ConfigurationError, EvaluationError) as exc:
        return lines_of(exc)
