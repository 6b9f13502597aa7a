"""A strict round trip: what `decode` returns equals what `encode` was given, in the same types. JSON, never pickle."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NoReturn

from neuron_evals.core.exceptions import InvalidArgument, NeuronEvalsError
from neuron_evals.core.jsonable.exact_types import CODECS, Codec
from neuron_evals.core.jsonable.text import is_clean

MAX_LEVELS = 100
"""How many lists and dicts may stand inside one another; other containers count as what they are written as."""


class Unserialisable(NeuronEvalsError, TypeError):  # noqa: N818  (an adjective says it best)
    """A value cannot be written so that it can be read back exactly."""


class Undecodable(NeuronEvalsError, ValueError):  # noqa: N818  (an adjective says it best)
    """A text was not written by `encode`, is damaged, or holds a type that is not registered here."""


class _NotExact(Exception):  # noqa: N818  (never leaves this module)
    """Carries what cannot be encoded and, collected on the way out, where it stands."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.steps: list[str] = []


_BY_TYPE = {codec.cls: codec for codec in CODECS}
_BY_TAG = {codec.tag: codec for codec in CODECS}


def register_type(tag: str, cls: type, to_json: Callable[[Any], Any], from_json: Callable[[Any], Any]) -> None:
    """Let `encode` and `decode` carry values of a type; call it where the type is defined.

    Args:
        tag: Name of the type in the text, lower-case letters, digits and underscores; it must stay the same for ever.
        cls: The type. Subclasses need a tag of their own.
        to_json: Returns what a value holds, in types that can be encoded.
        from_json: Returns the value from what `to_json` returned.

    Raises:
        InvalidArgument: The tag is malformed, or tag or type are registered already for another type or tag.
    """
    if re.fullmatch("[a-z][a-z0-9_]*", tag) is None:
        msg = f"register_type: a tag is made of lower-case letters, digits and underscores, got {tag!r}"
        raise InvalidArgument(msg)
    for known in (_BY_TAG.get(tag), _BY_TYPE.get(cls)):
        if known is not None and (known.tag, _named(known.cls)) != (tag, _named(cls)):
            msg = (
                f"register_type: {tag!r} for {_named(cls)} meets {known.tag!r} for {_named(known.cls)}; choose another"
            )
            raise InvalidArgument(msg)
    _BY_TAG[tag] = _BY_TYPE[cls] = Codec(tag, cls, to_json, from_json)


def encode(value: object) -> str:
    """Return `value` as JSON text from which `decode` gives it back exactly.

    It carries `None`, bool, int, float (NaN and infinities too), str, list, dict with any keys, tuple, set, frozenset,
    bytes, `Decimal`, date, time, datetime, timedelta, UUID, and registered types; each as itself, subclasses not. The
    text holds neither NUL nor surrogates.

    Raises:
        Unserialisable: The value holds something else, named with its place, or is nested too deeply.
    """
    try:
        return json.dumps(_packed(value, 1), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except _NotExact as exc:
        place = "".join(reversed(exc.steps))
        msg = f"cannot be stored exactly: {exc.reason}" + (f" at {place}" if place else "")
        raise Unserialisable(msg) from exc.__cause__
    except RecursionError as exc:
        msg = "cannot be stored exactly: too many containers inside one another"
        raise Unserialisable(msg) from exc


def decode(text: str) -> Any:
    """Return the value that was given to `encode`. Only registered types are built.

    Raises:
        Undecodable: `text` was not written by `encode`, is damaged, or holds a type that is not registered here.
    """
    try:
        return json.loads(text, object_pairs_hook=_unpacked, parse_constant=_refuse_constant)
    except Undecodable:
        raise
    except Exception as exc:
        msg = f"cannot be read back: {type(exc).__name__}: {exc}"
        raise Undecodable(msg) from exc


def type_name(value: object) -> str:
    """Return the full dotted name of a value's type."""
    return _named(type(value))


def _named(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _packed(value: Any, level: int) -> Any:
    """Return `value` in JSON types; what JSON cannot hold becomes an object with one key, a tag after `$`."""
    cls = type(value)
    if value is None or cls is bool or (cls is str and is_clean(value)):
        return value
    if cls is list:
        return _packed_list(value, level)
    if cls is dict:
        return _packed_dict(value, level)
    return _packed_other(value, level)


def _packed_list(members: list[Any], level: int) -> list[Any]:
    _limit(level)
    packed = []
    for index, member in enumerate(members):
        try:
            packed.append(_packed(member, level + 1))
        except _NotExact as exc:
            exc.steps.append(f"[{index}]")
            raise
    return packed


def _packed_dict(value: dict[Any, Any], level: int) -> dict[str, Any]:
    """Return a JSON object; the dict as a list of pairs where its keys are no text or look like a tag."""
    _limit(level)
    plain = all(type(key) is str and is_clean(key) and not key.startswith("$") for key in value)
    pairs = []
    for key, member in value.items():
        try:
            pairs.append((key if plain else _packed(key, level + 1), _packed(member, level + 1)))
        except _NotExact as exc:
            exc.steps.append(f"[{key!r}]" if type(key) is str else f"[a key of type {type_name(key)}]")
            raise
    return dict(pairs) if plain else {"$dict": pairs}


def _packed_other(value: Any, level: int) -> Any:
    codec = _BY_TYPE.get(type(value))
    if codec is None:
        msg = f"an object of type {type_name(value)}"
        raise _NotExact(msg)
    try:
        held = codec.to_json(value)
    except Exception as exc:
        msg = f"an object of type {type_name(value)} ({type(exc).__name__}: {exc})"
        raise _NotExact(msg) from exc
    if held is value:
        return value
    packed = _packed(held, level)
    if isinstance(value, set | frozenset):
        packed.sort(key=json.dumps)
    return {f"${codec.tag}": packed}


def _limit(level: int) -> None:
    if level > MAX_LEVELS:
        msg = f"more than {MAX_LEVELS} containers inside one another"
        raise _NotExact(msg)


def _unpacked(pairs: list[tuple[str, Any]]) -> Any:
    """Return the value of a JSON object; its members were unpacked before."""
    if len(pairs) == 1 and pairs[0][0].startswith("$"):
        key, held = pairs[0]
        codec = _BY_TAG.get(key[1:])
        if codec is None:
            msg = f"cannot be read back: no type is registered as {key[1:]!r}"
            raise Undecodable(msg)
        value = codec.from_json(held)
        if type(value) is not codec.cls:
            _refuse(f"{key} does not hold a {codec.cls.__name__}")
        return value
    value = dict(pairs)
    if len(value) != len(pairs) or any(key.startswith("$") for key in value):
        _refuse("an object has a key twice, or a tag beside other keys")
    return value


def _refuse_constant(name: str) -> NoReturn:
    _refuse(f"{name} is not JSON")


def _refuse(reason: str) -> NoReturn:
    msg = f"cannot be read back: {reason}"
    raise Undecodable(msg)
