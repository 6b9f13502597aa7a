"""`parse_suite`: data or JSON text as a suite, in whichever format it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.assertions.registry import assertion_types
from neuron_evals.core.suites import studio
from neuron_evals.core.suites.items import read_items
from neuron_evals.core.suites.problems import Problem, SuiteError
from neuron_evals.core.suites.spec import SuiteSpec
from neuron_evals.core.suites.values import parsed

if TYPE_CHECKING:
    from neuron_evals.core.checking import Assertion

Types = Mapping[str, "type[Assertion]"]

NAME = "unnamed"
"""Name of a suite that has none."""


def parse_suite(data: Any, *, name: str = NAME, types: Types | None = None) -> SuiteSpec:
    """Return the suite that data describes.

    Args:
        data: JSON text, or data: a list of items, or an object with the items under `dataset` or `items`.
        name: The suite's name when the data give none.
        types: Assertion classes by type name; those that come with the package by default.

    Raises:
        SuiteError: Something is wrong with it; all problems are listed, each with its item and field.
    """
    known = assertion_types() if types is None else types
    if not isinstance(data, str):
        return _read(data, known, name)
    value, problems = parsed(data)
    try:
        suite = None if value is None and problems else _read(value, known, name)
    except SuiteError as exc:
        raise SuiteError([*problems, *exc.problems], exc.ids) from None
    if suite is None or problems:
        raise SuiteError(problems)
    return suite


def dataset_problems(dataset: Any, *, has_judge: bool | None = None, types: Types | None = None) -> tuple[Problem, ...]:
    """Return everything that is wrong with the items of a suite; empty when nothing is.

    Args:
        dataset: The items as JSON text or as data, in the format of NeuronAI Studio.
        has_judge: Whether the suite has a judge; `None` when that is not known here, so that none is missed.
        types: As for `parse_suite`.
    """
    found: list[Problem] = []
    if isinstance(dataset, str):
        dataset, found = parsed(dataset)
        if dataset is None and found:
            return tuple(found)
    items, problems = read_items(dataset, assertion_types() if types is None else types)
    if has_judge is False:
        found += SuiteSpec(NAME, items).missing("classifier", "embeddings", "simulator")
    return tuple(sorted([*found, *problems], key=_position))


def _read(data: Any, types: Types, name: str) -> SuiteSpec:
    read = next((read for recognises, read in _FORMATS if recognises(data)), studio.read_suite)
    return read(data, types, name)


def _position(problem: Problem) -> int:
    return -1 if problem.item_index is None else problem.item_index


_FORMATS: tuple[tuple[Callable[[Any], bool], Callable[[Any, Types, str], SuiteSpec]], ...] = ()
"""Formats that are told by their keys, each with its reader; what none of them recognises is read as Studio's."""
