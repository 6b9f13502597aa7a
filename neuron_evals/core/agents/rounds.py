"""One round of tool calls: which can run, which wait for an approval, and what became of each."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from neuron_evals.core.agents.arguments import BadArguments
from neuron_evals.core.agents.errors import ToolFault, UnstubbedCall
from neuron_evals.core.agents.tools import Tool
from neuron_evals.core.approvals import ApprovalRequest, Decision
from neuron_evals.core.exceptions import ConfigurationError, EvaluationError, StopRun
from neuron_evals.core.jsonable import clean_json
from neuron_evals.core.messages import ToolCall
from neuron_evals.core.tracebacks import class_and_message

NOT_TOLD: tuple[type[Exception], ...] = (ConfigurationError, EvaluationError, StopRun)
"""Errors of a tool that end the item: the model can do nothing about them."""


@dataclass(frozen=True, slots=True)
class Work:
    """A call that can be run.

    Attributes:
        call: The call; with the approval `"pending"` it must not run yet.
        tool: Its tool.
        arguments: What the tool's function is called with, of what the model says.
        deps: What the agent's tools depend on.
    """

    call: ToolCall
    tool: Tool
    arguments: Mapping[str, Any]
    deps: Any = None

    @property
    def keywords(self) -> dict[str, Any]:
        """What the tool's function is called with."""
        return {**self.arguments, **self.tool.given_by_agent(self.deps)}

    def returned(self, result: Any, seconds: float) -> ToolCall:
        """Return the call with its result, as JSON: what the tool keeps may change later."""
        return replace(self.call, result=clean_json(result), executed=True, duration=seconds)

    def broke(self, exc: BaseException, seconds: float) -> ToolCall:
        """Return the call with its error, also one that ends the turn: the tool ran, as far as it came."""
        error = _told(exc) if isinstance(exc, Exception) else f"broken off while it ran: {class_and_message(exc)}"
        ran = not isinstance(exc, UnstubbedCall)
        return replace(self.call, error=error, executed=ran, duration=seconds if ran else None)


class Round:
    """The calls of one assistant message, in order.

    Args:
        calls: What the model proposes, each with an id of its own.
        tools: The agent's tools.
        deps: What they depend on.

    Attributes:
        proposed: The calls as they stand in the assistant message.
        fault: What ends the turn before anything runs; `None` when nothing does.
    """

    def __init__(self, calls: Sequence[ToolCall], tools: Sequence[Tool], deps: Any = None) -> None:
        by_name = {tool.name: tool for tool in tools}
        self._deps = deps
        self.fault: Exception | None = None
        self._entries: list[ToolCall | Work] = [self._entry(call, by_name) for call in calls]
        self._places = {call.id: place for place, call in enumerate(calls)}
        self.proposed: tuple[ToolCall, ...] = tuple(
            proposal if isinstance(entry, ToolCall) else entry.call
            for proposal, entry in zip(calls, self._entries, strict=True)
        )

    @property
    def ready(self) -> tuple[Work, ...]:
        """What can run now."""
        return tuple(entry for entry in self._entries if isinstance(entry, Work) and entry.call.approval != "pending")

    @property
    def outcomes(self) -> tuple[ToolCall, ...]:
        """What became of the calls, as far as that is known."""
        return tuple(entry for entry in self._entries if isinstance(entry, ToolCall))

    @property
    def request(self) -> ApprovalRequest | None:
        """What has to be decided on; `None` when nothing has."""
        actions = tuple(entry if isinstance(entry, ToolCall) else entry.call for entry in self._entries)
        request = ApprovalRequest(actions=actions)
        return request if request.pending else None

    def take(self, outcome: ToolCall) -> None:
        """Take what became of a call that was ready; nothing when that is known already."""
        place = self._places[outcome.id]
        if isinstance(self._entries[place], Work):
            self._entries[place] = outcome

    def decide(self, decisions: Mapping[str, Decision]) -> None:
        """Make the pending calls ready, or rejected.

        Raises:
            EvaluationError: Edited arguments do not fit the tool; nothing is changed then.
        """
        self._entries = [
            _decided(entry, decisions[entry.call.id])
            if isinstance(entry, Work) and entry.call.id is not None and entry.call.id in decisions
            else entry
            for entry in self._entries
        ]

    def give_up(self, why: str) -> None:
        """Mark all calls that have no outcome as not run; nobody will decide on those that wait."""
        self._entries = [
            entry if isinstance(entry, ToolCall) else _given_up(entry.call, why) for entry in self._entries
        ]

    def _entry(self, call: ToolCall, tools: Mapping[str, Tool]) -> ToolCall | Work:
        try:
            prepared = _prepared(call, tools)
            return replace(prepared, deps=self._deps) if isinstance(prepared, Work) else prepared
        except NOT_TOLD as exc:
            self.fault = self.fault or exc
            return _refused(call, class_and_message(exc))


def with_ids(calls: Iterable[ToolCall], prefix: str) -> tuple[ToolCall, ...]:
    """Return the calls with an id each: some servers give none, or the same to all."""
    taken: set[str] = set()
    named = []
    for number, call in enumerate(calls, start=1):
        free = call.id if call.id and call.id not in taken else f"{prefix}_{number}"
        taken.add(free)
        named.append(call if call.id == free else replace(call, id=free))
    return tuple(named)


def _prepared(call: ToolCall, tools: Mapping[str, Tool]) -> ToolCall | Work:
    """Return a call as work, or with the error that keeps it from running."""
    tool = tools.get(call.name)
    if tool is None:
        names = f"the tools are {', '.join(tools)}" if tools else "there are no tools"
        return _refused(call, f'there is no tool "{call.name}"; {names}')
    if call.invalid_arguments is not None:
        return _refused(call, f"the arguments are no JSON object: {call.invalid_arguments}")
    try:
        # Copies: neither tool nor rule may change what the model is recorded to have proposed.
        arguments = tool.arguments(copy.deepcopy(dict(call.arguments)))
        reason = tool.reason_to_ask(copy.deepcopy(dict(call.arguments)))
    except BadArguments as exc:
        return _refused(call, f"bad arguments: {exc}")
    except NOT_TOLD:
        raise
    except Exception as exc:
        return _refused(call, f"the approval rule raised {class_and_message(exc)}")
    if reason is not None:
        call = replace(call, approval="pending", approval_reason=reason or None)
    return Work(call, tool, arguments)


def _told(exc: Exception) -> str:
    return str(exc) if isinstance(exc, ToolFault) else class_and_message(exc)


def _refused(call: ToolCall, why: str) -> ToolCall:
    return replace(call, error=why, executed=False)


def _given_up(call: ToolCall, why: str) -> ToolCall:
    return _refused(call if call.approval == "approved" else replace(call, approval=None), why)


def _decided(work: Work, decision: Decision) -> ToolCall | Work:
    if decision.kind == "reject":
        return replace(work.call, approval="rejected", reject_reason=decision.reason, executed=False)
    if decision.arguments is None:
        return replace(work, call=replace(work.call, approval="approved"))
    try:
        arguments = work.tool.arguments(copy.deepcopy(dict(decision.arguments)))
    except BadArguments as exc:
        msg = f"approvals: {work.call.name} ({work.call.id}): the edited arguments cannot be used: {exc}"
        raise EvaluationError(msg) from exc
    call = replace(work.call, approval="approved", arguments=clean_json(decision.arguments))
    return replace(work, call=call, arguments=arguments)
