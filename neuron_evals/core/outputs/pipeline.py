"""Several output drivers as one listener."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuron_evals.core.exceptions import NeuronEvalsError, StopRun
from neuron_evals.core.printable import printable
from neuron_evals.core.runner.listener import Listener
from neuron_evals.core.tracebacks import describe_error, error_message

if TYPE_CHECKING:
    from neuron_evals.core.outputs.contract import OutputDriver
    from neuron_evals.core.report import EvaluationReport
    from neuron_evals.core.results import ItemResult, Plan


# What a driver may raise at its own cost. An exit would end the run with a status that says nothing about it.
_FAILURES = (Exception, SystemExit)


@dataclass(frozen=True, slots=True)
class DriverError:
    """The failure of one output driver.

    Attributes:
        driver: Name of the driver's class.
        text: What went wrong, as one line without control characters.
    """

    driver: str
    text: str

    def __str__(self) -> str:
        """Return both as one line."""
        return f"{self.driver}: {self.text}"


class OutputPipeline(Listener):
    """Hands each call to each driver. A driver that fails gets no further call but `close()`; the others go on.

    Attributes:
        drivers: The drivers in the order in which they are called: those that draw on the screen first, else as given.
        errors: What failed, in the order of failing.
    """

    def __init__(self, drivers: Iterable[OutputDriver]) -> None:
        self.drivers = tuple(sorted(drivers, key=lambda driver: not driver.live))
        self.errors: list[DriverError] = []
        self._working = list(self.drivers)

    @property
    def needs_results(self) -> bool:
        """Whether a driver reads `report.results`."""
        return any(driver.needs_results for driver in self.drivers)

    def problems(self) -> list[str]:
        """Return what would make a driver fail, a line each, and which drivers would write over each other."""
        found: list[str] = []
        for driver in self.drivers:
            try:
                found += [f"{_name(driver)}: {printable(problem)}" for problem in driver.problems()]
            except _FAILURES as exc:
                # A driver that cannot even be asked is one problem among others.
                found.append(str(_error(driver, exc)))
        return found + [problem for pair in combinations(self.drivers, 2) for problem in _clash(*pair)]

    def start(self, plan: Plan) -> None:
        """Hand on the plan."""
        self._each("start", plan)

    def finished(self, result: ItemResult) -> None:
        """Hand on a result as soon as its item ended."""
        self._each("finished", result)

    def item(self, result: ItemResult) -> None:
        """Hand on a result in dataset order."""
        self._each("item", result)

    def output(self, report: EvaluationReport) -> None:
        """Hand on the report."""
        self._each("output", report)

    def close(self) -> None:
        """Close every driver, also those that failed before."""
        for driver in self.drivers:
            try:
                driver.close()
            except _FAILURES as exc:
                # Whatever it raises, the others are closed.
                self._failed(driver, exc)

    def _each(self, method: str, value: Any) -> None:
        stop: StopRun | None = None
        for driver in self._working:
            try:
                getattr(driver, method)(value)
            except StopRun as exc:
                stop = stop or exc
            except _FAILURES as exc:
                # Whatever it raises is this driver's failure, not the run's.
                self._failed(driver, exc)
        if stop is not None:
            raise stop

    def _failed(self, driver: OutputDriver, exc: BaseException) -> None:
        self.errors.append(_error(driver, exc))
        # A new list: the loop that called this still walks over the old one.
        self._working = [other for other in self._working if other is not driver]


def _name(driver: OutputDriver) -> str:
    return type(driver).__name__


def _error(driver: OutputDriver, exc: BaseException) -> DriverError:
    text = error_message(exc) if isinstance(exc, NeuronEvalsError) else describe_error(exc)
    return DriverError(_name(driver), printable(text))


def _clash(one: OutputDriver, other: OutputDriver) -> list[str]:
    """Return a problem when both drivers write to the same place."""
    try:
        mine, theirs = one.destination, other.destination
    except _FAILURES as exc:
        # As in problems.
        return [f"{_name(one)} and {_name(other)}: {printable(describe_error(exc))}"]
    if mine is None or theirs is None:
        return []
    if isinstance(mine, Path):
        same, place, instead = mine == theirs, f'"{printable(str(mine))}"', "give one of them a path of its own"
    elif isinstance(mine, str):
        same, place, instead = mine == theirs, printable(mine), "leave one of them out"
    else:
        same, place, instead = mine is theirs, "the same stream", "give one of them a path of its own"
    return [f"{_name(one)} and {_name(other)} both write to {place}; {instead}"] if same else []
