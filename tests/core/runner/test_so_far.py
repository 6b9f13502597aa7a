"""What a child process tells of a conversation that goes on, put together again by the runner."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.messages import Message
from neuron_evals.core.runner.pools.processes.wire import recorded_from, so_far_text
from neuron_evals.core.trajectories import Ending, Trajectory

OPEN = Ending("error", 1)
POOL = [Message("user", str(number)) for number in range(4)]


def told(*states):
    """Return the texts for a conversation that was in these states, one after the other."""
    texts, before = [], ()
    for state in states:
        texts.append(so_far_text(before, state, OPEN))
        before = state
    return texts


@given(st.lists(st.lists(st.sampled_from(POOL), unique=True, max_size=4), min_size=1, max_size=5))
def test_any_states__the_last_one_comes_out(states):
    assert recorded_from(told(*map(tuple, states))).trajectory("x") == Trajectory(states[-1])


def test_conversation_that_grows__only_what_is_new_is_told():
    first, second = told((POOL[0],), (POOL[0], POOL[1]))
    assert '"0"' in first
    assert '"0"' not in second


def test_conversation_that_goes_on__ends_with_what_broke_it_off():
    assert recorded_from(told((POOL[0],))).trajectory("killed").ending == Ending("error", 1, "killed")


def test_conversation_that_has_ended__keeps_its_own_end():
    ended = Ending("script_ended", 1)
    assert recorded_from([so_far_text((), (POOL[0],), ended)]).trajectory("killed").ending == ended


def test_nothing_told__no_conversation():
    assert recorded_from([]).trajectory("killed") is None
