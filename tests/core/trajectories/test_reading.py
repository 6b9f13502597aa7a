from __future__ import annotations

from typing import Any

import pytest

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.messages import Message
from neuron_evals.core.trajectories import Trajectory

OURS = Message("user", "hi")
PLAIN = {"role": "user", "content": "hi"}
OPENAI = {"role": "tool", "tool_call_id": "1", "content": "x"}
ANTHROPIC = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "x"}]}
BOTH = {"role": "assistant", "tool_calls": [{"id": "1"}], "content": [{"type": "tool_use", "id": "1", "name": "a"}]}


class Dumped:
    """An object of a client's library."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def model_dump(self) -> dict[str, Any]:
        return {key: value.model_dump() if isinstance(value, Dumped) else value for key, value in self.fields.items()}


@pytest.mark.parametrize("messages", [[OURS], [PLAIN, OPENAI], [PLAIN, ANTHROPIC], [OPENAI, PLAIN], [PLAIN], []])
def test_a_list_in_one_format_is_read(messages):
    assert Trajectory.from_messages(iter(messages)).count() == len(messages)


@pytest.mark.parametrize(
    ("messages", "later", "earlier"),
    [
        ([PLAIN, OPENAI, PLAIN, ANTHROPIC], "[3] is in Anthropic's format", "[1] in OpenAI's format"),
        ([ANTHROPIC, OPENAI], "[1] is in OpenAI's format", "[0] in Anthropic's format"),
        ([OURS, PLAIN], "[1] is in the form of plain mappings", "[0] in the form of Message objects"),
        ([PLAIN, OURS], "[1] is in the form of Message objects", "[0] in the form of plain mappings"),
        ([OURS, OURS, OPENAI], "[2] is in OpenAI's format", "[0] in the form of Message objects"),
        ([PLAIN, BOTH], "[1] is in Anthropic's format", "[1] in OpenAI's format"),
    ],
)
def test_a_list_in_two_formats_is_refused_with_both_positions(messages, later, earlier):
    with pytest.raises(InvalidArgument) as caught:
        Trajectory.from_messages(messages)
    assert str(caught.value) == (
        f"Trajectory.from_messages: messages{later}, messages{earlier}; a list is in one format"
    )


@pytest.mark.parametrize("given", ["hello", {"role": "user"}, 7, None])
def test_what_is_no_list_is_refused(given):
    with pytest.raises(InvalidArgument, match="expected a list of messages, got "):
        Trajectory.from_messages(given)


@pytest.mark.parametrize("element", ["hello", None, 7, ["user", "hi"]])
def test_an_element_that_is_no_message_is_refused_with_its_position(element):
    with pytest.raises(InvalidArgument, match=r"messages\[1\] must be a Message or a mapping, got "):
        Trajectory.from_messages([PLAIN, element])


def test_objects_of_clients_are_read_like_their_mappings():
    function = Dumped(name="a", arguments='{"x": 1}')
    reply = Dumped(role="assistant", content=None, refusal=None, tool_calls=[{"id": "1", "function": function}])
    trajectory = Trajectory.from_messages([PLAIN, reply, OPENAI])
    assert [(call.arguments, call.result) for call in trajectory.tool_calls()] == [({"x": 1}, "x")]

    blocks = [Dumped(type="text", text="Look."), Dumped(type="tool_use", id="1", name="a", input={"x": 1})]
    trajectory = Trajectory.from_messages([PLAIN, {"role": "assistant", "content": blocks}, ANTHROPIC])
    assert [(call.arguments, call.result) for call in trajectory.tool_calls()] == [({"x": 1}, "x")]
