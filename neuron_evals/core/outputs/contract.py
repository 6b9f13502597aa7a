"""What an output driver is."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TextIO

from neuron_evals.core.runner.listener import Listener

if TYPE_CHECKING:
    from pathlib import Path


class OutputDriver(Listener):
    """Takes results as they come and the report at the end; the base class does nothing.

    The calls come in this order, all in the thread that called the runner: `problems()`, `start(plan)`, then
    `finished(result)` for each result as it comes and `item(result)` in dataset order, `output(report)`, `close()`. An
    exception is the driver's own failure: it is reported, the driver gets no further call but `close()`, and the run
    goes on. `StopRun` stops the run.
    """

    needs_results: ClassVar[bool] = False
    """Whether `output` reads `report.results`, so that the runner has to keep every result."""

    live: ClassVar[bool] = False
    """Whether it draws on the screen during a run. It then gets each call first, so that others find a clear screen."""

    from_caller: ClassVar[frozenset[str]] = frozenset()
    """Parameters of the constructor that only who runs something can fill; settings and commands cannot name them."""

    @property
    def destination(self) -> Path | TextIO | str | None:
        """What it writes to, or `None`; no two drivers may share one.

        A file (absolute, links followed), a stream, or a text that names something else, such as `the database "x"`.
        """
        return None

    def problems(self) -> list[str]:
        """Return everything that would make the driver fail, a line each; asked before anything runs."""
        return []

    def close(self) -> None:
        """Release what it holds; called once, also when the driver or the run failed, and when nothing was started."""
