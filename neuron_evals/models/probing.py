"""Whether a database lets us write."""

from __future__ import annotations

from django.db import OperationalError, models, transaction

from neuron_evals.models.contention import is_contention

_NO_ROW = -1
"""A number that no row has."""


def try_writing(model: type[models.Model], using: str) -> None:
    """Have the database refuse what it would refuse later: a table is written to, and no row of it changes.

    Args:
        model: The model whose table it is.
        using: Alias of the database.

    Raises:
        Error: The database, or the account, only reads; or there is no such table. That others are just writing is
            no refusal.
    """
    rows = model._base_manager.using(using)  # noqa: SLF001  (Django's documented name)
    key = model._meta.pk.attname  # noqa: SLF001  (as above)
    try:
        with transaction.atomic(using):
            rows.filter(pk=_NO_ROW).update(**{key: models.F(key)})
    except OperationalError as exc:
        if not is_contention(exc):
            raise
