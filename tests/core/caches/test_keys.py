from __future__ import annotations

import datetime
import os
import subprocess
import sys
import unicodedata
import uuid
from collections import OrderedDict
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.caches import RunKeys, Uncacheable, keys
from neuron_evals.core.exceptions import EvaluationError
from tests.core.samples import Echo

if TYPE_CHECKING:
    import random

KEYS = RunKeys(Echo())


def key(value: Any, repeat: int = 0) -> str:
    return KEYS.of({"input": value}, repeat)


def test_key__is_64_hex_digits():
    assert len(key("hours?")) == 64
    assert set(key("hours?")) <= set("0123456789abcdef")


DIFFERENT = [
    "1", 1, 1.0, True, b"1", Decimal(1), "true", "True", 0, 0.0, -0.0, False, None, "", "null", [], {}, (), set(),
    frozenset(), [1], (1,), {1}, frozenset({1}), {"1": 1}, {1: 1}, {"a": None}, [None], float("nan"), float("inf"),
    "NaN", 10, 10.0, "10", [1, 2], [2, 1], [[1], 2], "é", unicodedata.normalize("NFD", "é"), "\x00", "\ud800",
    {"$dict": [["1", 1]]}, {"$set": [1]}, datetime.date(2026, 1, 2), "2026-01-02", datetime.datetime(2026, 1, 2,
    tzinfo=datetime.UTC), uuid.UUID(int=1), str(uuid.UUID(int=1)), datetime.timedelta(1), 86400.0, 2**70,
    str(2**70), "a,b", ["a", "b"], [{"a": 1}, {"b": 2}], [{"a": 1, "b": 2}],
]  # fmt: skip


def test_values_that_differ_in_type_or_content__all_have_different_keys():
    found: dict[str, Any] = {}
    for value in DIFFERENT:
        assert found.setdefault(key(value), value) is value, f"{value!r} has the key of {found[key(value)]!r}"


def test_missing_key_and_none__are_different():
    assert KEYS.of({}) != KEYS.of({"input": None})


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ([{"a": {"x": 1, "y": 2}, "b": 2}], [{"b": 2, "a": {"y": 2, "x": 1}}]),
        (({"a": 1, "b": 2},), ({"b": 2, "a": 1},)),
        ({1: {"a": 1, "b": 2}, 2: 0}, {2: 0, 1: {"b": 2, "a": 1}}),
        ({"$a": 1, "$b": 2}, {"$b": 2, "$a": 1}),
        (OrderedDict(a=1, b=2), {"b": 2, "a": 1}),
        (MappingProxyType({"a": [MappingProxyType({"b": 1})]}), {"a": [{"b": 1}]}),
        ({"a", "b", "c"}, {"c", "b", "a"}),
    ],
)
def test_order_of_keys__does_not_matter_at_any_depth(one, two):
    assert key(one) == key(two)


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.decimals() | st.dates()
hashables = st.none() | st.booleans() | st.integers() | st.text()
items = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(), inner, max_size=4)
        | st.dictionaries(hashables, inner, max_size=4)
    ),
    max_leaves=15,
)


def shuffled(value: Any, order: random.Random) -> Any:
    """Return an equal value whose dicts have their keys in another order."""
    if isinstance(value, dict):
        pairs = [(name, shuffled(member, order)) for name, member in value.items()]
        order.shuffle(pairs)
        return dict(pairs)
    if isinstance(value, list | tuple):
        return type(value)(shuffled(member, order) for member in value)
    return value


@given(items, st.randoms(use_true_random=False))
def test_any_item__same_key_under_every_order_of_keys(value, order):
    assert key(shuffled(value, order)) == key(value)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of the values that hold no others."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    found = [leaf for name, member in members for leaf in leaves(member, (*path, name))]
    return found or [path]


def other_type(value: Any) -> Any:
    """Return a value that looks the same and is of another type."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, list | tuple):
        return tuple(value) if isinstance(value, list) else list(value)
    return [value]


def replaced(value: Any, path: tuple[Any, ...]) -> Any:
    if not path:
        return other_type(value)
    if isinstance(value, dict):
        return {name: replaced(part, path[1:]) if name is path[0] else part for name, part in value.items()}
    return type(value)(replaced(part, path[1:]) if place == path[0] else part for place, part in enumerate(value))


@given(items, st.data())
def test_any_item__another_key_when_one_value_changes_its_type(value, data):
    path = data.draw(st.sampled_from(leaves(value)))
    assert key(replaced(value, path)) != key(value)


def test_repeats__have_keys_of_their_own():
    assert len({key("same", repeat) for repeat in range(5)}) == 5


class Order:
    def __init__(self, x: int, y: int) -> None:
        self.x, self.y = x, y

    def __str__(self) -> str:
        return f"Order({self.x})"

    __repr__ = __str__


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (Order(1, 1), r"an object of type .*\.Order at \['input'\]$"),
        ({"orders": [0, Order(1, 2)]}, r"\.Order at \['input'\]\['orders'\]\[1\]$"),
        (object(), r"builtins.object at \['input'\]$"),
        (Text("hours?"), r"\.Text at \['input'\]$"),
        (len, "builtin_function"),
    ],
)
def test_item_that_cannot_be_written_exactly__has_no_key_and_says_what_and_where(value, what):
    with pytest.raises(Uncacheable, match=f"^the item cannot be stored exactly: .*{what}"):
        key(value)


def test_item_that_holds_itself__has_no_key():
    item: dict[str, Any] = {}
    item["input"] = [item]
    with pytest.raises(Uncacheable, match=r"^the item"):
        KEYS.of(item)


SCRIPT = """
from neuron_evals.core.caches import RunKeys
from tests.core.caches.test_keys import Agent, Asking, OneLine
print(RunKeys(Asking(Agent())).of({"input": {"a": {"x", "y", "z"}, "b": 1}}))
print(RunKeys(OneLine()).of({}))
"""


def test_other_process__same_key():
    def printed(seed: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            cwd=Path(__file__).parents[3],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    assert printed("1") == printed("2") != ""


@dataclass
class Agent:
    model: str = "m1"
    base_url: str = "http://a"
    temperature: float = 0.0
    seed: int | None = None
    max_tokens: int = 16
    tool_choice: str | None = None

    @property
    def fingerprint(self) -> str:
        return repr(self)


class Asking(Echo):
    def __init__(self, agent: Any) -> None:
        self.agent = agent


def of_agent(agent: Any) -> str:
    return RunKeys(Asking(agent)).of({"input": "p"})


@pytest.mark.parametrize(
    "agents",
    [
        [Agent(), Agent(temperature=1.0), Agent(temperature=1.0, seed=7)],
        [Agent(), Agent(model="m2"), Agent(base_url="http://b")],
        [Agent(), Agent(max_tokens=4000), Agent(max_tokens=4000, tool_choice="none")],
    ],
)
def test_agents_with_different_fingerprints__different_keys(agents):
    assert len({of_agent(agent) for agent in agents}) == 3
    assert of_agent(agents[0]) == of_agent(Agent())


class OneLine(Echo):
    run = lambda self, item: item["input"] in {"monday", "tuesday", "friday", "sunday"}  # noqa: E731  (it has no source of its own)


def test_other_version_of_the_package__another_key(monkeypatch):
    before = of_agent(None)
    monkeypatch.setattr(keys, "_VERSION", "999.0")
    assert of_agent(None) != before


def test_fingerprint_of_any_attribute__counts_by_its_name():
    def of(**attributes: Any) -> str:
        evaluator = Echo()
        vars(evaluator).update(attributes)
        return RunKeys(evaluator).of({})

    one, two = Agent("m1"), Agent("m2")
    assert len({of(), of(a=one), of(b=one), of(a=one, b=two), of(a=two, b=one)}) == 5


def test_fingerprint_given_by_a_method_or_by_an_attribute_of_the_class__counts():
    class ByMethod:
        def fingerprint(self) -> str:
            return "v1"

    by_class = type("OfClass", (Echo,), {"agent": ByMethod()})

    assert of_agent(ByMethod()) == of_agent(SimpleNamespace(fingerprint="v1")) != of_agent(object())
    assert RunKeys(by_class()).of({}) != RunKeys(type("OfClass", (Echo,), {})()).of({})


@pytest.mark.parametrize("agent", [Agent, None, object(), SimpleNamespace(fingerprint=None)], ids=str)
def test_what_has_no_fingerprint__is_no_problem(agent):
    assert of_agent(agent) == of_agent(object())


@pytest.mark.parametrize("fingerprint", ["", 7, b"v1", len, ["v1"]], ids=repr)
def test_fingerprint_that_is_no_text__is_an_error_that_names_the_attribute(fingerprint):
    with pytest.raises(EvaluationError, match=r"Asking: the fingerprint of agent is a text that is not empty, got "):
        RunKeys(Asking(SimpleNamespace(fingerprint=fingerprint)))


class OfTheInput(Echo):
    def cache_input(self, item):
        return {"input": item["input"]}


def test_cache_input__what_it_leaves_out_changes_no_key():
    keys = RunKeys(OfTheInput())
    assert keys.of({"input": "p", "reference": "a"}) == keys.of({"input": "p", "reference": "b"})
    assert keys.of({"input": "p"}) != keys.of({"input": "q"})


def test_cache_input_that_refuses__the_item_has_no_key_and_the_reason_is_told():
    class Never(Echo):
        def cache_input(self, item):
            raise Uncacheable("never")

    with pytest.raises(Uncacheable, match=r"^never$"):
        RunKeys(Never()).of({"input": "p"})
