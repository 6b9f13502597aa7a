"""The keys of run outputs: the same for whatever must give the same output, different for all else."""

from __future__ import annotations

import hashlib
import inspect
import json
import sys
from collections.abc import Mapping
from typing import Any, Final

from neuron_evals.core.caches.dependencies import Declares, dependency_digests
from neuron_evals.core.caches.sources import attribute, run_source
from neuron_evals.core.exceptions import EvaluationError, NeuronEvalsError
from neuron_evals.core.jsonable import Unserialisable, encode
from neuron_evals.core.results import full_name

_UNORDERED: Final = ({"$dict"}, {"$set"}, {"$frozenset"})
"""The objects in encoded text whose members are in no order."""


# Not by an import statement: the package's front door names modules that may not be imported from here.
_VERSION: Final = sys.modules[__name__.partition(".")[0]].__version__


class Uncacheable(NeuronEvalsError):  # noqa: N818  (an adjective says it best)
    """An item has no key, so that it always runs."""


class RunKeys:
    """The keys of the items of one evaluator.

    What the evaluator brings to its keys is taken when this is made, after `set_up`: the full name of its class, the
    package's version, the code of `run` and of what it names through `self`, plain attributes that `run` reads, the
    fingerprints of its attributes, and `cache_dependencies()`.

    Args:
        evaluator: The evaluator.

    Raises:
        EvaluationError: A dependency or fingerprint is none.
    """

    def __init__(self, evaluator: Declares) -> None:
        self._reason = ""
        self._input = evaluator.cache_input
        source = run_source(evaluator)
        if not source.functions:
            self._reason = f"run of {full_name(type(evaluator))} is no Python function, so that its code is unknown"
        self._evaluator = _digest(
            full_name(type(evaluator)),
            _VERSION,
            source.functions,
            _plain_values(source.values),
            _fingerprints(evaluator),
            dependency_digests(evaluator),
        )

    def of(self, item: Mapping[str, Any], repeat: int = 0) -> str:
        """Return the key of one execution of an item, as 64 hex digits.

        The order of keys does not matter, at any depth; types do: 1, 1.0, "1" and true are four items.

        Args:
            item: The item.
            repeat: Which repeat of the item, counted from 0.

        Raises:
            Uncacheable: The item holds what cannot be written exactly, named with its place; or nothing can be known of
                the evaluator's `run`; or the evaluator says so for this item.
        """
        if self._reason:
            raise Uncacheable(self._reason)
        try:
            text = encode(_as_run_gets(self._input(item)))
        except (Unserialisable, RecursionError) as exc:
            msg = f"the item {exc}"
            raise Uncacheable(msg) from exc
        return _digest(self._evaluator, _without_order(text), repeat)


def _digest(*parts: object) -> str:
    """Return the sha256 of JSON values."""
    return hashlib.sha256(_sorted_json(parts).encode()).hexdigest()


def _sorted_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True)


def _as_run_gets(value: Any) -> Any:
    """Return an item as `run` gets it: its mappings as dicts, its lists as lists."""
    if isinstance(value, Mapping):
        return {key: _as_run_gets(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_as_run_gets(member) for member in value]
    return value


def _without_order(text: str) -> Any:
    """Return encoded text as JSON values, the members of dicts and sets in one order."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if value.keys() in _UNORDERED:
            return {tag: sorted(held, key=_sorted_json) for tag, held in pairs}
        return value

    return json.loads(text, object_pairs_hook=members)


def _plain_values(values: Mapping[str, Any]) -> dict[str, str]:
    """Return those values that cannot change while items run, and can be written exactly."""
    plain = {}
    for name, value in values.items():
        try:
            text = encode(value)
            hash(value)
        except (Unserialisable, TypeError):
            continue
        plain[name] = text
    return plain


def _fingerprints(evaluator: object) -> dict[str, str]:
    """Return the fingerprints of the evaluator's attributes by their names."""
    names = {name for owner in (evaluator, *type(evaluator).__mro__) for name in getattr(owner, "__dict__", ())}
    found = {}
    for name in sorted(names):
        value = attribute(evaluator, name)
        # Classes define fingerprints, they have none. Objects that invent attributes are left alone.
        if isinstance(value, type) or inspect.getattr_static(value, "fingerprint", None) is None:
            continue
        fingerprint = value.fingerprint() if inspect.ismethod(value.fingerprint) else value.fingerprint
        if not isinstance(fingerprint, str) or not fingerprint:
            msg = (
                f"{full_name(type(evaluator))}: the fingerprint of {name} is a text that is not empty, "
                f"got {fingerprint!r:.100}"
            )
            raise EvaluationError(msg)
        found[name] = fingerprint
    return found
