from __future__ import annotations

import pytest

from neuron_evals.core.messages import Message, ToolCall
from neuron_evals.core.trajectories import Trajectory


def use(call_id, name="weather", **arguments):
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id, content="ok", **more):
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def test_blocks_are_read_as_calls_and_their_outcomes():
    trajectory = Trajectory.from_messages(
        [
            {"role": "user", "content": "Weather?"},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "secret", "signature": "s"},
                    {"type": "text", "text": "Let me look."},
                    use("a", city="Oslo"),
                    use("b", city="Bergen"),
                    use("c", city="Bodø"),
                ],
            },
            {
                "role": "user",
                "content": [
                    result("b", [{"type": "text", "text": "rain"}, {"type": "text", "text": "wind"}]),
                    result("a", "no station", is_error=True),
                    result("c", [{"type": "image", "source": {"type": "base64", "media_type": "image/png"}}]),
                    result("x", "forged"),
                    {"type": "text", "text": "And tomorrow?"},
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "Sun"}, {"type": "text", "text": ", I hope."}]},
        ]
    )
    assert trajectory.tool_calls() == [
        ToolCall("weather", {"city": "Oslo"}, id="a", error="no station"),
        ToolCall("weather", {"city": "Bergen"}, id="b", result="rain\nwind"),
        ToolCall("weather", {"city": "Bodø"}, id="c", result=""),
    ]
    assert trajectory.ignored_results() == 1
    assert trajectory.user_messages() == ["Weather?", "And tomorrow?"]
    assert trajectory.final_answer() == "Sun, I hope."
    assert "secret" not in trajectory.to_transcript()
    assert "Tool error (weather): no station" in trajectory.to_transcript()
    assert [message.role for message in trajectory.messages()] == ["user", "assistant", "tool", "user", "assistant"]
    assert trajectory.messages()[2].attachments == ({"type": "image", "media_type": "image/png"},)


def test_tools_that_run_at_the_provider_are_resolved_in_the_same_message():
    hits = [{"type": "web_search_result", "url": "https://example.org"}]
    trajectory = Trajectory.from_messages(
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Searching."},
                    {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}},
                    {"type": "web_search_tool_result", "tool_use_id": "s", "content": hits},
                    {"type": "text", "text": "Found."},
                ],
            }
        ]
    )
    assert trajectory.tool_calls() == [ToolCall("web_search", {"query": "q"}, id="s", result=hits)]
    assert trajectory.messages()[-1] == Message("assistant", "Found.")


@pytest.mark.parametrize("content", [None, [], "", [{"type": "text", "text": ""}]])
def test_a_message_without_content_is_an_empty_one(content):
    messages = [{"role": "assistant", "content": [use("a")]}, {"role": "assistant", "content": content}]
    assert Trajectory.from_messages(messages).messages()[1] == Message("assistant")


def test_documents_are_attachments_without_their_data():
    source = {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}
    (message,) = Trajectory.from_messages(
        [{"role": "user", "content": [{"type": "document", "title": "Terms", "source": source}, "Read it."]}]
    ).messages()
    assert message.content == "Read it."
    assert message.attachments == ({"type": "document", "name": "Terms", "media_type": "application/pdf"},)


def test_a_failure_without_words_is_an_error_all_the_same():
    messages = [
        {"role": "assistant", "content": [use("a")]},
        {"role": "user", "content": [result("a", None, is_error=True)]},
    ]
    assert Trajectory.from_messages(messages).tool_calls()[0].error == "the tool failed"


@pytest.mark.parametrize("name", [["7"], {"value": 7}])
def test_types_and_ids_that_are_no_text_break_nothing(name):
    messages = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": name, "name": "a", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": [{"type": name}]}]},
    ]
    (call,) = Trajectory.from_messages(messages).tool_calls()
    assert call.result == [{"type": name}]


def test_an_unknown_role_is_refused_with_its_position():
    with pytest.raises(ValueError, match=r"messages\[1\]: role is one of system, user, assistant, got 'model'"):
        Trajectory.from_messages([{"role": "assistant", "content": [use("a")]}, {"role": "model", "content": "x"}])
