"""Datasets of suites: how large they may be, and what the one validator says of their items."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from django.core.exceptions import ValidationError

from neuron_evals import conf
from neuron_evals.core.jsonable import canonical_json
from neuron_evals.models.fields import as_kept

if TYPE_CHECKING:
    from neuron_evals.core.suites import Problem


class DatasetItemError(ValidationError):
    """One problem of a dataset, as forms and serializers show it.

    Attributes:
        problem: Item, field and message apart.
    """

    def __init__(self, problem: Problem, item_id: str | None = None) -> None:
        # No `params`: the message may quote data, and is shown as it is.
        super().__init__(problem.written(item_id), code="dataset")
        self.problem = problem


def dataset_hash(dataset: object) -> str:
    """Return the sha256 of a dataset as 64 hex digits: that of its canonical JSON as it is kept by every database."""
    return hashlib.sha256(canonical_json(as_kept(dataset)).encode()).hexdigest()


def dataset_errors(dataset: object, *, has_judge: bool) -> list[ValidationError]:
    """Return everything that is wrong with a dataset: its size, or the problems of its items.

    Args:
        dataset: The value of the column.
        has_judge: Whether the suite has a judge, which some assertions need.
    """
    if wrong := _size_problem(dataset):
        return [ValidationError(wrong, code="dataset")]
    from neuron_evals.core.suites import dataset_problems  # noqa: PLC0415  (start-up stays short)
    from neuron_evals.core.suites.problems import given_ids  # noqa: PLC0415
    from neuron_evals.registries.assertions import assertion_types  # noqa: PLC0415

    try:
        types = assertion_types()
    except conf.SettingsError as exc:
        return [ValidationError(f"The settings keep items from being read: {exc}", code="settings")]
    ids = given_ids(dataset)
    found = dataset_problems(dataset, has_judge=has_judge, types=types)
    return [DatasetItemError(problem, _id_of(problem, ids)) for problem in found]


def _id_of(problem: Problem, ids: dict[int, str]) -> str | None:
    return None if problem.item_index is None else ids.get(problem.item_index)


def _size_problem(dataset: object) -> str:
    from neuron_evals.core.suites.sizes import size_problems  # noqa: PLC0415  (start-up stays short)

    if not isinstance(dataset, list):
        return f"A dataset is a JSON list of items, got {_json_kind(dataset)}."
    return next(size_problems(dataset), "")


def _json_kind(value: object) -> str:
    kinds = {dict: "an object", str: "text", bool: "a truth value", int: "a number", float: "a number"}
    return "nothing" if value is None else kinds.get(type(value), type(value).__name__)
