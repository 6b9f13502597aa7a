"""Items in the calling thread, whatever their time limit."""

from __future__ import annotations

import time
from dataclasses import replace

from neuron_evals.core.execution import Executed, Task, too_late
from neuron_evals.core.results import Status
from neuron_evals.core.runner.pools.inline import InlinePool


class InPlacePool(InlinePool):
    """Executes everything in `wait`, for callers whose thread holds what items need, such as an open transaction.

    What hangs cannot be left behind. A time limit ends what asks for it, as calls of models do, and an item that took
    longer is an error when it ends.
    """

    def start(self, ticket: int, task: Task) -> None:
        """Take a task."""
        self._tasks.append((ticket, task))

    def _executed(self, task: Task) -> Executed:
        started = time.monotonic()
        executed = super()._executed(task)
        seconds = time.monotonic() - started
        result = executed.result
        if task.timeout is None or seconds <= task.timeout or result.status in (Status.ERROR, Status.CANCELLED):
            return executed
        late = too_late(task, seconds)
        return replace(late, result=replace(late.result, output=result.output, trajectory=result.trajectory))
