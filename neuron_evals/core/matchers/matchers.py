"""Matchers stand in place of an argument's value where no single value is the right one.

A matcher is a callable that is given the value and returns whether it is as wanted; any function is one too.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.matchers.comparing import require_constraint, same
from neuron_evals.core.patterns import CompiledPattern, TextPattern, compile_pattern

_TYPES: Mapping[str, tuple[type, ...]] = {
    "text": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (Mapping,),
    "null": (type(None),),
}


@dataclass(frozen=True)
class AnyValue:
    """Any value, as long as the argument is there."""

    def __call__(self, value: Any) -> bool:
        """Return True."""
        return True


@dataclass(frozen=True)
class IsA:
    """A value of a JSON type.

    Args:
        type: `"text"`, `"integer"`, `"number"`, `"boolean"`, `"array"`, `"object"` or `"null"`. 10.0 is a number and no
            integer; True is neither.

    Raises:
        InvalidArgument: The type is unknown.
    """

    type: str

    def __post_init__(self) -> None:
        if self.type not in _TYPES:
            msg = f"IsA: type is one of {', '.join(_TYPES)}, got {self.type!r}"
            raise InvalidArgument(msg)

    def __call__(self, value: Any) -> bool:
        """Return whether the value is of the type."""
        if isinstance(value, bool):
            return self.type == "boolean"
        return isinstance(value, _TYPES[self.type])


@dataclass(frozen=True)
class Number:
    """A number, whole or not: 10 and 10.0 are the same. Text and True are no numbers.

    Args:
        value: The number; finite, within the range of a float.
        tolerance: How far the argument may be away from it, 0 or more.

    Raises:
        InvalidArgument: `value` or `tolerance` is no such number.
    """

    value: float
    tolerance: float = 0

    def __post_init__(self) -> None:
        for role, least in (("value", -math.inf), ("tolerance", 0.0)):
            number = getattr(self, role)
            if not _is_number(number) or not least <= number or not abs(number) <= sys.float_info.max:
                msg = f"Number: {role} must be a finite number{' of 0 or more' if least == 0 else ''}, got {number!r}"
                raise InvalidArgument(msg)

    def __call__(self, value: Any) -> bool:
        """Return whether the value is the number, or near enough."""
        # Compared, not subtracted from: whole numbers may be too large for a float.
        return _is_number(value) and self.value - self.tolerance <= value <= self.value + self.tolerance


@dataclass(frozen=True, init=False)
class OneOf:
    """One of several values, types included.

    Args:
        options: The values, or matchers.

    Raises:
        InvalidArgument: There is no option.
    """

    options: tuple[Any, ...]

    def __init__(self, *options: Any) -> None:
        if not options:
            msg = "OneOf: at least one option is needed"
            raise InvalidArgument(msg)
        require_constraint("OneOf", "options", {str(position): option for position, option in enumerate(options)})
        object.__setattr__(self, "options", options)

    def __call__(self, value: Any) -> bool:
        """Return whether the value is one of the options."""
        return any(same(option, value) for option in self.options)


@dataclass(frozen=True)
class Subset:
    """An object with at least these keys, at any depth: objects inside it may have more keys too.

    Args:
        keys: Wanted values by key, matchers included.

    Raises:
        InvalidArgument: `keys` is no mapping.
    """

    keys: Mapping[str, Any]

    def __post_init__(self) -> None:
        given: Any = self.keys
        if not isinstance(given, Mapping):
            msg = f"Subset: keys must be a mapping, got {type(given).__name__}"
            raise InvalidArgument(msg)
        require_constraint("Subset", "keys", self.keys)

    def __call__(self, value: Any) -> bool:
        """Return whether the value has the keys."""
        return same(self.keys, value, nested=True)


@dataclass(frozen=True)
class TextContains:
    """A text that contains another, in any letter case (full Unicode case folding).

    Args:
        text: What to look for; literal.

    Raises:
        InvalidArgument: `text` is no text, or empty: every text contains it.
    """

    text: str

    def __post_init__(self) -> None:
        given: Any = self.text
        if not isinstance(given, str) or not given:
            msg = f"TextContains: text must be text that is not empty, got {given!r}"
            raise InvalidArgument(msg)

    def __call__(self, value: Any) -> bool:
        """Return whether the value is a text that contains it."""
        return isinstance(value, str) and self.text.casefold() in value.casefold()


@dataclass(frozen=True)
class TextMatches:
    """A text in which a regular expression is found.

    Args:
        regex: As for `MatchesRegex`, with the same limits.

    Raises:
        InvalidArgument: The pattern does not compile, is too long, or has an unknown flag.
    """

    regex: str | TextPattern
    _pattern: CompiledPattern = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_pattern", compile_pattern(self.regex))

    def __call__(self, value: Any) -> bool:
        """Return whether the value is a text in which the pattern is found.

        Raises:
            InvalidInput: The text is longer than 100,000 characters.
            PatternTimeout: The search ran into its time limit.
        """
        return isinstance(value, str) and self._pattern.found_in(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
