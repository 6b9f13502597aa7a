"""Whether a database can hold our rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from django.db import DEFAULT_DB_ALIAS, Error, connections

from neuron_evals.models.items import EvalRunItem
from neuron_evals.models.probing import try_writing
from neuron_evals.models.runs import EvalRun
from neuron_evals.models.shards import EvalRunShard

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models import Model

_STORED = (EvalRun, EvalRunShard, EvalRunItem)
_NAMED = 3
"""How many missing tables and columns are named."""


def table_problems(using: str, models: Iterable[type[Model]] = _STORED) -> list[str]:
    """Return what keeps a database from storing runs, a line each: it cannot be reached or written to, or lacks tables.

    Args:
        using: Alias of the database.
        models: The models whose tables are looked for; those of runs and results by default.
    """
    connection = connections[using]
    models = tuple(models)
    try:
        missing = list(_missing(connection, models))
        if not missing:
            for model in models:
                try_writing(model, using)
    except Error as exc:
        return [f'the database "{using}" cannot be used: {_one_line(exc)}']
    if not missing:
        return []
    command = "python manage.py migrate neuron_evals"
    if using != DEFAULT_DB_ALIAS:
        command += f" --database {using}"
    named = ", no ".join(missing[:_NAMED])
    more = f", and lacks {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
    return [f'the database "{using}" has no {named}{more}; run `{command}`']


def explained(exc: Exception, using: str, models: Iterable[type[Model]]) -> str:
    """Return what an error of a database means, in one line: tables that are missing, else what it says.

    Args:
        exc: The error.
        using: Alias of the database.
        models: The models whose tables may be missing.
    """
    # Inside the caller's transaction, which is broken now, the database answers no question.
    problems = [] if connections[using].in_atomic_block else table_problems(using, models)
    return problems[0] if problems else f'the database "{using}" refuses: {_one_line(exc)}'


def _one_line(exc: Exception) -> str:
    return " ".join(f"{type(exc).__name__}: {exc}".split())


def _missing(connection: BaseDatabaseWrapper, models: Iterable[type[Model]]) -> Iterator[str]:
    """Yield the tables that are missing, and the columns of those that are there."""
    with connection.cursor() as cursor:
        names = set(connection.introspection.table_names(cursor))
        for model in models:
            table = model._meta.db_table  # noqa: SLF001  (Django's documented way to a model's description)
            if table not in names:
                yield f"table {table}"
                continue
            there = {column.name for column in connection.introspection.get_table_description(cursor, table)}
            columns = (field.column for field in model._meta.concrete_fields)  # noqa: SLF001  (as above)
            yield from (f"column {table}.{column}" for column in columns if column not in there)
