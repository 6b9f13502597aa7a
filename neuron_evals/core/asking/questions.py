"""A question to an agent whose answer is read strictly: asked, and asked once more when the reply cannot be used.

What happens is written once, as a generator of calls; `ask` and `aask` make the calls.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from neuron_evals.core.agents import AgentReply, BaseAgent
from neuron_evals.core.asking.replies import UnusableReply
from neuron_evals.core.exceptions import NeuronEvalsError
from neuron_evals.core.metrics import UsageKind, usage_kind

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """A question.

    Attributes:
        prompt: The one user message.
        schema: JSON schema of the reply.
        wanted: The reply in words; it ends the sentence "reply with nothing but one JSON object that has".
        read: Returns what a reply says, or raises `UnusableReply`.
        who: Who is asked, for errors, such as `the judge`.
        kind: Under what the model calls are counted.
    """

    prompt: str
    schema: Mapping[str, Any]
    wanted: str
    read: Callable[[str], T]
    who: str
    kind: UsageKind

    def again(self, problem: str) -> str:
        """Return the prompt that asks once more.

        Args:
            problem: What was wrong with the first reply, in our own words.
        """
        # The whole prompt goes again: not every agent keeps its conversation from one structured question to the next.
        return (
            f"{self.prompt}\n\nAn earlier reply could not be used: {problem}. "
            f"Reply again, with nothing but one JSON object that has {self.wanted}."
        )


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """An answer that could be read.

    Attributes:
        value: What `Question.read` made of it.
        replies: The raw replies, one or two.
        problem: Why the first of two could not be used; empty when there is one.
    """

    value: T
    replies: tuple[AgentReply, ...]
    problem: str = ""


class NoAnswer(NeuronEvalsError):  # noqa: N818  (says what came)
    """Neither the first nor the second reply can be used; the text says why the second cannot.

    Attributes:
        replies: Both.
    """

    def __init__(self, problem: str, replies: tuple[AgentReply, ...] = ()) -> None:
        super().__init__(problem)
        self.replies = replies


_Calls = Generator[tuple[BaseAgent, str], AgentReply, Answer[T]]


def ask(agent: BaseAgent, question: Question[T]) -> Answer[T]:
    """Ask an agent, each time in a fresh conversation.

    Args:
        agent: The agent; its own conversation is left alone.
        question: What it is asked.

    Raises:
        NoAnswer: Neither the first nor the second reply can be used.
        Exception: Whatever the agent raises.
    """
    calls = _calls(agent, question)
    asked, prompt = next(calls)
    while True:
        with usage_kind(question.kind):
            reply = asked.structured(prompt, question.schema)
        try:
            asked, prompt = calls.send(reply)
        except StopIteration as end:
            answer: Answer[T] = end.value
            return answer


async def aask(agent: BaseAgent, question: Question[T]) -> Answer[T]:
    """Do what `ask` does, for async code."""
    calls = _calls(agent, question)
    asked, prompt = next(calls)
    while True:
        with usage_kind(question.kind):
            reply = await asked.astructured(prompt, question.schema)
        try:
            asked, prompt = calls.send(reply)
        except StopIteration as end:
            answer: Answer[T] = end.value
            return answer


def _calls(agent: BaseAgent, question: Question[T]) -> _Calls[T]:
    """Yield whom to ask what, take the replies, and return what came of them."""
    first = yield agent.fresh(), question.prompt
    try:
        return Answer(_read(question, first), (first,))
    except UnusableReply as exc:
        problem = str(exc)
    second = yield agent.fresh(), question.again(problem)
    try:
        return Answer(_read(question, second), (first, second), problem)
    except UnusableReply as exc:
        raise NoAnswer(str(exc), (first, second)) from None


def _read(question: Question[T], reply: AgentReply) -> T:
    if reply.interrupt is not None:
        msg = f"{question.who} stopped to ask for a decision; {question.who} needs tools that need none"
        raise UnusableReply(msg)
    try:
        return question.read(reply.text)
    except UnusableReply as exc:
        if reply.finish_reason != "length":
            raise
        written = "" if reply.usage is None or reply.usage.output is None else f" at {reply.usage.output} tokens"
        msg = f"{exc}; it was cut{written} by the token limit of its model call (max_tokens)"
        raise UnusableReply(msg) from None
