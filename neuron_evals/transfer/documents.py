"""A stored suite as plain data, the same for every format: what it says, without what it leaves unsaid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.suites import Problem, SuiteError, items
from neuron_evals.core.suites.problems import ITEM, given_ids
from neuron_evals.core.suites.shapes import Anything, Fault, Keyed, Mapped, Shape, Truth
from neuron_evals.core.suites.studio import HOLDERS, KEYS
from neuron_evals.core.suites.values import value_faults
from neuron_evals.models.fields import as_kept
from neuron_evals.models.legacy_judges import referred_judge

if TYPE_CHECKING:
    from neuron_evals.models import EvalSuite

COLUMNS = ("description", "tags", "timeout", "retries", "repeats", "concurrency", "min_success_rate", "metadata")
"""Keys of a document that are columns of the row as they are."""

_FIRST = ("id", "name", "description")
ITEM_KEYS = (*_FIRST, *(key for key in items.KEYS if key not in _FIRST))
"""The keys of items, in the order in which files have them."""

_OF_JSON = ("metadata", "judge_config")
_FRACTIONS = ("timeout", "min_success_rate")
_OF_THE_AGENT = ("model", "instructions", "model_settings")
_ITEMS: dict[str, Shape] = dict.fromkeys(HOLDERS, Anything())
_SHAPE = Keyed(
    {
        **{key: shape for key, shape in KEYS.items() if key not in (*_OF_THE_AGENT, *HOLDERS)},
        **_ITEMS,
        "judge_config": Mapped(),
        "is_active": Truth(),
    }
)


def document_of(suite: EvalSuite) -> dict[str, Any]:
    """Return a suite as a document: `name`, `slug`, `agent`, `judge`, `COLUMNS` and the items under `dataset`.

    What is empty is left out. A judge in the legacy form that names an agent is that agent. Keys are in one order,
    whatever order the database gives them in.
    """
    said: dict[str, Any] = {"name": suite.name, "slug": suite.slug, "agent": suite.agent.slug}
    if suite.judge is not None:
        said["judge"] = suite.judge.slug
    elif suite.has_judge:
        said |= _of_legacy(suite.judge_config, suite._state.db)  # noqa: SLF001  (Django's documented name)
    said |= {column: getattr(suite, column) for column in COLUMNS}
    if not suite.is_active:
        said["is_active"] = False
    return _written(said, suite.dataset)


def checked_document(data: Any) -> tuple[dict[str, Any], list[Problem]]:
    """Return the document that the data of a file are, in the form that `document_of` gives.

    Args:
        data: A list of items, or an object with the items under `dataset` or `items`.

    Returns:
        The document, without the keys that are wrong or whose values are; and what is wrong with these. The items are
        not looked at.
    """
    if not isinstance(data, Mapping):
        return _written({}, data), []
    problems = [
        Problem(None, key, "belongs to the agent of a stored suite; define it there")
        for key in _OF_THE_AGENT
        if data.get(key) is not None
    ]
    known = {key: value for key, value in data.items() if key not in _OF_THE_AGENT and value is not None}
    problems += [Problem(None, field, message) for field, message in _SHAPE.faults(known, "")]
    holders = [key for key in HOLDERS if key in data]
    if len(holders) != 1:
        message = "is missing: the list of items" if not holders else f'means the same as "{holders[0]}"; give one'
        problems.append(Problem(None, HOLDERS[0] if not holders else holders[1], message))
    wrong = {key_of(problem) for problem in problems}
    found = known.pop(holders[0], None) if holders else None
    known = {key: value for key, value in known.items() if key not in {*wrong, *HOLDERS}}
    known |= {column: float(known[column]) for column in _FRACTIONS if column in known}
    if "judge" not in known and isinstance(known.get("judge_config"), Mapping):
        known |= _of_legacy(known.pop("judge_config"), None)
    return _written(known, found), problems


def as_rows_keep(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with its values as a row gives them back, such as `1e16` as a whole number.

    Raises:
        SuiteError: It holds values that no row keeps; all are listed.
    """
    items = document["dataset"] if isinstance(document["dataset"], list) else []
    faults: list[tuple[int | None, Fault]] = []
    faults += [(None, fault) for key in _OF_JSON if key in document for fault in value_faults(document[key], key, 1)]
    faults += [(index, fault) for index, item in enumerate(items) for fault in value_faults(item, "", 1)]
    if faults:
        raise SuiteError(
            [Problem(index, field or ITEM, message) for index, (field, message) in faults], given_ids(items)
        )
    return {key: as_kept(value) if key in (*_OF_JSON, HOLDERS[0]) else value for key, value in document.items()}


def key_of(problem: Problem) -> str:
    """Return the key of a document that a problem belongs to; the items are under the first of their names."""
    key = problem.field.partition(".")[0].partition("[")[0]
    return HOLDERS[0] if key in HOLDERS else key


def _written(said: Mapping[str, Any], dataset: Any) -> dict[str, Any]:
    """Return what a suite says with its items, as a document.

    The keys of items are in the order of the format, and those inside them by the alphabet, `type` first; so are those
    of the other objects. PostgreSQL gives the keys of an object back in an order of its own; files must be the same
    from every database.
    """
    filled = {key: _ordered(value, _TYPE_FIRST) if key in _OF_JSON else value for key, value in _filled(said).items()}
    return {**filled, "dataset": _ordered_items(dataset)}


def _ordered_items(dataset: Any) -> Any:
    if not isinstance(dataset, list):
        return dataset
    return [_ordered(item, _PLACES) if isinstance(item, Mapping) else item for item in dataset]


def _ordered(value: Any, places: Mapping[str, int]) -> Any:
    if isinstance(value, Mapping):
        keys = sorted(value, key=lambda key: (places.get(key, len(places)), key))
        return {key: _ordered(value[key], _TYPE_FIRST) for key in keys}
    return [_ordered(part, _TYPE_FIRST) for part in value] if isinstance(value, list) else value


def _of_legacy(config: Mapping[str, Any], using: str | None) -> dict[str, Any]:
    reference = config.get("agent_id")
    if reference in (None, ""):
        return {"judge_config": {key: value for key, value in config.items() if value not in (None, "")}}
    found = referred_judge(reference, using)
    # One that does not exist is said when the row is validated.
    return {"judge_config": dict(config)} if found is None else {"judge": found.slug}


def _filled(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is said, without what says nothing: `is_active` is said where it is false."""
    return {key: value for key, value in said.items() if value not in (None, "", [], {}) and (key, value) != _ACTIVE}


_ACTIVE = ("is_active", True)
_PLACES = {key: place for place, key in enumerate(ITEM_KEYS)}
_TYPE_FIRST = {"type": 0}
