"""JSON Schema, with limits.

A schema may come from a dataset or a suite, the value from a model. So nothing is fetched, patterns run on
`neuron_evals.core.patterns`, and the work is bounded. The keywords of `jsonschema` that search with `re`, compare each
element with each, or break on large numbers are replaced.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from fractions import Fraction
from functools import lru_cache, partial
from itertools import islice
from typing import Any

from neuron_evals.core.assertions.json_compare import written_path
from neuron_evals.core.assertions.json_input import json_constant
from neuron_evals.core.assertions.schema_check import compiled, refuse_unusable
from neuron_evals.core.assertions.wording import shown, visible
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from neuron_evals.core.jsonable import dump_json

MAX_SCHEMA_LENGTH = 100_000
"""Largest schema, in characters of its JSON text."""

MAX_STEPS = 250_000
"""How often a keyword may be applied while one value is checked."""

DRAFTS = {
    "https://json-schema.org/draft/2020-12/schema": "Draft202012Validator",
    "https://json-schema.org/draft/2019-09/schema": "Draft201909Validator",
    "http://json-schema.org/draft-07/schema": "Draft7Validator",
    "http://json-schema.org/draft-06/schema": "Draft6Validator",
    "http://json-schema.org/draft-04/schema": "Draft4Validator",
}
"""The value of `$schema` -> the class of `jsonschema`; without `$schema`, the first."""

Rule = Callable[[Any, int], list[str]]
"""Takes a JSON value and a number; returns at most so many problems, each with its path. None: the value matches."""

Keyword = Callable[[Any, Any, Any, Any], Iterator[Any] | None]

_steps: ContextVar[list[int]] = ContextVar("steps")


def json_schema_rule(owner: str, schema: Any) -> Rule:
    """Return the rule that a JSON Schema is.

    Args:
        owner: Name of the assertion, for errors.
        schema: A JSON Schema; draft 2020-12 unless its `$schema` names draft 4, 6, 7 or 2019-09. `format` is a remark,
            as the standard has it, and is not checked.

    Returns:
        The rule. It raises `InvalidInput` when a value needs too much work, and `PatternTimeout` when a pattern does.

    Raises:
        InvalidArgument: It is no schema, is too large, refers to what it does not hold, or has a pattern that does not
            compile.
    """
    held = json_constant(owner, "schema", schema)
    if len(dump_json(held)) > MAX_SCHEMA_LENGTH:
        msg = f"{owner}: schema must have at most {MAX_SCHEMA_LENGTH:,} characters as JSON text"
        raise InvalidArgument(msg)
    # A validator changes its class where it meets `$schema`, and would lose the limits.
    draft = held.pop("$schema", next(iter(DRAFTS)))
    name = DRAFTS.get(draft.removesuffix("#")) if isinstance(draft, str) else None
    if name is None:
        msg = f"{owner}: $schema {shown(draft)} is not known; known are {', '.join(DRAFTS)}"
        raise InvalidArgument(msg)
    validator_class = _limited(name)
    refuse_unusable(owner, validator_class, held)
    return partial(_problems, owner, validator_class(held, registry=_nothing_remote()))


def _problems(owner: str, validator: Any, value: Any, most: int) -> list[str]:
    token = _steps.set([0])
    try:
        errors = list(islice(validator.iter_errors(value), most))
    except RecursionError:
        msg = f"{owner}: the references of the schema lead too deep, or in a circle"
        raise InvalidInput(msg) from None
    finally:
        _steps.reset(token)
    return [f"at {written_path(error.absolute_path)}: {visible(error.message)}" for error in errors]


@lru_cache
def _limited(name: str) -> Any:
    """Return a validator class whose keywords are counted, with those replaced that have no limits."""
    import jsonschema  # noqa: PLC0415  (costs start-up time that most runs need not spend)

    base: Any = getattr(jsonschema, name)
    keywords: dict[str, Keyword] = {**base.VALIDATORS, **_REPLACED}
    counted = {keyword: _counted(function) for keyword, function in keywords.items() if keyword in base.VALIDATORS}
    extend: Any = jsonschema.validators.extend  # (its stubs leave it untyped)
    return extend(base, counted)


def _nothing_remote() -> Any:
    """Return a registry that fetches nothing; the standard's own schemas are added by `jsonschema`."""
    from referencing import Registry  # noqa: PLC0415  (as above)

    return Registry()


def _counted(function: Keyword) -> Keyword:
    def applied(validator: Any, option: Any, value: Any, schema: Any) -> Iterator[Any] | None:
        steps = _steps.get()
        steps[0] += 1
        if steps[0] > MAX_STEPS:
            msg = f"the schema needs more than {MAX_STEPS:,} steps for this value"
            raise InvalidInput(msg)
        return function(validator, option, value, schema)

    return applied


def _pattern(validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[Any]:
    if validator.is_type(value, "string") and not compiled(pattern).found_in(value):
        yield _error(f"{shown(value)} does not match {shown(pattern)}")


def _pattern_properties(validator: Any, schemas: Any, value: Any, _schema: Any) -> Iterator[Any]:
    if validator.is_type(value, "object"):
        for pattern, schema in schemas.items():
            for key, member in value.items():
                if compiled(pattern).found_in(key):
                    yield from validator.descend(member, schema, path=key, schema_path=pattern)


def _additional_properties(validator: Any, option: Any, value: Any, schema: Any) -> Iterator[Any]:
    if not validator.is_type(value, "object"):
        return
    known = schema.get("properties", {})
    patterns = [compiled(pattern) for pattern in schema.get("patternProperties", {})]
    for key, member in value.items():
        if key in known or any(pattern.found_in(key) for pattern in patterns):
            continue
        if option is False:
            yield _error(f"the property {shown(key)} is not allowed")
        else:
            yield from validator.descend(member, option, path=key)


def _unique_items(validator: Any, option: Any, value: Any, _schema: Any) -> Iterator[Any]:
    if not option or not validator.is_type(value, "array"):
        return
    seen: dict[str, int] = {}
    for index, member in enumerate(value):
        first = seen.setdefault(json.dumps(_by_value(member), sort_keys=True), index)
        if first != index:
            yield _error(f"elements {first} and {index} are the same")
            return


def _multiple_of(validator: Any, option: Any, value: Any, _schema: Any) -> Iterator[Any]:
    # As written: 0.3 is a multiple of 0.1, although the binary numbers are not.
    if validator.is_type(value, "number") and Fraction(str(value)) % Fraction(str(option)):
        yield _error(f"{value} is not a multiple of {option}")


_REPLACED: dict[str, Keyword] = {
    "additionalProperties": _additional_properties,
    "multipleOf": _multiple_of,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "uniqueItems": _unique_items,
}


def _by_value(value: Any) -> Any:
    """Return a value in which 1.0 is written as 1."""
    if isinstance(value, dict):
        return {key: _by_value(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_by_value(member) for member in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _error(message: str) -> Any:
    from jsonschema import ValidationError  # noqa: PLC0415  (as above)

    return ValidationError(message)
