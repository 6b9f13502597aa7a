"""Reading the list of a suite, in either format: each element by itself, and what is wrong with them together."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from neuron_evals.core.datasets import ArrayDataset, identified
from neuron_evals.core.suites.problems import Problem
from neuron_evals.core.suites.shapes import described

if TYPE_CHECKING:
    from neuron_evals.core.exceptions import DatasetProblem
    from neuron_evals.core.suites.spec import ItemSpec

ReadOne = Callable[[int, Any, dict[str, str]], "ItemSpec | None"]
"""Takes a position, what stands there, and a dict for what is wrong with it: the first fault of each field."""


def read_list(
    given: Any, read: ReadOne, *, noun: str, where: str, as_data: Callable[[Any], Any] = lambda element: element
) -> tuple[tuple[ItemSpec, ...], tuple[Problem, ...]]:
    """Return the items of a list, and everything that is wrong with them.

    Args:
        given: What should be the list.
        read: Reads one element.
        noun: What an element is called, `item` or `case`.
        where: Field of the problems of the list as a whole.
        as_data: Returns an element as JSON values, as far as it is one.

    Returns:
        The items that are free of problems, each told apart from the others by its content, and the problems in the
        order of the items.
    """
    if not isinstance(given, list | tuple):
        got = f"is missing; there must be a list of {noun}s"
        return (), (
            Problem(None, where, got if given is None else f"must be a list of {noun}s, got {described(given)}"),
        )
    if not given:
        return (), (Problem(None, where, f"is empty; it needs at least one {noun}"),)
    identity = _identity_problems([as_data(element) for element in given])
    items: list[ItemSpec] = []
    problems: list[Problem] = []
    for index, element in enumerate(given):
        faults: dict[str, str] = {}
        found = read(index, element, faults)
        for field, message in identity.get(index, {}).items():
            faults.setdefault(field, message)
        problems += [Problem(index, field, message) for field, message in faults.items()]
        if found is not None and not faults:
            items.append(found)
    return tuple(items if problems else _told_apart(items)), tuple(problems)


def content_of(item: Mapping[str, Any]) -> str:
    """Return the content of an item as text, by which it is known again."""
    return json.dumps(item, sort_keys=True)


def _told_apart(items: Iterable[ItemSpec]) -> list[ItemSpec]:
    """Return items of which no two have the same content.

    They can have it where code put objects into them, of which the content has the names alone, and where an item is
    there twice. All but the first are given the id, in so many words, that is derived for them anyway.
    """
    found = list(items)
    contents = [content_of(item.item) for item in found]
    if len(set(contents)) == len(found):
        return found
    seen: set[str] = set()
    for position, entry in enumerate(identified(ArrayDataset([item.item for item in found]))):
        if contents[position] in seen:
            item = found[position]
            found[position] = replace(item, item={**item.item, "id": entry.item_id})
        seen.add(contents[position])
    return found


def _identity_problems(dataset: Sequence[Any]) -> dict[int, dict[str, str]]:
    """Return what is wrong with ids and tags, by position and key."""
    found: dict[int, dict[str, str]] = {}

    def note(problem: DatasetProblem) -> None:
        if problem.item is not None and problem.field is not None:
            found.setdefault(problem.item, {}).setdefault(problem.field, problem.message)

    for _ in identified(ArrayDataset(dataset), note):
        pass
    return found
