from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evaluators.rehearsal import rehearsal
from evaluators.scripted_judge import ScriptedJudge
from neuron_evals import (
    Agent,
    BaseEvaluator,
    Conversation,
    JsonDataset,
    Mode,
    StringContains,
    TaskCompletionJudge,
    ToolWasApproved,
    ToolWasNotCalled,
    ToolWasRejected,
    Trajectory,
    TrajectoryMatches,
)
from neuron_evals.policies import from_item
from shop.refund_agent import RefundAgent
from shop.refund_model import RefundModel

OUTCOMES = {
    "approved": ToolWasApproved("refund_order"),
    "rejected": ToolWasRejected("refund_order"),
    "not_asked": ToolWasNotCalled("refund_order"),
}


class RefundConversationEvaluator(BaseEvaluator):
    """Does the agent refund what a colleague approved, and tell the customer when that is nothing?

    The dataset says what the customer says, turn by turn, and how the colleague decides.
    """

    tags = ("refunds", "conversations")

    def __init__(self, agent: RefundAgent) -> None:
        self.agent = agent

    def set_up(self) -> None:
        self.judge = Agent(ScriptedJudge(), name="judge")

    def cache_dependencies(self) -> Iterable[type]:
        return (RefundAgent, RefundModel)

    def get_dataset(self) -> Iterable[Mapping[str, Any]]:
        return JsonDataset(__file__, "datasets/refund_conversations.json")

    def run(self, item: Mapping[str, Any]) -> Trajectory:
        with rehearsal():
            return self.conversation(item).run()

    def conversation(self, item: Mapping[str, Any]) -> Conversation:
        return Conversation(self.agent).with_turns(item["turns"]).with_approvals(from_item(item))

    def evaluate(self, trajectory: Trajectory, item: Mapping[str, Any]) -> None:
        self.check(TrajectoryMatches(item["expected_tools"], Mode.SUBSET), trajectory)
        self.check(OUTCOMES[item["outcome"]], trajectory, label="outcome")
        self.check(StringContains(item["answer"]), trajectory.final_answer())
        self.check(TaskCompletionJudge(self.judge, goal=item["goal"]), trajectory)
