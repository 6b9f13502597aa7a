"""How simulated conversations end, with the agent's model and the simulated user's behind servers of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from neuron_evals.core.agents import Agent, Tool
from neuron_evals.core.conversations import Conversation
from neuron_evals.core.conversations.policies import by_tool
from neuron_evals.core.conversations.simulator import UserSimulator
from neuron_evals.core.evaluators import BaseEvaluator
from neuron_evals.core.messages import Usage
from neuron_evals.core.providers import OpenAIProvider
from neuron_evals.core.results import ItemResult, Status
from neuron_evals.core.runner import EvaluatorRunner
from neuron_evals.core.trajectories import Ending, Remark, Trajectory
from tests.core.conversations.doubles import Shop
from tests.core.providers.server import Answer, Server
from tests.core.samples import Says

GOAL = "Get a refund for order A2"


@pytest.fixture
def agents_server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture
def users_server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture(params=["inline", "threads", "async"])
def run(request, agents_server, users_server):
    """Hold one conversation as the item of an evaluator, in each kind of worker that shares this process."""

    def held(build: Any, shop: Shop | None = None) -> ItemResult:
        tools = [] if shop is None else [Tool.from_function(shop.refund, approval=True)]
        evaluator = (TalksAsync if request.param == "async" else Talks)(
            Agent(provider_of(agents_server, "tested"), tools=tools),
            UserSimulator(provider_of(users_server, "player"), "An impatient man", GOAL),
            build,
        )
        options = {"workers": request.param, "concurrency": 2} if request.param == "threads" else {}
        [result] = EvaluatorRunner().run(evaluator, **options).results
        return result

    return held


class Talks(BaseEvaluator):
    def __init__(self, agent: Agent, user: UserSimulator, build: Any) -> None:
        self.agent, self.user, self.build = agent, user, build

    def get_dataset(self) -> list[dict[str, Any]]:
        return [{"id": "talk"}]

    def run(self, item: Any) -> Any:
        return self.build(Conversation(self.agent), self.user).run()

    def evaluate(self, output: Trajectory, item: Any) -> None:
        self.check(Says(output.final_answer()), output.final_answer())


class TalksAsync(Talks):
    async def run(self, item: Any) -> Any:
        return await self.build(Conversation(self.agent), self.user).arun()


def ending_of(result: ItemResult) -> Ending:
    """Return how the conversation of an item ended, kept beside its output or in it."""
    trajectory: Trajectory = result.output if result.trajectory is None else result.trajectory
    assert trajectory.ending is not None
    return trajectory.ending


def provider_of(server: Server, model: str) -> OpenAIProvider:
    return OpenAIProvider(model, base_url=server.url, max_retries=0)


def answers(content: str | None, calls: Any = None) -> Answer:
    """Return a chat completion of 9 tokens sent and 3 received."""
    message = {"role": "assistant", "content": content, **({"tool_calls": calls} if calls else {})}
    usage = {"prompt_tokens": 9, "completion_tokens": 3}
    return Answer({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})


def calls(name: str, arguments: dict[str, Any]) -> Answer:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return answers(None, [{"id": "call-1", "type": "function", "function": function}])


def says(message: str, reason: str, *, stop: bool = False) -> Answer:
    return answers(json.dumps({"reason": reason, "stop": stop, "message": message}))


def stops(reason: str) -> Answer:
    return says("", reason, stop=True)


def breaks() -> Answer:
    return Answer({"error": {"message": "the model is overloaded"}}, status=503)


def with_user(max_turns: int = 10) -> Any:
    return lambda talk, user: talk.with_user(user, max_turns)


def test_script__ends_with_it_and_no_user_is_asked(run, agents_server, users_server):
    agents_server.answers(answers("One moment."), answers("Done."))
    result = run(lambda talk, _: talk.with_turns(["Refund A2", "And?"]))
    assert result.status is Status.PASSED
    assert str(ending_of(result)) == "script_ended after 2 turns"
    assert result.output.to_transcript() == "User: Refund A2\nAssistant: One moment.\nUser: And?\nAssistant: Done."
    assert users_server.asked == []


def test_user_that_has_what_it_wants__stops_and_says_why(run, agents_server, users_server):
    users_server.answers(says("Refund A2!", "to begin"), says("Yes.", "it asked"), stops("A2 is refunded"))
    agents_server.answers(answers("Shall I?"), answers("Done, A2 is refunded."))
    result = run(with_user())
    assert result.status is Status.PASSED
    assert str(ending_of(result)) == "user_stopped after 2 turns: A2 is refunded"
    assert ending_of(result).reasons == (Remark(1, "to begin"), Remark(2, "it asked"), Remark(3, "A2 is refunded"))
    assert result.output.user_messages() == ["Refund A2!", "Yes."]
    assert "Assistant: Done, A2 is refunded." in users_server.bodies[-1]["messages"][-1]["content"]


def test_user_that_stops_with_its_message__is_answered_and_not_asked_again(run, agents_server, users_server):
    users_server.answers(says("Then leave it, bye.", "it takes too long", stop=True))
    agents_server.answers(answers("As you wish."))
    result = run(with_user())
    assert str(ending_of(result)) == "user_stopped after 1 turn: it takes too long"
    assert result.output.final_answer() == "As you wish."
    assert len(users_server.asked) == 1


def test_user_that_stops_at_once__the_agent_is_never_asked(run, agents_server, users_server):
    users_server.answers(stops("nothing to say"))
    result = run(with_user())
    assert str(ending_of(result)) == "user_stopped after 0 turns: nothing to say"
    assert (result.output.messages(), agents_server.asked) == ([], [])


def test_user_that_never_stops__ends_at_max_turns_without_an_error(run, agents_server, users_server):
    users_server.answers(says("Now?", "first"), says("And now?", "second"), says("Still not?", "third"))
    agents_server.answers(answers("Not yet."))
    result = run(with_user(max_turns=3))
    assert result.status is Status.PASSED
    assert (ending_of(result).reason, ending_of(result).turns, ending_of(result).detail) == ("max_turns", 3, "third")
    assert (len(users_server.asked), len(agents_server.asked)) == (3, 3)


def test_agents_server_breaks__error_that_is_the_agents(run, agents_server, users_server):
    users_server.answers(says("Refund A2!", "to begin"), says("Yes.", "it asked"))
    agents_server.answers(answers("Shall I?"), breaks())
    result = run(with_user())
    assert result.status is Status.ERROR
    assert result.error.startswith("ProviderError: ")
    assert (ending_of(result).reason, ending_of(result).turns, ending_of(result).simulator_fault) == ("error", 2, False)
    assert "the model is overloaded" in ending_of(result).detail
    assert result.trajectory.to_transcript() == "User: Refund A2!\nAssistant: Shall I?\nUser: Yes."
    assert [remark.text for remark in ending_of(result).reasons] == ["to begin", "it asked"]


FAULTS = {
    "status": ([breaks()], "the model is overloaded"),
    "reset": ([Answer(reset=True)], "the simulated user broke: ProviderError: "),
    "page": ([Answer(b"<html>", kind="text/html")], "the simulated user broke: ProviderError: "),
    "prose": ([answers("I would like a refund."), answers("Hello?")], 'the reply holds no "stop"'),
    "empty": ([says("", "no idea"), says(" ", "no idea")], "it gave an empty message and did not stop"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_users_server_breaks__error_that_is_the_users(run, agents_server, users_server, fault):
    replies, told = FAULTS[fault]
    users_server.answers(says("Refund A2!", "to begin"), *replies)
    agents_server.answers(answers("Shall I?"))
    result = run(with_user())
    assert result.status is Status.ERROR
    assert result.error.startswith("SimulatorError: ")
    ending = ending_of(result)
    assert (ending.reason, ending.turns, ending.simulator_fault) == ("error", 1, True)
    assert str(ending).startswith("error after 1 turn (the simulated user broke): SimulatorError: ")
    assert told in ending.detail
    assert result.trajectory.to_transcript() == "User: Refund A2!\nAssistant: Shall I?"
    assert (len(users_server.asked), len(agents_server.asked)) == (1 + len(replies), 1)


def test_reply_that_is_right_at_the_second_asking__goes_on_with_a_note(run, agents_server, users_server):
    users_server.answers(answers("Hmm."), says("Refund A2!", "to begin"), stops("fine"))
    agents_server.answers(answers("Done."))
    result = run(with_user())
    assert str(ending_of(result)) == "user_stopped after 1 turn: fine"
    assert [(note.turn, note.text) for note in ending_of(result).notes] == [
        (1, 'asked once more: the reply holds no "stop"')
    ]


def test_approval__is_the_policys_and_the_user_hears_of_it_from_the_agent_only(run, agents_server, users_server):
    shop = Shop()
    users_server.answers(says("Refund A2, I paid 500.", "to begin"), stops("it will not"))
    agents_server.answers(calls("refund", {"order": "A2", "amount": 500}), answers("I cannot refund A2."))
    policy = by_tool({"refund": ("reject", "above the limit")})
    result = run(lambda talk, user: talk.with_user(user).with_approvals(policy), shop)

    [call] = result.output.tool_calls("refund")
    assert str(ending_of(result)) == "user_stopped after 1 turn: it will not"
    assert (call.approval, call.reject_reason, call.ran, shop.refunds) == ("rejected", "above the limit", False, [])
    assert "above the limit" in json.dumps(agents_server.bodies[-1])
    assert "above the limit" not in json.dumps(users_server.bodies[-1])
    assert "I cannot refund A2." in json.dumps(users_server.bodies[-1])


def test_no_policy__error_that_is_the_agents_after_the_user_spoke(run, agents_server, users_server):
    shop = Shop()
    users_server.answers(says("Refund A2, I paid 500.", "to begin"))
    agents_server.answers(calls("refund", {"order": "A2", "amount": 500}))
    result = run(with_user(), shop)
    assert result.status is Status.ERROR
    assert "there is no policy; call with_approvals(policy)" in ending_of(result).detail
    assert (ending_of(result).simulator_fault, shop.refunds) == (False, [])


def test_tokens__of_agent_and_user_are_counted_apart(run, agents_server, users_server):
    users_server.answers(answers("Hmm."), says("Refund A2!", "to begin"), stops("fine"))
    agents_server.answers(answers("Done."))
    result = run(with_user())
    assert result.usage == Usage(input=9, output=3, requests=1)
    assert result.simulator_usage == Usage(input=27, output=9, requests=3)
    assert {body["model"] for body in users_server.bodies} == {"player"}
    assert {body["model"] for body in agents_server.bodies} == {"tested"}
