from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.jsonable import Undecodable, clean_json, decode, encode
from neuron_evals.core.messages import Message, ToolCall, Usage, read_arguments


@pytest.mark.parametrize(
    ("given_arguments", "arguments", "invalid"),
    [
        ({"q": "x"}, {"q": "x"}, None),
        ('{"q": "x"}', {"q": "x"}, None),
        (' {"n": 1.0, "m": 1} ', {"n": 1.0, "m": 1}, None),
        ('{"text":"a}{b"}', {"text": "a}{b"}, None),
        ('{"q":"what is \\"AI\\"? C:\\\\tmp"}', {"q": 'what is "AI"? C:\\tmp'}, None),
        ("", {}, None),
        ("  \n", {}, None),
        ("null", {}, None),
        (None, {}, None),
        ("{}", {}, None),
        ('{"q": "x"', {}, '{"q": "x"'),
        ("q=x", {}, "q=x"),
        ("[1]", {}, "[1]"),
        ('"{}"', {}, '"{}"'),
        ('{"n": NaN}', {}, '{"n": NaN}'),
        ('{"n": 1e999}', {}, '{"n": 1e999}'),
        ("[" * 100_000, {}, "[" * 100_000),
        ('{"n": ' + "9" * 5_000 + "}", {}, '{"n": ' + "9" * 5_000 + "}"),
        ([1, "é"], {}, '[1,"é"]'),
        (7, {}, "7"),
    ],
)
def test_arguments_are_read_and_what_is_no_object_is_kept_as_text(given_arguments, arguments, invalid):
    assert read_arguments(given_arguments) == (arguments, invalid)
    call = ToolCall("search", given_arguments)
    assert (call.arguments, call.invalid_arguments) == (arguments, invalid)


@pytest.mark.parametrize(
    ("outcome", "ran"),
    [
        ({}, False),
        ({"result": "found"}, True),
        ({"result": ""}, True),
        ({"result": 0}, True),
        ({"error": "boom"}, True),
        ({"approval": "pending"}, False),
        ({"approval": "rejected", "result": "rejected by the user"}, False),
        ({"approval": "approved"}, False),
        ({"approval": "approved", "result": "ok"}, True),
        ({"executed": True}, True),
        ({"executed": False, "result": "canned"}, False),
    ],
)
def test_a_call_ran_when_it_has_an_outcome_and_was_not_held_back(outcome, ran):
    assert ToolCall("pay", **outcome).ran is ran


def test_a_message_without_text_has_an_empty_one():
    assert Message("assistant", None).content == ""  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Message("robot"), "Message: role is one of system, user, assistant, tool, got 'robot'"),  # type: ignore[arg-type]
        (lambda: Message("user", ["hi"]), "Message: content must be text, got list"),  # type: ignore[arg-type]
        (
            lambda: Message("assistant", tool_calls=[ToolCall("a"), {"name": "b"}]),  # type: ignore[list-item]
            "Message: tool_calls[1] must be a ToolCall, got dict",
        ),
        (lambda: ToolCall(None), "ToolCall: name must be text, got NoneType"),  # type: ignore[arg-type]
        (
            lambda: ToolCall("a", approval="maybe"),  # type: ignore[arg-type]
            "ToolCall: approval is one of pending, approved, rejected, or None, got 'maybe'",
        ),
    ],
)
def test_what_is_no_message_is_refused_with_the_reason(build, message):
    with pytest.raises(InvalidArgument) as caught:
        build()
    assert str(caught.value) == message


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
tokens = st.none() | st.integers(0, 10**9)
usages = st.builds(Usage, tokens, tokens, tokens, tokens, st.integers(0, 5))
calls = st.builds(
    ToolCall,
    st.text(),
    st.dictionaries(st.text(), json_values, max_size=3),
    id=st.none() | st.text(),
    result=json_values,
    error=st.none() | st.text(),
    approval=st.sampled_from([None, "pending", "approved", "rejected"]),
    approval_reason=st.none() | st.text(),
    reject_reason=st.none() | st.text(),
    executed=st.none() | st.booleans(),
    invalid_arguments=st.none() | st.text(),
    stubbed=st.booleans(),
)
messages = st.builds(
    Message,
    st.sampled_from(["system", "user", "assistant", "tool"]),
    st.text(),
    st.lists(calls, max_size=2).map(tuple),
    st.none() | usages,
    st.lists(st.dictionaries(st.text(), st.text(), max_size=2), max_size=2).map(tuple),
    st.none() | st.text(),
    st.none() | st.floats(0, 1e6),
)


@given(st.one_of(usages, calls, messages))
def test_the_vocabulary_comes_back_from_the_round_trip(value):
    back = decode(encode(value))
    assert type(back) is type(value)
    assert repr(back) == repr(value)


@given(messages)
def test_the_clean_view_keeps_calls_and_usage(message):
    cleaned = clean_json(message)
    assert clean_json(cleaned) == cleaned
    assert [call["name"] for call in cleaned["tool_calls"]] == [clean_json(call.name) for call in message.tool_calls]
    assert (cleaned["usage"] is None) is (message.usage is None)


@pytest.mark.parametrize(
    "text",
    ['{"$message":{"role":"robot"}}', '{"$message":{}}', '{"$tool_call":{"name":"a","nonsense":1}}', '{"$usage":[]}'],
)
def test_a_damaged_entry_cannot_be_read_back(text):
    with pytest.raises(Undecodable):
        decode(text)


def test_the_sum_of_usages_is_unknown_where_one_is():
    known = Usage(input=10, output=5, cached_input=2, reasoning=1)
    total: Any = Usage.sum([known, replace(known, cached_input=None)])
    assert (total.input, total.output, total.total, total.requests) == (20, 10, 30, 2)
    assert (total.cached_input, total.reasoning) == (None, 2)


def test_a_value_that_equals_a_default_in_another_type_keeps_its_type():
    assert decode(encode(Usage(requests=True))).requests is True
