"""Reading a suite in the format of Nous.Eval: a list of cases, or an object that holds one under `test_cases`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.suites.calls import refused_call
from neuron_evals.core.suites.listing import read_list
from neuron_evals.core.suites.nous.cases import CaseReader
from neuron_evals.core.suites.nous.keys import CASES, SUITE_KEYS, TELLING_CASE, TELLING_SUITE, USUAL_TIMEOUT
from neuron_evals.core.suites.nous.plainness import with_names
from neuron_evals.core.suites.nous.reading import Reading
from neuron_evals.core.suites.problems import DATASET, Problem, SuiteError, given_ids
from neuron_evals.core.suites.shapes import Keyed, described
from neuron_evals.core.suites.spec import ItemSpec, SuiteDefaults, SuiteSpec
from neuron_evals.core.suites.studio import own_problems
from neuron_evals.core.suites.values import plain

if TYPE_CHECKING:
    from neuron_evals.core.checking import Assertion
    from neuron_evals.core.suites.imports import Imports

_SHAPE = Keyed(SUITE_KEYS)
_DEFAULTS = {
    "model": "default_model",
    "instructions": "default_instructions",
    "concurrency": "parallelism",
    "retries": "retry_failed",
    "repeats": "repeats",
}


def is_nous(data: Any) -> bool:
    """Return whether data is a suite in this format, and not in that of NeuronAI Studio: its keys tell."""
    if isinstance(data, Mapping):
        return not TELLING_SUITE.isdisjoint(data)
    if not isinstance(data, list | tuple):
        return False
    return any(isinstance(item, Mapping) and not TELLING_CASE.isdisjoint(item) for item in data)


def read_suite(data: Any, types: Mapping[str, type[Assertion]], name: str, imports: Imports) -> SuiteSpec:
    """Return the suite that data describes.

    Args:
        data: A list of cases, or an object with cases under `test_cases`.
        types: Assertion classes by type name.
        name: The suite's name when the data give none.
        imports: What resolves dotted paths.

    Raises:
        SuiteError: Something is wrong with it; all problems are listed.
    """
    if not isinstance(data, Mapping):
        items, found = _read_cases(data, CaseReader(types, imports, needs_id=False), DATASET)
        if found:
            raise SuiteError(found, given_ids(data))
        return SuiteSpec(name, items, usual_timeout=USUAL_TIMEOUT)
    own = {key: value for key, value in data.items() if value is not None}
    cases = own.pop(CASES, None)
    problems = own_problems(with_names(own), _SHAPE)
    reading = Reading(own, imports)
    setup, teardown = _called(reading, "setup"), _called(reading, "teardown", None)
    problems += [Problem(None, path, message) for path, message in reading.faults]
    items, found = _read_cases(cases, CaseReader(types, imports, needs_id=True), CASES)
    if problems or found:
        raise SuiteError([*problems, *found], given_ids(cases))
    return SuiteSpec(
        own.get("name", name),
        items,
        own.get("description", ""),
        own.get("agent"),
        own.get("judge"),
        _defaults(own),
        tuple(dict.fromkeys(tag.strip() for tag in own.get("tags", ()))),
        plain(own.get("metadata", {})),
        USUAL_TIMEOUT,
        setup,
        teardown,
    )


def _read_cases(cases: Any, reader: CaseReader, where: str) -> tuple[tuple[ItemSpec, ...], tuple[Problem, ...]]:
    return read_list(cases, reader.read, noun="case", where=where, as_data=_as_data)


def _as_data(case: Any) -> Any:
    return with_names(case) if isinstance(case, Mapping) else case


def _called(reading: Reading, key: str, *arguments: Any) -> Callable[..., Any] | None:
    """Return the function that a key names, which is to be called with these arguments; what is wrong is noted."""
    given, shape = reading.case.get(key), SUITE_KEYS[key]
    if given is None or any(shape.faults(given, key)):  # said where all keys are looked at
        return None
    found = reading.imported(given, key)
    if found is None:
        return None
    if not callable(found):
        reading.note(key, f"must be {shape.noun}, got {described(found)}")
        return None
    if parameters := refused_call(found, *arguments):
        reading.note(key, f"must be {shape.noun}, and its parameters are {parameters}")
        return None
    callable_: Callable[..., Any] = found
    return callable_


def _defaults(own: Mapping[str, Any]) -> SuiteDefaults:
    timeout = own.get("default_timeout")
    return SuiteDefaults(
        timeout=None if timeout is None else timeout / 1000,
        retry_failed=True if own.get("retry_failed") else None,
        **{name: own[key] for name, key in _DEFAULTS.items() if key in own},
    )
