"""`parse_suite`: data or JSON text as a suite, in whichever format it is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.assertions.registry import assertion_types
from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.nearest import nearest
from neuron_evals.core.suites import nous, studio
from neuron_evals.core.suites.imports import Imports, no_imports
from neuron_evals.core.suites.items import read_items
from neuron_evals.core.suites.nous.keys import CASES
from neuron_evals.core.suites.problems import DATASET, Problem, SuiteError
from neuron_evals.core.suites.spec import SuiteSpec
from neuron_evals.core.suites.values import parsed

if TYPE_CHECKING:
    from neuron_evals.core.checking import Assertion

Types = Mapping[str, "type[Assertion]"]

SUFFIXES = (".yaml", ".yml", ".json")
"""Endings of the names of suite files."""

NAME = "unnamed"
"""Name of a suite that has none."""


def parse_suite(data: Any, *, name: str = NAME, types: Types | None = None, imports: Imports = no_imports) -> SuiteSpec:
    """Return the suite that data describes.

    Args:
        data: JSON text, or data: a list of items, or an object with the items under `dataset` or `items`; or cases in
            the format of Nous.Eval, in a list or under `test_cases`. The keys tell which it is.
        name: The suite's name when the data give none.
        types: Assertion classes by type name; those that come with the package by default.
        imports: Returns what a dotted path in the data names; by default none is followed. Never let rows or requests
            name code.

    Raises:
        SuiteError: Something is wrong with it; all problems are listed, each with its item and field.
    """
    if _is_path(data):
        raise SuiteError(
            [Problem(None, DATASET, "is a path, and no suite; load_suite(path) reads the suite of a file")]
        )
    known = assertion_types() if types is None else types
    if not isinstance(data, str):
        return _read(data, known, name, imports)
    value, problems = parsed(data)
    try:
        suite = None if value is None and problems else _read(value, known, name, imports)
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


def _read(data: Any, types: Types, name: str, imports: Imports) -> SuiteSpec:
    if nous.is_nous(data):
        return nous.read_suite(data, types, name, imports)
    if isinstance(data, Mapping) and not any(key in data for key in studio.HOLDERS):
        raise SuiteError([Problem(None, DATASET, _without_items(data))])
    return studio.read_suite(data, types, name)


def _is_path(data: Any) -> bool:
    """Return whether somebody gave the path of a file for the suite in it."""
    if not isinstance(data, str):
        return isinstance(data, os.PathLike)
    text = data.strip()
    return text.lower().endswith(SUFFIXES) and "\n" not in text and not text.startswith(("[", "{"))


def _without_items(data: Mapping[Any, Any]) -> str:
    """Return what is wrong with an object that holds nothing to run, with the key that was probably meant."""
    known = (CASES, *studio.HOLDERS)
    meant = ((key, nearest(key, known)) for key in data)
    hint = next((f'; {shown(key)} is none of them, did you mean "{near}"?' for key, near in meant if near), "")
    return f"is missing; a suite holds its cases under {CASES}, or its items under {' or '.join(studio.HOLDERS)}{hint}"


def _position(problem: Problem) -> int:
    return -1 if problem.item_index is None else problem.item_index
