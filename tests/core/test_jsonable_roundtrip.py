from __future__ import annotations

import contextlib
import dataclasses
import datetime
import enum
import math
import re
from collections import OrderedDict
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.exceptions import InvalidArgument, NeuronEvalsError
from neuron_evals.core.jsonable import Undecodable, Unserialisable, decode, encode, register_type


def exact(value: Any) -> Any:
    """Return a value as text, with the type of everything it holds."""
    if isinstance(value, list | tuple):
        held: Any = [exact(member) for member in value]
    elif isinstance(value, dict):
        held = [(exact(key), exact(member)) for key, member in value.items()]
    elif isinstance(value, set | frozenset):
        held = sorted(exact(member) for member in value)
    else:
        held = repr(value)
    return f"{type(value).__name__}({held})"


def same(one: Any, other: Any) -> bool:
    return bool(exact(one) == exact(other))


any_text = st.text(alphabet=st.characters(exclude_categories=()))
zones = (
    st.none()
    | st.sampled_from([ZoneInfo("Europe/Oslo"), datetime.UTC, datetime.timezone(datetime.timedelta(hours=2), "custom")])
    | st.timedeltas(datetime.timedelta(hours=-23), datetime.timedelta(hours=23)).map(datetime.timezone)
)
hashables = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | any_text | st.binary() | st.uuids()
    | st.dates() | st.timedeltas() | st.decimals(allow_nan=False) | st.sampled_from(["$tuple", "$", "$dict"]),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=5,
)  # fmt: skip
values = st.recursive(
    hashables
    | st.floats()
    | st.decimals()
    | st.datetimes(timezones=zones)
    | st.times(timezones=st.just(datetime.UTC) | st.none())
    | st.sets(hashables, max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(hashables, inner, max_size=4)
        | st.dictionaries(st.sampled_from(["$tuple", "$bytes", "$x", "plain"]), inner, max_size=2)
    ),
    max_leaves=20,
)


@given(values)
def test_every_value_comes_back_with_its_types(value):
    text = encode(value)
    text.encode()
    assert "\x00" not in text
    assert same(decode(text), value)


@pytest.mark.parametrize(
    "value",
    [
        (),
        set(),
        {"$tuple": [1]},
        {"$bytes": "x", "other": 1},
        {1: "a", "1": "b", None: "c", (1, 2): "d"},
        [True, 1, 1.0, "1"],
        -(2**63) - 1,
        "\ud83d\ude00",
        "\U0001f600",
        {"\ud800": "\x00"},
        [math.nan, math.inf, -math.inf, -0.0],
        Decimal("sNaN"),
        datetime.datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=ZoneInfo("Europe/Oslo")),
        datetime.time(1, 2, fold=1),
    ],
)
def test_what_json_alone_would_change_comes_back_exactly(value):
    assert same(decode(encode(value)), value)


def test_an_integer_of_more_digits_than_python_writes_comes_back_exactly():
    assert decode(encode({"big": -(10**6000)})) == {"big": -(10**6000)}


def test_the_text_of_a_set_does_not_depend_on_its_order():
    assert encode({"b", "a", "c"}) == encode({"c", "b", "a"}) == '{"$set":["a","b","c"]}'


class Word(enum.StrEnum):
    YES = "yes"


class Zone(datetime.tzinfo):
    def utcoffset(self, _moment):
        return datetime.timedelta(0)

    dst = tzname = utcoffset


@dataclasses.dataclass(frozen=True)
class Unregistered:
    number: int


@dataclasses.dataclass(frozen=True)
class Money:
    amount: Decimal
    currency: str


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        (object(), "an object of type builtins.object"),
        ({"a": [1, {"b": object()}]}, "an object of type builtins.object at ['a'][1]['b']"),
        ({1: object()}, "an object of type builtins.object at [a key of type builtins.int]"),
        ((1, [Word.YES]), f"an object of type {__name__}.Word at [1][0]"),
        (OrderedDict(), "an object of type collections.OrderedDict"),
        (1j, "an object of type builtins.complex"),
        ({"m": Unregistered(1)}, f"an object of type {__name__}.Unregistered at ['m']"),
        ([datetime.datetime(2026, 1, 1, tzinfo=Zone())], "(TypeError: a time zone of type Zone) at [0]"),
    ],
)
def test_what_cannot_come_back_exactly_is_refused_with_type_and_place(value, complaint):
    with pytest.raises(Unserialisable, match=re.escape(complaint)):
        encode(value)


def test_endless_nesting_is_refused():
    loop: list[Any] = []
    loop.append(loop)
    deep: Any = ()
    for _ in range(100_000):
        deep = (deep,)
    for value in (loop, deep):
        with pytest.raises(Unserialisable, match="inside one another"):
            encode(value)


def test_nesting_up_to_the_limit_comes_back():
    value: Any = 1
    for level in range(100):
        value = [value] if level % 2 else {level: value}
    # A dict with other keys than text is written as a list of pairs, and still counts once.
    assert decode(encode(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"a": 1} x',
        "NaN",
        '{"a": -Infinity}',
        '{"a": 1, "a": 2}',
        '{"$unknown": 1}',
        '{"$tuple": [1], "b": 2}',
        '{"$tuple": 5}',
        '{"$bytes": "?"}',
        '{"$dict": [[[], 1]]}',
        '{"$dict": [1]}',
        '{"$datetime": "yesterday"}',
        '{"$datetime": ["2026-01-01T00:00:00", "Mars/Olympus", 0]}',
        '{"$int": "0x"}',
        '{"$uuid": 7}',
        "[" * 100_000,
        "1" * 5000,
    ],
)
def test_foreign_or_damaged_text_is_one_named_error(text):
    with pytest.raises(Undecodable, match="cannot be read back") as caught:
        decode(text)
    assert isinstance(caught.value, NeuronEvalsError)


@given(
    st.text(max_size=20)
    | values.map(encode).flatmap(lambda text: st.integers(0, len(text)).map(lambda end: text[:end]))
)
def test_any_text_is_decoded_or_is_the_named_error(text):
    with contextlib.suppress(Undecodable):
        decode(text)


def test_a_registered_type_comes_back_wherever_it_stands():
    register_type("test_money", Money, dataclasses.astuple, lambda held: Money(*held))
    register_type("test_money", Money, dataclasses.astuple, lambda held: Money(*held))
    value = {"prices": (Money(Decimal("1.10"), "NOK"), {Money(Decimal(2), "EUR")})}
    assert same(decode(encode(value)), value)


def test_a_registered_type_that_breaks_is_refused_with_its_place():
    class Fragile:
        pass

    register_type("test_fragile", Fragile, lambda value: value.missing, lambda _held: 1)
    with pytest.raises(Unserialisable, match=r"Fragile \(AttributeError: .* at \[0\]"):
        encode([Fragile()])
    with pytest.raises(Undecodable, match="does not hold a Fragile"):
        decode('{"$test_fragile": 1}')


def test_a_registered_type_that_holds_itself_without_end_is_refused():
    class Endless:
        pass

    register_type("test_endless", Endless, lambda _value: Endless(), lambda _held: Endless())
    with pytest.raises(Unserialisable, match="too many containers inside one another"):
        encode(Endless())


@pytest.mark.parametrize(
    ("tag", "cls", "complaint"),
    [
        ("tuple", Word, "'tuple'"),
        ("test_other", tuple, "builtins.tuple"),
        ("Money", Word, "lower-case"),
        ("", Word, "lower-case"),
        ("$x", Word, "lower-case"),
    ],
)
def test_a_tag_or_type_that_is_taken_is_refused(tag, cls, complaint):
    with pytest.raises(InvalidArgument, match=re.escape(complaint)):
        register_type(tag, cls, str, cls)
