"""What goes between processes as text: tasks out, results back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any

from neuron_evals.core.caches import CacheCounts
from neuron_evals.core.execution import Executed, Task
from neuron_evals.core.jsonable import Unserialisable, clean_json, decode, encode
from neuron_evals.core.results import Check, ItemResult, Status, Verdict
from neuron_evals.core.trajectories import Ending, Recorded, Trajectory

if TYPE_CHECKING:
    from neuron_evals.core.caches import RunOutputs
    from neuron_evals.core.evaluators import BaseEvaluator
    from neuron_evals.core.messages import Message

SO_FAR = "so far "
"""What a text begins with that is about a task that is not done."""

_KNOWN = {"evaluator_class", "index", "item_id", "input", "tags", "repeat", "other_attempts"}
"""Fields of a result that the runner knows from the task."""

_RESULT = tuple(field.name for field in fields(ItemResult) if field.name not in _KNOWN)
_CHECK = tuple(field.name for field in fields(Check))


def task_text(ticket: int, task: Task) -> str:
    """Return a task as text.

    Raises:
        Unserialisable: The item holds something that cannot be written exactly.
    """
    return encode(
        {
            "ticket": ticket,
            "index": task.index,
            "item_id": task.item_id,
            "item": plain(task.item),
            "tags": task.tags,
            "repeat": task.repeat,
            "timeout": task.timeout,
            "key": task.key,
        }
    )


def unsendable(task: Task) -> str:
    """Return what of an item cannot be written exactly, and where it stands; empty when all can."""
    try:
        encode(plain(task.item))
    except Unserialisable as exc:
        return str(exc).partition(": ")[2]
    return ""


def task_from(text: str, evaluator: BaseEvaluator) -> tuple[int, Task]:
    """Return the ticket and the task of a text."""
    held = decode(text)
    ticket = held.pop("ticket")
    return ticket, Task(evaluator=evaluator, **held)


def executed_text(executed: Executed, outputs: RunOutputs | None) -> str:
    """Return what a task gave, and what was counted of the cache, as text.

    What cannot be written exactly becomes what a report would show of it.
    """
    result = executed.result
    held = {name: getattr(result, name) for name in _RESULT}
    held["status"] = str(result.status)
    held["checks"] = [_check_fields(check) for check in result.checks]
    counts = None if outputs is None else asdict(outputs.counts)
    said = {"transient": executed.transient, "result": held, "counts": counts}
    try:
        return encode({**said, "result": portable(held)})
    except (Unserialisable, RecursionError):  # what can be written stands too deep inside one another
        held["checks"] = [_cut(check) for check in held["checks"]]
        return encode({**said, "result": _cut(held)})


def executed_from(text: str, task: Task, like: ItemResult) -> tuple[Executed, CacheCounts | None]:
    """Return what a task gave, and what was counted of the cache.

    Args:
        text: What `executed_text` returned in the other process.
        task: The task.
        like: A result of the same task, from which what the text leaves out is taken.
    """
    held = decode(text)
    given = held["result"]
    given["status"] = Status(given["status"])
    given["checks"] = tuple(Check(**{**check, "verdict": Verdict(check["verdict"])}) for check in given["checks"])
    counts = None if held["counts"] is None else CacheCounts(**held["counts"])
    return Executed(replace(like, input=task.item, **given), held["transient"]), counts


def so_far_text(told: Sequence[Message], messages: Sequence[Message], ending: Ending | None) -> str:
    """Return what is new in the conversation of a task that is not done, as text.

    Args:
        told: The messages of the text before.
        messages: The messages.
        ending: What is known of how the conversation ends.

    Raises:
        Unserialisable: A message holds something that cannot be written exactly.
    """
    pairs = enumerate(zip(told, messages, strict=False))
    kept = next((at for at, (old, new) in pairs if old is not new), min(len(told), len(messages)))
    return SO_FAR + encode({"kept": kept, "messages": list(messages[kept:]), "ending": ending})


def recorded_from(texts: Iterable[str]) -> Recorded:
    """Return the conversation of a task that is not done, from what `so_far_text` returned, in order."""
    messages: list[Message] = []
    ending: Ending | None = None
    for text in texts:
        held = decode(text.removeprefix(SO_FAR))
        messages[held["kept"] :] = held["messages"]
        ending = held["ending"]
    recorded = Recorded()
    if ending is not None and ending.reason == "error" and not ending.detail:
        unfinished = ending
        recorded.record(lambda broke: Trajectory(messages, replace(unfinished, detail=broke)))
    elif ending is not None:
        recorded.record(Trajectory(messages, ending))
    return recorded


def portable(value: Any) -> Any:
    """Return `value` with what cannot be encoded replaced by its JSON view, wherever it stands."""
    try:
        encode(value)
    except Unserialisable:
        if type(value) is dict:
            return {key if _encodable(key) else str(type(key)): portable(member) for key, member in value.items()}
        if type(value) in (list, tuple):
            return type(value)(portable(member) for member in value)
        return clean_json(value)
    return value


def _cut(held: dict[str, Any]) -> dict[str, Any]:
    """Return fields with those that are nested too deeply replaced by their JSON view, which is not."""
    return {name: value if _encodable([[[[value]]]]) else clean_json(value) for name, value in held.items()}


def plain(value: Any) -> Any:
    """Return an item with its mappings as dicts, which can be encoded."""
    if isinstance(value, Mapping):
        return {key: plain(member) for key, member in value.items()}
    if type(value) is list:
        return [plain(member) for member in value]
    return value


def _check_fields(check: Check) -> dict[str, Any]:
    held = {name: getattr(check, name) for name in _CHECK}
    return {**held, "verdict": str(check.verdict), "context": plain(check.context)}


def _encodable(value: Any) -> bool:
    try:
        encode(value)
    except Unserialisable:
        return False
    return True
