"""The item format of NeuronAI Studio: what an item may say, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from neuron_evals.core.assertions import StringContains, ToolWasCalled
from neuron_evals.core.bounds import MAX_REPEATS
from neuron_evals.core.suites.assertions import AssertionReader
from neuron_evals.core.suites.listing import read_list
from neuron_evals.core.suites.problems import DATASET, ITEM, Problem
from neuron_evals.core.suites.shapes import Anything, Fault, Keyed, Listed, Mapped, Number, Shape, Text, described
from neuron_evals.core.suites.spec import AssertionSpec, CheckSpec, ItemSpec
from neuron_evals.core.suites.talking import OPENERS, seen, talking_faults
from neuron_evals.core.suites.values import plain, value_faults

if TYPE_CHECKING:
    from neuron_evals.core.checking import Assertion

ASSERTIONS = "_assertions"

_WRITTEN = Text(blank=False)
KEYS: Mapping[str, Shape] = {
    "input": _WRITTEN,
    "reference": _WRITTEN,
    "tool": _WRITTEN,
    "context": _WRITTEN,
    "turns": Anything(),
    "user": Anything(),
    "approvals": Anything(),
    "stubs": Anything(),
    ASSERTIONS: Listed(),
    "id": Anything(),
    "name": Text(),
    "description": Text(),
    "tags": Anything(),
    "timeout": Number(0, above=True, unit="seconds"),
    "repeats": Number(1, MAX_REPEATS, whole=True),
    "metadata": Mapped(),
}
"""The keys of an item. What `id` and `tags` may be is a matter of every dataset, and found there."""

_SHAPE = Keyed(KEYS)


def read_items(dataset: Any, types: Mapping[str, type[Assertion]]) -> tuple[tuple[ItemSpec, ...], tuple[Problem, ...]]:
    """Return the items of a dataset, and everything that is wrong with them.

    Args:
        dataset: A list of items, as data.
        types: Assertion classes by type name.

    Returns:
        The items that are free of problems, and the problems in the order of the items.
    """

    def read(index: int, item: Any, faults: dict[str, str]) -> ItemSpec | None:
        return _read_item(index, item, types, faults)

    return read_list(dataset, read, noun="item", where=DATASET)


def _read_item(index: int, item: Any, types: Mapping[str, type[Assertion]], faults: dict[str, str]) -> ItemSpec | None:
    """Return an item; what is wrong with it is put into `faults`, the first fault of each field."""
    if not isinstance(item, Mapping):
        faults[ITEM] = f'must be an object such as {{"input": "..."}}, got {described(item)}'
        return None
    unstorable = list(value_faults(item, "", 1))
    for path, message in [*unstorable, *_SHAPE.faults(item, ""), *_missing(item), *talking_faults(item)]:
        faults.setdefault(path or ITEM, message)
    if any(path.startswith(ASSERTIONS) for path, _ in unstorable):
        return None
    if not unstorable:
        item = plain(item)
    reader = AssertionReader(types, item)
    checks = tuple(item_checks(item, reader))
    for path, message in reader.faults:
        faults.setdefault(path, message)
    return ItemSpec(index, item, checks, seen(item))


def _missing(item: Mapping[str, Any]) -> Iterator[Fault]:
    if item.get("input") is None and all(item.get(key) is None for key in OPENERS):
        yield "input", "is required: what is said to the agent, as text"
    if not any(item.get(key) not in (None, []) for key in ("reference", "tool", ASSERTIONS)):
        yield (
            ITEM,
            f"has nothing to check, so that it would pass whatever is said; give reference, tool or {ASSERTIONS}",
        )


def item_checks(item: Mapping[str, Any], reader: AssertionReader) -> Iterator[CheckSpec]:
    """Yield the checks of an item: its reference, its assertions, its tool.

    Args:
        item: The item, free of what no JSON has.
        reader: Reads its assertions, and notes what is wrong with them.
    """
    reference, entries, tool = item.get("reference"), item.get(ASSERTIONS), item.get("tool")
    if isinstance(reference, str):
        yield CheckSpec("reference", AssertionSpec(StringContains, {"keyword": reference}, "reference", "reference"))
    for position, entry in enumerate(entries if isinstance(entries, Sequence) and not isinstance(entries, str) else ()):
        found = reader.read(entry, f"{ASSERTIONS}[{position}]")
        if found is not None:
            yield CheckSpec(found.type_name, found)
    if isinstance(tool, str):
        yield CheckSpec("tool", AssertionSpec(ToolWasCalled, {"name": tool}, "tool", "tool"))
