"""Databases that exist for a test alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def migrated(alias: str, entry: dict[str, Any]) -> Iterator[None]:
    """Create a migrated, empty test database by an entry of `DATABASES`, reached by `alias` within the block."""
    from django.db import OperationalError, connections  # noqa: PLC0415  (the engine's own tests have no Django)

    settings = connections.configure_settings({**connections.databases, alias: entry})[alias]
    connections.databases[alias] = settings
    creation = connections[alias].creation
    try:
        try:
            if connections[alias].vendor != "sqlite":
                with connections[alias]._nodb_cursor():
                    pass
        except (OperationalError, RuntimeWarning) as exc:  # the warning comes before a second try with PostgreSQL
            pytest.skip(f"{alias} answers, but lets {settings['USER']} not in: {exc}")
        name = settings["NAME"]
        creation.create_test_db(verbosity=0, autoclobber=True)
        try:
            yield
        finally:
            creation.destroy_test_db(name, verbosity=0)
    finally:
        connections[alias].close()
        del connections[alias], connections.databases[alias]
