"""Ollama's own dialect."""

from __future__ import annotations

import pytest

from neuron_evals import Message, ModelRequest, ModelSettings, ProviderError, ToolCall
from tests.core.providers.dialects import OLLAMA
from tests.core.providers.server import LINES, Answer, lines


def sent(server, asked, **options):
    server.answers(Answer(OLLAMA.text))
    OLLAMA.make(server, **options).complete(asked)
    return server.bodies[-1]


def test_everything_set__among_the_options(server):
    settings = ModelSettings(temperature=0.0, top_p=0.5, max_tokens=7, seed=0)
    body = sent(server, ModelRequest((Message("user", "Hi"),), instructions="Be brief.", settings=settings))
    assert body == {
        "model": "m",
        "stream": False,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
        "options": {"temperature": 0.0, "top_p": 0.5, "num_predict": 7, "seed": 0},
    }


def test_schema__format(server):
    assert sent(server, ModelRequest((Message("user", "Hi"),), schema={"type": "object"}))["format"] == {
        "type": "object"
    }


def test_calls__arguments_as_objects_and_outcomes_by_name(server):
    conversation = (
        Message("assistant", tool_calls=(ToolCall("f", {"a": 1}, id="c1"),)),
        Message("tool", tool_calls=(ToolCall("f", {"a": 1}, id="c1", result=42),)),
    )
    proposed, outcome = sent(server, ModelRequest(conversation))["messages"]
    assert proposed["tool_calls"] == [{"id": "c1", "function": {"name": "f", "arguments": {"a": 1}}}]
    assert (outcome["role"], outcome["tool_name"], outcome["content"]) == ("tool", "f", "42")


def test_model_is_not_there__says_how_to_get_it(server, hello):
    server.answers(Answer({"error": "model 'm' not found"}, status=404))
    with pytest.raises(ProviderError, match=r"model 'm' not found; is it pulled\? `ollama pull m`"):
        OLLAMA.make(server).complete(hello)


def test_stream__calls_in_a_line(server, hello):
    call = {"function": {"name": "f", "arguments": {"a": 1}}}
    body = lines(
        {"message": {"content": "", "tool_calls": [call]}, "done": False},
        {"message": {"content": ""}, "done": True, "done_reason": "stop"},
    )
    server.answers(Answer(body, kind=LINES))
    reply = OLLAMA.make(server, stream=True).complete(hello)
    assert reply.message.tool_calls == (ToolCall("f", {"a": 1}),)
    assert reply.finish_reason == "tool_calls"
