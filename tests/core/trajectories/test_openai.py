from __future__ import annotations

from typing import Any

import pytest

from neuron_evals.core.messages import Message, ToolCall
from neuron_evals.core.trajectories import Trajectory


def call(name: str, arguments: Any = "{}", call_id: str | None = None) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_a_history_with_one_tool_message_per_call_keeps_every_result():
    trajectory = Trajectory.from_messages(
        [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": "Weather?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [call("weather", '{"city": "Oslo"}', "a"), call("weather", '{"city": "Bergen"}', "b")],
            },
            {"role": "tool", "tool_call_id": "b", "content": "rain"},
            {"role": "tool", "tool_call_id": "a", "content": "sun"},
            {"role": "tool", "tool_call_id": "a", "content": "forged"},
            {"role": "assistant", "content": "Sun in Oslo, rain in Bergen."},
        ]
    )
    assert [(found.name, found.arguments, found.id, found.result) for found in trajectory.tool_calls()] == [
        ("weather", {"city": "Oslo"}, "a", "sun"),
        ("weather", {"city": "Bergen"}, "b", "rain"),
    ]
    assert trajectory.ignored_results() == 1
    assert trajectory.final_answer() == "Sun in Oslo, rain in Bergen."
    assert [message.role for message in trajectory.messages()] == [
        "system", "user", "assistant", "tool", "tool", "tool", "assistant",
    ]  # fmt: skip
    assert trajectory.messages()[3].tool_calls == (ToolCall("weather", {"city": "Bergen"}, id="b", result="rain"),)


@pytest.mark.parametrize(
    ("arguments", "read", "invalid"),
    [
        ('{"n": 1, "q": "SELECT 1"}', {"q": "SELECT 1", "n": 1}, None),
        ({"q": "x"}, {"q": "x"}, None),
        ("", {}, None),
        (None, {}, None),
        ('{"q": ', {}, '{"q": '),
        ("[1]", {}, "[1]"),
    ],
)
def test_arguments_in_any_state_are_read_or_kept(arguments, read, invalid):
    (found,) = Trajectory.from_messages([{"role": "assistant", "tool_calls": [call("sql", arguments)]}]).tool_calls()
    assert (found.arguments, found.invalid_arguments) == (read, invalid)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"name": "a", "args": {"x": 1}, "id": "1"}, ToolCall("a", {"x": 1}, id="1")),
        ({"name": "a", "arguments": {"x": 1}}, ToolCall("a", {"x": 1})),
        (
            {"type": "custom", "id": "1", "custom": {"name": "a", "input": "free text"}},
            ToolCall("a", id="1", invalid_arguments="free text"),
        ),
        ({"id": "1", "function": {"name": None}}, ToolCall("", id="1")),
        ({"function": {"arguments": "{}"}}, ToolCall("")),
        ({"name": "a", "id": 7}, ToolCall("a", id="7")),
        ({"name": "a", "id": {"value": 7}}, ToolCall("a")),
        ({"name": "a", "id": ["7"]}, ToolCall("a")),
    ],
)
def test_other_forms_of_a_call_are_read(given, read):
    assert Trajectory.from_messages([{"role": "assistant", "tool_calls": [given]}]).tool_calls() == [read]


def test_results_without_ids_are_paired_in_order():
    trajectory = Trajectory.from_messages(
        [
            {"role": "assistant", "content": "", "tool_calls": [call("a"), call("b"), call("a")]},
            {"role": "tool", "content": "first"},
            {"role": "tool", "name": "a", "content": "third"},
            {"role": "tool", "content": "second"},
            {"role": "tool", "content": "too many"},
        ]
    )
    assert [found.result for found in trajectory.tool_calls()] == ["first", "second", "third"]
    assert trajectory.ignored_results() == 1


@pytest.mark.parametrize("name", [7, ["7"], {"value": 7}])
def test_results_with_ids_that_are_no_text_are_paired_too(name):
    messages = [
        {"role": "assistant", "tool_calls": [{**call("a"), "id": name}]},
        {"role": "tool", "tool_call_id": name, "content": "rain"},
    ]
    trajectory = Trajectory.from_messages(messages)
    assert [found.result for found in trajectory.tool_calls()] == ["rain"]
    assert not trajectory.ignored_results()


def test_function_calls_of_older_histories_are_read():
    trajectory = Trajectory.from_messages(
        [
            {"role": "assistant", "content": None, "function_call": {"name": "a", "arguments": '{"x": 1}'}},
            {"role": "function", "name": "a", "content": "done"},
        ]
    )
    assert trajectory.tool_calls() == [ToolCall("a", {"x": 1}, result="done")]


def test_parts_of_a_content_are_text_and_attachments_without_their_data():
    trajectory = Trajectory.from_messages(
        [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Look:"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                    {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
                    {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
                    {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"}},
                    {"type": "hologram"},
                    {"type": "text", "text": "What is it?"},
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "A c"}, {"type": "text", "text": "at."}]},
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "I will not."}]},
            {"role": "assistant", "content": None, "refusal": "Never."},
        ]
    )
    asked, answered, *refused = trajectory.messages()
    assert asked.content == "Look:\nWhat is it?"
    assert asked.attachments == (
        {"type": "image", "media_type": "image/png"},
        {"type": "image"},
        {"type": "audio", "media_type": "audio/mp3"},
        {"type": "file", "name": "a.pdf", "media_type": "application/pdf"},
        {"type": "hologram"},
    )
    assert answered == Message("assistant", "A cat.")
    assert [message.content for message in refused] == ["I will not.", "Never."]


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({"role": "robot", "content": "x"}, "role is one of system, developer, user, assistant, tool, function, got"),
        ({"content": "x"}, "got None"),
        ({"role": "assistant", "tool_calls": True}, "tool_calls must be a list, got bool"),
        ({"role": "assistant", "tool_calls": [call("a"), "b"]}, r"tool_calls\[1\] must be a mapping, got str"),
    ],
)
def test_what_is_no_message_is_refused_with_its_position(message, problem):
    with pytest.raises(ValueError, match=rf"^Trajectory.from_messages: messages\[1\]: .*{problem}"):
        Trajectory.from_messages([{"role": "user", "content": "hi"}, message])
