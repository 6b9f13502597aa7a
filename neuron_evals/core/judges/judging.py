"""One judgement: the judge is asked, and asked once more when its reply cannot be used.

What happens is written once, as a generator of calls; `judged` and `ajudged` make the calls.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents import BaseAgent
from neuron_evals.core.judges.prompts import correction, reply_schema
from neuron_evals.core.judges.replies import Grade, UnusableReply, read_reply
from neuron_evals.core.messages import Usage
from neuron_evals.core.metrics import total_cost, usage_kind

if TYPE_CHECKING:
    from neuron_evals.core.agents import AgentReply
    from neuron_evals.core.judges.scales import Scale


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one judge said once.

    Attributes:
        score: The score, 0 to 1; `None` when there is no grade.
        grade: The grade as the judge gave it; `None` likewise.
        reasoning: Its reasoning; empty when it gave none.
        judge: Name of the judge; empty when it has none.
        model: Name of the model that answered; `None` when unknown.
        usage: Tokens, those of an unusable reply included; `None` when unknown.
        cost: What they cost, in the currency of the price table; `None` when unknown.
        seconds: How long the judge took.
        replies: The raw replies, when there was more than one; else empty.
        error: Why there is no grade; empty when there is one.
    """

    score: float | None
    grade: Any = None
    reasoning: str = ""
    judge: str = ""
    model: str | None = None
    usage: Usage | None = None
    cost: Decimal | None = None
    seconds: float = 0.0
    replies: tuple[str, ...] = ()
    error: str = ""

    def details(self) -> dict[str, Any]:
        """Return all of it as JSON values, for the context of a check."""
        details: dict[str, Any] = {
            "score": self.score,
            "grade": self.grade,
            "reasoning": self.reasoning,
            "judge": self.judge,
            "model": self.model,
            "usage": None if self.usage is None else asdict(self.usage),
            "cost": None if self.cost is None else float(self.cost),
            "seconds": self.seconds,
        }
        if self.replies:
            details["replies"] = list(self.replies)
        if self.error:
            details["error"] = self.error
        return details


@dataclass(frozen=True, slots=True)
class _Call:
    agent: BaseAgent
    prompt: str
    schema: Mapping[str, Any]


def judged(judge: BaseAgent, prompt: str, scale: Scale) -> Judgement:
    """Have a judge grade, each time in a fresh conversation.

    Args:
        judge: The agent that grades; its own conversation is left alone.
        prompt: What `judge_prompt` returned.
        scale: How it grades.

    Returns:
        The judgement. It has no grade when neither the first nor the second reply can be used.
    """
    calls = _calls(judge, prompt, scale)
    call = next(calls)
    while True:
        with usage_kind("judge"):
            reply = call.agent.structured(call.prompt, call.schema)
        try:
            call = calls.send(reply)
        except StopIteration as end:
            judgement: Judgement = end.value
            return judgement


async def ajudged(judge: BaseAgent, prompt: str, scale: Scale) -> Judgement:
    """Have a judge grade; like `judged`, for async code."""
    calls = _calls(judge, prompt, scale)
    call = next(calls)
    while True:
        with usage_kind("judge"):
            reply = await call.agent.astructured(call.prompt, call.schema)
        try:
            call = calls.send(reply)
        except StopIteration as end:
            judgement: Judgement = end.value
            return judgement


def _calls(judge: BaseAgent, prompt: str, scale: Scale) -> Generator[_Call, AgentReply, Judgement]:
    """Yield the calls to make, take their replies, and return what came of them."""
    schema = reply_schema(scale)
    started = time.perf_counter()
    replies = [(yield _Call(judge.fresh(), prompt, schema))]
    try:
        grade = _read(replies[0], scale)
    except UnusableReply as first:
        # The whole prompt goes again: not every agent keeps its conversation from one structured question to the next.
        replies.append((yield _Call(judge.fresh(), correction(prompt, str(first), scale), schema)))
        try:
            grade = _read(replies[1], scale)
        except UnusableReply as second:
            who = f"judge {judge.name}" if judge.name else "the judge"
            return _judgement(judge, replies, started, error=f"{who} gave no grade in 2 replies: {second}")
    return _judgement(judge, replies, started, grade)


def _judgement(
    judge: BaseAgent, replies: Sequence[AgentReply], started: float, grade: Grade | None = None, error: str = ""
) -> Judgement:
    used = [reply.usage for reply in replies if reply.usage is not None]
    return Judgement(
        score=None if grade is None else grade.score,
        grade=None if grade is None else grade.grade,
        reasoning="" if grade is None else grade.reasoning,
        judge=judge.name,
        model=replies[-1].model,
        usage=Usage.sum(used) if len(used) == len(replies) else None,
        cost=total_cost(reply.cost for reply in replies),
        seconds=time.perf_counter() - started,
        replies=tuple(reply.text for reply in replies) if len(replies) > 1 else (),
        error=error,
    )


def _read(reply: AgentReply, scale: Scale) -> Grade:
    if reply.interrupt is not None:
        msg = "the judge stopped to ask for a decision; a judge needs tools that need none"
        raise UnusableReply(msg)
    try:
        return read_reply(reply.text, scale)
    except UnusableReply as exc:
        if reply.finish_reason != "length":
            raise
        written = "" if reply.usage is None or reply.usage.output is None else f" at {reply.usage.output} tokens"
        msg = f"{exc}; it was cut{written} by the token limit of its model call (max_tokens)"
        raise UnusableReply(msg) from None
