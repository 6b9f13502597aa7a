"""Whether a database can store runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from django.db import DEFAULT_DB_ALIAS, Error, connections

from neuron_evals.models import EvalRun, EvalRunItem, EvalRunShard

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

_STORED = (EvalRun, EvalRunShard, EvalRunItem)


def table_problems(using: str) -> list[str]:
    """Return what keeps a database from storing runs, a line each: it cannot be reached, or tables are not there.

    Args:
        using: Alias of the database.
    """
    connection = connections[using]
    try:
        missing = list(_missing(connection))
    except Error as exc:
        return [f'the database "{using}" cannot be used: {" ".join(f"{type(exc).__name__}: {exc}".split())}']
    if not missing:
        return []
    command = "python manage.py migrate neuron_evals"
    if using != DEFAULT_DB_ALIAS:
        command += f" --database {using}"
    return [f'the database "{using}" has no {", no ".join(missing)}; run `{command}`']


def _missing(connection: BaseDatabaseWrapper) -> Iterator[str]:
    """Yield the tables that are missing, and the columns of those that are there."""
    with connection.cursor() as cursor:
        names = set(connection.introspection.table_names(cursor))
        for model in _STORED:
            table = model._meta.db_table  # noqa: SLF001  (Django's documented way to a model's description)
            if table not in names:
                yield f"table {table}"
                continue
            there = {column.name for column in connection.introspection.get_table_description(cursor, table)}
            columns = (field.column for field in model._meta.concrete_fields)  # noqa: SLF001  (as above)
            yield from (f"column {table}.{column}" for column in columns if column not in there)
