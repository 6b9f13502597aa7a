"""Where an agent waits for a person: interrupts, approval requests, decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from neuron_evals.core.exceptions import EvaluationError, InvalidArgument
from neuron_evals.core.messages import ToolCall

DecisionKind = Literal["approve", "reject", "edit"]

_VALID = '"approve", "reject", ("reject", "reason"), or ("edit", {"argument": value})'


@dataclass(frozen=True, slots=True)
class Interrupt:
    """An agent stopped and waits for an answer.

    Attributes:
        payload: What the agent tells about it; its shape is the agent's own.
    """

    payload: Any = None


@dataclass(frozen=True, slots=True)
class ApprovalRequest(Interrupt):
    """An agent stopped because tool calls need an approval.

    Attributes:
        actions: The calls of the round, each with an id of its own; those to decide on have the approval `"pending"`.

    Raises:
        InvalidArgument: An action has no id, or two have the same.
    """

    actions: tuple[ToolCall, ...] = ()

    def __post_init__(self) -> None:
        """Refuse actions that a decision cannot name."""
        object.__setattr__(self, "actions", tuple(self.actions))
        ids = [action.id for action in self.actions]
        for action in self.actions:
            if action.id is None or ids.count(action.id) > 1:
                msg = f"ApprovalRequest: each action needs an id of its own, {action.name} has {action.id!r}"
                raise InvalidArgument(msg)

    @property
    def pending(self) -> tuple[ToolCall, ...]:
        """The actions that need a decision."""
        return tuple(action for action in self.actions if action.approval == "pending")


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of one action.

    Attributes:
        kind: `"approve"`, `"reject"`, or `"edit"`: approve with other arguments.
        reason: Why it is rejected; `None` when no reason was given.
        arguments: The arguments to call with, all of them, when edited; `None` otherwise.
    """

    kind: DecisionKind
    reason: str | None = None
    arguments: Mapping[str, Any] | None = None

    @property
    def plain(self) -> Any:
        """The decision as a policy writes it, and as `BaseAgent.resume` takes it."""
        if self.kind == "edit":
            return ("edit", self.arguments)
        return self.kind if self.reason is None else (self.kind, self.reason)

    @classmethod
    def parse(cls, given: Any) -> Decision:
        """Return the decision that a policy wrote.

        Args:
            given: `"approve"`, `"reject"`, `("reject", reason)` or `("edit", arguments)`; a list will do for a tuple.

        Raises:
            InvalidArgument: It is none of these; nothing is guessed.
        """
        match given:
            case Decision():
                return given
            case "approve" | "reject":
                return cls(given)
            case ("reject", str() as reason):
                return cls("reject", reason=reason)
            case ("edit", Mapping() as arguments):
                return cls("edit", arguments=arguments)
            case _:
                msg = f"a decision is {_VALID}; got {given!r}"
                raise InvalidArgument(msg)


def read_decisions(request: ApprovalRequest, given: Any) -> dict[str, Decision]:
    """Return the decisions of a policy by the id of their action, in the order of the actions.

    Args:
        request: What was asked.
        given: What the policy returned: a mapping from the ids of the pending actions to decisions (see
            `Decision.parse`).

    Raises:
        EvaluationError: It is no mapping, a pending action has no decision, an id is none of a pending action, or a
            decision cannot be read. Every problem is named.
    """
    if not isinstance(given, Mapping):
        msg = f"approvals: a policy returns a mapping from action id to decision, got {type(given).__name__}"
        raise EvaluationError(msg)
    pending = {action.id: action for action in request.pending}
    problems = [f"{action.name} ({key}) has no decision" for key, action in pending.items() if key not in given]
    problems += [f"{key!r} is no pending action" for key in given if key not in pending]
    decisions = {}
    for key, action in pending.items():
        if key is None or key not in given:
            continue
        try:
            decisions[key] = Decision.parse(given[key])
        except InvalidArgument as exc:
            problems.append(f"{action.name} ({key}): {exc}")
    if problems:
        msg = f"approvals: {'; '.join(problems)}"
        raise EvaluationError(msg)
    return decisions
