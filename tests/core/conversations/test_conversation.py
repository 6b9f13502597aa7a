"""What is said in a conversation, how it ends, and what is refused before anything is done."""

from __future__ import annotations

import asyncio

import pytest

from neuron_evals.core.agents import Agent
from neuron_evals.core.conversations import Conversation, ScriptedUser, SimulatedTurn, SimulatorError
from neuron_evals.core.exceptions import ConfigurationError, EvaluationError, InvalidArgument
from neuron_evals.core.messages import Message
from neuron_evals.core.providers import FakeProvider
from neuron_evals.core.trajectories import Ending, Remark
from tests.core.conversations.doubles import Asking, Steps, says


def test_turns__said_in_order_and_the_script_ends(hold):
    agent = Agent(FakeProvider("Hello!", "Bye."))
    trajectory = hold(Conversation(agent).with_turns(["Hi", {"content": "Bye"}]))
    assert [(message.role, message.content) for message in trajectory.messages()] == [
        ("user", "Hi"),
        ("assistant", "Hello!"),
        ("user", "Bye"),
        ("assistant", "Bye."),
    ]
    assert trajectory.ending == Ending("script_ended", 2)
    assert agent.history == ()


def test_message_turn__kept_with_its_attachments(hold):
    picture = {"type": "image", "name": "receipt.png"}
    message = Message("user", "See", attachments=[picture])
    turns = [message, {"role": "user", "content": "", "attachments": [picture]}]
    first, _, second, _ = hold(Conversation(Agent(FakeProvider("ok", "ok"))).with_turns(turns)).messages()
    assert first is message
    assert (second.content, second.attachments) == ("", (picture,))


def test_two_runs__share_no_history(hold):
    conversation = Conversation(Agent(FakeProvider("one", "two"))).with_turns(["Hi"])
    assert [hold(conversation).count(), hold(conversation).count()] == [2, 2]


def test_builder__changes_no_conversation_that_was_there_before(hold):
    plain = Conversation(Asking())
    plain.with_turns(["Hi"])
    with pytest.raises(EvaluationError, match="nobody speaks"):
        hold(plain)


def test_callable__taken_as_an_agent(hold):
    trajectory = hold(Conversation(lambda text: text.upper()).with_turns(["a", "b"]))
    assert trajectory.final_answer() == "B"


def test_no_agent__refused_when_it_is_given():
    with pytest.raises(ConfigurationError, match="an agent is an Agent"):
        Conversation(7)


def test_failed_turn__later_turns_are_not_sent(hold):
    provider = FakeProvider("one", RuntimeError("provider down"), "three")
    with pytest.raises(RuntimeError, match="provider down"):
        hold(Conversation(Agent(provider)).with_turns(["a", "b", "c"]))
    assert provider.call_count == 2


def test_user__says_max_turns_messages_and_is_not_asked_again(hold):
    """promptfoo and deepeval miscounted: turns alternate, and the first is the user's."""
    user = Steps(*(says(f"question {n}", f"reason {n}") for n in (1, 2, 3)))
    trajectory = hold(Conversation(lambda _: "ok").with_user(user, max_turns=3))
    assert [message.role for message in trajectory.messages()] == ["user", "assistant"] * 3
    assert (trajectory.ending.reason, trajectory.ending.turns, trajectory.ending.detail) == ("max_turns", 3, "reason 3")
    assert len(user.heard) == 3


def test_user__hears_all_that_was_said_its_own_opening_too(hold):
    user = Steps(says("I want a refund for A1"), SimulatedTurn(None, "done"))
    hold(Conversation(lambda _: "Done, A1 is refunded.").with_user(user))
    assert user.heard[0].count() == 0
    assert user.heard[1].to_transcript() == "User: I want a refund for A1\nAssistant: Done, A1 is refunded."


def test_user_stops__with_the_reason_and_what_was_odd(hold):
    steps = Steps(says("Hi", "to begin", "it speaks as the assistant"), SimulatedTurn(None, "goal reached", ("late",)))
    ending = hold(Conversation(lambda _: "ok").with_user(steps)).ending
    assert ending == Ending(
        "user_stopped",
        1,
        "goal reached",
        reasons=(Remark(1, "to begin"), Remark(2, "goal reached")),
        notes=(Remark(1, "it speaks as the assistant"), Remark(2, "late")),
    )


@pytest.mark.parametrize("max_turns", [1, 5])
def test_user_stops_with_its_message__the_agent_answers_and_it_is_not_asked_again(hold, max_turns):
    user = Steps(SimulatedTurn(Message("user", "Yes, refund it."), "that is all", last=True))
    trajectory = hold(Conversation(lambda _: "Done.").with_user(user, max_turns=max_turns))
    assert trajectory.final_answer() == "Done."
    assert (trajectory.ending.reason, trajectory.ending.turns, trajectory.ending.detail) == (
        "user_stopped",
        1,
        "that is all",
    )
    assert len(user.heard) == 1


def test_user_stops_at_once__empty_and_the_agent_is_never_called(hold):
    agent = Asking()
    trajectory = hold(Conversation(agent).with_user(Steps(SimulatedTurn(None, "no wish"))))
    assert (trajectory.count(), agent.chats) == (0, 0)
    assert trajectory.ending.reason == "user_stopped"


def test_list_as_user__says_it_and_stops(hold):
    trajectory = hold(Conversation(lambda _: "ok").with_user(["a", "b"]))
    assert trajectory.user_messages() == ["a", "b"]
    assert (trajectory.ending.reason, trajectory.ending.turns) == ("user_stopped", 2)


def test_list_as_user__longer_than_max_turns():
    trajectory = Conversation(lambda _: "ok").with_user(["a", "b", "c"], max_turns=2).run()
    assert (trajectory.user_messages(), trajectory.ending.reason) == (["a", "b"], "max_turns")


@pytest.mark.parametrize(
    ("step", "complaint"),
    [
        ("Hello", "Steps.next_turn must return a SimulatedTurn, got str"),
        (says(" "), "gave an empty message in turn 1"),
        (SimulatedTurn(Message("assistant", "How can I help?")), "got a message of the assistant"),
        (SimulatedTurn("Hello"), "got str"),  # type: ignore[arg-type]
    ],
)
def test_step_that_is_none__the_simulated_users_fault_and_the_agent_is_not_told(hold, step, complaint):
    agent = Asking()
    with pytest.raises(SimulatorError, match=complaint) as caught:
        hold(Conversation(agent).with_user(Steps(step)))
    assert (agent.chats, caught.value.fault) == (0, "simulator")


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"reason": 5}, "SimulatedTurn: reason must be text, got int"),
        ({"reason": None}, "SimulatedTurn: reason must be text, got NoneType"),
        ({"notes": "odd"}, "SimulatedTurn: notes must be a list of texts, got 'odd'"),
        ({"notes": [5]}, "SimulatedTurn: notes must be a list of texts"),
        ({"notes": None}, "SimulatedTurn: notes must be a list of texts"),
    ],
)
def test_step_with_remarks_that_no_report_can_show__refused_where_it_is_made(fields, complaint):
    with pytest.raises(InvalidArgument, match=complaint):
        SimulatedTurn(None, **fields)


def test_notes_as_a_list__kept_as_a_tuple():
    assert SimulatedTurn(None, notes=["odd"]).notes == ("odd",)


@pytest.mark.parametrize("reply", ["ok", None])
def test_agent_that_answers_with_no_reply__refused_by_its_name(hold, reply):
    class Wrong(Asking):
        def _reply(self):
            return reply

    with pytest.raises(EvaluationError, match=f"Wrong must answer with an AgentReply, got {type(reply).__name__}"):
        hold(Conversation(Wrong()).with_turns(["Hi"]))


def test_agent_whose_fresh_gives_no_agent__refused_by_its_name(hold):
    class Wrong(Asking):
        def fresh(self, **overrides):
            self.refuse_unsupported(overrides)

    with pytest.raises(EvaluationError, match=r"Wrong\.fresh\(\) must return an agent, got NoneType"):
        hold(Conversation(Wrong()).with_turns(["Hi"]))


def test_agent_that_runs_out_of_answers__breaks_on_that_and_ends_nothing():
    answers = iter(["Hello!"])
    conversation = Conversation(lambda _text: next(answers)).with_turns(["Hi", "Bye"])
    with pytest.raises(StopIteration):
        conversation.run()


def test_agent_that_runs_out_of_answers__in_async_code_too():
    answers = iter(["Hello!"])
    conversation = Conversation(lambda _text: next(answers)).with_turns(["Hi", "Bye"])

    async def held():
        # Without its own limit a regression would never come back.
        await asyncio.wait_for(conversation.arun(), 60)

    with pytest.raises(RuntimeError, match="StopIteration"):
        asyncio.run(held())


def test_turns_and_user__exclude_one_another(hold):
    agent, user = Asking(), Steps()
    with pytest.raises(EvaluationError, match="exclude one another"):
        hold(Conversation(agent).with_turns(["Hi"]).with_user(user))
    assert (agent.chats, user.heard) == (0, [])


def test_user_beside_no_turns__speaks(hold):
    assert hold(Conversation(Asking()).with_turns([]).with_user(["Hi"])).count() == 2


@pytest.mark.parametrize("build", [lambda talk: talk, lambda talk: talk.with_turns([])], ids=["none", "empty"])
def test_nobody_speaks__refused(hold, build):
    with pytest.raises(EvaluationError, match="nobody speaks; call with_turns"):
        hold(build(Conversation(Asking())))


def test_user_with_problems__refused_before_the_first_call(hold):
    class Mute(Steps):
        def problems(self):
            return ["it has no goal", "it has no provider"]

    agent = Asking()
    with pytest.raises(EvaluationError, match="cannot speak: it has no goal; it has no provider"):
        hold(Conversation(agent).with_user(Mute()))
    assert agent.chats == 0


@pytest.mark.parametrize("count", [0, -1, 1.0, True, "3"])
def test_max_turns__below_one_or_no_number__refused_at_once(count):
    with pytest.raises(InvalidArgument, match="max_turns must be a whole number, 1 or more, got"):
        Conversation(Asking()).with_user(["Hi"], max_turns=count)


@pytest.mark.parametrize(
    ("turns", "complaint"),
    [
        ("Hi", "expected a list of turns, got str"),
        (None, "expected a list of turns, got NoneType"),
        (["Hi", 7], r"turns\[1\]: a turn is text, .*got int"),
        (["Hi", "  "], r"turns\[1\]: a turn must say something"),
        ([{"role": "assistant", "content": "x"}], r"turns\[0\].role: must be user.*got 'assistant'"),
        ([Message("system", "x")], r"turns\[0\].role: must be user"),
        ([{"content": "x", "text": "y"}], r"turns\[0\].text: unknown key; a turn has role, content, attachments"),
        ([{"content": 7}], r"turns\[0\].content: must be text, got int"),
        ([{"content": "x", "attachments": "y"}], r"turns\[0\].attachments: must be a list of mappings"),
        ([{}], r"turns\[0\].content: a turn must say something"),
        ([7, ""], r"turns\[0\].*; turns\[1\]"),
    ],
)
@pytest.mark.parametrize("take", [Conversation(Asking()).with_turns, ScriptedUser], ids=["script", "user"])
def test_turns_that_are_none__refused_at_once_with_their_place(take, turns, complaint):
    with pytest.raises(InvalidArgument, match=complaint):
        take(turns)


def test_scripted_user_with_nothing_to_say__refused():
    with pytest.raises(InvalidArgument, match="at least one"):
        Conversation(Asking()).with_user([])


def test_after_turn__called_after_each_turn_with_the_conversation_so_far(hold):
    seen: list[str | int] = []
    conversation = (
        Conversation(lambda text: text)
        .with_turns(["a", "b"])
        .after_turn(lambda so_far: seen.append(so_far.final_answer()))
        .after_turn(lambda so_far: seen.append(so_far.count()))
    )
    hold(conversation)
    assert seen == ["a", 2, "b", 4]


def test_after_turn__async_is_awaited_and_false_ends_nothing(hold):
    seen = []

    async def check(so_far):
        seen.append(so_far.count())
        return False

    assert hold(Conversation(Asking()).with_turns(["a", "b"]).after_turn(check)).ending.turns == 2
    assert seen == [2, 4]


def test_after_turn__what_it_raises_ends_the_conversation(hold):
    def check(_so_far):
        raise ValueError("wrong already")

    agent = Asking()
    with pytest.raises(ValueError, match="wrong already"):
        hold(Conversation(agent).with_turns(["a", "b"]).after_turn(check))
    assert agent.chats == 1


@pytest.mark.parametrize("method", ["after_turn", "with_approvals"])
def test_what_cannot_be_called__refused_at_once(method):
    with pytest.raises(InvalidArgument, match=f"{method}.* must be callable, got dict"):
        getattr(Conversation(Asking()), method)({})
