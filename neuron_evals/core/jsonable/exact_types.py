"""How the round trip writes the types of Python and its standard library that JSON lacks."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

INTEGERS = range(-(2**63), 2**63)
"""The integers that databases and other readers of JSON keep exactly."""


@dataclass(frozen=True, slots=True)
class Codec:
    """How values of one type are written.

    Attributes:
        tag: Name of the type in the text.
        cls: The type itself, not its subclasses.
        to_json: Returns what a value holds, in types that can be encoded; the value itself when JSON holds it as it is.
        from_json: Returns the value from what `to_json` returned.
    """

    tag: str
    cls: type
    to_json: Callable[[Any], Any]
    from_json: Callable[[Any], Any]


def _from_base64(held: str) -> bytes:
    return base64.b64decode(held, validate=True)


def _to_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _timedelta_parts(value: timedelta) -> list[int]:
    return [value.days, value.seconds, value.microseconds]


def _zone_parts(zone: tzinfo | None) -> Any:
    if zone is None:
        return None
    if type(zone) is ZoneInfo and zone.key is not None:
        return zone.key
    if type(zone) is timezone:
        return [_timedelta_parts(zone.utcoffset(None)), zone.tzname(None)]
    msg = f"a time zone of type {type(zone).__qualname__}"
    raise TypeError(msg)


def _zone(held: Any) -> tzinfo | None:
    if held is None:
        return None
    if isinstance(held, str):
        return ZoneInfo(held)
    parts, name = held
    zone = timezone(timedelta(*parts))
    return zone if zone.tzname(None) == name else timezone(timedelta(*parts), name)


def _moment_parts(value: datetime | time) -> list[Any]:
    return [value.replace(tzinfo=None, fold=0).isoformat(), _zone_parts(value.tzinfo), value.fold]


def _datetime(held: Any) -> datetime:
    text, zone, fold = held
    return datetime.fromisoformat(text).replace(tzinfo=_zone(zone), fold=fold)


def _time(held: Any) -> time:
    text, zone, fold = held
    return time.fromisoformat(text).replace(tzinfo=_zone(zone), fold=fold)


CODECS = (
    Codec(
        "text",
        str,
        lambda text: _to_base64(text.encode("utf-8", "surrogatepass")),
        lambda held: _from_base64(held).decode("utf-8", "surrogatepass"),
    ),
    Codec("int", int, lambda number: number if number in INTEGERS else hex(number), lambda held: int(held, 16)),
    Codec("float", float, lambda number: number if math.isfinite(number) else repr(number), float),
    Codec("dict", dict, lambda held: list(held.items()), dict),
    Codec("tuple", tuple, list, tuple),
    Codec("set", set, list, set),
    Codec("frozenset", frozenset, list, frozenset),
    Codec("bytes", bytes, _to_base64, _from_base64),
    Codec("decimal", Decimal, str, Decimal),
    Codec("date", date, date.isoformat, date.fromisoformat),
    Codec("time", time, _moment_parts, _time),
    Codec("datetime", datetime, _moment_parts, _datetime),
    Codec("timedelta", timedelta, _timedelta_parts, lambda held: timedelta(*held)),
    Codec("uuid", UUID, str, UUID),
)
