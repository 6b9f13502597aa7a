"""How far a run is, and how that is said where no bar can be drawn."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from neuron_evals.core.outputs.console.screen import Line, Screen
from neuron_evals.core.outputs.console.wording import by_status, number, plural, time_left

if TYPE_CHECKING:
    from neuron_evals.core.outputs.console.labels import Labels
    from neuron_evals.core.results import ItemResult, Plan, Status

_SECONDS_BETWEEN_LINES = 10.0

Clock = Callable[[], float]


class Progress(Protocol):
    """Shows how far a run is."""

    def finished(self, result: ItemResult) -> None:
        """Count a result as it comes."""

    def item(self, result: ItemResult) -> None:
        """Take a result in dataset order."""

    def stop(self) -> None:
        """Say what is left to say, and leave the screen."""


class Pace:
    """Counts results and says how fast they come.

    Attributes:
        total: Number of results to come; `None` when nobody knows.
    """

    def __init__(self, total: int | None, clock: Clock) -> None:
        self.total = total
        self._statuses: Counter[Status] = Counter()
        self._clock = clock
        self._started = clock()

    @property
    def done(self) -> int:
        """Number of results so far."""
        return self._statuses.total()

    def add(self, status: Status) -> None:
        """Count one result."""
        self._statuses[status] += 1

    def text(self) -> str:
        """Return percentage, counts, items a second and time left; what cannot be known yet is left out."""
        done, elapsed = self.done, self._clock() - self._started
        parts = [plural(done, "item")]
        if self.total:
            parts = [f"{min(100, done * 100 // self.total)}%", f"{done}/{plural(self.total, 'item')}"]
        if done and elapsed > 0:
            parts.append(f"{number(done / elapsed, 1)}/s")
            if self.total:
                parts.append(f"{time_left(max(0, self.total - done) * elapsed / done)} left")
        return "  ".join([*parts, by_status(self._statuses)])


class PlainProgress:
    """A line for each evaluator that ended, and one every ten seconds: readable in the log of a CI job."""

    def __init__(self, screen: Screen, plan: Plan, labels: Labels, clock: Clock = time.monotonic) -> None:
        self._screen = screen
        self._labels = labels
        self._totals = {planned.evaluator_class: planned.total for planned in plan.evaluators}
        self._pace = Pace(plan.total, clock)
        self._clock = clock
        self._next = clock() + _SECONDS_BETWEEN_LINES
        self._current: str | None = None
        self._counts: Counter[Status] = Counter()

    def finished(self, result: ItemResult) -> None:
        """Count a result, and say how far the run is when that was not said for a while."""
        self._pace.add(result.status)
        if self._clock() >= self._next:
            self._next = self._clock() + _SECONDS_BETWEEN_LINES
            self._say(self._pace.text())

    def item(self, result: ItemResult) -> None:
        """Count a result for its evaluator, and say so when that one ended."""
        if result.evaluator_class != self._current:
            self.stop()
            self._current = result.evaluator_class
        self._counts[result.status] += 1
        if self._counts.total() == self._totals.get(result.evaluator_class):
            self.stop()

    def stop(self) -> None:
        """Say what the current evaluator gave."""
        if self._current is not None and self._counts:
            label, count = self._labels.of(self._current), plural(self._counts.total(), "item")
            self._say(f"{label}: {count}, {by_status(self._counts)}")
        self._counts.clear()

    def _say(self, text: str) -> None:
        self._screen.write([Line(text)])
        self._screen.flush()
