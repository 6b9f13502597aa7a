"""Callables and foreign objects in the place of an agent."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from neuron_evals.core.agents import Agent, AgentError, AgentReply, BaseAgent, as_agent
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.messages import Message, Usage
from neuron_evals.core.metrics import collecting
from neuron_evals.core.providers import FakeProvider
from neuron_evals.core.providers.prices import PriceTable

Chat = Callable[[BaseAgent, str], AgentReply]


@pytest.fixture(params=["plain", "async"])
def chat(request) -> Chat:
    if request.param == "plain":
        return lambda tested, message: tested.chat(message)
    return lambda tested, message: asyncio.run(tested.achat(message))


def shout(text: str) -> str:
    return text.upper()


async def shout_later(text: str) -> str:
    await asyncio.sleep(0)
    return text.upper()


class Echo:
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def chat(self, text: str) -> Any:
        self.heard.append(text)
        return SimpleNamespace(text=" ".join(self.heard).upper())

    def fresh(self) -> Echo:
        return Echo()


class LaterShouter:
    async def __call__(self, text: str) -> str:
        return await shout_later(text)


@pytest.mark.parametrize(
    "value", [shout, shout_later, Echo(), LaterShouter(), functools.partial(shout), lambda text: text.upper()]
)
def test_whatever_answers_text__is_an_agent(chat, value):
    tested = as_agent(value).fresh()
    reply = chat(tested, "hi")
    assert (reply.text, reply.message.role, reply.usage, reply.cost) == ("HI", "assistant", None, None)
    assert [message.content for message in tested.history] == ["hi", "HI"]
    assert tested.fresh().history == ()


def test_agent__is_taken_as_it_is():
    agent = Agent(FakeProvider())
    assert as_agent(agent) is agent


def test_object__fresh_is_its_own_so_that_no_conversation_hears_of_another():
    tested = as_agent(Echo())
    tested.chat("a")
    assert tested.chat("b").text == "A B"
    assert tested.fresh().chat("c").text == "C"


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (Echo, r"Echo is a class; an agent is an object, such as Echo\(\.\.\.\)"),
        (None, "got None"),
        (SimpleNamespace(chat=shout), r"has chat\(\) and no fresh\(\)"),
    ],
)
def test_what_is_no_agent__refused_with_a_way_out(value, why):
    with pytest.raises(ConfigurationError, match=why):
        as_agent(value)


@pytest.mark.parametrize("answer", [None, 3, b"text", SimpleNamespace(text=None)])
def test_answer_that_is_no_text__named_error(chat, answer):
    def broken(_text: str) -> Any:
        return answer

    with pytest.raises(AgentError, match=f"broken: an agent must return text, got {type(answer).__name__}"):
        chat(as_agent(broken), "hi")


def test_overrides__refused_because_nothing_can_be_changed():
    with pytest.raises(ConfigurationError, match='"temperature" cannot be changed; it can change nothing'):
        as_agent(shout).fresh(temperature=0)


def test_usage__of_an_agent_inside_is_told_and_counted_once(chat):
    prices = PriceTable().with_overrides({"small": {"input": 1_000_000, "output": 1_000_000}})
    inner = Agent(FakeProvider(Message("assistant", "ok", usage=Usage(1, 2)), model="small"), prices=prices)
    with collecting() as collected:
        reply = chat(as_agent(lambda text: inner.fresh().chat(text).text), "hi")
    assert (reply.usage, reply.cost) == (Usage(1, 2), Decimal(3))
    assert len(collected.model_calls) == 1


def test_usage__of_a_callable_that_tells_nothing_is_unknown_and_its_time_is_known(chat):
    with collecting() as collected:
        reply = chat(as_agent(shout), "hi")
    [call] = collected.model_calls
    assert (call.usage, call.cost) == (None, None)
    assert call.seconds >= 0
    assert reply.duration > 0


def test_reply_of_an_agent__is_passed_on_as_it_is():
    given = AgentReply("hi", Message("assistant", "hi"), usage=Usage(1, 2))
    tested = as_agent(lambda _text: given)
    assert tested.chat("x") is given
    assert tested.history[-1] is given.message


@pytest.mark.parametrize("cost", [Decimal("0.25"), 0.25], ids=repr)
def test_reply_that_tells_what_it_used__is_counted_where_nothing_inside_was(chat, cost):
    answer = Message("assistant", "hi", usage=Usage(9, 2), model="small")
    reply = AgentReply("hi", answer, usage=Usage(20, 5, requests=2), cost=cost, first_token=0.5)
    with collecting() as collected:
        chat(as_agent(lambda _: reply), "hello")
    assert (collected.usage(), collected.cost()) == (Usage(20, 5, requests=2), Decimal("0.25"))
    assert (collected.iterations(), collected.first_token()) == (2, 0.5)


def test_reply_whose_message_alone_tells_what_it_used__is_counted(chat):
    with collecting() as collected:
        chat(
            as_agent(lambda _: AgentReply("hi", Message("assistant", "hi", usage=Usage(9, 2), model="small"))), "hello"
        )
    assert (collected.usage(), collected.cost()) == (Usage(9, 2), None)


def test_structured__is_asked_for_in_words(chat):
    asked: list[str] = []

    def judge(text: str) -> str:
        asked.append(text)
        return '{"score": 1}'

    schema = {"type": "object", "required": ["score"]}
    assert as_agent(judge).structured("Grade it.", schema).text == '{"score": 1}'
    assert asyncio.run(as_agent(judge).astructured("Grade it.", schema)).text == '{"score": 1}'
    assert (
        asked
        == [
            "Grade it.\n\nAnswer with one JSON object that matches this JSON schema, and with nothing else:\n"
            '{"required":["score"],"type":"object"}'
        ]
        * 2
    )


def test_resume__there_is_nothing_to_resume():
    with pytest.raises(AgentError, match=r"CallableAgent: there is nothing to resume; call chat\(\)"):
        asyncio.run(as_agent(shout).aresume({}))


class OwnAgent(BaseAgent):
    """The least that an agent must have."""

    SUPPORTED = frozenset({"deps"})

    def __init__(self, deps: str = "none") -> None:
        self.deps = deps

    @property
    def history(self) -> tuple[Message, ...]:
        return ()

    def chat(self, message: str | Message) -> AgentReply:
        return AgentReply(f"{message} {self.deps}", Message("assistant", f"{message} {self.deps}"))

    def fresh(self, **overrides: Any) -> OwnAgent:
        self.refuse_unsupported(overrides)
        return OwnAgent(**{"deps": self.deps} | overrides)


def test_agent_of_ones_own__gets_the_rest_of_the_contract(chat):
    tested = as_agent(OwnAgent()).fresh(deps="shop")
    assert chat(tested, "hi").text == "hi shop"
    assert (tested.fingerprint, tested.problems(), tested.is_transient(TimeoutError())) == ("", [], False)
    with pytest.raises(ConfigurationError, match=r'OwnAgent\.fresh: "model" cannot be changed; it can change deps'):
        tested.fresh(model="x")
