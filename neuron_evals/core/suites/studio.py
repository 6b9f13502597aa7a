"""Suites in the format of NeuronAI Studio: a list of items, or an object that holds one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.bounds import MAX_CONCURRENCY, MAX_REPEATS, MAX_RETRIES
from neuron_evals.core.printable import name_fault
from neuron_evals.core.suites.items import read_items
from neuron_evals.core.suites.problems import Problem, SuiteError, given_ids
from neuron_evals.core.suites.shapes import Anything, Keyed, Listed, Mapped, Number, Shape, Text
from neuron_evals.core.suites.spec import SuiteDefaults, SuiteSpec
from neuron_evals.core.suites.values import plain, value_faults

if TYPE_CHECKING:
    from neuron_evals.core.checking import Assertion

HOLDERS = ("dataset", "items")
"""Keys of a suite under which its items stand."""

_WRITTEN = Text(blank=False)
MODEL_SETTINGS = Keyed(
    {
        "temperature": Number(0),
        "top_p": Number(0, 1, above=True),
        "max_tokens": Number(1, whole=True),
        "seed": Number(whole=True),
    }
)
"""What is set of the agent's model."""

KEYS: Mapping[str, Shape] = {
    "name": _WRITTEN,
    "slug": _WRITTEN,
    "description": Text(),
    "agent": _WRITTEN,
    "judge": _WRITTEN,
    "dataset": Anything(),
    "items": Anything(),
    "tags": Listed(_WRITTEN),
    "model": _WRITTEN,
    "instructions": Text(),
    "model_settings": MODEL_SETTINGS,
    "timeout": Number(0, above=True, unit="seconds"),
    "retries": Number(0, MAX_RETRIES, whole=True),
    "repeats": Number(1, MAX_REPEATS, whole=True),
    "concurrency": Number(1, MAX_CONCURRENCY, whole=True),
    "min_success_rate": Number(0, 1),
    "metadata": Mapped(),
}
"""The keys of a suite; `slug` is its name among stored suites, and nothing to a run."""

_SHAPE = Keyed(KEYS)
_DEFAULTS = ("model", "instructions", "timeout", "retries", "repeats", "concurrency")


def read_suite(data: Any, types: Mapping[str, type[Assertion]], name: str) -> SuiteSpec:
    """Return the suite that data describes.

    Args:
        data: An object with the items under `dataset` or `items`, or a list of items; anything else is refused.
        types: Assertion classes by type name.
        name: The suite's name when the data give none.

    Raises:
        SuiteError: Something is wrong with it; all problems are listed.
    """
    if isinstance(data, Mapping):
        return _read_object(data, types, name)
    items, problems = read_items(data, types)
    if problems:
        raise SuiteError(problems, given_ids(data))
    return SuiteSpec(name, items)


def _read_object(data: Mapping[str, Any], types: Mapping[str, type[Assertion]], name: str) -> SuiteSpec:
    holders = [key for key in HOLDERS if key in data]
    own = {key: value for key, value in data.items() if value is not None and key not in HOLDERS}
    problems = own_problems(own, _SHAPE)
    problems += [Problem(None, second, f'means the same as "{holders[0]}"; give one of them') for second in holders[1:]]
    items, found = read_items(data[holders[0]], types)
    if problems or found:
        raise SuiteError([*problems, *found], given_ids(data[holders[0]]))
    settings = {key: value for key, value in own.get("model_settings", {}).items() if value is not None}
    return SuiteSpec(
        own.get("name", name),
        items,
        own.get("description", ""),
        own.get("agent"),
        own.get("judge"),
        SuiteDefaults(model_settings=settings, **{key: own[key] for key in _DEFAULTS if key in own}),
        tuple(dict.fromkeys(tag.strip() for tag in own.get("tags", ()))),
        plain(own.get("metadata", {})),
        min_success_rate=own.get("min_success_rate"),
    )


def own_problems(own: Mapping[Any, Any], shape: Shape) -> list[Problem]:
    """Return what is wrong with the keys of a suite but its items, the first fault of each field.

    Args:
        own: What the suite says.
        shape: The keys that there are, and what each may be.
    """
    named = own.get("name")
    faults: dict[str, str] = {}
    for field, message in [*shape.faults(own, ""), *value_faults(own, "", 0)]:
        if field:  # a key that is no text is unknown too, and told as that
            faults.setdefault(field, message)
    if isinstance(named, str) and (wrong := name_fault(named)):
        faults.setdefault("name", wrong)
    return [Problem(None, field, message) for field, message in faults.items()]
