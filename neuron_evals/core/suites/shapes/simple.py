"""Shapes of values that hold no others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from neuron_evals.core.suites.shapes.contract import Fault, Shape
from neuron_evals.core.suites.shapes.wording import described


@dataclass(frozen=True)
class Anything(Shape):
    """Any JSON value, null too."""

    noun = "any value"

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield nothing."""
        del value, path
        yield from ()

    def schema(self) -> dict[str, Any]:
        """Return the schema that takes everything."""
        return {}


@dataclass(frozen=True)
class Text(Shape):
    """Text.

    Attributes:
        empty: Whether it may be empty.
        blank: Whether it may be nothing but white space.
    """

    empty: bool = True
    blank: bool = True
    noun = "text"

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield that it is no text, or empty."""
        if not isinstance(value, str):
            yield path, f"must be text, got {described(value)}"
        elif not value and not (self.empty and self.blank):
            yield path, "must not be empty: an empty text says nothing"
        elif not self.blank and not value.strip():
            yield path, "must not be blank: white space alone says nothing"

    def schema(self) -> dict[str, Any]:
        """Return text, with a letter in it where it must not be blank."""
        if not self.blank:
            return {"type": "string", "pattern": r"\S"}
        return {"type": "string"} if self.empty else {"type": "string", "minLength": 1}

    def sample(self) -> str:
        """Return a letter."""
        return "x"


@dataclass(frozen=True)
class Coded(Shape):
    """The dotted path of something in code; from code, the thing itself.

    Attributes:
        what: What it is the path of, for messages.
    """

    what: str

    @property
    def noun(self) -> str:
        """The dotted path of what it is."""
        return f"the dotted path of {self.what}"

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield that it is a value of JSON, but no text."""
        if value is None or isinstance(value, bool | int | float | list | tuple | Mapping):
            yield path, f"must be {self.noun}, got {described(value)}"
        elif isinstance(value, str):
            yield from Text(blank=False).faults(value, path)

    def schema(self) -> dict[str, Any]:
        """Return text that is not blank."""
        return Text(blank=False).schema()

    def sample(self) -> str:
        """Return a path."""
        return "x"


@dataclass(frozen=True)
class Number(Shape):
    """A finite number.

    Attributes:
        low: Lowest number; `None` for no bound.
        high: Highest number.
        above: Whether it must be above `low`.
        whole: Whether it must be whole.
        unit: What is counted, for messages.
    """

    low: float | None = None
    high: float | None = None
    above: bool = False
    whole: bool = False
    unit: str = ""

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield that it is no number, or out of range."""
        kinds = (int,) if self.whole else (int, float)
        if type(value) not in kinds or not _is_finite(value) or self._outside(value):
            yield path, f"must be {self.noun}, got {described(value)}"

    def _outside(self, value: float) -> bool:
        if self.low is not None and (value < self.low or (self.above and value == self.low)):
            return True
        return self.high is not None and value > self.high

    @property
    def noun(self) -> str:
        """The kind of number, with its bounds."""
        kind = ("a whole number" if self.whole else "a number") + (f" of {self.unit}" if self.unit else "")
        if self.low is None:
            return kind
        if self.high is not None:
            return f"{kind} from {self.low:g} to {self.high:g}"
        return f"{kind} above {self.low:g}" if self.above else f"{kind} from {self.low:g} up"

    def schema(self) -> dict[str, Any]:
        """Return a number with its bounds."""
        schema: dict[str, Any] = {"type": "integer" if self.whole else "number"}
        if self.low is not None:
            schema["exclusiveMinimum" if self.above else "minimum"] = self.low
        if self.high is not None:
            schema["maximum"] = self.high
        return schema

    def sample(self) -> int:
        """Return 1."""
        return 1


@dataclass(frozen=True)
class Truth(Shape):
    """True or false."""

    noun = "true or false"

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield that it is neither."""
        if not isinstance(value, bool):
            yield path, f"must be true or false, got {described(value)}"

    def schema(self) -> dict[str, Any]:
        """Return a boolean."""
        return {"type": "boolean"}

    def sample(self) -> bool:
        """Return true."""
        return True


@dataclass(frozen=True)
class Choice(Shape):
    """One of several values.

    Attributes:
        values: The values.
    """

    values: tuple[Any, ...]

    @property
    def noun(self) -> str:
        """The values."""
        return f"one of {', '.join(map(str, self.values))}"

    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield that it is none of them."""
        if not any(type(value) is type(known) and value == known for known in self.values):
            yield path, f"must be {self.noun}, got {described(value)}"

    def schema(self) -> dict[str, Any]:
        """Return the values."""
        return {"enum": list(self.values)}

    def sample(self) -> Any:
        """Return the first."""
        return self.values[0]


def _is_finite(value: float) -> bool:
    """Return whether a number is one that can be reckoned with: neither infinite nor a whole one beyond every float."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
