"""The progress bar of a terminal."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from neuron_evals.core.outputs.console.progress import Clock, Pace
from neuron_evals.core.outputs.console.screen import Line, Screen, is_terminal

if TYPE_CHECKING:
    from rich.console import Console

    from neuron_evals.core.results import ItemResult, Plan

_SECONDS_BETWEEN_FRAMES = 0.1
_WIDTH = 20


class Bar:
    """Draws a bar with percentage, counts, rate and time left below the lines of a screen, and removes it at the end.

    It is drawn from the calling thread when a result comes, at most ten times a second: worker processes must not
    inherit a thread of its own.
    """

    def __init__(self, screen: Screen, plan: Plan, clock: Clock = time.monotonic) -> None:
        from rich.console import Console  # noqa: PLC0415  (rich is loaded only where its bar is drawn)
        from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415  (as above)

        self._screen = screen
        self._pace = Pace(plan.total, clock)
        self._clock = clock
        self._next = 0.0
        console = Console(file=screen.stream, force_terminal=True, no_color=not screen.color, markup=False, emoji=False)
        self._progress = Progress(
            BarColumn(_WIDTH),
            TextColumn("{task.fields[text]}", markup=False),
            console=console,
            auto_refresh=False,
            transient=True,
            # What evaluators print goes above the bar; what is sent to a file or pipe stays as it is.
            redirect_stdout=is_terminal(sys.stdout),
            redirect_stderr=is_terminal(sys.stderr),
        )
        self._task = self._progress.add_task("", total=plan.total, text=self._pace.text())
        self._progress.start()
        screen.above = lambda line: _print(console, line)

    def finished(self, result: ItemResult) -> None:
        """Count a result and draw the bar when the last frame is old enough."""
        self._pace.add(result.status)
        if self._clock() >= self._next:
            self._next = self._clock() + _SECONDS_BETWEEN_FRAMES
            self._progress.update(self._task, completed=self._pace.done, text=self._pace.text(), refresh=True)

    def item(self, result: ItemResult) -> None:
        """Do nothing: the bar counts results as they come."""

    def stop(self) -> None:
        """Remove the bar."""
        self._screen.above = None
        self._progress.stop()


def _print(console: Console, line: Line) -> None:
    from rich.text import Text  # noqa: PLC0415  (as above)

    encoding = console.encoding
    text = line.text.encode(encoding, "backslashreplace").decode(encoding)
    console.print(Text(text, style=line.style), soft_wrap=True)
