"""An agent that refunds orders, and asks a colleague before each refund. Its tools work on the real rows."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from neuron_evals import Agent, Tool
from shop import replies, tools
from shop.clock import Clock
from shop.refund_model import RefundModel

INSTRUCTIONS = """\
You refund orders of a tea shop. Find the order first, say what can be refunded, and ask whether to do it.
A colleague approves each refund; when one is rejected, say that you cannot do it, and why."""


class RefundDesk:
    """What the model may do."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def search_orders(self, number: int) -> dict[str, Any] | None:
        """Find an order, and tell what of it can be refunded.

        Args:
            number: The four digits of the order.
        """
        order = tools.find_order(number)
        if order is None:
            return None
        found = tools.decide_refund(order, self._clock.today())
        if found.decision not in tools.REFUNDABLE:
            return {"order": number, "refundable": None, "terms": replies.refund_question(order, found)}
        # The colleague who hears of a large refund is asked before the refund, so nothing has to be passed on.
        granted = replace(found, decision=tools.Decision.GRANTED)
        return {
            "order": number,
            "refundable": float(found.amount),
            "terms": replies.refund_question(order, granted),
        }

    def refund_order(self, number: int, amount: float) -> str:
        """Refund an order, in whole or in part.

        Args:
            number: The four digits of the order.
            amount: How much, in euros; at most what is refundable.
        """
        order = tools.find_order(number)
        if order is None:
            return replies.not_found(number)
        found = tools.refund_approved(order, Decimal(str(amount)), self._clock.today())
        return replies.refund(order, found)


class RefundAgent(Agent):
    """Every refund waits for a decision; nothing else does."""

    def __init__(self, clock: Clock, model: RefundModel) -> None:
        desk = RefundDesk(clock)
        super().__init__(
            model,
            INSTRUCTIONS,
            tools=[desk.search_orders, Tool.from_function(desk.refund_order, approval=True)],
        )
