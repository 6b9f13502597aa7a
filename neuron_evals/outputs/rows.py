"""A result as the row that is stored of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, Final

from neuron_evals.core.datasets.identity import item_key
from neuron_evals.core.jsonable import canonical_json
from neuron_evals.core.messages import Message, ToolCall, Usage
from neuron_evals.core.results import AgentSteps, Attempt, Check, ItemResult, Status, Verdict
from neuron_evals.core.trajectories import Trajectory
from neuron_evals.models import EvalRunItem

SIDES: Final = {"judges": "judge", "simulators": "simulator"}
"""What the column `usage` calls those whose calls a result counts apart, and how its attributes begin."""


def row_of(run_id: int, result: ItemResult) -> EvalRunItem:
    """Return the row of a result; storing it cleans and cuts its values.

    Args:
        run_id: Number of the run.
        result: The result.
    """
    verdicts = Counter(check.verdict for check in result.checks)
    return EvalRunItem(
        run_id=run_id,
        index=result.index,
        item_id=result.item_id,
        item_key=item_key(result.item_id),
        repeat=result.repeat,
        status=str(result.status),
        score=result.score,
        input=result.input,
        output=result.output,
        output_text=text_of(result.output),
        trajectory=[] if result.trajectory is None else list(map(_message, result.trajectory.messages())),
        checks=list(map(_check, result.checks)),
        error=result.error or "",
        execution_time=result.execution_time,
        cached_run=result.cached_run,
        attempts=result.attempts,
        usage=_usage(result),
        metrics=dict(result.metrics),
        cost=result.cost,
        tags=list(result.tags),
        details=_details(result),
        assertions_passed=verdicts[Verdict.PASSED],
        assertions_failed=verdicts[Verdict.FAILED],
        assertions_broken=verdicts[Verdict.ERROR],
        assertions_skipped=verdicts[Verdict.SKIPPED],
    )


def substitute(run_id: int, result: ItemResult, exc: BaseException) -> EvalRunItem:
    """Return the row for a result that cannot be stored: an error that says so, without anything of what it held.

    Args:
        run_id: Number of the run.
        result: The result.
        exc: Why; only its class is told, as its text may hold what the agent said.
    """
    return EvalRunItem(
        run_id=run_id,
        index=min(result.index, _LARGEST_INDEX),
        item_id=result.item_id,
        item_key=item_key(result.item_id),
        repeat=min(result.repeat, _LARGEST_REPEAT),
        status=str(Status.ERROR),
        error=f"The result, which was {result.status}, could not be stored: {type(exc).__name__}",
        execution_time=result.execution_time,
    )


def text_of(output: object) -> str:
    """Return an output as text: of a conversation the final answer, of what is no text its JSON."""
    if output is None:
        return ""
    if isinstance(output, str):
        return output
    return output.final_answer() if isinstance(output, Trajectory) else canonical_json(output)


def _check(check: Check) -> dict[str, Any]:
    # In the order in which a value that is too large is cut: what is counted comes first.
    return {
        "verdict": str(check.verdict),
        "score": check.score,
        "name": check.name,
        "label": check.label,
        "weight": check.weight,
        "vacuous": check.vacuous,
        "line": check.line,
        "message": check.message,
        "context": check.context,
    }


def _message(message: Message) -> dict[str, Any]:
    members = {"role": message.role, "content": message.content, **_told(message, ("model", "duration"))}
    if message.tool_calls:
        members["tool_calls"] = list(map(_call, message.tool_calls))
    if message.usage is not None:
        members["usage"] = _tokens(message.usage)
    if message.attachments:
        members["attachments"] = message.attachments
    return members


def _call(call: ToolCall) -> dict[str, Any]:
    members = {"name": call.name, "arguments": call.arguments, **_told(call, _OF_CALLS)}
    if call.stubbed:
        members["stubbed"] = True
    return members


def _told(value: object, names: Iterable[str]) -> dict[str, Any]:
    """Return the attributes that are not `None`."""
    return {name: held for name in names if (held := getattr(value, name)) is not None}


def _tokens(usage: Usage | None) -> dict[str, Any]:
    return {} if usage is None else _told(usage, _OF_USAGE)


def _usage(result: ItemResult) -> dict[str, Any]:
    """Return what each side used, without what is unknown."""
    agent = _tokens(result.usage)
    if result.run_time is not None:
        agent["time"] = result.run_time
    agent |= _known_of(result, "")
    if steps := _told(result.steps, OF_STEPS):
        agent["steps"] = steps
    used = {"agent": agent, "tools": {} if result.tool_time is None else {"time": result.tool_time}}
    for side, prefix in SIDES.items():
        told = _told(result, (f"{prefix}_cost", f"{prefix}_time"))
        used[side] = _tokens(getattr(result, f"{prefix}_usage"))
        used[side].update((name.removeprefix(f"{prefix}_"), value) for name, value in told.items())
        used[side] |= _known_of(result, f"{prefix}_")
    return {side: part for side, part in used.items() if part}


def _known_of(result: ItemResult, prefix: str) -> dict[str, Any]:
    """Return what is known of tokens and cost of one side; nothing where that is the whole, as of most."""
    whole, known = (
        (getattr(result, f"{start}{prefix}usage"), getattr(result, f"{start}{prefix}cost")) for start in ("", "known_")
    )
    if known in (whole, (None, None)):
        return {}
    usage, cost = known
    return {"known": _tokens(usage) | ({} if cost is None else {"cost": cost})}


def _details(result: ItemResult) -> dict[str, Any]:
    details: dict[str, Any] = {}
    trajectory = result.trajectory
    if isinstance(result.output, Trajectory):
        details["output_is"] = "trajectory"
    if trajectory is not None and not trajectory.count():
        details["empty_trajectory"] = True
    if trajectory is not None and trajectory.ending is not None:
        details["ending"] = trajectory.ending
    if result.traceback:
        details["traceback"] = result.traceback
    if result.other_attempts:
        details["other_attempts"] = list(map(_attempt, result.other_attempts))
    return details


def _attempt(attempt: Attempt) -> dict[str, Any]:
    return {
        "status": str(attempt.status),
        "score": attempt.score,
        "execution_time": attempt.execution_time,
        "error": attempt.error,
        "output": attempt.output,
    }


OF_STEPS: Final = tuple(option.name for option in fields(AgentSteps))
_OF_CALLS: Final = tuple(
    option.name for option in fields(ToolCall) if option.name not in ("name", "arguments", "stubbed")
)
_OF_USAGE: Final = tuple(option.name for option in fields(Usage))
_LARGEST_INDEX: Final = 2_147_483_647
_LARGEST_REPEAT: Final = 32_767
