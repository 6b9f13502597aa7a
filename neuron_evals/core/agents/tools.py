"""Tools: what an agent can do beside answering."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, get_type_hints

from neuron_evals.core.agents.arguments import BadArguments, read_members
from neuron_evals.core.agents.docstrings import described
from neuron_evals.core.agents.schemas import Member, Unsupported, schema_of
from neuron_evals.core.exceptions import ConfigurationError, InvalidArgument
from neuron_evals.core.providers.contract import ToolSpec

Approval = bool | Callable[[Mapping[str, Any]], bool | str]
"""Whether a call needs an approval, or a rule that says so from its arguments, where text is the reason."""


class Deps:
    """Marks a tool's parameter that gets what the agent depends on (`deps`); the model is not told of it.

    It stands beside the parameter's type: `account: Annotated[Account, Deps]`.
    """


NAME = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


@dataclass(frozen=True)
class Tool:
    """A function that an agent may call.

    Attributes:
        name: Name by which the model calls it: letters, digits, `_` and `-`, at most 64.
        description: What it does; for the model.
        parameters: JSON schema of its arguments, an object.
        function: Called with the arguments by name, plain or `async def`. What it returns goes to the model as text or
            JSON; what it raises is told to the model as an error.
        approval: `True` when each call needs a person's approval; or a rule that gets the arguments as the model wrote
            them, and returns whether this call does, or the reason as text.

    Raises:
        InvalidArgument: The name or the schema cannot be used, or the function cannot be called.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    function: Callable[..., Any]
    _: KW_ONLY
    approval: Approval = False

    def __post_init__(self) -> None:
        """Refuse what no provider takes."""
        name, parameters, function, approval = _untyped(self.name, self.parameters, self.function, self.approval)
        if not isinstance(name, str) or not NAME.fullmatch(name):
            msg = f"Tool: name must be 1 to 64 letters, digits, _ and -, got {name!r}"
            raise InvalidArgument(msg)
        if not isinstance(parameters, Mapping) or parameters.get("type") != "object":
            msg = f'Tool {self.name}: parameters must be a JSON schema with "type": "object"'
            raise InvalidArgument(msg)
        if not callable(function):
            msg = f"Tool {self.name}: function must be callable, got {type(function).__name__}"
            raise InvalidArgument(msg)
        if not isinstance(approval, bool) and not callable(approval):
            msg = f"Tool {self.name}: approval must be True, False or a callable, got {approval!r}"
            raise InvalidArgument(msg)

    @staticmethod
    def from_function(
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        approval: Approval = False,
    ) -> Tool:
        """Return a tool for a typed function: its annotations give the schema, its docstring the descriptions.

        Args:
            function: Its parameters are annotated with str, int, float, bool, None, list, dict, Literal, Optional and
                other unions, Enum, dataclasses, TypedDict, Annotated or Any. One that is `Annotated[type, Deps]` gets
                the agent's `deps`.
            name: The function's name by default.
            description: The docstring up to its first section by default.
            approval: As for `Tool`.

        Raises:
            ConfigurationError: A parameter has no annotation, or one that has no JSON schema.
            InvalidArgument: As for `Tool`.
        """
        called = name or str(getattr(function, "__name__", ""))
        text, about = described(function)
        declared = _members(function, called or type(function).__name__)
        members = [member for member in declared if not _is_filled(member)]
        properties = {}
        for member in members:
            schema = _member_schema(member, called)
            properties[member.name] = {"description": about[member.name], **schema} if member.name in about else schema
        return _TypedTool(
            called,
            text if description is None else description,
            {
                "type": "object",
                "properties": properties,
                "required": [member.name for member in members if member.required],
                "additionalProperties": False,
            },
            function,
            approval=approval,
            members=tuple(members),
            filled=tuple(member.name for member in declared if _is_filled(member)),
        )

    @property
    def spec(self) -> ToolSpec:
        """The tool as the model is told of it."""
        return ToolSpec(self.name, self.description, self.parameters)

    @property
    def in_thread(self) -> bool:
        """Whether async code calls the function in a thread, because it may hold the event loop."""
        return not inspect.iscoroutinefunction(self.function)

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the function is called with.

        Args:
            given: The arguments as the model wrote them.

        Raises:
            BadArguments: Some are missing or unknown. The values are for the function to check.
        """
        properties = self.parameters.get("properties", {})
        faults = [f"{name} is missing" for name in self.parameters.get("required", ()) if name not in given]
        if self.parameters.get("additionalProperties") is False:
            faults += [
                f"{name} is not known; the names are {', '.join(properties)}"
                for name in given
                if name not in properties
            ]
        if faults:
            raise BadArguments("; ".join(faults))
        try:
            inspect.signature(self.function).bind(**given)
        except ValueError:  # written in C, without a signature
            pass
        except TypeError as exc:
            raise BadArguments(str(exc)) from exc
        return dict(given)

    def given_by_agent(self, deps: Any) -> dict[str, Any]:
        """Return what the function is called with beside the arguments: the agent's `deps`, where it asks for them."""
        del deps
        return {}

    def reason_to_ask(self, given: Mapping[str, Any]) -> str | None:
        """Return why a call needs an approval, which may be empty; `None` when it needs none.

        Raises:
            Exception: Whatever the rule raises.
        """
        asked = self.approval(given) if callable(self.approval) else self.approval
        if isinstance(asked, str):
            return asked
        return "" if asked else None


@dataclass(frozen=True)
class _TypedTool(Tool):
    """A tool whose arguments are read by the annotations of its function."""

    members: tuple[Member, ...] = field(default=(), repr=False)
    filled: tuple[str, ...] = field(default=(), repr=False)

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return read_members(self.members, given)

    def given_by_agent(self, deps: Any) -> dict[str, Any]:
        return dict.fromkeys(self.filled, deps)


def as_tools(given: Iterable[Tool | Callable[..., Any]]) -> tuple[Tool, ...]:
    """Return tools, made of typed functions where they are given.

    Raises:
        ConfigurationError: Something is neither, or two have the same name.
    """
    tools: dict[str, Tool] = {}
    for position, value in enumerate(given):
        tool = as_tool(value, f"tools[{position}]")
        if tool.name in tools:
            msg = f'tools[{position}]: there is a tool "{tool.name}" already; give Tool.from_function(..., name=...)'
            raise ConfigurationError(msg)
        tools[tool.name] = tool
    return tuple(tools.values())


def as_tool(value: Any, where: str) -> Tool:
    """Return a tool as it is, or made of a typed function.

    Args:
        value: The tool or function.
        where: Where it was given, for messages.

    Raises:
        ConfigurationError: It is neither, or no tool can be made of the function.
    """
    if isinstance(value, Tool):
        return value
    if not callable(value) or isinstance(value, type):
        msg = f"{where}: must be a Tool or a typed function, got {getattr(value, '__qualname__', type(value).__name__)}"
        raise ConfigurationError(msg)
    try:
        return Tool.from_function(value)
    except (ConfigurationError, InvalidArgument) as exc:
        msg = f"{where}: {exc}"
        raise ConfigurationError(msg) from exc


def _untyped(*values: Any) -> tuple[Any, ...]:
    """Return values as they may be: what is checked at run time need not be what the annotations say."""
    return values


def _members(function: Any, name: str) -> list[Member]:
    """Return the parameters of a function."""
    if not callable(function):
        msg = f"Tool.from_function: takes a function, got {type(function).__name__}"
        raise InvalidArgument(msg)
    target = function
    while isinstance(target, functools.partial):
        target = target.func
    written = target if inspect.isroutine(target) else type(target).__call__
    try:
        hints = get_type_hints(inspect.unwrap(written), include_extras=True)
    except Exception as exc:
        msg = f"{name}: its annotations cannot be evaluated ({exc}); import them at run time too"
        raise Unsupported(msg) from exc
    members = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            msg = (
                f'{name}: parameter "{parameter.name}" cannot be given by name; use Tool(...) with a function that can'
            )
            raise Unsupported(msg)
        if parameter.name not in hints:
            msg = f'{name}: parameter "{parameter.name}" has no annotation that says what it takes'
            raise Unsupported(msg)
        members.append(Member(parameter.name, hints[parameter.name], parameter.default is parameter.empty))
    return members


def _is_filled(member: Member) -> bool:
    """Return whether the agent fills a parameter, and not the model."""
    return member.annotation is Deps or Deps in getattr(member.annotation, "__metadata__", ())


def _member_schema(member: Member, name: str) -> dict[str, Any]:
    try:
        return schema_of(member.annotation)
    except Unsupported as exc:
        msg = f'{name}: parameter "{member.name}": {exc}'
        raise Unsupported(msg) from exc
