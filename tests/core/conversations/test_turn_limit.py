"""Time limits of turns; what hangs ends by an event, so that nothing depends on how fast the machine is."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from neuron_evals.core.agents import Agent
from neuron_evals.core.cancellation import Deadline, current_deadline, ends_by
from neuron_evals.core.conversations import Conversation
from neuron_evals.core.exceptions import InvalidArgument, TimeLimit, is_transient
from neuron_evals.core.providers import FakeProvider, ProviderError
from tests.core.conversations.doubles import Asking, interrupt

SHORT = 0.05
LONG = 600


def until_the_deadline():
    """Return once the limit of this code has passed, as a call of a model would."""
    deadline = current_deadline()
    assert deadline is not None
    while not deadline.passed:
        time.sleep(deadline.remaining + 0.001)


def test_call_of_a_model_at_its_deadline__names_the_turn(hold):
    def second_hangs(text):
        if text == "two":
            until_the_deadline()
            raise ProviderError("no reply", kind="timeout")
        return "ok"

    conversation = Conversation(second_hangs).with_turns(["one", "two", "three"])
    with pytest.raises(TimeLimit, match=r"turn 2 of the conversation took longer than 0\.05 s") as caught:
        hold(conversation.with_turn_timeout(SHORT))
    assert is_transient(caught.value)


def test_plain_code_that_comes_back_too_late__is_too_late(hold):
    def late(_text):
        until_the_deadline()
        return "late"

    with pytest.raises(TimeLimit, match="turn 1"):
        hold(Conversation(late).with_turns(["Hi"]).with_turn_timeout(SHORT))


def test_what_can_be_awaited__is_broken_off():
    broken_off = []

    async def hangs(_text):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            broken_off.append(True)
            raise

    with pytest.raises(TimeLimit, match="turn 1"):
        asyncio.run(Conversation(hangs).with_turns(["Hi"]).with_turn_timeout(SHORT).arun())
    assert broken_off == [True]


def test_plain_agent_in_async_code__not_waited_for():
    release = threading.Event()

    def hangs(_text):
        assert release.wait(LONG)
        return "late"

    async def held():
        with pytest.raises(TimeLimit, match="turn 1"):
            await Conversation(hangs).with_turns(["Hi"]).with_turn_timeout(SHORT).arun()
        release.set()

    asyncio.run(held())


def test_other_errors__go_through_also_late_ones():
    def breaks(_text):
        until_the_deadline()
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        Conversation(breaks).with_turns(["Hi"]).with_turn_timeout(SHORT).run()


def test_timeout_of_the_agents_own__goes_through(hold):
    def breaks(_text):
        raise TimeoutError("the shop did not answer")

    with pytest.raises(TimeoutError, match="the shop did not answer"):
        hold(Conversation(breaks).with_turns(["Hi"]).with_turn_timeout(LONG))


def test_each_turn__has_a_limit_of_its_own(hold):
    limits: list[Deadline] = []

    def notes(_text):
        deadline = current_deadline()
        assert deadline is not None
        limits.append(deadline)
        return "ok"

    with ends_by(Deadline.after(LONG * 2)):
        hold(Conversation(notes).with_turns(["a", "b"]).with_turn_timeout(LONG))
    assert limits[0] < limits[1]
    assert limits[1].remaining <= LONG


def test_resumption__belongs_to_its_turn(hold):
    class Notes(Asking):
        def _reply(self):
            seen.append(current_deadline())
            return super()._reply()

    seen: list[Deadline | None] = []
    conversation = Conversation(Notes(interrupt())).with_turns(["Hi"]).with_approvals(lambda _request, _so_far: "go on")
    hold(conversation.with_turn_timeout(LONG))
    assert seen[0] is not None
    assert seen == [seen[0]] * 2


def test_earlier_limit_around_it__stays(hold):
    seen: list[Deadline | None] = []

    def notes(_text):
        seen.append(current_deadline())
        return "ok"

    with ends_by(Deadline.after(LONG)) as outer:
        hold(Conversation(notes).with_turns(["a"]).with_turn_timeout(LONG))
    assert seen == [outer]


def test_no_limit__none_is_set(hold):
    seen: list[Deadline | None] = []

    def notes(_text):
        seen.append(current_deadline())
        return "ok"

    hold(Conversation(notes).with_turns(["a"]))
    assert seen == [None]


def test_conversation_within_its_limit__ends_by_itself(hold):
    conversation = Conversation(Agent(FakeProvider("ok"))).with_turns(["a"])
    assert hold(conversation.with_turn_timeout(LONG)).ending.reason == "script_ended"


@pytest.mark.parametrize(
    "seconds", [0, -1, float("nan"), float("inf"), pytest.param(10**400, id="huge"), True, "5", None]
)
def test_limit_that_is_none__refused_at_once(seconds):
    with pytest.raises(InvalidArgument, match="with_turn_timeout: seconds must be a number above 0"):
        Conversation(Asking()).with_turn_timeout(seconds)
