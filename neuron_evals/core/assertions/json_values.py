"""Assertions about what a JSON value holds.

They take text, which must be strict JSON, or a value that JSON can hold.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from neuron_evals.core.assertions.json_compare import difference, missing_part
from neuron_evals.core.assertions.json_input import NotJson, json_constant, json_in_text, read_json
from neuron_evals.core.assertions.json_path import PathEnded, Step, follow, parse_path
from neuron_evals.core.assertions.json_schema import Rule
from neuron_evals.core.assertions.options import NOT_GIVEN, require_bool
from neuron_evals.core.assertions.schemas import schema_rule
from neuron_evals.core.assertions.wording import shown, shown_json
from neuron_evals.core.checking import Assertion
from neuron_evals.core.results import AssertionResult


@dataclass(frozen=True)
class JsonEquals(Assertion):
    """Passes when the JSON value equals `expected`.

    The order of keys does not count, that of lists does. Numbers are compared by value, so `1` equals `1.0`; true and
    false equal no number.

    Args:
        expected: The value, not its JSON text; a text stands for a JSON string.
        fenced: Text that is no JSON may hold exactly one fenced block, which is read instead.

    Raises:
        InvalidArgument: `expected` is no JSON value.
    """

    expected: Any
    fenced: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "expected", json_constant(self.assertion_name, "expected", self.expected))
        require_bool(self.assertion_name, "fenced", self.fenced)

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return 1 when the values are equal, else 0 with the first place where they differ.

        Raises:
            InvalidInput: `actual` is neither text nor a value that JSON can hold.
        """
        try:
            found = difference(read_json(self.assertion_name, actual, fenced=self.fenced), self.expected)
        except NotJson as exc:
            return AssertionResult.fail(0.0, str(exc))
        return AssertionResult.ok() if found is None else AssertionResult.fail(0.0, found)

    def unwanted(self, actual: Any) -> str:
        """Return that the values are equal."""
        return f"{shown(actual)} equals {shown_json(self.expected)}, and it should not"


@dataclass(frozen=True)
class JsonPath(Assertion):
    """Passes when the JSON value has something at a path, and it is what was expected.

    Args:
        path: Keys and indexes, such as `order.items[0]["unit price"]`; at most 1,000 characters. A leading `$` is the
            whole value.
        expected: What must stand there, compared as `JsonEquals` does. When it is left out, anything may, null too.
        fenced: Text that is no JSON may hold exactly one fenced block, which is read instead.

    Raises:
        InvalidArgument: `path` cannot be read, or `expected` is no JSON value.
    """

    path: str
    expected: Any = NOT_GIVEN
    fenced: bool = False
    _steps: tuple[Step, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_steps", parse_path(self.assertion_name, self.path))
        if self.expected is not NOT_GIVEN:
            object.__setattr__(self, "expected", json_constant(self.assertion_name, "expected", self.expected))
        require_bool(self.assertion_name, "fenced", self.fenced)

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return 1 when it stands there, else 0 with where the path ends or what differs.

        Raises:
            InvalidInput: `actual` is neither text nor a value that JSON can hold.
        """
        try:
            value = follow(read_json(self.assertion_name, actual, fenced=self.fenced), self._steps)
        except (NotJson, PathEnded) as exc:
            return AssertionResult.fail(0.0, str(exc))
        if self.expected is NOT_GIVEN:
            return AssertionResult.ok()
        found = difference(value, self.expected, self.path)
        return AssertionResult.ok() if found is None else AssertionResult.fail(0.0, found)

    def unwanted(self, actual: Any) -> str:
        """Return what was found at the path."""
        what = "something" if self.expected is NOT_GIVEN else shown_json(self.expected)
        return f"{what} stands at {self.path} in {shown(actual)}, and it should not"


@dataclass(frozen=True)
class ContainsJson(Assertion):
    """Passes when there is JSON of which `expected` is a part, and which matches `schema`.

    A text that is JSON as a whole is taken as it is. In other text every list and object is looked at, alone, fenced or
    in prose; those inside others are not looked at on their own. An object is a part of one that has its keys, each
    value a part of the other's. A list is a part of one in which each of its elements is a part of an element of its
    own, in any order. Anything else is a part of what equals it, as in `JsonEquals`.

    Args:
        expected: The part, a JSON value. When it is left out, any JSON will do.
        schema: What the same JSON must match as well; as in `MatchesSchema`. Left out, it need not match anything.

    Raises:
        InvalidArgument: `expected` is no JSON value, or `schema` cannot be used.
    """

    expected: Any = NOT_GIVEN
    schema: Any = None
    _rule: Rule | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.expected is not NOT_GIVEN:
            object.__setattr__(self, "expected", json_constant(self.assertion_name, "expected", self.expected))
        object.__setattr__(
            self, "_rule", None if self.schema is None else schema_rule(self.assertion_name, self.schema)
        )

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return 1 when there is such JSON, else 0 with what the first JSON lacks.

        Raises:
            InvalidInput: `actual` is neither text nor a value that JSON can hold.
        """
        first = None
        count = 0
        try:
            values = json_in_text(actual) if isinstance(actual, str) else iter([read_json(self.assertion_name, actual)])
        except NotJson as exc:
            return AssertionResult.fail(0.0, str(exc))
        for value in values:
            found = self._lacks(value)
            if found is None:
                return AssertionResult.ok()
            first = first or found
            count += 1
        if first is None:
            return AssertionResult.fail(0.0, f"there is no JSON list or object that can be read in {shown(actual)}")
        if count > 1:
            first = f"none of {count} JSON values will do; the first: {first}"
        return AssertionResult.fail(0.0, first)

    def unwanted(self, actual: Any) -> str:
        """Return what is contained."""
        what = "JSON" if self.expected is NOT_GIVEN else f"JSON with {shown_json(self.expected)}"
        matching = "" if self._rule is None else " that matches the schema"
        return f"{shown(actual)} contains {what}{matching}, and it should not"

    def _lacks(self, value: Any) -> str | None:
        """Return what is wrong with one JSON value; `None` when it is what was looked for."""
        found = None if self.expected is NOT_GIVEN else missing_part(value, self.expected)
        if found is None and self._rule is not None:
            return next(iter(self._rule(value, 1)), None)
        return found
