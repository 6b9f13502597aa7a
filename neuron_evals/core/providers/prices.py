"""What tokens cost. A model without a price has an unknown cost, never 0."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal, InvalidOperation
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from neuron_evals.core.exceptions import InvalidArgument

if TYPE_CHECKING:
    from neuron_evals.core.messages import Usage

_MILLION = Decimal(1_000_000)

_DATE = re.compile(r"-20\d\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])$")


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens of one model cost, in the currency of the table.

    Attributes:
        input: Of those sent, the cached ones apart.
        output: Of those received.
        cached_input: Of those read from the provider's cache; `None` for no discount.
        cache_write: Of those written to it; `None` for no surcharge.
    """

    input: Decimal
    output: Decimal
    cached_input: Decimal | None = None
    cache_write: Decimal | None = None

    def cost_of(self, usage: Usage) -> Decimal | None:
        """Return what `usage` costs; `None` when its input or output is unknown.

        Each token is counted once. Where it is unknown how many were cached, none count as cached.
        """
        if usage.input is None or usage.output is None:
            return None
        read, written = usage.cached_input or 0, usage.cache_write or 0
        plain = max(0, usage.input - read - written)
        total = (
            plain * self.input
            + read * (self.input if self.cached_input is None else self.cached_input)
            + written * (self.input if self.cache_write is None else self.cache_write)
            + usage.output * self.output
        )
        return total / _MILLION


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by the model's name.

    Attributes:
        prices: The prices.
        as_of: Day on which they were put together, as `YYYY-MM-DD`; empty when unknown.
        currency: Their currency.
    """

    prices: Mapping[str, Price] = field(default_factory=dict)
    as_of: str = ""
    currency: str = "USD"

    def price_of(self, model: str | None) -> Price | None:
        """Return the price of a model; `None` when it is unknown.

        A name with a date at its end (`-20251001` or `-2025-10-01`) that has no price of its own has that of the name
        without the date. No other name is taken for a similar one.
        """
        if model is None:
            return None
        exact = self.prices.get(model)
        return self.prices.get(_DATE.sub("", model)) if exact is None else exact

    def cost_of(self, model: str | None, usage: Usage | None) -> Decimal | None:
        """Return what `usage` of `model` costs; `None` when price or tokens are unknown."""
        price = self.price_of(model)
        return None if price is None or usage is None else price.cost_of(usage)

    def with_overrides(self, overrides: Mapping[str, Mapping[str, Any] | Price]) -> PriceTable:
        """Return the table with further or other prices.

        Args:
            overrides: Model name -> a mapping with `input` and `output`, and optionally `cached_input` and
                `cache_write`: numbers or their text, of 0 or more, for a million tokens.

        Raises:
            InvalidArgument: A price cannot be read.
        """
        read = {name: entry if isinstance(entry, Price) else _price(name, entry) for name, entry in overrides.items()}
        return PriceTable({**self.prices, **read}, self.as_of, self.currency)


@cache
def default_prices() -> PriceTable:
    """Return the table that is shipped: US dollars, dated, with the sources named in `prices.json`."""
    data = json.loads(files("neuron_evals.core.providers").joinpath("prices.json").read_text(encoding="utf-8"))
    prices = {name: _price(name, entry) for name, entry in data["models"].items()}
    return PriceTable(prices, data["as_of"], data["currency"])


def cost_of(model: str | None, usage: Usage | None, prices: PriceTable | None = None) -> Decimal | None:
    """Return what `usage` of `model` costs; `None` when price or tokens are unknown.

    Args:
        model: Name of the model.
        usage: The tokens.
        prices: The prices; the table that is shipped by default.
    """
    return (default_prices() if prices is None else prices).cost_of(model, usage)


def _price(model: str, entry: Any) -> Price:
    names = [item.name for item in fields(Price)]
    given = {name: value for name, value in entry.items() if value is not None} if isinstance(entry, Mapping) else {}
    if not {"input", "output"} <= given.keys() <= set(names):
        msg = f"the price of {model!r} is a mapping with input, output, and optionally cached_input and cache_write"
        raise InvalidArgument(msg)
    return Price(**{name: _amount(model, name, value) for name, value in given.items()})


def _amount(model: str, name: str, value: Any) -> Decimal:
    try:
        # By way of text: 0.1 means a tenth, not the binary fraction that is nearest to it.
        amount = Decimal(str(value))
    except InvalidOperation:
        amount = Decimal("NaN")
    if isinstance(value, bool) or not amount.is_finite() or amount < 0:
        msg = f"the price of {model!r}: {name} is a number of 0 or more, got {value!r}"
        raise InvalidArgument(msg)
    return amount
