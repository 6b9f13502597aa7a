"""The dialect of chat completions."""

from __future__ import annotations

import pytest

from neuron_evals import (
    InvalidArgument,
    Message,
    ModelRequest,
    ModelSettings,
    OpenAIProvider,
    ProviderError,
    ToolCall,
    Usage,
)
from neuron_evals.core.providers.openai_stream import ChatAssembler
from tests.core.providers.dialects import OPENAI
from tests.core.providers.server import EVENTS, Answer, events


def sent(server, asked, **options):
    server.answers(Answer(OPENAI.text))
    OPENAI.make(server, **options).complete(asked)
    return server.bodies[-1]


def calls_of(arguments, *, key="arguments"):
    message = {"content": None, "tool_calls": [{"id": "c1", "function": {"name": "f", key: arguments}}]}
    return OpenAIProvider("m")._read({"choices": [{"message": message}]}).tool_calls


def streamed(*deltas):
    assembler = ChatAssembler()
    for delta in deltas:
        assembler.feed({"choices": [{"delta": {"tool_calls": [delta]}}]})
    calls = OpenAIProvider("m")._read(assembler.result()).tool_calls
    return [(call.id, call.name, dict(call.arguments)) for call in calls]


def test_everything_set__sent_under_its_name(server):
    settings = ModelSettings(temperature=0.0, top_p=0.5, max_tokens=7, seed=0)
    body = sent(server, ModelRequest((Message("user", "Hi"),), instructions="Be brief.", settings=settings))
    assert body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
        "temperature": 0.0,
        "top_p": 0.5,
        "max_tokens": 7,
        "seed": 0,
    }


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "max_completion_tokens"),
        ({"base_url": "http://127.0.0.1:8000/v1"}, "max_tokens"),
        (
            {"base_url": "http://127.0.0.1:8000/v1", "token_limit_param": "max_completion_tokens"},
            "max_completion_tokens",
        ),
        ({"token_limit_param": "max_tokens"}, "max_tokens"),
    ],
)
def test_token_limit__named_as_the_server_wants_it(options, name):
    asked = ModelRequest((Message("user", "Hi"),), settings=ModelSettings(max_tokens=5))
    assert OpenAIProvider("m", **options)._body(asked, "m", stream=False)[name] == 5


def test_schema__response_format(server):
    schema = {"type": "object", "properties": {"score": {"type": "number"}}}
    body = sent(server, ModelRequest((Message("user", "Hi"),), schema=schema))
    assert body["response_format"] == {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}


@pytest.mark.parametrize(("option", "content"), [(False, None), (True, "")])
def test_assistant_that_only_calls__content_as_the_server_wants_it(server, option, content):
    conversation = (
        Message("assistant", tool_calls=(ToolCall("f", id="c1"),)),
        Message("tool", tool_calls=(ToolCall("f", id="c1", result="42"),)),
    )
    messages = sent(server, ModelRequest(conversation), empty_content=option)["messages"]
    function = {"name": "f", "arguments": "{}"}
    assert messages == [
        {
            "role": "assistant",
            "content": content,
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "42"},
    ]


def test_calls_without_ids__paired_in_order(server):
    conversation = (
        Message("assistant", tool_calls=(ToolCall("f"), ToolCall("g", id="own"), ToolCall("f"))),
        Message("tool", tool_calls=(ToolCall("f", result="1"),)),
        Message("tool", tool_calls=(ToolCall("g", id="own", result="2"), ToolCall("f", result="3"))),
    )
    messages = sent(server, ModelRequest(conversation))["messages"]
    proposed = [call["id"] for call in messages[0]["tool_calls"]]
    assert len(set(proposed)) == 3
    outcomes = {message["tool_call_id"]: message["content"] for message in messages[1:]}
    assert [outcomes[call] for call in proposed] == ["1", "2", "3"]


def test_organisation_and_headers__sent(server, hello):
    server.answers(Answer(OPENAI.text))
    OPENAI.make(server, organisation="org-1", headers={"X-Title": "evals"}).complete(hello)
    headers = server.asked[0].headers
    assert (headers["openai-organization"], headers["x-title"]) == ("org-1", "evals")


@pytest.mark.parametrize("arguments", ["", "  ", None, "null", "{}", {}])
def test_arguments__none(arguments):
    (call,) = calls_of(arguments)
    assert (call.arguments, call.invalid_arguments) == ({}, None)


def test_arguments__left_out():
    assert calls_of(1, key="other")[0].arguments == {}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"text":"a}{b"}', {"text": "a}{b"}),
        ('{"q":"what is \\"AI\\"? C:\\\\tmp"}', {"q": 'what is "AI"? C:\\tmp'}),
        (' {"a": [1, {"b": null}]}\n', {"a": [1, {"b": None}]}),
        ({"a": 1}, {"a": 1}),
        ('{"city": "\\u00fc"}', {"city": "ü"}),
    ],
)
def test_arguments__text_or_object(arguments, expected):
    (call,) = calls_of(arguments)
    assert (call.arguments, call.invalid_arguments) == (expected, None)


@pytest.mark.parametrize(
    "arguments",
    ['{"a": 1', "[1]", '"text"', '{"a": NaN}', '{"a": 1e999}', '{"a": [-1e999]}', "[" * 100_000, "call f(1)"],
)
def test_arguments__broken__kept_as_they_were_written(arguments):
    (call,) = calls_of(arguments)
    assert (call.name, call.arguments, call.invalid_arguments) == ("f", {}, arguments)


def test_arguments__object_with_a_number_that_json_has_not__kept_as_text(server, hello):
    reply = b'{"choices": [{"message": {"tool_calls": [{"function": {"name": "f", "arguments": {"a": 1e999}}}]}}]}'
    server.answers(Answer(reply))
    (call,) = OPENAI.make(server).complete(hello).message.tool_calls
    assert (call.arguments, call.invalid_arguments) == ({}, '{"a": Infinity}')


def test_call_with_broken_arguments__sent_back_as_valid_json(server):
    conversation = (Message("assistant", tool_calls=(ToolCall("f", id="c1", invalid_arguments='{"a": '),)),)
    (message,) = sent(server, ModelRequest(conversation))["messages"]
    assert message["tool_calls"][0]["function"]["arguments"] == "{}"


@pytest.mark.parametrize("between", ["data:\n\n", "data: \n\n", ": still here\n\n"])
@pytest.mark.parametrize("end", ["", "data: [DONE]\n\n", "data: [DONE] \n\n", "data:[DONE]\n\n"])
def test_stream__what_holds_nothing__passed_over(server, hello, between, end):
    chunk = {"choices": [{"delta": {"content": "Hello!"}, "finish_reason": "stop"}]}
    server.answers(Answer(between.encode() + events(chunk) + end.encode(), kind=EVENTS))
    assert OPENAI.make(server, stream=True).complete(hello).message.content == "Hello!"


TEXT = {"content": "Hello!"}
CALL = {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "f", "arguments": "{}"}}]}


@pytest.mark.parametrize("end", ["data: [DONE]\n\n", "data: [DONE]\r\r", "data: [DONE]"])
@pytest.mark.parametrize("brought", [(TEXT, "Hello!", []), (CALL, "", ["f"])], ids=["text", "call"])
def test_stream__says_that_it_is_done_and_not_why__complete(server, call, hello, brought, end):
    delta, *found = brought
    server.answers(Answer(events({"choices": [{"delta": delta}]}) + end.encode(), kind=EVENTS))
    reply = call(OPENAI.make(server, stream=True), hello)
    assert [reply.message.content, [made.name for made in reply.message.tool_calls]] == found
    assert (reply.finish_reason, reply.attempts) == ("", 1)


@pytest.mark.parametrize("chunks", [[], [{"choices": [{"delta": {"role": "assistant"}}]}]], ids=["nothing", "a role"])
def test_stream__says_that_it_is_done_and_brought_nothing__no_reply(server, hello, chunks):
    server.answers(Answer(events(*chunks, "[DONE]"), kind=EVENTS))
    with pytest.raises(ProviderError, match="the stream ended before the reply did"):
        OPENAI.make(server, stream=True, max_retries=0).complete(hello)


def test_stream__ends_with_neither_a_reason_nor_the_last_event__no_reply(server, hello):
    server.answers(Answer(events({"choices": [{"delta": TEXT}]}), kind=EVENTS))
    with pytest.raises(ProviderError, match="the stream ended before the reply did"):
        OPENAI.make(server, stream=True, max_retries=0).complete(hello)


def test_stream__with_a_byte_order_mark_and_returns__read(server, call, hello):
    chunk = {"choices": [{"delta": TEXT, "finish_reason": "stop"}]}
    body = b"\xef\xbb\xbf" + events(chunk, "[DONE]").replace(b"\n", b"\r")
    server.answers(Answer(body, kind=EVENTS))
    assert call(OPENAI.make(server, stream=True), hello).message.content == "Hello!"


def test_stream__arguments_in_pieces():
    assert streamed(
        {"index": 0, "id": "c1", "function": {"name": "add", "arguments": ""}},
        {"index": 0, "function": {"arguments": '{"a"'}},
        {"index": 1, "id": "c2", "function": {"name": "sub", "arguments": '{"b": 2}'}},
        {"index": 0, "function": {"arguments": ": 1}"}},
    ) == [("c1", "add", {"a": 1}), ("c2", "sub", {"b": 2})]


def test_stream__every_call_has_the_index_0__told_apart_by_id():
    assert streamed(
        {"index": 0, "id": "c1", "function": {"name": "add", "arguments": '{"a":1}'}},
        {"index": 0, "id": "c2", "function": {"name": "add", "arguments": '{"a":2}'}},
    ) == [("c1", "add", {"a": 1}), ("c2", "add", {"a": 2})]


def test_stream__neither_index_nor_id_tells_apart__name_does():
    assert streamed(
        {"index": 0, "function": {"name": "fetch", "arguments": '{"u":"x"}'}},
        {"index": 0, "function": {"name": "find", "arguments": '{"u":"y"}'}},
    ) == [(None, "fetch", {"u": "x"}), (None, "find", {"u": "y"})]


def test_stream__arguments_as_an_object():
    assert streamed({"index": 0, "id": "c1", "function": {"name": "add", "arguments": {"a": 1}}}) == [
        ("c1", "add", {"a": 1})
    ]


def test_stream__id_and_name_repeated_in_each_piece__one_call():
    assert streamed(
        {"index": 0, "id": "c1", "function": {"name": "add", "arguments": '{"a"'}},
        {"index": 0, "id": "c1", "function": {"name": "add", "arguments": ":1}"}},
    ) == [("c1", "add", {"a": 1})]


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ({"content": None}, ""),
        ({}, ""),
        ({"content": [{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}]}, "ab"),
        ({"content": None, "refusal": "I cannot."}, "I cannot."),
    ],
)
def test_content__in_any_form(message, content):
    assert OpenAIProvider("m")._read({"choices": [{"message": message}]}).content == content


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, Usage()),
        ({"prompt_tokens": None, "completion_tokens": 2}, Usage(output=2)),
        ({"prompt_tokens": True, "completion_tokens": "7"}, Usage()),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 8,
                "prompt_tokens_details": {"cached_tokens": 4},
                "completion_tokens_details": {"reasoning_tokens": 3},
            },
            Usage(input=9, output=8, cached_input=4, reasoning=3),
        ),
        ({"prompt_tokens": 0, "completion_tokens": 0, "prompt_tokens_details": None}, Usage(input=0, output=0)),
    ],
)
def test_usage__what_is_told_and_nothing_else(usage, expected):
    data = {"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}], "usage": usage}
    assert OpenAIProvider("m")._read(data).usage == expected


def test_token_limit_param__unknown__refused():
    with pytest.raises(InvalidArgument, match="token_limit_param is one of max_completion_tokens, max_tokens"):
        OpenAIProvider("m", token_limit_param="tokens")  # type: ignore[arg-type]  # noqa: S106  (no password)
