"""What a classifier can be asked: yes or no, one of several options, or a place on ordered levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neuron_evals.core.exceptions import InvalidArgument

_TWO = 2


@dataclass(frozen=True)
class Boolean:
    """A question with the answers yes and no.

    Args:
        instructions: The question; not blank.

    Raises:
        InvalidArgument: It is no text, or blank.
    """

    instructions: str

    def __post_init__(self) -> None:
        _require_written("Boolean", "instructions", self.instructions)


@dataclass(frozen=True)
class Score:
    """A question for a level.

    Args:
        instructions: What is rated; not blank.
        levels: What each level means, the lowest first; two or more, none blank.

    Raises:
        InvalidArgument: An option has another type, is blank, or there are too few levels.
    """

    instructions: str
    levels: Sequence[str]

    def __post_init__(self) -> None:
        _require_written("Score", "instructions", self.instructions)
        levels: Any = self.levels
        if isinstance(levels, str | bytes | Mapping) or not isinstance(levels, Iterable):
            msg = f"Score: levels must be a list of texts, got {type(levels).__name__}"
            raise InvalidArgument(msg)
        object.__setattr__(self, "levels", tuple(levels))
        for position, level in enumerate(self.levels):
            _require_written("Score", f"levels[{position}]", level)
        _require_two("Score", "levels", len(self.levels))


@dataclass(frozen=True)
class Choice:
    """A question for one of several options.

    Args:
        instructions: What is chosen; not blank.
        options: Name of each option -> what it means; two or more, none blank.

    Raises:
        InvalidArgument: An option has another type, is blank, or there are too few options.
    """

    instructions: str
    options: Mapping[str, str]

    def __post_init__(self) -> None:
        _require_written("Choice", "instructions", self.instructions)
        options: Any = self.options
        if not isinstance(options, Mapping):
            msg = f"Choice: options must be a mapping from name to meaning, got {type(options).__name__}"
            raise InvalidArgument(msg)
        object.__setattr__(self, "options", dict(options))
        for name, meaning in self.options.items():
            _require_written("Choice", "the name of an option", name)
            _require_written("Choice", f"options[{name!r}]", meaning)
        _require_two("Choice", "options", len(self.options))


Definition = Boolean | Score | Choice


def _require_written(owner: str, role: str, value: Any) -> None:
    if not isinstance(value, str):
        msg = f"{owner}: {role} must be text, got {type(value).__name__}"
        raise InvalidArgument(msg)
    if not value.strip():
        msg = f"{owner}: {role} must not be blank"
        raise InvalidArgument(msg)


def _require_two(owner: str, role: str, count: int) -> None:
    if count < _TWO:
        msg = f"{owner}: {role} needs two or more, got {count}"
        raise InvalidArgument(msg)
