"""Running a stored suite in this process: the run service makes and stores the run, the command shows it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from django.db import Error, router

from neuron_evals import runs
from neuron_evals.core.exceptions import ConfigurationError, OutputError
from neuron_evals.core.outputs import OutputPipeline
from neuron_evals.core.outputs.contract import OutputDriver
from neuron_evals.management.refusals import database_refusal
from neuron_evals.models import EvalRun
from neuron_evals.outputs import DatabaseOutput

if TYPE_CHECKING:
    from collections.abc import Iterable

    from neuron_evals.core.cancellation import StopToken
    from neuron_evals.core.report import EvaluationReport
    from neuron_evals.core.results import ItemResult, Plan
    from neuron_evals.core.runner import EvaluatorRunner


class Shown(OutputDriver):
    """Shows a stored run by the output drivers of a command, and keeps its report.

    Attributes:
        report: The report; `None` until there is one.
    """

    def __init__(self, pipeline: OutputPipeline) -> None:
        self._pipeline = pipeline
        self.report: EvaluationReport | None = None

    @property
    def needs_results(self) -> bool:  # type: ignore[override]  # (here it is the drivers' that are shown)
        """Whether a driver reads `report.results`."""
        return self._pipeline.needs_results

    def start(self, plan: Plan) -> None:
        """Hand on the plan."""
        self._pipeline.start(plan)

    def finished(self, result: ItemResult) -> None:
        """Hand on a result as soon as its item ended."""
        self._pipeline.finished(result)

    def item(self, result: ItemResult) -> None:
        """Hand on a result in dataset order."""
        self._pipeline.item(result)

    def output(self, report: EvaluationReport) -> None:
        """Keep the report, and hand it on."""
        self.report = report
        self._pipeline.output(report)


class Storing:
    """How a command stores the run of a suite: the service does it, as the output `database` is configured.

    Attributes:
        driver: The output `database`, configured or not.
    """

    def __init__(self) -> None:
        self.driver = DatabaseOutput()
        self._asked: list[DatabaseOutput] = []

    def taken_out(self, drivers: Iterable[OutputDriver]) -> list[OutputDriver]:
        """Return the drivers but those that store in the database, which say how the run is stored."""
        others = []
        for driver in drivers:
            if isinstance(driver, DatabaseOutput):
                self.driver = driver
                self._asked.append(driver)
            else:
                others.append(driver)
        return others

    def problems(self) -> list[str]:
        """Return what keeps the run from being stored as it is configured, a line each."""
        found = OutputPipeline(self._asked).problems()
        beside = router.db_for_write(EvalRun)
        if not found and self.driver.using != beside:
            found.append(
                f'the run of a stored suite is stored beside the suite, in the database "{beside}", and not in '
                f'"{self.driver.using}", as the output "database" is configured; name other outputs with --output'
            )
        return found


def made_run(  # noqa: PLR0913  (who takes part, and how it is stored)
    suite: str, *, agent: str | None, judge: str | None, options: Mapping[str, Any], fake: Any, storing: Storing
) -> EvalRun:
    """Make a queued run of a stored suite.

    Args:
        suite: Slug or number of the suite.
        agent: Name of the agent under test where it is not the suite's.
        judge: Name of the agent that grades, likewise.
        options: As `RunOptions` takes them.
        fake: Canned replies in the place of the agent, or `False`.
        storing: How it is stored.

    Raises:
        ConfigurationError: It cannot be run, or the database cannot store it; nothing is stored then.
    """
    try:
        return runs.create_run(
            suite,
            agent=agent,
            judge=judge,
            options=options,
            fake=fake,
            trigger=storing.driver.trigger,
            batch=storing.driver.batch or "",
        )
    except Error as exc:
        raise ConfigurationError(database_refusal(exc)) from exc


def executed_run(run: EvalRun, shown: Shown, stop: StopToken, runner: EvaluatorRunner, storing: Storing) -> EvalRun:
    """Execute a run that was just made, and return it as it is then.

    Nothing of it is left for another executor; where another has it already, it is left alone, and is not over.

    Args:
        run: The run.
        shown: Shows it.
        stop: What stops it; it is cancelled then.
        runner: What runs its items.
        storing: How it is stored.

    Raises:
        OutputError: The database broke, or was away for too long: the run is left open, and can be executed further.
    """
    patience = storing.driver.patience
    try:
        done = runs.execute_run(
            run.pk, listeners=[shown], stop=stop, runner=runner, using=run.database, patience=patience
        )
    except OutputError:
        raise
    except BaseException:
        # What ends the command is to be seen, and not that the database is away too.
        with suppress(Error):
            runs.cancel_own_run(run)
        raise
    if done.is_over or not runs.cancel_own_run(run):
        return done
    return runs.found_run(run.pk, run.database)
