"""What holds for every dialect."""

from __future__ import annotations

import gzip
import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from neuron_evals import InvalidArgument, Message, ModelRequest, ModelSettings, ProviderError, ToolCall, ToolSpec, Usage
from tests.core.providers.server import EVENTS, Answer, events, lines


def test_text__message_with_usage_model_and_duration(server, dialect, call, hello):
    server.answers(Answer(dialect.text))
    reply = call(dialect.make(server), hello)
    assert (reply.message.role, reply.message.content) == ("assistant", "Hello!")
    assert (reply.message.usage.input, reply.message.usage.output) == (12, 3)
    assert reply.message.model == "m-1"
    assert reply.message.duration > 0
    assert (reply.finish_reason, reply.first_token, reply.attempts) == ("stop", None, 1)
    assert reply.raw == dialect.text
    assert server.asked[0].path == dialect.path
    assert server.asked[0].headers["accept-encoding"] == "identity"


def test_tool_call__read_with_arguments(server, dialect, call, hello):
    server.answers(Answer(dialect.tool))
    reply = call(dialect.make(server), hello)
    (tool,) = reply.message.tool_calls
    assert (tool.name, tool.arguments, tool.invalid_arguments) == ("lookup", {"id": 1}, None)
    assert reply.message.content == ""
    assert reply.finish_reason == "tool_calls"


def test_missing_usage__unknown_and_not_zero(server, dialect, call, hello):
    server.answers(Answer(dialect.tool))
    assert call(dialect.make(server), hello).message.usage == Usage()


@pytest.mark.parametrize("where", ["provider", "settings"])
def test_stream__same_reply_and_time_to_the_first_token(server, dialect, call, where):
    server.answers(dialect.stream)
    asked = ModelRequest((Message("user", "Hello?"),), settings=ModelSettings(stream=where == "settings" or None))
    reply = call(dialect.make(server, stream=where == "provider"), asked)
    assert (reply.message.content, reply.finish_reason, reply.message.model) == ("Hello!", "stop", "m-1")
    assert (reply.message.usage.input, reply.message.usage.output) == (12, 3)
    assert 0 < reply.first_token <= reply.message.duration
    assert server.bodies[0]["stream"] is True


def test_stream__refused_by_the_server__the_whole_reply_is_read(server, dialect, call, hello):
    server.answers(Answer(dialect.text))
    reply = call(dialect.make(server, stream=True), hello)
    assert (reply.message.content, reply.first_token) == ("Hello!", None)


def test_stream__in_single_bytes_and_without_last_line_end__read(server, dialect, hello):
    stream = dialect.stream
    server.answers(Answer(stream.body.rstrip(), kind=stream.kind, drip=0.0001))
    assert dialect.make(server, stream=True).complete(hello).message.content == "Hello!"


def test_stream__ended_early__repeated(server, dialect, call, hello):
    half = dialect.stream.body[: len(dialect.stream.body) // 2]
    server.answers(Answer(half, kind=dialect.stream.kind), dialect.stream)
    reply = call(dialect.make(server, stream=True), hello)
    assert (reply.message.content, reply.attempts) == ("Hello!", 2)


def test_nothing_set__no_sampling_parameter_sent(server, dialect, hello):
    server.answers(Answer(dialect.text))
    dialect.make(server).complete(hello)
    sent = str(server.bodies[0])
    assert not any(name in sent for name in ("temperature", "top_p", "top_k", "seed", "options", "None"))


@pytest.mark.parametrize(
    ("text", "arrived"),
    [
        ("Solve: A = {1; 2; 3}, 50% of {}", "Solve: A = {1; 2; 3}, 50% of {}"),
        ("{0.__class__} %(x)s ${7*7} {{ key }} \\u0041", "{0.__class__} %(x)s ${7*7} {{ key }} \\u0041"),
        ("bad \udcb0 char", "bad \ufffd char"),
        ("half \ud83d", "half \ufffd"),
        ("whole \U0001f600, \u4e2d\u6587", "whole \U0001f600, \u4e2d\u6587"),
    ],
)
def test_text__arrives_character_for_character(server, dialect, call, text, arrived):
    server.answers(Answer(dialect.text))
    assert call(dialect.make(server), ModelRequest((Message("user", text),))).attempts == 1
    content = server.bodies[0]["messages"][0]["content"]
    assert (content if isinstance(content, str) else content[0]["text"]) == arrived
    assert len(server.asked) == 1


def test_schema__asked_for_and_the_reply_is_its_json(server, dialect, call):
    answer = json.loads(json.dumps(dialect.text).replace("Hello!", '{\\"score\\": 1}'))
    server.answers(Answer(answer))
    schema = {"type": "object", "properties": {"score": {"type": "number"}}}
    reply = call(dialect.make(server), ModelRequest((Message("user", "Grade it."),), schema=schema))
    assert json.loads(reply.message.content) == {"score": 1}
    assert json.dumps(schema) in json.dumps(server.bodies[0])


def test_extra__sent_as_it_is_and_wins(server, dialect):
    server.answers(Answer(dialect.text))
    asked = ModelRequest((Message("user", "Hello?"),), settings=ModelSettings(extra={"top_k": 3, "model": "other"}))
    dialect.make(server, extra_body={"top_k": 1, "more": True}).complete(asked)
    assert {**server.bodies[0], "top_k": 3, "model": "other", "more": True} == server.bodies[0]


def test_schema__prompted__in_the_instructions_alone(server, dialect):
    server.answers(Answer(dialect.text))
    asked = ModelRequest((Message("user", "Hello?"),), instructions="Be brief.", schema={"type": "object", "x-mark": 1})
    dialect.make(server, structured="prompt").complete(asked)
    body = server.bodies[0]
    system = body.get("system") or body["messages"][0]["content"]
    assert system.startswith("Be brief.\n\n")
    assert '"x-mark": 1' in system
    assert not {"response_format", "format", "output_config"} & body.keys()


def test_tools__sent_with_schema(server, dialect):
    server.answers(Answer(dialect.text))
    parameters = {"type": "object", "properties": {"id": {"type": "integer"}}}
    asked = ModelRequest((Message("user", "Hello?"),), tools=(ToolSpec("lookup", "Finds it.", parameters),))
    dialect.make(server).complete(asked)
    (tool,) = server.bodies[0]["tools"]
    told = tool.get("function", tool)
    assert (told["name"], told["description"]) == ("lookup", "Finds it.")
    assert told.get("parameters", told.get("input_schema")) == parameters


def test_key__sent_in_its_header(server, dialect, hello):
    server.answers(Answer(dialect.text))
    dialect.make(server, api_key=lambda: "sk-of-the-test").complete(hello)
    name, form = dialect.key_header
    assert server.asked[0].headers[name] == form.format("sk-of-the-test")


def test_no_key__no_header(server, dialect, hello):
    server.answers(Answer(dialect.text))
    dialect.make(server).complete(hello)
    assert dialect.key_header[0] not in server.asked[0].headers


@pytest.mark.parametrize("body", [{}, {"choices": []}, {"message": None}, {"content": "text"}, {"choices": [{}]}])
def test_json_that_is_no_reply__error(server, dialect, hello, body):
    server.answers(Answer(body))
    with pytest.raises(ProviderError, match="answered without a reply") as caught:
        dialect.make(server).complete(hello)
    assert caught.value.kind == "bad_reply"
    assert len(server.asked) == 1


def test_refused_request__the_providers_own_words(server, dialect, call, hello):
    server.answers(Answer(dialect.error, status=400))
    with pytest.raises(ProviderError, match=r"m: HTTP 400.*Unsupported parameter: 'top_k'") as caught:
        call(dialect.make(server), hello)
    assert (caught.value.kind, caught.value.status, caught.value.transient) == ("bad_request", 400, False)
    assert len(server.asked) == 1


def test_success_with_an_error_in_its_body__error(server, dialect, call, hello):
    server.answers(Answer(dialect.error))
    with pytest.raises(ProviderError, match=r"answered with an error.*Unsupported parameter"):
        call(dialect.make(server), hello)


def test_error_in_a_stream__error(server, dialect, call, hello):
    kind = dialect.stream.kind
    server.answers(Answer(events(dialect.error) if kind == EVENTS else lines(dialect.error), kind=kind))
    with pytest.raises(ProviderError, match="Unsupported parameter"):
        call(dialect.make(server, stream=True), hello)


def test_attachment_of_a_user__refused_and_nothing_sent(server, dialect):
    server.answers(Answer(dialect.text))
    asked = ModelRequest((Message("user", "What is this?", attachments=({"type": "image"},)),))
    with pytest.raises(InvalidArgument, match="message 0: attachments cannot be sent"):
        dialect.make(server).complete(asked)
    assert server.asked == []


def test_conversation_with_calls__sent_in_order_with_outcomes(server, dialect):
    server.answers(Answer(dialect.text))
    proposed = (ToolCall("find", {"q": "x"}), ToolCall("drop", {}), ToolCall("note", {}))
    done = (
        ToolCall("find", {"q": "x"}, result={"address": "1 Main St"}),
        ToolCall("drop", {}, approval="rejected", reject_reason="too much"),
        ToolCall("note", {}, error="disk full"),
    )
    conversation = (
        Message("user", "Do it."),
        Message("assistant", tool_calls=proposed),
        Message("tool", tool_calls=done),
        Message("user", "And now?"),
    )
    dialect.make(server).complete(ModelRequest(conversation))
    sent = str(server.bodies[0]["messages"])
    marks = ["Do it.", '{"address": "1 Main St"}', "Rejected: too much", "Error: disk full", "And now?"]
    places = [sent.index(mark) for mark in marks]
    assert places == sorted(places)


def test_value_that_json_has_not__refused_and_nothing_sent(server, dialect):
    server.answers(Answer(dialect.text))
    asked = ModelRequest((Message("assistant", tool_calls=(ToolCall("f", {"a": float("nan")}),)),))
    with pytest.raises(InvalidArgument, match="the request cannot be sent: it holds NaN"):
        dialect.make(server).complete(asked)
    assert server.asked == []


def test_no_model__refused(server, dialect):
    server.answers(Answer(dialect.text))
    provider = dialect.make(server)
    provider.model = None
    with pytest.raises(InvalidArgument, match="no model is named"):
        provider.complete(ModelRequest((Message("user", "Hello?"),)))


def test_model_of_the_request__wins(server, dialect):
    server.answers(Answer(dialect.text))
    dialect.make(server).complete(ModelRequest((Message("user", "Hello?"),), model="other"))
    assert server.bodies[0]["model"] == "other"


def test_long_reply__raw_is_bounded(server, dialect, hello):
    long = {**dialect.text, "padding": "x" * 100_000}
    server.answers(Answer(long))
    reply = dialect.make(server).complete(hello)
    assert reply.message.content == "Hello!"
    assert len(reply.raw["truncated"]) == 20_000


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_rate_limited__waits_as_told_and_repeats(server, dialect, call, hello, form):
    past = format_datetime(datetime.now(UTC) - timedelta(minutes=1), usegmt=True)
    told = {"retry-after": "0.1" if form == "seconds" else past}
    server.answers(Answer(dialect.error, status=429, headers=told), Answer(dialect.text))
    started = time.monotonic()
    assert call(dialect.make(server), hello).attempts == 2
    assert (0.1 if form == "seconds" else 0.0) <= time.monotonic() - started < 30


@pytest.mark.parametrize(
    "first",
    [Answer({}, status=500), Answer(reset=True), Answer({}, status=529)],
    ids=["500", "reset", "529"],
)
def test_trouble_that_may_be_gone__repeated_until_it_is(server, dialect, call, hello, first):
    server.answers(first, first, Answer(dialect.text))
    reply = call(dialect.make(server), hello)
    assert (reply.message.content, reply.attempts, len(server.asked)) == ("Hello!", 3, 3)


def test_slow_drip__ends_at_the_deadline(server, dialect, call, hello):
    # No read waits for long, and all of them together take minutes.
    server.answers(Answer({**dialect.text, "long": "x" * 4_000}, drip=0.05))
    started = time.monotonic()
    with pytest.raises(ProviderError, match=r"no complete reply within 0\.2 s") as caught:
        call(dialect.make(server, timeout=0.2), hello)
    assert caught.value.kind == "timeout"
    assert time.monotonic() - started < 60


OF_ANOTHER_KIND = {
    "the encoding gzip": Answer(gzip.compress(b"0" * 50_000_000), headers={"Content-Encoding": "gzip"}),
    "answered with text/html where JSON was expected": Answer(b"<html>Sign in</html>", kind="text/html"),
}


@pytest.mark.parametrize("words", OF_ANOTHER_KIND)
def test_answer_of_another_kind__refused_at_once(server, dialect, call, hello, words):
    server.answers(OF_ANOTHER_KIND[words])
    with pytest.raises(ProviderError, match=words) as caught:
        call(dialect.make(server), hello)
    assert caught.value.kind == "bad_reply"
    assert len(server.asked) == 1
