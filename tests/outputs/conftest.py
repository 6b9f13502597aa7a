"""The three kinds of databases, as for the rows."""

from __future__ import annotations

from tests.models.conftest import _database, committing, using

__all__ = ["_database", "committing", "using"]
