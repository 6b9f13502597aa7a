"""Calls as `TrajectoryMatches` expects them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from neuron_evals.core.assertions.trajectory.constraints import require_tool_name
from neuron_evals.core.assertions.trajectory.wording import shown_constraint
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.jsonable import canonical_json
from neuron_evals.core.matchers import Constraint, fits, require_constraint
from neuron_evals.core.messages import ToolCall

ANY_ARGUMENTS: Final = canonical_json({})
"""The key of arguments that want nothing."""


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """One expected call.

    Attributes:
        name: Name of the tool.
        arguments: What its arguments must be; `None` and an empty mapping want nothing.
    """

    name: str
    arguments: Constraint | None = None

    @property
    def takes_any_arguments(self) -> bool:
        """Whether every call of the tool fits."""
        return self.arguments is None or (isinstance(self.arguments, Mapping) and not self.arguments)

    @property
    def arguments_key(self) -> str | None:
        """What `canonical_json` returns for the arguments of a call that is expected word for word; else `None`."""
        if self.arguments is None:
            return ANY_ARGUMENTS
        return canonical_json(self.arguments) if isinstance(self.arguments, Mapping) else None

    def fits(self, call: ToolCall, *, nested: bool) -> bool:
        """Return whether `call` is such a call."""
        return call.name == self.name and fits(self.arguments, call.arguments, nested=nested)

    def __str__(self) -> str:
        return f"{self.name}({shown_constraint(self.arguments)})" if self.arguments else self.name


def expected_calls(owner: str, given: Any) -> tuple[ExpectedCall, ...]:
    """Return the expected calls that an option lists.

    Args:
        owner: Who asks, for the error.
        given: Names; mappings with `name` and, if wanted, `arguments`; or `ToolCall` objects.

    Raises:
        InvalidArgument: It is no list, or an element is none of these, or has an empty name.
    """
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        msg = f"{owner}: expected must be a list of tool names or calls, got {type(given).__name__}"
        raise InvalidArgument(msg)
    return tuple(_expected_call(f"{owner}: expected[{position}]", element) for position, element in enumerate(given))


def _expected_call(place: str, given: Any) -> ExpectedCall:
    if isinstance(given, str):
        require_tool_name(place, given)
        return ExpectedCall(given)
    if isinstance(given, ToolCall):
        require_tool_name(place, given.name)
        return ExpectedCall(given.name, given.arguments)
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str) or not given.keys() <= _KEYS:
        what = f"keys {', '.join(map(str, given))}" if isinstance(given, Mapping) else type(given).__name__
        msg = f"{place} must be a tool's name, a mapping with name and arguments, or a ToolCall, got {what}"
        raise InvalidArgument(msg)
    require_tool_name(place, given["name"])
    if given.get("arguments") is not None:
        require_constraint(place, "arguments", given["arguments"])
    return ExpectedCall(given["name"], given.get("arguments"))


_KEYS = {"name", "arguments"}
