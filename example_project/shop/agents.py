"""A support agent without a model: rules decide which tool to ask, templates word the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shop import replies, tools
from shop.clock import Clock
from shop.models import Order
from shop.requests import Request, understand
from shop.vocabulary import Intent


@dataclass(frozen=True)
class Reply:
    """What the agent answered."""

    text: str


class SupportAgent:
    """Answers customers about orders, refunds, shipping and opening hours.

    It remembers the order that a conversation is about; `fresh()` gives the same agent with an empty memory.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._number: int | None = None

    def fresh(self) -> SupportAgent:
        return SupportAgent(self._clock)

    def chat(self, message: str) -> Reply:
        request = understand(message)
        self._number = request.number or self._number
        about_an_order = _ABOUT_AN_ORDER.get(request.intent)
        if about_an_order is not None:
            return Reply(self._about_order(about_an_order))
        if request.intent is Intent.HOURS:
            return Reply(self._hours(request))
        if request.intent is Intent.SHIPPING:
            return Reply(replies.shipping(tools.shipping_rates(), request.country))
        return Reply(replies.FIXED[request.intent])

    def _about_order(self, answer: Callable[[Order, Clock], str]) -> str:
        if self._number is None:
            return replies.NUMBER_MISSING
        order = tools.find_order(self._number)
        return replies.not_found(self._number) if order is None else answer(order, self._clock)

    def _hours(self, request: Request) -> str:
        today = self._clock.today()
        if request.day is not None:
            day = tools.next_date(*request.day, today)
            return replies.NO_SUCH_DAY if day is None else replies.hours_on(day, tools.opening_on(day))
        if request.weekday is not None:
            return replies.hours_on_weekday(request.weekday, tools.opening_on_weekday(request.weekday))
        if "tomorrow" in request.text:
            today = tools.tomorrow(today)
        elif "today" not in request.text and "now" not in request.text.split():
            return replies.week(tools.opening_week())
        return replies.hours_on(today, tools.opening_on(today))


def _refund_question(order: Order, clock: Clock) -> str:
    return replies.refund_question(order, tools.decide_refund(order, clock.today()))


def _refund(order: Order, clock: Clock) -> str:
    return replies.refund(order, tools.refund_order(order, clock.today()))


_ABOUT_AN_ORDER: dict[Intent, Callable[[Order, Clock], str]] = {
    Intent.STATUS: lambda order, _: replies.status(order),
    Intent.TOTAL: lambda order, _: replies.total(order),
    Intent.SUMMARY: lambda order, _: replies.summary(order),
    Intent.REFUND_QUESTION: _refund_question,
    Intent.REFUND: _refund,
}
