"""One judgement: the judge is asked, and asked once more when its reply cannot be used."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from neuron_evals.core.asking.questions import Answer, NoAnswer, Question, aask, ask
from neuron_evals.core.judges.prompts import reply_schema
from neuron_evals.core.judges.replies import Grade, read_reply
from neuron_evals.core.messages import Usage
from neuron_evals.core.metrics import total_cost

if TYPE_CHECKING:
    from neuron_evals.core.agents import BaseAgent
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


def judged(judge: BaseAgent, prompt: str, scale: Scale) -> Judgement:
    """Have a judge grade, each time in a fresh conversation.

    Args:
        judge: The agent that grades.
        prompt: What `judge_prompt` returned.
        scale: How it grades.

    Returns:
        The judgement. It has no grade when neither the first nor the second reply can be used.
    """
    started = time.perf_counter()
    try:
        answer: Answer[Grade] | NoAnswer = ask(judge, _question(prompt, scale))
    except NoAnswer as exc:
        answer = exc
    return _judgement(judge, answer, time.perf_counter() - started)


async def ajudged(judge: BaseAgent, prompt: str, scale: Scale) -> Judgement:
    """Have a judge grade; like `judged`, for async code."""
    started = time.perf_counter()
    try:
        answer: Answer[Grade] | NoAnswer = await aask(judge, _question(prompt, scale))
    except NoAnswer as exc:
        answer = exc
    return _judgement(judge, answer, time.perf_counter() - started)


def _question(prompt: str, scale: Scale) -> Question[Grade]:
    return Question(
        prompt=prompt,
        schema=reply_schema(scale),
        wanted=f'"reasoning" and "{scale.key}"',
        read=lambda text: read_reply(text, scale),
        who="the judge",
        kind="judge",
    )


def _judgement(judge: BaseAgent, answer: Answer[Grade] | NoAnswer, seconds: float) -> Judgement:
    replies = answer.replies
    grade, error = None, ""
    if isinstance(answer, NoAnswer):
        who = f"judge {judge.name}" if judge.name else "the judge"
        error = f"{who} gave no grade in {len(replies)} replies: {answer}"
    else:
        grade = answer.value
    used = [reply.usage for reply in replies if reply.usage is not None]
    return Judgement(
        score=None if grade is None else grade.score,
        grade=None if grade is None else grade.grade,
        reasoning="" if grade is None else grade.reasoning,
        judge=judge.name,
        model=replies[-1].model,
        usage=Usage.sum(used) if len(used) == len(replies) else None,
        cost=total_cost(reply.cost for reply in replies),
        seconds=seconds,
        replies=tuple(reply.text for reply in replies) if len(replies) > 1 else (),
        error=error,
    )
