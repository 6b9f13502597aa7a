"""What the agents can do. Every function asks the database; only `refund_order` and `refund_approved` write."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum

from shop.models import ClosedDay, OpeningHours, Order, Refund, ShippingRate

REFUND_LIMIT = Decimal("200.00")
"""The largest refund that needs no person's approval."""

CENT = Decimal("0.01")


class Decision(StrEnum):
    GRANTED = "granted"
    HANDED_OVER = "handed_over"
    CANCELLED = "cancelled"
    NOT_DELIVERED = "not_delivered"
    REFUNDED_BEFORE = "refunded_before"
    TOO_LATE = "too_late"
    FINAL_SALE = "final_sale"


REFUNDABLE = frozenset({Decision.GRANTED, Decision.HANDED_OVER})
"""What a person may approve."""


@dataclass(frozen=True)
class RefundDecision:
    """What the rules say about refunding an order, with the amount and the day that belong to the reason."""

    decision: Decision
    amount: Decimal = Decimal()
    day: date | None = None


@dataclass(frozen=True)
class Day:
    """Whether the shop is open on a day: its hours, or why there are none."""

    hours: OpeningHours | None
    closed_for: str = ""


def find_order(number: int) -> Order | None:
    return Order.objects.prefetch_related("lines__product", "refunds").filter(number=number).first()


def decide_refund(order: Order, today: date) -> RefundDecision:
    """Apply the refund policy; nothing is written."""
    if order.status == Order.Status.CANCELLED:
        return RefundDecision(Decision.CANCELLED)
    if order.return_until is None:
        return RefundDecision(Decision.NOT_DELIVERED)
    if refunds := list(order.refunds.all()):
        return RefundDecision(Decision.REFUNDED_BEFORE, refunds[0].amount, refunds[0].granted_on)
    if today > order.return_until:
        return RefundDecision(Decision.TOO_LATE, day=order.return_until)
    if not order.returnable_amount:
        return RefundDecision(Decision.FINAL_SALE)
    decision = Decision.HANDED_OVER if order.returnable_amount > REFUND_LIMIT else Decision.GRANTED
    return RefundDecision(decision, order.returnable_amount, order.return_until)


def refund_order(order: Order, today: date) -> RefundDecision:
    """Apply the refund policy, and write the refund if it is granted."""
    found = decide_refund(order, today)
    if found.decision is Decision.GRANTED:
        Refund.objects.create(order=order, amount=found.amount, granted_on=today)
    return found


def refund_approved(order: Order, amount: Decimal, today: date) -> RefundDecision:
    """Write a refund that a person approved, within what can be returned and whatever the limit of the agent is."""
    found = decide_refund(order, today)
    if found.decision not in REFUNDABLE:
        return found
    if not 0 < amount <= found.amount:
        msg = f"the amount must be above 0 and at most {found.amount}, got {amount}"
        raise ValueError(msg)
    refund = Refund(order=order, amount=amount.quantize(CENT), granted_on=today)
    refund.save()
    return RefundDecision(Decision.GRANTED, refund.amount, found.day)


def opening_week() -> list[OpeningHours]:
    return list(OpeningHours.objects.all())


def opening_on(day: date) -> Day:
    """Return what holds on a date: a closed day wins over the hours of its weekday."""
    closed = ClosedDay.objects.filter(day=day).first()
    if closed is not None:
        return Day(None, closed.reason)
    return opening_on_weekday(day.weekday())


def opening_on_weekday(weekday: int) -> Day:
    return Day(OpeningHours.objects.filter(weekday=weekday).first())


def next_date(month: int, day: int, today: date) -> date | None:
    """Return the next time this day of the year comes, today included; `None` for a day that does not exist."""
    for year in (today.year, today.year + 1):
        try:
            candidate = date(year, month, day)
        except ValueError:
            continue
        if candidate >= today:
            return candidate
    return None


def tomorrow(today: date) -> date:
    return today + timedelta(days=1)


def shipping_rates() -> list[ShippingRate]:
    return list(ShippingRate.objects.all())
