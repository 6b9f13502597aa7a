from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import F, Sum

from neuron_evals import BaseEvaluator, Equals, GreaterThan, IsValidJson, MatchesRegex
from shop.agents import SupportAgent
from shop.models import Order


class OrderSummaryEvaluator(BaseEvaluator):
    """Is the summary of every order in the shop valid JSON with the order's own figures?

    The items are the orders themselves; the database adds up what the agent's answer must say.
    """

    tags = ("summaries",)

    def __init__(self, agent: SupportAgent) -> None:
        self.agent = agent

    def get_dataset(self) -> Iterable[Mapping[str, Any]]:
        orders = Order.objects.annotate(
            paid=Sum(F("lines__quantity") * F("lines__price")) + F("shipping"), pieces=Sum("lines__quantity")
        ).order_by("number")
        return [
            {"id": f"order-{each.number}", "number": each.number, "total": f"{each.paid:.2f}", "pieces": each.pieces}
            for each in orders
        ]

    def run(self, item: Mapping[str, Any]) -> str:
        return self.agent.fresh().chat(f"Please give me order {item['number']} as JSON.").text

    def evaluate(self, output: str, item: Mapping[str, Any]) -> None:
        if not self.check(IsValidJson(), output):
            return
        summary = json.loads(output)
        self.check(Equals(item["number"]), summary["order"], label="order")
        self.check(Equals(item["total"]), summary["total"], label="total")
        self.check(MatchesRegex(r"^\d+\.\d\d$"), summary["total"], label="two decimals")
        pieces = [line["quantity"] for line in summary["lines"]]
        self.check(Equals(item["pieces"]), sum(pieces), label="pieces")
        self.check(GreaterThan(0), min(pieces, default=0), label="no empty line")
