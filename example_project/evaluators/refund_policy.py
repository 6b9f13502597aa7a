from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evaluators.rehearsal import rehearsal
from neuron_evals import (
    AnyOf,
    BaseEvaluator,
    Between,
    CsvDataset,
    Equals,
    Not,
    StringContains,
    StringStartsWith,
    Weighted,
)
from shop.agents import SupportAgent
from shop.models import Refund

GRANTED = StringStartsWith("Done:")
POSSIBLE = StringContains("can be returned until")
HANDED_OVER = StringContains("a colleague's approval")
WORDING = {
    "granted": GRANTED,
    "possible": POSSIBLE,
    "handed_over": HANDED_OVER,
    "refused": Not(AnyOf(GRANTED, POSSIBLE, HANDED_OVER)),
}


class RefundPolicyEvaluator(BaseEvaluator):
    """Does the agent refund what the terms of sale allow, and nothing else?

    It looks at what the agent said and at the refunds it wrote. Money counts three times as much as words.
    """

    tags = ("refunds",)

    def __init__(self, agent: SupportAgent) -> None:
        self.agent = agent

    def get_dataset(self) -> Iterable[Mapping[str, Any]]:
        return CsvDataset(__file__, "datasets/refunds.csv")

    def run(self, item: Mapping[str, Any]) -> dict[str, Any]:
        with rehearsal():
            before = set(Refund.objects.values_list("pk", flat=True))
            reply = self.agent.fresh().chat(item["input"]).text
            written = Refund.objects.exclude(pk__in=before).values_list("order__number", "amount")
            return {"reply": reply, "refunds": [{"order": order, "amount": str(amount)} for order, amount in written]}

    def evaluate(self, output: dict[str, Any], item: Mapping[str, Any]) -> None:
        expected = [{"order": int(item["order"]), "amount": item["refunded"]}] if item["refunded"] else []
        self.check(Weighted(Equals(expected), 3), output["refunds"], label="refunds")
        for refund in output["refunds"]:
            self.check(Between(0.01, 200), float(refund["amount"]), label="limit")
        self.check(WORDING[item["decision"]], output["reply"], label="decision")
        self.check(StringContains(item["reason"]), output["reply"], label="reason")
