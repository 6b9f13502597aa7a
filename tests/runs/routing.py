"""All rows in the database of a test, as a project's router has it."""

from __future__ import annotations

from typing import Any

from tests.models.conftest import ALIAS


class ToRows:
    """Routes every model to the database of the test."""

    def db_for_read(self, model: Any, **hints: Any) -> str:
        del model, hints
        return ALIAS

    db_for_write = db_for_read
