"""What tokens cost."""

from __future__ import annotations

from decimal import Decimal

import pytest

from neuron_evals import InvalidArgument, PriceTable, Usage
from neuron_evals.core.providers import Price, cost_of, default_prices

TABLE = PriceTable().with_overrides(
    {
        "claude-haiku-4-5": {"input": 1.0, "cached_input": "0.1", "cache_write": "1.25", "output": 5},
        "plain": {"input": "0.1", "output": "0.2"},
        "plain-2025-01-01": {"input": 1, "output": 1},
        "free": {"input": 0, "output": 0},
    }
)


@pytest.mark.parametrize(
    ("model", "usage", "cost"),
    [
        ("plain", Usage(1_000_000, 1_000_000), "0.3"),
        ("plain", Usage(1, 0), "0.0000001"),
        ("plain", Usage(10, 0, cached_input=10), "0.000001"),
        ("free", Usage(10, 10), "0"),
        # 5 sent as they are, 900 read from the cache, 95 written to it: each counted once.
        ("claude-haiku-4-5", Usage(1000, 10, cached_input=900, cache_write=95), "0.00026375"),
        ("claude-haiku-4-5", Usage(1000, 0, cached_input=1000), "0.0001"),
        ("claude-haiku-4-5", Usage(1000, 0), "0.001"),
        ("claude-haiku-4-5", Usage(0, 0), "0"),
        # More cached than sent makes no sense, and no credit.
        ("claude-haiku-4-5", Usage(5, 0, cached_input=10), "0.000001"),
    ],
)
def test_cost__exact(model, usage, cost):
    assert TABLE.cost_of(model, usage) == Decimal(cost)


@pytest.mark.parametrize(
    ("model", "usage"),
    [
        ("unknown", Usage(1, 1)),
        (None, Usage(1, 1)),
        ("plain", None),
        ("plain", Usage()),
        ("plain", Usage(input=1)),
        ("plain", Usage(output=1)),
    ],
)
def test_cost__unknown_and_not_zero(model, usage):
    assert TABLE.cost_of(model, usage) is None


@pytest.mark.parametrize(
    ("model", "priced_as"),
    [
        ("claude-haiku-4-5", "claude-haiku-4-5"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("claude-haiku-4-5-2025-10-01", "claude-haiku-4-5"),
        ("plain-2025-01-01", "plain-2025-01-01"),
        ("plain-2025-01-02", "plain"),
        ("claude-haiku-4-50", None),
        ("claude-haiku-4-5-20251301", None),
        ("claude-haiku-4-5-fast", None),
        ("claude-haiku-4", None),
        ("openai/plain", None),
        ("Plain", None),
        ("", None),
    ],
)
def test_name__taken_for_another_only_without_its_date(model, priced_as):
    assert TABLE.price_of(model) == (None if priced_as is None else TABLE.prices[priced_as])


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"input": 1},
        {"input": None, "output": 1},
        {"input": 1, "output": 1, "reasoning": 2},
        {"input": -1, "output": 1},
        {"input": "free", "output": 1},
        {"input": True, "output": 1},
        {"input": float("nan"), "output": 1},
        [1.0, 5.0],
    ],
)
def test_override__that_is_no_price__refused_with_the_model_named(entry):
    with pytest.raises(InvalidArgument, match="the price of 'mine'"):
        PriceTable().with_overrides({"mine": entry})


def test_override__wins_and_leaves_the_table_alone():
    table = default_prices()
    other = table.with_overrides({"gpt-5-mini": {"input": 1, "output": 1}, "mine": Price(Decimal(1), Decimal(2))})
    assert cost_of("gpt-5-mini", Usage(1_000_000, 0), other) == 1
    assert cost_of("mine", Usage(0, 1_000_000), other) == 2
    assert cost_of("gpt-5-mini", Usage(1_000_000, 0)) == Decimal("0.25")
    assert cost_of("mine", Usage(0, 1_000_000)) is None


def test_shipped_table__dated_and_sound():
    table = default_prices()
    assert table.as_of.startswith("20")
    assert table.currency == "USD"
    for price in table.prices.values():
        assert 0 < (price.cached_input or 0) < price.input < price.output
        assert price.cache_write is None or price.cache_write > price.input
