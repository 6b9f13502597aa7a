"""The provider for tests."""

from __future__ import annotations

import asyncio
import threading

import pytest

from neuron_evals import EvaluationError, FakeProvider, InvalidArgument, Message, ModelRequest, ToolCall, Usage

ASKED = ModelRequest((Message("user", "Hi"),))


def test_replies__given_in_order_each_in_its_form(call):
    lookup = ToolCall("lookup", {"id": 1})
    whole = Message("assistant", "done", usage=Usage(1, 2))
    provider = FakeProvider(
        "Hello!", [lookup], {"score": 0.8, "reasoning": "gut ü"}, whole, RuntimeError("provider down")
    )
    text, calls, mapping, message = (call(provider, ASKED) for _ in range(4))
    assert (text.message.content, text.message.model, text.finish_reason) == ("Hello!", "fake", "stop")
    assert [(tool.name, tool.arguments) for tool in calls.message.tool_calls] == [("lookup", {"id": 1})]
    assert calls.message.tool_calls[0].id
    assert calls.finish_reason == "tool_calls"
    assert mapping.message.content == '{"score": 0.8, "reasoning": "gut ü"}'
    assert message.message.usage == Usage(1, 2)
    with pytest.raises(RuntimeError, match="provider down"):
        call(provider, ASKED)
    assert provider.call_count == 5
    assert provider.requests == [ASKED] * 5


def test_ids__differ_from_call_to_call():
    provider = FakeProvider([ToolCall("f"), ToolCall("f")], [ToolCall("f")])
    ids = [tool.id for _ in range(2) for tool in provider.complete(ASKED).message.tool_calls]
    assert len(set(ids)) == 3


def test_no_reply_left__says_how_many_there_were():
    provider = FakeProvider("one")
    provider.complete(ASKED)
    with pytest.raises(
        EvaluationError, match=r"FakeProvider: call 2 has no reply, 1 were given; add\(...\) gives more"
    ):
        provider.complete(ASKED)
    provider.add("two")
    assert provider.complete(ASKED).message.content == "two"


def test_model__of_the_request():
    assert FakeProvider("x").complete(ModelRequest(ASKED.messages, model="other")).message.model == "other"


@pytest.mark.parametrize("reply", [None, 5, b"text", [], ["text"], Message("user", "x")])
def test_reply__of_no_known_form__refused_where_it_is_given(reply):
    with pytest.raises(InvalidArgument, match="FakeProvider: reply 2 is text, a list of tool calls"):
        FakeProvider("fine", reply)


def test_fingerprint__that_of_its_model():
    assert FakeProvider("a").fingerprint == FakeProvider("b").fingerprint != FakeProvider(model="c").fingerprint


def test_many_threads__every_reply_given_once():
    provider = FakeProvider(*map(str, range(400)))
    found: list[str] = []

    def work() -> None:
        found.extend(provider.complete(ASKED).message.content for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found, key=int) == [str(number) for number in range(400)]


def test_many_tasks__every_reply_given_once():
    provider = FakeProvider(*map(str, range(10)))

    async def work() -> list[str]:
        replies = await asyncio.gather(*(provider.acomplete(ASKED) for _ in range(10)))
        return [reply.message.content for reply in replies]

    assert asyncio.run(work()) == [str(number) for number in range(10)]
