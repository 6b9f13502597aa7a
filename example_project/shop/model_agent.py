"""The support agent with a model in the place of the rules; its tools query the same rows."""

from __future__ import annotations

from datetime import date

from neuron_evals import Agent
from neuron_evals.container import get_provider
from shop import replies, tools
from shop.clock import Clock

INSTRUCTIONS = """\
You answer customers of a tea shop, in English, in one or two sentences.
Take every fact from the tools, and word it as they do; never guess one.
Never tell or change anything about a person."""


class Desk:
    """What the model may do. Each tool answers in the words in which the agent with rules says it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def order_status(self, number: int) -> str:
        """Tell where an order is.

        Args:
            number: The four digits of the order.
        """
        order = tools.find_order(number)
        return replies.not_found(number) if order is None else replies.status(order)

    def order_summary(self, number: int) -> str:
        """Return an order with its lines and its total as JSON text, to be passed on unchanged.

        Args:
            number: The four digits of the order.
        """
        order = tools.find_order(number)
        return replies.not_found(number) if order is None else replies.summary(order)

    def can_be_refunded(self, number: int) -> str:
        """Tell whether an order can be returned, until when and for how much; nothing is refunded.

        Args:
            number: The four digits of the order.
        """
        order = tools.find_order(number)
        if order is None:
            return replies.not_found(number)
        return replies.refund_question(order, tools.decide_refund(order, self._clock.today()))

    def refund_order(self, number: int) -> str:
        """Refund an order if the terms of sale allow it.

        Args:
            number: The four digits of the order.
        """
        order = tools.find_order(number)
        if order is None:
            return replies.not_found(number)
        return replies.refund(order, tools.refund_order(order, self._clock.today()))

    def opening_hours(self, day: str | None = None) -> str:
        """Tell the opening hours.

        Args:
            day: A date as YYYY-MM-DD; the whole week when left out.
        """
        if day is None:
            return replies.week(tools.opening_week())
        wanted = date.fromisoformat(day)
        return replies.hours_on(wanted, tools.opening_on(wanted))

    def shipping(self, country: str | None = None) -> str:
        """Tell what shipping to a country costs and how long it takes.

        Args:
            country: Its English name; the countries that the shop ships to when left out.
        """
        return replies.shipping(tools.shipping_rates(), country)


class ModelSupportAgent(Agent):
    """Stands in for `SupportAgent` where `BINDINGS` says so; `PROVIDERS` says where its model is."""

    def __init__(self, clock: Clock) -> None:
        desk = Desk(clock)
        super().__init__(
            get_provider("shop"),
            f"{INSTRUCTIONS}\nToday is {clock.today():%A, %Y-%m-%d}.",
            tools=[
                desk.order_status,
                desk.order_summary,
                desk.can_be_refunded,
                desk.refund_order,
                desk.opening_hours,
                desk.shipping,
            ],
        )
