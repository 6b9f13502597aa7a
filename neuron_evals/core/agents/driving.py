"""Doing the steps of a turn: in plain code, and in async code."""

from __future__ import annotations

import asyncio
import inspect
import time
from typing import TYPE_CHECKING, Any, Self

from neuron_evals.core.agents.bridging import call_plain, finish
from neuron_evals.core.agents.rounds import NOT_TOLD, Work
from neuron_evals.core.agents.turns import Ask, Steps
from neuron_evals.core.messages import ToolCall

if TYPE_CHECKING:
    from types import TracebackType

    from neuron_evals.core.agents.contract import AgentReply
    from neuron_evals.core.providers.contract import BaseProvider


def drive(steps: Steps, provider: BaseProvider) -> AgentReply:
    """Do the steps of a turn and return its reply.

    Tools run one after the other in the calling thread, so that they share its database connections and transactions.
    """
    step = next(steps)
    while True:
        answer = provider.complete(step.request) if isinstance(step, Ask) else [_run(work) for work in step.work]
        try:
            step = steps.send(answer)
        except StopIteration as done:
            reply: AgentReply = done.value
            return reply


async def adrive(steps: Steps, provider: BaseProvider) -> AgentReply:
    """Do the steps of a turn and return its reply; like `drive`, for async code.

    The tools of a round run at the same time, plain functions among them in threads.
    """
    step = next(steps)
    while True:
        answer = await provider.acomplete(step.request) if isinstance(step, Ask) else await _run_all(step.work)
        try:
            step = steps.send(answer)
        except StopIteration as done:
            reply: AgentReply = done.value
            return reply


def _run(work: Work) -> ToolCall:
    with _Attempt(work) as attempt:
        result = work.tool.function(**work.arguments)
        attempt.result = finish(result) if inspect.isawaitable(result) else result
    return attempt.outcome


async def _run_all(works: tuple[Work, ...]) -> list[ToolCall]:
    # All come to their end before an error goes on: none is left running behind.
    outcomes = await asyncio.gather(*map(_arun, works), return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
    return [outcome for outcome in outcomes if isinstance(outcome, ToolCall)]


async def _arun(work: Work) -> ToolCall:
    with _Attempt(work) as attempt:
        function = work.tool.function
        if work.tool.in_thread:
            result = await call_plain(function, **work.arguments)
        else:
            result = function(**work.arguments)
        attempt.result = await result if inspect.isawaitable(result) else result
    return attempt.outcome


class _Attempt:
    """Runs a tool in its `with` block; what the block raises becomes the outcome, unless the model must not be told."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self.result: Any = None
        self.outcome = work.call

    def __enter__(self) -> Self:
        self._started = time.perf_counter()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, exc: BaseException | None, _traceback: TracebackType | None
    ) -> bool:
        seconds = time.perf_counter() - self._started
        if exc is None:
            self.outcome = self._work.returned(self.result, seconds)
        elif isinstance(exc, Exception) and not isinstance(exc, NOT_TOLD):
            self.outcome = self._work.broke(exc, seconds)
        else:
            return False
        return True
