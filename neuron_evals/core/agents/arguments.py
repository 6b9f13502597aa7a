"""Arguments that a model wrote, as the values that a typed function takes."""

from __future__ import annotations

import enum
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin, is_typeddict

from neuron_evals.core.agents.schemas import Member, has_members, members
from neuron_evals.core.exceptions import NeuronEvalsError
from neuron_evals.core.jsonable import canonical_json

_WORDS: Mapping[Any, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    types.NoneType: "null",
}


class BadArguments(NeuronEvalsError):  # noqa: N818  (a reason that is told to the model)
    """Arguments do not fit what a tool takes. The text says where and what would."""


def read_members(wanted: Iterable[Member], given: Mapping[str, Any], where: str = "") -> dict[str, Any]:
    """Return values for the members of an object.

    Args:
        wanted: What it takes.
        given: JSON values by name.
        where: Path of the object, for messages.

    Raises:
        BadArguments: Some are missing, unknown or of the wrong type; all are named.
    """
    known = {member.name: member for member in wanted}
    faults = [
        f"{_joined(where, name)} is not known; the names are {', '.join(known)}" for name in given if name not in known
    ]
    faults += [
        f"{_joined(where, name)} is missing" for name, member in known.items() if member.required and name not in given
    ]
    values = {}
    for name, member in known.items():
        if name in given:
            try:
                values[name] = read_value(member.annotation, given[name], _joined(where, name))
            except BadArguments as exc:
                faults.append(str(exc))
    if faults:
        raise BadArguments("; ".join(faults))
    return values


def read_value(annotation: Any, value: Any, where: str) -> Any:  # noqa: PLR0911  (one for each kind)
    """Return a JSON value as a value of an annotated type. Nothing is guessed: text is no number.

    Args:
        annotation: One that has a JSON schema (see `schema_of`).
        value: The JSON value.
        where: Its path, for messages.

    Raises:
        BadArguments: It does not fit.
    """
    origin = get_origin(annotation)
    if annotation is Any:
        return value
    if origin is Annotated:
        return read_value(get_args(annotation)[0], value, where)
    if origin is Literal:
        return _chosen(get_args(annotation), value, where)
    if origin in (Union, types.UnionType):
        return _any_of(get_args(annotation), value, where)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return annotation(_chosen([member.value for member in annotation], value, where))
    if has_members(annotation):
        return _object(annotation, value, where)
    return _READERS[types.NoneType if annotation is None else origin or annotation](annotation, value, where)


def _plain(annotation: Any, value: Any, where: str) -> Any:
    wanted = types.NoneType if annotation is None else annotation
    if type(value) is wanted:
        return value
    raise _wrong(where, _WORDS[wanted], value)


def _whole(_annotation: Any, value: Any, where: str) -> int:
    # JSON has one kind of number: some models write 3.0 for 3.
    if type(value) is int or (type(value) is float and value.is_integer()):
        return int(value)
    raise _wrong(where, _WORDS[int], value)


def _number(_annotation: Any, value: Any, where: str) -> float:
    if type(value) in (int, float) and abs(value) <= sys.float_info.max:
        return float(value)
    raise _wrong(where, _WORDS[float], value)


def _list(annotation: Any, value: Any, where: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise _wrong(where, _WORDS[list], value)
    (part,) = get_args(annotation) or (Any,)
    return [read_value(part, member, f"{where}[{index}]") for index, member in enumerate(value)]


def _dict(annotation: Any, value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise _wrong(where, _WORDS[dict], value)
    _, part = get_args(annotation) or (str, Any)
    return {name: read_value(part, member, _joined(where, name)) for name, member in value.items()}


_READERS: Mapping[Any, Callable[[Any, Any, str], Any]] = {
    str: _plain,
    bool: _plain,
    types.NoneType: _plain,
    int: _whole,
    float: _number,
    list: _list,
    dict: _dict,
}


def _object(cls: Any, value: Any, where: str) -> Any:
    if not isinstance(value, Mapping):
        raise _wrong(where, _WORDS[dict], value)
    values = read_members(members(cls), value, where)
    if is_typeddict(cls):
        return values
    try:
        return cls(**values)
    except Exception as exc:
        msg = f"{where}: {exc}"
        raise BadArguments(msg) from exc


def _chosen(options: Sequence[Any], value: Any, where: str) -> Any:
    for option in options:
        if type(option) is type(value) and option == value:
            return option
    msg = f"{where} must be one of {canonical_json(options)}, got {canonical_json(value)}"
    raise BadArguments(msg)


def _any_of(annotations: tuple[Any, ...], value: Any, where: str) -> Any:
    faults = []
    for annotation in annotations:
        try:
            return read_value(annotation, value, where)
        except BadArguments as exc:
            if annotation is not types.NoneType:
                faults.append(str(exc))
    raise BadArguments(" or ".join(faults))


def _joined(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _wrong(where: str, wanted: str, value: Any) -> BadArguments:
    kinds = {tuple: list}
    kind = kinds.get(type(value), type(value))
    return BadArguments(f"{where} must be {wanted}, got {_WORDS.get(kind, kind.__name__)}")
