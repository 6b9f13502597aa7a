from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import subprocess
import sys
import uuid
from collections import ChainMap, OrderedDict, UserList, deque, namedtuple
from pathlib import PurePosixPath
from types import FunctionType, MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.jsonable import MAX_DEPTH, canonical_json, clean_json, dump_json, foreign, register_view
from neuron_evals.core.jsonable.cleaning import MAX_VALUES


class Colour(enum.Enum):
    RED = ("r", 1)


class Level(enum.IntEnum):
    HIGH = 3


class Word(enum.StrEnum):
    YES = "yes"


@dataclasses.dataclass
class Order:
    number: int
    lines: list[Any]


class Pydantic:
    def model_dump(self):
        return {"city": "Oslo", "tags": ("a",)}


class Array:
    def __init__(self, held):
        self.held = held

    def tolist(self):
        return self.held


class Whole(int):
    pass


class Broken:
    def _raise(self, *args):
        raise RuntimeError

    __str__ = __repr__ = __iter__ = __len__ = __getattr__ = __eq__ = _raise
    __hash__ = _raise
    __class__ = property(_raise)


class BrokenDict(dict[str, int]):
    def items(self):
        raise RuntimeError


class Exiting:
    def tolist(self):
        raise SystemExit(0)


class BrokenSequence(UserList[int]):
    def __iter__(self):
        yield 1
        raise RuntimeError


class EndlessSequence(UserList[int]):
    def __iter__(self):
        while True:
            yield 1


class InventsAttributes:
    def __getattr__(self, name):
        return lambda: "invented"


class Self:
    def tolist(self):
        return Self()


class Meta(type):
    def __getattribute__(cls, name):
        raise RuntimeError


class Odd(metaclass=Meta):
    pass


def make_odd() -> Odd:
    return Odd()


class Opaque:
    pass


Point = namedtuple("Point", "x y")
HERE = __name__


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, 0),
        (False, False),
        ("", ""),
        ([], []),
        ({}, {}),
        (None, None),
        (-0.5, -0.5),
        (float("nan"), None),
        (float("-inf"), None),
        (2**63 - 1, 2**63 - 1),
        (2**63, "9223372036854775808"),
        (-(2**63), -(2**63)),
        (-(2**63) - 1, "-9223372036854775809"),
        pytest.param(10**5000, hex(10**5000), id="huge"),
        (Whole(7), 7),
        ("a\x00\ud800", "a\u2400\ufffd"),
        ((1, (2,)), [1, [2]]),
        (Point(1, 2), [1, 2]),
        (deque([1, 2]), [1, 2]),
        (range(3), [0, 1, 2]),
        ({3, 1, 2}, [1, 2, 3]),
        (frozenset({"b", "a"}), ["a", "b"]),
        ({"b": 1, "a": 2}.keys(), ["a", "b"]),
        (b"hi", {"$bytes": "aGk="}),
        (bytearray(b"hi"), {"$bytes": "aGk="}),
        (memoryview(b"hi"), {"$bytes": "aGk="}),
        (Colour.RED, ["r", 1]),
        (Level.HIGH, 3),
        (Word.YES, "yes"),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        (datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.UTC), "2026-01-02T03:04:00+00:00"),
        (datetime.time(3, 4), "03:04:00"),
        (datetime.timedelta(minutes=1.5), 90.0),
        (decimal.Decimal("1.10"), "1.10"),
        (decimal.Decimal("sNaN"), "sNaN"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (PurePosixPath("a/b"), "a/b"),
        (OrderedDict(b=1, a=(2,)), {"b": 1, "a": [2]}),
        (MappingProxyType({"a": 1}), {"a": 1}),
        (ChainMap({"a": 1}), {"a": 1}),
        (Order(7, [{"sku": (1,)}]), {"number": 7, "lines": [{"sku": [1]}]}),
        (Pydantic(), {"city": "Oslo", "tags": ["a"]}),
        (Array([1.0, float("nan")]), [1.0, None]),
    ],
)
def test_a_value_becomes_the_json_of_what_it_holds(value, expected):
    cleaned = clean_json(value)
    assert cleaned == expected
    assert type(cleaned) is type(expected)
    assert json.loads(dump_json(cleaned)) == cleaned


def test_numpy_values_become_what_they_hold():
    numpy = pytest.importorskip("numpy")
    values = [numpy.float64("nan"), numpy.float32(0.5), numpy.int64(3), numpy.bool_(1), numpy.str_("x")]
    assert clean_json(values) == [None, 0.5, 3, True, "x"]
    assert clean_json(numpy.arange(4).reshape(2, 2)) == [[0, 1], [2, 3]]
    assert clean_json(numpy.longdouble(1)) == "[numpy.longdouble]"


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (object, "builtins.object"),
        (Opaque, f"{HERE}.Opaque"),
        (lambda: Opaque, "builtins.type"),
        (lambda: len, "builtins.builtin_function_or_method"),
        (lambda: 1j, "builtins.complex"),
        (lambda: iter([1]), "builtins.list_iterator"),
        (Broken, f"{HERE}.Broken"),
        (lambda: BrokenDict(a=1), f"{HERE}.BrokenDict"),
        (BrokenSequence, f"{HERE}.BrokenSequence"),
        (Exiting, f"{HERE}.Exiting"),
        (InventsAttributes, f"{HERE}.InventsAttributes"),
        (Self, f"{HERE}.Self"),
        (make_odd, f"{HERE}.Odd"),
        (lambda: Order.__new__(Order), f"{HERE}.Order"),
    ],
)
def test_of_another_object_only_the_type_is_told(make, name):
    assert clean_json([make()])[0] == f"[{name}]"


@pytest.mark.parametrize("module", [None, 5])
def test_a_type_whose_module_has_no_name_is_an_object(module):
    nameless = type("Nameless", (), {})
    nameless.__module__ = module
    assert clean_json(nameless()) == "[object]"


def test_a_type_made_where_modules_have_no_name_is_an_object():
    make = FunctionType((lambda kind: kind("Nameless", (), {})).__code__, {})
    assert clean_json(make(type)()) == "[object]"


def test_an_iterator_is_not_used_up():
    iterator = iter([1, 2])
    clean_json({"output": iterator})
    assert list(iterator) == [1, 2]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({1: "a", None: "b", 1.5: "c", False: "d"}, {"1": "a", "null": "b", "1.5": "c", "false": "d"}),
        ({(1, "x"): "a"}, {'[1, "x"]': "a"}),
        ({Word.YES: 1}, {"yes": 1}),
        ({1: "number", "1": "text"}, {"1 (2)": "number", "1": "text"}),
        ({1: "a", "1": "b", "1 (2)": "c"}, {"1 (3)": "a", "1": "b", "1 (2)": "c"}),
        ({"\x00": "a", "\u2400": "b", chr(0xD800): "c", chr(0xDFFF): "d"},
         {"\u2400 (2)": "a", "\u2400": "b", "\ufffd": "c", "\ufffd (2)": "d"}),
        ({Opaque: 1, len: 2}, {"[builtins.type]": 1, "[builtins.builtin_function_or_method]": 2}),
    ],
)  # fmt: skip
def test_keys_become_text_and_none_is_lost(value, expected):
    assert clean_json(value) == expected


def nested(levels: int, kind: type) -> Any:
    value: Any = "deep"
    for _ in range(levels):
        value = {"in": value} if kind is dict else kind([value])
    return value


def levels_of(value: Any) -> int:
    levels = 0
    while isinstance(value, dict | list):
        value = next(iter(value.values() if isinstance(value, dict) else value))
        levels += 1
    return levels


@pytest.mark.parametrize("kind", [list, dict, tuple, deque])
def test_nesting_is_kept_up_to_the_limit_and_cut_beyond_it(kind):
    assert "deep" in json.dumps(clean_json(nested(MAX_DEPTH, kind)))
    for levels in (MAX_DEPTH + 1, 500, 100_000 if kind in {list, dict} else 500):
        cleaned = clean_json(nested(levels, kind))
        assert levels_of(cleaned) == MAX_DEPTH
        assert "[cut: deeper than 30 levels]" in json.dumps(cleaned)


def test_bytes_at_the_deepest_level_do_not_go_deeper():
    value = clean_json([[b"x"]], max_depth=2)
    assert value == clean_json(value, max_depth=2) == [["[cut: deeper than 2 levels]"]]


@pytest.mark.parametrize("max_depth", [0, -1, 101])
def test_a_depth_out_of_range_is_refused(max_depth):
    with pytest.raises(InvalidArgument, match="from 1 to 100"):
        clean_json([], max_depth=max_depth)


def test_what_contains_itself_is_cut_where_it_begins_again():
    array: list[Any] = [1]
    array.append(array)
    mapping: dict[str, Any] = {}
    mapping["self"] = {"again": mapping}
    order = Order(1, [])
    order.lines.append(order)
    assert clean_json(array) == [1, "[cut: contains itself]"]
    assert clean_json(mapping) == {"self": {"again": "[cut: contains itself]"}}
    assert clean_json(order) == {"number": 1, "lines": ["[cut: contains itself]"]}


def test_what_is_held_twice_is_kept_twice():
    shared = [1]
    assert clean_json({"a": shared, "b": shared}) == {"a": [1], "b": [1]}


def test_lists_that_double_at_every_level_end():
    value: Any = [0]
    for _ in range(28):
        value = [value, value]
    cleaned = clean_json(value)
    assert clean_json(cleaned) == cleaned


def test_an_endless_sequence_is_cut():
    assert clean_json({"output": EndlessSequence()}) == {"output": f"[cut: more than {MAX_VALUES} values]"}


def test_cleaning_shares_nothing_with_the_value():
    value = {"turns": [{"text": "hi"}]}
    cleaned = clean_json(value)
    value["turns"][0]["text"] = "changed"
    assert cleaned == {"turns": [{"text": "hi"}]}


scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(alphabet=st.characters(exclude_categories=()))
    | st.binary() | st.decimals() | st.dates() | st.datetimes() | st.timedeltas() | st.uuids() | st.complex_numbers()
    | st.sampled_from([Colour.RED, Level.HIGH, Word.YES, Opaque])
    # Built when drawn: Hypothesis itself cannot handle them.
    | st.sampled_from([Broken, InventsAttributes, Opaque]).map(lambda cls: [cls()])
)  # fmt: skip
hashables = (st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.binary(max_size=2)).flatmap(
    lambda key: st.just(key) | st.just((key, "x"))
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(hashables, inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.frozensets(hashables, max_size=4)
        | st.builds(Order, st.integers(), st.lists(inner, max_size=2))
        | inner.map(Array)
    ),
    max_leaves=20,
)


@given(values, st.integers(1, 6))
def test_cleaning_never_raises_and_cleaning_again_changes_nothing(value, max_depth):
    cleaned = clean_json(value, max_depth)
    text = dump_json(cleaned)
    assert json.loads(text) == cleaned
    assert clean_json(cleaned, max_depth) == cleaned
    assert canonical_json(clean_json(value)) == canonical_json(value)


def test_canonical_text_does_not_depend_on_the_order_of_keys():
    assert canonical_json({"b": [1.5, "\u00e9"], "a": None}) == canonical_json({"a": None, "b": (1.5, "\u00e9")})
    assert canonical_json({"b": [1.5, "\u00e9"], "a": None}) == '{"a":null,"b":[1.5,"\u00e9"]}'


def test_canonical_text_is_the_same_in_every_process():
    code = (
        "from neuron_evals.core.jsonable import canonical_json\n"
        "class Thing: pass\n"
        "print(canonical_json({'s': {'a', 'b', 'c', (1, 'x'), None}, 'o': [Thing(), {Thing(): 1}], 'b': b'x'}))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ({"a": object()}, "builtins.object"),
        ([{1, 2}], "builtins.set"),
        ([float("nan")], "float"),
        (["\ud800"], "surrogates"),
        ({(1, 2): 1}, "keys must be"),
    ],
)
def test_writing_what_is_no_json_is_an_error_that_says_why(value, complaint):
    with pytest.raises(TypeError, match=complaint) as caught:
        dump_json(value)
    assert type(caught.value).__name__ == "Unserialisable"


def test_writing_what_contains_itself_is_an_error():
    value: list[Any] = []
    value.append(value)
    with pytest.raises(TypeError, match="Circular"):
        dump_json(value)


def test_written_text_keeps_letters_and_takes_an_indent():
    assert dump_json({"a": "\u4f60"}) == '{"a": "\u4f60"}'
    assert dump_json([1], indent=2) == "[\n  1\n]"


def test_a_type_may_say_how_it_is_shown(monkeypatch):
    class Secretive:
        def __init__(self):
            self.held = (1, Colour.RED)

    class Child(Secretive):
        pass

    monkeypatch.setattr(foreign, "_VIEWS", [])
    assert clean_json(Secretive()).startswith("[")
    register_view(Secretive, lambda value: {"held": value.held})
    assert clean_json([Secretive(), Child()]) == [{"held": [1, ["r", 1]]}] * 2
