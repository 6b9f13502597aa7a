from __future__ import annotations

import pytest

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.jsonable import clean_json, decode, encode
from neuron_evals.core.messages import Message
from neuron_evals.core.trajectories import Ending, Remark, Trajectory

ENDING = Ending("user_stopped", 2, "goal\nreached", reasons=[Remark(1, "to begin")], notes=(Remark(2, "odd"),))
HELLO = Message("user", "Hello")


def test_round_trip__keeps_it():
    back = decode(encode(Trajectory([HELLO], ENDING)))
    assert (back.messages(), back.ending) == ([HELLO], ENDING)


def test_json_form__tells_it():
    assert clean_json(Trajectory([HELLO], ENDING))["ending"] == {
        "reason": "user_stopped",
        "turns": 2,
        "detail": "goal\nreached",
        "simulator_fault": False,
        "reasons": [{"turn": 1, "text": "to begin"}],
        "notes": [{"turn": 2, "text": "odd"}],
    }


def test_transcript_and_equality__are_about_what_was_said():
    """A judge that read the simulated user's opinion would be steered by it."""
    assert Trajectory([HELLO], ENDING).to_transcript() == "User: Hello"
    assert Trajectory([HELLO], ENDING) == Trajectory([HELLO])


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        (ENDING, "user_stopped after 2 turns: goal reached"),
        (Ending("script_ended", 1), "script_ended after 1 turn"),
        (
            Ending("error", 0, "SimulatorError: x", True),
            "error after 0 turns (the simulated user broke): SimulatorError: x",
        ),
    ],
)
def test_text__one_line(ending, text):
    assert str(ending) == text


def test_unknown_reason__refused():
    with pytest.raises(
        InvalidArgument, match="reason is one of script_ended, user_stopped, max_turns, error, got 'end'"
    ):
        Ending("end")  # type: ignore[arg-type]


def test_messages_that_were_read__have_none():
    assert Trajectory.from_messages([HELLO]).ending is None
