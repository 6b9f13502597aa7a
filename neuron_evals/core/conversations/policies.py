"""Ready-made policies: who decides on the calls for which an agent asks approval."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from neuron_evals.core.approvals import ApprovalRequest, Decision, Interrupt
from neuron_evals.core.exceptions import EvaluationError, InvalidArgument
from neuron_evals.core.messages import ToolCall

if TYPE_CHECKING:
    from neuron_evals.core.trajectories import Trajectory

REST: Final = "*"
"""Stands for all tools that are not named."""

_GLOB: Final = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class PerCall:
    """A policy that decides on each pending call by itself.

    Attributes:
        name: Its name, for errors.
        decide: Returns the decision on a call.
    """

    name: str
    decide: Callable[[ToolCall], Decision]

    def __call__(self, request: Interrupt, so_far: Trajectory) -> dict[str, Decision]:
        """Return a decision for each pending call.

        Args:
            request: What the agent stopped with.
            so_far: The conversation; it is not looked at.

        Raises:
            EvaluationError: It is no approval that the agent asks for, or there is no decision on a call.
        """
        del so_far
        if not isinstance(request, ApprovalRequest):
            msg = (
                f"{self.name} decides on tool calls, and the agent stopped with {type(request).__name__}; "
                "write a policy that answers it"
            )
            raise EvaluationError(msg)
        return {action.id: self.decide(action) for action in request.pending if action.id is not None}


def approve_all() -> PerCall:
    """Return a policy that approves every call."""
    return PerCall("approve_all", lambda _call: Decision("approve"))


def reject_all(reason: str | None = None) -> PerCall:
    """Return a policy that rejects every call.

    Args:
        reason: Why, which the agent's model is told.

    Raises:
        InvalidArgument: `reason` is no text.
    """
    return PerCall("reject_all", _rule("reject" if reason is None else ("reject", reason), "reject_all"))


def by_tool(decisions: Mapping[str, Any], *, globs: bool = False) -> PerCall:
    """Return a policy that decides by the tool's name.

    Args:
        decisions: A decision, or another of these policies, by the name of the tool. Letter case counts; `"*"` stands
            for the tools that are not named. A decision is `"approve"`, `"reject"`, `("reject", reason)` or
            `("edit", arguments)`.
        globs: Read the names as patterns with `*`, `?` and `[...]`: a name that is exactly a key comes first, then the
            keys in their order.

    Raises:
        InvalidArgument: There is none, a decision cannot be read, or a name holds a pattern without `globs`.
    """
    given: Any = decisions
    if not isinstance(given, Mapping) or not given:
        msg = f"by_tool: expected a mapping from tool to decision, with at least one, got {given!r}"
        raise InvalidArgument(msg)
    rules = {tool: _rule(decision, f"by_tool[{tool!r}]") for tool, decision in decisions.items()}
    for tool in rules:
        problem = tool_name_problem(tool, globs=globs)
        if problem:
            msg = f"by_tool: {problem}"
            raise InvalidArgument(msg)

    def decide(call: ToolCall) -> Decision:
        found = rules.get(call.name)
        if found is None and globs:
            found = next((rule for tool, rule in rules.items() if fnmatchcase(call.name, tool)), None)
        found = found or rules.get(REST)
        if found is None:
            msg = (
                f'by_tool: no decision for the tool "{call.name}" ({call.id}); it knows {", ".join(rules)}, and '
                f'"{REST}" would stand for the rest'
            )
            raise EvaluationError(msg)
        return found(call)

    return PerCall("by_tool", decide)


def when(predicate: Callable[[ToolCall], Any], then: Any, otherwise: Any) -> PerCall:
    """Return a policy that decides by a condition.

    Args:
        predicate: Called with the pending call, such as `lambda call: call.arguments["amount"] > 100`.
        then: The decision, or another of these policies, when it returns something true.
        otherwise: Likewise when it does not.

    Raises:
        InvalidArgument: A decision cannot be read, or the predicate is no plain callable.
    """
    given: Any = predicate
    if not callable(given) or inspect.iscoroutinefunction(predicate):
        msg = "when: predicate must be a plain callable that takes a tool call"
        raise InvalidArgument(msg)
    if_so, if_not = _rule(then, "when: then"), _rule(otherwise, "when: otherwise")

    def decide(call: ToolCall) -> Decision:
        holds = predicate(call)
        if inspect.isawaitable(holds):
            # It would count as true, whatever it gives: calls would be approved that nobody looked at.
            msg = "when: predicate must return its answer at once, and it returned something to await"
            raise EvaluationError(msg)
        return (if_so if holds else if_not)(call)

    return PerCall("when", decide)


def from_item(item: Mapping[str, Any], key: str = "approvals") -> PerCall:
    """Return the policy that an item of a dataset describes.

    Args:
        item: The item. Under the key stands `"approve"` or `"reject"` for every call, or a mapping as for `by_tool`,
            with lists for tuples: `{"refund_order": ["reject", "too much"], "*": "approve"}`.
        key: Where it stands.

    Raises:
        EvaluationError: The item has nothing there, or nothing that can be read.
    """
    given: Any = item
    if not isinstance(given, Mapping) or key not in given:
        msg = f'from_item: the item has no "{key}"; give "approve", "reject", or a mapping from tool to decision'
        raise EvaluationError(msg)
    try:
        return described(item[key])
    except InvalidArgument as exc:
        msg = f'from_item: "{key}": {exc}'
        raise EvaluationError(msg) from exc


def described(given: Any) -> PerCall:
    """Return the policy that data describes; see `from_item`.

    Raises:
        InvalidArgument: It describes none.
    """
    if isinstance(given, Mapping):
        return by_tool(given)
    if given == "approve":
        return approve_all()
    if given == "reject":
        return reject_all()
    msg = f'expected "approve" or "reject" for all calls, or a mapping from tool to decision, got {given!r}'
    raise InvalidArgument(msg)


def tool_name_problem(tool: Any, *, globs: bool = False) -> str:
    """Return why something cannot name the tool of a decision; empty when it can."""
    if not isinstance(tool, str) or not tool:
        return f"a tool is named by text, got {tool!r}"
    if not globs and tool != REST and _GLOB & set(tool):
        return f'{tool!r} looks like a pattern; name the tools exactly, or use "{REST}" for the rest'
    return ""


def _rule(given: Any, where: str) -> Callable[[ToolCall], Decision]:
    if isinstance(given, PerCall):
        return given.decide
    try:
        decision = Decision.parse(given)
    except InvalidArgument as exc:
        msg = f"{where}: {exc}"
        raise InvalidArgument(msg) from exc
    return lambda _call: decision
