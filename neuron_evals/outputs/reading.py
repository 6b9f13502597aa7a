"""A stored row as the result that it was stored of.

What was cut when it was stored is read as far as it goes: marks of cuts are no checks, messages or numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.messages import Message, ToolCall, Usage
from neuron_evals.core.results import AgentSteps, Attempt, Check, ItemResult, Status, Verdict
from neuron_evals.core.trajectories import Ending, Remark, Trajectory
from neuron_evals.outputs.rows import OF_STEPS, SIDES

if TYPE_CHECKING:
    from neuron_evals.models import EvalRunItem


def result_of(row: EvalRunItem, evaluator_class: str) -> ItemResult:
    """Return the result of a row, with its input, output, conversation and texts.

    Args:
        row: The row, with all its columns.
        evaluator_class: What was run, which the row's run knows.
    """
    details = _object(row.details)
    trajectory = _trajectory(row.trajectory, details)
    counted = _counted(row, evaluator_class)
    counted["other_attempts"] = (
        tuple(map(_attempt, _objects(details.get("other_attempts")))) or counted["other_attempts"]
    )
    return ItemResult(
        **counted,
        input=_object(row.input),
        output=trajectory if details.get("output_is") == "trajectory" else row.output,
        traceback=_text(details.get("traceback")),
        trajectory=trajectory,
    )


def figures_of(row: EvalRunItem, evaluator_class: str) -> ItemResult:
    """Return of a row what statistics are made of: no input, output, conversation or traceback.

    Args:
        row: The row; of its large columns `checks` alone is read.
        evaluator_class: What was run.
    """
    return ItemResult(**_counted(row, evaluator_class), input={})


UNCOUNTED: Final = ("input", "output", "output_text", "trajectory", "details")
"""The columns that `figures_of` does not read."""


def _counted(row: EvalRunItem, evaluator_class: str) -> dict[str, Any]:
    usage = _object(row.usage)
    agent, tools = _object(usage.get("agent")), _object(usage.get("tools"))
    counted = {
        "evaluator_class": evaluator_class,
        "index": row.index,
        "item_id": row.item_id,
        "status": Status(row.status),
        "execution_time": row.execution_time or 0.0,
        "checks": tuple(_check(check, evaluator_class) for check in _objects(row.checks)),
        "error": row.error or None,
        "repeat": row.repeat,
        "cached_run": row.cached_run,
        "attempts": row.attempts,
        # Not what they gave, but that there are some: it is unknown what they used.
        "other_attempts": (Attempt(Status.ERROR),) * (row.attempts - 1),
        "tags": tuple(tag for tag in _list(row.tags) if isinstance(tag, str)),
        "usage": _usage(agent),
        "cost": row.cost,
        "run_time": _number(agent.get("time")),
        "tool_time": _number(tools.get("time")),
        "steps": _steps(_object(agent.get("steps"))),
        "metrics": {name: held for name, held in _object(row.metrics).items() if _number(held) is not None},
    }
    counted |= _known_of(agent, "", counted)
    for side, prefix in SIDES.items():
        part = _object(usage.get(side))
        counted[f"{prefix}_usage"] = _usage(part)
        counted[f"{prefix}_cost"] = _number(part.get("cost"))
        counted[f"{prefix}_time"] = _number(part.get("time"))
        counted |= _known_of(part, f"{prefix}_", counted)
    return counted


def _known_of(side: dict[str, Any], prefix: str, counted: dict[str, Any]) -> dict[str, Any]:
    """Return what is known of tokens and cost of one side: the whole, where the row tells nothing else."""
    usage, cost = counted[f"{prefix}usage"], counted[f"{prefix}cost"]
    if "known" in side:
        known = _object(side["known"])
        usage, cost = _usage(known), _number(known.get("cost"))
    return {f"known_{prefix}usage": usage, f"known_{prefix}cost": cost}


def _check(held: dict[str, Any], evaluator_class: str) -> Check:
    weight = _number(held.get("weight"))
    line = held.get("line")
    return Check(
        name=_text(held.get("name")),
        label=_text(held.get("label")),
        verdict=_verdict(held.get("verdict")),
        score=_number(held.get("score")),
        message=_text(held.get("message")),
        context=_object(held.get("context")),
        evaluator_class=evaluator_class,
        line=line if isinstance(line, int) else None,
        weight=1.0 if weight is None else weight,
        vacuous=held.get("vacuous") is True,
    )


def _verdict(held: object) -> Verdict:
    return _VERDICTS.get(held if isinstance(held, str) else "", Verdict.ERROR)


def _trajectory(held: object, details: dict[str, Any]) -> Trajectory | None:
    messages = list(_messages(_list(held)))
    ending = _ending(details.get("ending"))
    if not messages and ending is None and not details.get("empty_trajectory"):
        return None
    return Trajectory(messages, ending)


def _messages(held: Iterable[Any]) -> Iterator[Message]:
    for members in held:
        try:
            yield _message(members)
        except (AttributeError, KeyError, TypeError, InvalidArgument):
            # What a cut left is shown as it is, and as nobody's words.
            yield Message("system", members if isinstance(members, str) else "[cut]")


def _message(members: dict[str, Any]) -> Message:
    usage = members.get("usage")
    return Message(
        members["role"],
        members["content"],
        tool_calls=[ToolCall(**_known(call, _OF_CALLS)) for call in _objects(members.get("tool_calls"))],
        usage=None if usage is None else _usage(_object(usage)),
        attachments=_objects(members.get("attachments")),
        model=members.get("model"),
        duration=_number(members.get("duration")),
    )


def _usage(held: dict[str, Any]) -> Usage | None:
    """Return the tokens of one side; it always knows its number of requests when it knows anything."""
    known = {name: value for name, value in _known(held, _OF_USAGE).items() if isinstance(value, int)}
    return Usage(**known) if "requests" in known else None


def _steps(held: dict[str, Any]) -> AgentSteps:
    counts: dict[str, Any] = {name: value for name in OF_STEPS if type(value := held.get(name)) is int}
    return AgentSteps(**{**counts, "first_token": _number(held.get("first_token"))})


def _ending(held: object) -> Ending | None:
    members = _object(held)
    try:
        return Ending(
            members["reason"],
            members["turns"],
            members["detail"],
            members["simulator_fault"],
            reasons=list(map(_remark, _objects(members.get("reasons")))),
            notes=list(map(_remark, _objects(members.get("notes")))),
        )
    except (KeyError, InvalidArgument):
        return None


def _remark(held: dict[str, Any]) -> Remark:
    return Remark(held.get("turn", 0), _text(held.get("text")))


def _attempt(held: dict[str, Any]) -> Attempt:
    return Attempt(
        status=Status(held.get("status", Status.ERROR)),
        score=_number(held.get("score")),
        error=held.get("error"),
        execution_time=_number(held.get("execution_time")) or 0.0,
        output=held.get("output"),
    )


def _known(held: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in held.items() if name in names}


def _object(held: object) -> dict[str, Any]:
    return held if isinstance(held, dict) else {}


def _list(held: object) -> list[Any]:
    return held if isinstance(held, list) else []


def _objects(held: object) -> list[dict[str, Any]]:
    return [member for member in _list(held) if isinstance(member, dict)]


def _text(held: object) -> str:
    return held if isinstance(held, str) else ""


def _number(held: object) -> float | None:
    return held if isinstance(held, int | float) and not isinstance(held, bool) else None


_OF_CALLS: Final = frozenset(option.name for option in fields(ToolCall))
_OF_USAGE: Final = frozenset(option.name for option in fields(Usage))
_VERDICTS: Final = {str(verdict): verdict for verdict in Verdict}
