from __future__ import annotations

import asyncio

import pytest

from neuron_evals.core.agents import Agent
from neuron_evals.core.asking.questions import NoAnswer, Question, aask, ask
from neuron_evals.core.asking.replies import UnusableReply
from neuron_evals.core.metrics import collecting
from neuron_evals.core.providers import FakeProvider


def read(text: str) -> int:
    if not text.isdigit():
        msg = "it is no number"
        raise UnusableReply(msg)
    return int(text)


QUESTION = Question("PROMPT {x}", {"type": "object"}, '"number"', read, "the counter", "simulator")


@pytest.fixture(params=["plain", "async"])
def asked(request):
    """How to ask: both ways must do the same."""
    return ask if request.param == "plain" else lambda agent, question: asyncio.run(aask(agent, question))


def test_usable_reply__read_and_asked_once(asked):
    provider = FakeProvider("7")
    answer = asked(Agent(provider), QUESTION)
    assert (answer.value, answer.problem, [reply.text for reply in answer.replies]) == (7, "", ["7"])
    assert [request.messages[0].content for request in provider.requests] == ["PROMPT {x}"]


def test_unusable_reply__asked_once_more_with_the_whole_prompt_and_what_was_wrong(asked):
    provider = FakeProvider("seven", "7")
    answer = asked(Agent(provider), QUESTION)
    assert (answer.value, answer.problem, [reply.text for reply in answer.replies]) == (
        7,
        "it is no number",
        ["seven", "7"],
    )
    (again,) = provider.requests[1].messages
    assert again.content.startswith("PROMPT {x}\n\n")
    assert 'it is no number. Reply again, with nothing but one JSON object that has "number".' in again.content


def test_second_unusable_reply__no_answer_with_both(asked):
    with pytest.raises(NoAnswer, match="it is no number") as caught:
        asked(Agent(FakeProvider("a", "b", "7")), QUESTION)
    assert [reply.text for reply in caught.value.replies] == ["a", "b"]


def test_every_call__counted_under_the_kind_of_the_question(asked):
    with collecting() as collected:
        asked(Agent(FakeProvider("a", "7")), QUESTION)
    assert [call.kind for call in collected.model_calls] == ["simulator", "simulator"]


def test_agent_asked__its_own_conversation_is_left_alone(asked):
    agent = Agent(FakeProvider("hello", "7"))
    agent.chat("hi")
    asked(agent, QUESTION)
    assert [message.content for message in agent.history] == ["hi", "hello"]
