"""Executing one item: one item in, one result out, whatever breaks in between."""

from __future__ import annotations

from neuron_evals.core.execution.executing import aexecute, execute, is_async, private
from neuron_evals.core.execution.tasks import AroundAsync, Executed, Surroundings, Task, broken, cancelled, too_late

__all__ = [
    "AroundAsync",
    "Executed",
    "Surroundings",
    "Task",
    "aexecute",
    "broken",
    "cancelled",
    "execute",
    "is_async",
    "private",
    "too_late",
]
