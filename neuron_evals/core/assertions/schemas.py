"""What may stand for a schema: a JSON Schema, or a class, recognised by what it can do."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from neuron_evals.core.assertions.dataclass_schema import dataclass_schema
from neuron_evals.core.assertions.json_compare import WHOLE, written_path
from neuron_evals.core.assertions.json_schema import Rule, json_schema_rule
from neuron_evals.core.assertions.wording import shown, shown_json, visible
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.jsonable import dump_json


def schema_rule(owner: str, schema: Any) -> Rule:
    """Return the rule that a schema stands for.

    Args:
        owner: Name of the assertion, for errors.
        schema: As for `MatchesSchema`.

    Raises:
        InvalidArgument: It is none of these, or a JSON Schema or dataclass that cannot be used.
    """
    if isinstance(schema, Mapping):
        return json_schema_rule(owner, schema)
    if isinstance(schema, type):
        if _can(schema, "model_validate", "model_json_schema"):
            return partial(_model_problems, schema)
        if dataclasses.is_dataclass(schema):
            return json_schema_rule(owner, dataclass_schema(owner, schema))
        if _can(schema, "is_valid", "run_validation") and hasattr(schema, "errors"):
            return partial(_bound_problems, schema, dict)
        if _can(schema, "is_valid", "full_clean") and hasattr(schema, "errors"):
            return partial(_bound_problems, schema, _FormData)
    msg = (
        f"{owner}: schema must be a JSON Schema as a dict, or a class: a pydantic model, a dataclass, a serializer or "
        f"a form; got {shown(schema)}"
    )
    raise InvalidArgument(msg)


def _can(cls: type, *names: str) -> bool:
    return all(callable(getattr(cls, name, None)) for name in names)


def _model_problems(model: Any, value: Any, most: int) -> list[str]:
    # As JSON, so that a strict model still takes a date that is written as text.
    from_json: Callable[[str], Any] | None = getattr(model, "model_validate_json", None)
    try:
        if from_json is None:
            model.model_validate(value)
        else:
            from_json(dump_json(value))
    except ValueError as exc:
        listed: Any = getattr(exc, "errors", None)
        if not callable(listed):
            raise
        return [f"at {written_path(error['loc'])}: {visible(error['msg'])}" for error in listed()[:most]]
    return []


def _bound_problems(cls: Any, data: Callable[[Any], Any], value: Any, most: int) -> list[str]:
    if not isinstance(value, dict):
        return [f"at {WHOLE}: expected an object, got {shown_json(value)}"]
    bound = cls(data=data(value))
    if bound.is_valid():
        return []
    return list(_flat(bound.errors, ()))[:most]


def _flat(errors: Any, path: tuple[str | int, ...]) -> Iterator[str]:
    """Yield the messages of nested errors, each with its path."""
    if isinstance(errors, Mapping):
        for key, inner in errors.items():
            yield from _flat(inner, (*path, key))
    elif isinstance(errors, list | tuple):
        for index, inner in enumerate(errors):
            yield from _flat(inner, (*path, index) if isinstance(inner, Mapping) else path)
    else:
        yield f"at {written_path(path)}: {visible(str(errors))}"


class _FormData(dict[str, Any]):
    """An object as a browser would have sent it: fields of forms read text, and break on anything else."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        super().__init__({key: _sent(member) for key, member in value.items() if member is not None})
        self._lists = {key: [_sent(one) for one in member] for key, member in value.items() if isinstance(member, list)}

    def getlist(self, key: str) -> list[str]:
        """Return the texts of a field that takes several."""
        return self._lists[key] if key in self._lists else [self[key]] if key in self else []


def _sent(value: Any) -> str:
    return value if isinstance(value, str) else dump_json(value)
