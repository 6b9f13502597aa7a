"""Doing the steps of a turn: in plain code, and in async code."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from neuron_evals.core.agents.bridging import call_plain, finish
from neuron_evals.core.agents.rounds import NOT_TOLD, Work
from neuron_evals.core.agents.turns import Ask, Run, Steps

if TYPE_CHECKING:
    from types import TracebackType

    from neuron_evals.core.agents.contract import AgentReply
    from neuron_evals.core.messages import ToolCall
    from neuron_evals.core.providers.contract import BaseProvider


def drive(steps: Steps, provider: BaseProvider) -> AgentReply:
    """Do the steps of a turn and return its reply.

    Tools run one after the other in the calling thread, so that they share its database connections and transactions.
    """
    step = next(steps)
    while True:
        reply = None
        if isinstance(step, Ask):
            reply = provider.complete(step.request)
        else:
            _run_each(step)
        try:
            step = steps.send(reply)
        except StopIteration as done:
            answered: AgentReply = done.value
            return answered


async def adrive(steps: Steps, provider: BaseProvider) -> AgentReply:
    """Do the steps of a turn and return its reply; like `drive`, for async code.

    The tools of a round run at the same time, plain functions among them in threads.
    """
    step = next(steps)
    while True:
        reply = None
        if isinstance(step, Ask):
            reply = await provider.acomplete(step.request)
        else:
            await _run_all(step)
        try:
            step = steps.send(reply)
        except StopIteration as done:
            answered: AgentReply = done.value
            return answered


def _run_each(step: Run) -> None:
    for work in step.work:
        with _Attempt(work, step.take) as attempt:
            result = work.tool.function(**work.keywords)
            attempt.result = finish(result) if inspect.isawaitable(result) else result


async def _run_all(step: Run) -> None:
    # All come to their end before an error goes on: none is left running behind.
    ended = await asyncio.gather(*(_arun(work, step.take) for work in step.work), return_exceptions=True)
    for exc in ended:
        if exc is not None:
            raise exc


async def _arun(work: Work, take: Callable[[ToolCall], None]) -> None:
    with _Attempt(work, take) as attempt:
        function = work.tool.function
        if work.tool.in_thread:
            result = await call_plain(function, **work.keywords)
        else:
            result = function(**work.keywords)
        attempt.result = await result if inspect.isawaitable(result) else result


class _Attempt:
    """Runs a tool in its `with` block. What the block raises is the outcome, and goes on where it ends the turn."""

    def __init__(self, work: Work, take: Callable[[ToolCall], None]) -> None:
        self._work = work
        self._take = take
        self.result: Any = None

    def __enter__(self) -> Self:
        self._started = time.perf_counter()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, exc: BaseException | None, _traceback: TracebackType | None
    ) -> bool:
        seconds = time.perf_counter() - self._started
        if exc is None:
            self._take(self._work.returned(self.result, seconds))
            return True
        self._take(self._work.broke(exc, seconds))
        return isinstance(exc, Exception) and not isinstance(exc, NOT_TOLD)
