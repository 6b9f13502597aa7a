"""How the agent words its answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date

from shop.models import RETURN_DAYS, OpeningHours, Order, ShippingRate
from shop.tools import Day, Decision, RefundDecision
from shop.vocabulary import MONTHS, Intent

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
NUMBER_MISSING = "Please tell me the order number: the four digits in your confirmation."
NO_SUCH_DAY = "Which day do you mean? Please write it like 24 December."
FIXED = {
    Intent.PERSONAL_DATA: "I cannot share or change personal data. You find yours in your account.",
    Intent.REFUND_POLICY: (
        f"You can return undamaged teaware within {RETURN_DAYS} days of delivery. "
        "Tea and gift cards are final sale, and shipping is not refunded."
    ),
    Intent.GREETING: "Hello! Ask me about orders, refunds, shipping or opening hours.",
    Intent.UNKNOWN: "Sorry, I cannot help with that. Ask me about orders, refunds, shipping or opening hours.",
}


def date_text(day: date) -> str:
    return f"{day.day} {tuple(MONTHS)[day.month - 1].title()} {day.year}"


def not_found(number: int) -> str:
    return f"I cannot find an order with the number {number}. Please check your confirmation."


def status(order: Order) -> str:
    if order.status == Order.Status.CANCELLED:
        return f"Order {order.number} was cancelled, and nothing was charged."
    if order.delivered_on is not None:
        return f"Order {order.number} was delivered on {date_text(order.delivered_on)}."
    if order.shipped_on is not None:
        return (
            f"Order {order.number} left us on {date_text(order.shipped_on)} and is on its way. "
            f"Its tracking number is {order.tracking}."
        )
    return f"Order {order.number} was placed on {date_text(order.placed_on)} and is being packed."


def total(order: Order) -> str:
    shipping = f"of which {order.shipping} EUR is shipping" if order.shipping else "with free shipping"
    return f"Order {order.number} comes to {order.total} EUR, {shipping}."


def summary(order: Order) -> str:
    return json.dumps(
        {
            "order": order.number,
            "status": order.status,
            "placed_on": order.placed_on.isoformat(),
            "lines": [{"product": line.product.name, "quantity": line.quantity} for line in order.lines.all()],
            "total": str(order.total),
            "currency": "EUR",
        }
    )


def refund_question(order: Order, found: RefundDecision) -> str:
    if found.decision is Decision.GRANTED and found.day is not None:
        return f"Order {order.number} can be returned until {date_text(found.day)}; you get {found.amount} EUR back."
    return _no_refund(order, found)


def refund(order: Order, found: RefundDecision) -> str:
    if found.decision is Decision.GRANTED:
        return f"Done: {found.amount} EUR for order {order.number} will be back with you within 5 working days."
    return _no_refund(order, found)


def _no_refund(order: Order, found: RefundDecision) -> str:
    if found.decision is Decision.HANDED_OVER:
        return f"A refund of {found.amount} EUR for order {order.number} needs a colleague's approval; I passed it on."
    day = "" if found.day is None else date_text(found.day)
    reason = {
        Decision.CANCELLED: "it was cancelled, and nothing was charged",
        Decision.NOT_DELIVERED: "it has not been delivered yet",
        Decision.REFUNDED_BEFORE: f"{found.amount} EUR was refunded already on {day}",
        Decision.TOO_LATE: f"the {RETURN_DAYS} days after its delivery ended on {day}",
        Decision.FINAL_SALE: "it has only tea and gift cards, which are final sale",
    }[found.decision]
    return f"Order {order.number} cannot be refunded: {reason}."


def hours_on(day: date, found: Day) -> str:
    return _hours(f"On {WEEKDAYS[day.weekday()]}, {date_text(day)}, we are", found)


def hours_on_weekday(weekday: int, found: Day) -> str:
    return _hours(f"On {WEEKDAYS[weekday]} we are", found)


def _hours(we_are: str, found: Day) -> str:
    if found.hours is not None:
        return f"{we_are} open from {found.hours}."
    return f"{we_are} closed{f': {found.closed_for}' if found.closed_for else ''}."


def week(hours: Sequence[OpeningHours]) -> str:
    days = ", ".join(f"{WEEKDAYS[each.weekday]} {each}" for each in hours)
    return f"We are open {days}. On other days we are closed."


def shipping(rates: Sequence[ShippingRate], country: str | None) -> str:
    rate = next((rate for rate in rates if rate.country == country), None)
    if rate is None:
        return f"We ship to these countries: {', '.join(rate.country for rate in rates)}. Which one is yours?"
    free = "" if rate.free_from is None else f" It is free from {rate.free_from} EUR."
    return f"Shipping to {rate.country} costs {rate.price} EUR and takes {rate.days_min} to {rate.days_max} days.{free}"
