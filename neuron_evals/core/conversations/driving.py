"""Doing the steps of a conversation: in plain code, and in async code."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents.bridging import call_plain, finish
from neuron_evals.core.cancellation import ends_by
from neuron_evals.core.conversations.talking import Deliver, Listen
from neuron_evals.core.exceptions import TimeLimit
from neuron_evals.core.metrics import usage_kind
from neuron_evals.core.providers.errors import ProviderError

if TYPE_CHECKING:
    from neuron_evals.core.agents.contract import BaseAgent
    from neuron_evals.core.conversations.talking import Call, Steps, TurnLimit
    from neuron_evals.core.trajectories.ending import EndingReason


def drive(steps: Steps, agent: BaseAgent) -> EndingReason:
    """Do the steps of a conversation and return why it ended."""
    step = next(steps)
    while True:
        answer = _done(step, agent)  # not within the `try`: a StopIteration of the agent's does not end the steps
        try:
            step = steps.send(answer)
        except StopIteration as ended:
            reason: EndingReason = ended.value
            return reason


async def adrive(steps: Steps, agent: BaseAgent) -> EndingReason:
    """Do the steps of a conversation and return why it ended; like `drive`, for async code."""
    step = next(steps)
    while True:
        answer = await _adone(step, agent)
        try:
            step = steps.send(answer)
        except StopIteration as ended:
            reason: EndingReason = ended.value
            return reason


def _done(step: Deliver | Listen | Call, agent: BaseAgent) -> Any:
    if isinstance(step, Deliver):
        with _within(step.limit):
            return agent.resume(step.said) if step.resumes else agent.chat(step.said)
    if isinstance(step, Listen):
        with usage_kind("simulator"):
            return step.user.next_turn(step.so_far)
    result = step.function(*step.args)
    return finish(result) if inspect.isawaitable(result) else result


async def _adone(step: Deliver | Listen | Call, agent: BaseAgent) -> Any:
    if isinstance(step, Deliver):
        return await _adelivered(step, agent)
    if isinstance(step, Listen):
        with usage_kind("simulator"):
            return await step.user.anext_turn(step.so_far)
    if inspect.iscoroutinefunction(step.function):
        return await step.function(*step.args)
    result = await call_plain(step.function, *step.args)
    return await result if inspect.isawaitable(result) else result


async def _adelivered(step: Deliver, agent: BaseAgent) -> Any:
    waiting = agent.aresume(step.said) if step.resumes else agent.achat(step.said)
    if step.limit is None:
        return await waiting
    with _within(step.limit):
        scope = asyncio.timeout(step.limit.deadline.remaining)
        try:
            async with scope:
                return await waiting
        except TimeoutError as exc:
            if scope.expired():
                raise step.limit.error() from exc
            raise


@contextmanager
def _within(limit: TurnLimit | None) -> Iterator[None]:
    """Limit the code inside to the end of its turn, also code that comes back only after it."""
    if limit is None:
        yield
        return
    with ends_by(limit.deadline):
        try:
            yield
        except (TimeoutError, ProviderError) as exc:
            ran_out = exc.kind == "timeout" if isinstance(exc, ProviderError) else not isinstance(exc, TimeLimit)
            if ran_out and limit.deadline.passed:
                raise limit.error() from exc
            raise
        if limit.deadline.passed:
            raise limit.error()
