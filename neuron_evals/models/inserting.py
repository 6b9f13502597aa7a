"""Many rows of one model in few statements, whose values are known to be what the columns hold.

`bulk_create` asks each field of each row what its value becomes, and reads back the numbers of all rows: work that
results, which come by the thousand and are cleaned already, have no use for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any

from django.db import connections, models


def values(row: models.Model, known: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what is sent to the database of a row, in the order of its columns.

    Args:
        row: The row; its texts are clean, and none of its values is an expression.
        known: What is sent of some columns, by name.
    """
    held = {**vars(row), **known}
    return tuple(_finite(held[name]) for name in _columns(type(row)))


def insert(model: type[models.Model], rows: Sequence[tuple[Any, ...]], using: str) -> None:
    """Insert rows, as many in a statement as the database takes.

    Args:
        model: Their model, whose numbers the database gives.
        rows: What `values` returns of each.
        using: Alias of the database.

    Raises:
        DatabaseError: A row breaks a rule; nothing of its statement is stored.
    """
    connection: Any = connections[using]
    fields = _fields(model)
    quote = connection.ops.quote_name
    names = ", ".join(quote(field.column) for field in fields)
    # Names of ours alone: every value is a parameter.
    start = f"INSERT INTO {quote(model._meta.db_table)} ({names}) VALUES "  # noqa: S608, SLF001  (documented by Django)
    places = f"({', '.join(['%s'] * len(fields))})"
    most = connection.ops.bulk_batch_size(fields, rows)
    with connection.cursor() as cursor:
        for at in range(0, len(rows), most):
            part = rows[at : at + most]
            cursor.execute(start + ", ".join([places] * len(part)), list(chain.from_iterable(part)))


def _finite(value: Any) -> Any:
    """Return a number that is none to JSON as unknown."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


@cache
def _fields(model: type[models.Model]) -> list[Any]:
    return [field for field in model._meta.concrete_fields if not field.primary_key]  # noqa: SLF001  (as above)


@cache
def _columns(model: type[models.Model]) -> tuple[str, ...]:
    return tuple(field.attname for field in _fields(model))
