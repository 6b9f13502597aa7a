"""The dialect of Anthropic's messages."""

from __future__ import annotations

import pytest

from neuron_evals import AnthropicProvider, InvalidArgument, Message, ModelRequest, ModelSettings, ToolCall, Usage
from tests.core.providers.dialects import ANTHROPIC
from tests.core.providers.server import EVENTS, Answer, events


def sent(server, asked, **options):
    server.answers(Answer(ANTHROPIC.text))
    ANTHROPIC.make(server, **options).complete(asked)
    return server.bodies[-1]


def test_version__sent(server, hello):
    sent(server, hello)
    sent(server, hello, version="2023-06-01")
    assert [asked.headers["anthropic-version"] for asked in server.asked] == ["2026-10-21", "2023-06-01"]


def test_max_tokens__always_sent(server, hello):
    assert sent(server, hello)["max_tokens"] == 4096
    assert sent(server, hello, max_tokens=9)["max_tokens"] == 9
    asked = ModelRequest((Message("user", "Hi"),), settings=ModelSettings(max_tokens=5, temperature=0.5, top_p=1.0))
    body = sent(server, asked)
    assert (body["max_tokens"], body["temperature"], body["top_p"]) == (5, 0.5, 1.0)


def test_system_messages__joined_in_order_and_sent_apart(server):
    conversation = (
        Message("system", "A"),
        Message("user", "x"),
        Message("system", "B"),
        Message("system", ""),
    )
    body = sent(server, ModelRequest(conversation, instructions="First."))
    assert body["system"] == "First.\n\nA\n\nB"
    assert body["messages"] == [{"role": "user", "content": [{"type": "text", "text": "x"}]}]


def test_outcomes__one_user_turn_and_first_in_it(server):
    conversation = (
        Message("user", "go"),
        Message("assistant", "On it.", tool_calls=(ToolCall("f", {"a": 1}, id="c1"), ToolCall("g", id="c2"))),
        Message("tool", tool_calls=(ToolCall("f", {"a": 1}, id="c1", result="ok"),)),
        Message("tool", tool_calls=(ToolCall("g", id="c2", error="broke"),)),
        Message("user", "and now?"),
    )
    assert sent(server, ModelRequest(conversation))["messages"][1:] == [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "On it."},
                {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
                {"type": "tool_use", "id": "c2", "name": "g", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "ok"},
                {"type": "tool_result", "tool_use_id": "c2", "content": "Error: broke", "is_error": True},
                {"type": "text", "text": "and now?"},
            ],
        },
    ]


def test_empty_message__left_out(server):
    conversation = (Message("user", "a"), Message("assistant", ""), Message("user", "b"))
    blocks = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert sent(server, ModelRequest(conversation))["messages"] == [{"role": "user", "content": blocks}]


def test_schema__output_format(server):
    schema = {"type": "object"}
    body = sent(server, ModelRequest((Message("user", "Hi"),), schema=schema))
    assert body["output_config"] == {"format": {"type": "json_schema", "schema": schema}}


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, Usage()),
        ({"input_tokens": None, "output_tokens": 98}, Usage(output=98)),
        (
            {
                "input_tokens": 5,
                "cache_read_input_tokens": 900,
                "cache_creation_input_tokens": 95,
                "output_tokens": 10,
            },
            Usage(input=1000, output=10, cached_input=900, cache_write=95),
        ),
    ],
)
def test_usage__cached_tokens_are_input_too(usage, expected):
    data = {"content": [], "usage": usage}
    assert AnthropicProvider("m")._read(data).usage == expected


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("end_turn", "stop"),
        ("max_tokens", "length"),
        ("tool_use", "tool_calls"),
        ("pause_turn", "pause_turn"),
        (None, ""),
    ],
)
def test_finish_reason__in_common_words(reason, expected):
    assert AnthropicProvider("m")._read({"content": [], "stop_reason": reason}).finish_reason == expected


def test_stream__later_null_does_not_hide_what_was_told(server, hello):
    body = events(
        {"type": "message_start", "message": {"usage": {"input_tokens": 12, "output_tokens": 1}}},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn"},
            "usage": {"input_tokens": None, "output_tokens": 98},
        },
        {"type": "message_stop"},
    )
    server.answers(Answer(body, kind=EVENTS))
    usage = ANTHROPIC.make(server, stream=True).complete(hello).message.usage
    assert (usage.input, usage.output) == (12, 98)


def test_stream__calls_in_pieces(server, hello):
    body = events(
        {"type": "message_start", "message": {"model": "m-1"}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "tool_use", "id": "c1", "name": "f", "input": {}},
        },
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"a": '}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "1}"}},
        {
            "type": "content_block_start",
            "index": 2,
            "content_block": {"type": "tool_use", "id": "c2", "name": "g", "input": {}},
        },
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
        names=True,
    )
    server.answers(Answer(body, kind=EVENTS))
    reply = ANTHROPIC.make(server, stream=True).complete(hello)
    assert reply.message.tool_calls == (ToolCall("f", {"a": 1}, id="c1"), ToolCall("g", {}, id="c2"))
    assert reply.finish_reason == "tool_calls"


def test_stream__overloaded_in_the_middle__repeated(server, hello):
    start = {"type": "message_start", "message": {}}
    broken = events(start, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    server.answers(Answer(broken, kind=EVENTS), ANTHROPIC.stream)
    assert ANTHROPIC.make(server, stream=True).complete(hello).attempts == 2


@pytest.mark.parametrize("limit", [0, -1, True, "many"])
def test_max_tokens__out_of_range__refused(limit):
    with pytest.raises(InvalidArgument, match="max_tokens is a whole number, 1 or more"):
        AnthropicProvider("m", max_tokens=limit)
