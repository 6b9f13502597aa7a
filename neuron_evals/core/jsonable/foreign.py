"""What objects of other types hold, as plain Python values one step at a time."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import decimal
import enum
import uuid
from collections.abc import Callable, Mapping, Sequence, Set
from itertools import islice
from pathlib import PurePath
from typing import Any, Final


def register_view(cls: type, view: Callable[[Any], Any]) -> None:
    """Let `clean_json` show objects of a type; call it where the type is defined.

    Args:
        cls: The type; it stands for its subclasses too.
        view: Returns what an object holds, as a value of another type; it is cleaned.
    """
    _VIEWS.append((cls, view))


def plain(value: Any, most: int) -> Any:
    """Return what `value` holds as a value of a simpler type, or `value` itself when that cannot be told.

    Members of containers are as they are. Libraries are recognised by what their types can do, not by import.

    Args:
        value: An object of any type but the exact JSON ones.
        most: How many members to take from a container; one more is taken to show that there are more.

    Raises:
        Exception: Whatever the object's own code raises.
    """
    for types, held in (*_VIEWS, *_HELD):
        if isinstance(value, types):
            return held(value)
    cls = type(value)
    if dataclasses.is_dataclass(cls):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(cls)}
    if isinstance(value, Mapping):
        return dict(islice(value.items(), most + 1))
    if isinstance(value, Sequence | Set):
        return list(islice(value, most + 1))
    for name in _METHODS:
        # Looked up on the type: objects that invent any attribute they are asked for must not be taken for arrays.
        method = getattr(cls, name, None)
        if callable(method):
            return method(value)
    return value


_HELD: Final[tuple[tuple[Any, Callable[[Any], Any]], ...]] = (
    (enum.Enum, lambda member: member.value),
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    (bytes | bytearray | memoryview, lambda data: {"$bytes": base64.b64encode(data).decode()}),
    (datetime.date | datetime.time, lambda moment: moment.isoformat()),
    (datetime.timedelta, datetime.timedelta.total_seconds),
    (decimal.Decimal | uuid.UUID | PurePath, str),
)

_VIEWS: Final[list[tuple[Any, Callable[[Any], Any]]]] = []

_METHODS: Final = ("model_dump", "tolist", "item")
