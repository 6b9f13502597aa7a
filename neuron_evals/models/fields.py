"""Columns that hold what comes from models, datasets and tools, on every database.

Each cleans what it is given on the way to the database, whoever writes it: `save`, `bulk_create`, `update`, a filter or
a fixture. In migrations they are Django's own fields; to the database they are nothing else.
"""

from __future__ import annotations

import math
from typing import Any

from django.db import models

from neuron_evals.core.jsonable import clean_json, clean_text
from neuron_evals.models.sizes import cut_json, cut_text


def _is_expression(value: object) -> bool:
    return hasattr(value, "as_sql") or hasattr(value, "resolve_expression")


class CleanCharField(models.CharField):  # type: ignore[type-arg]
    """A short text without what databases refuse (NUL, surrogates)."""

    def get_prep_value(self, value: Any) -> Any:
        """Return the cleaned text."""
        value = super().get_prep_value(value)
        return clean_text(value) if isinstance(value, str) else value

    def deconstruct(self) -> Any:
        """Return the field for migrations, as Django's."""
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", args, kwargs


class CleanTextField(models.TextField):  # type: ignore[type-arg]
    """A text without what databases refuse.

    Args:
        cut: Whether a text beyond `STORED_BYTES` of the setting `LIMITS` is cut, with a mark.
    """

    def __init__(self, *args: Any, cut: bool = False, **kwargs: Any) -> None:
        self.cut = cut
        super().__init__(*args, **kwargs)

    def get_prep_value(self, value: Any) -> Any:
        """Return the cleaned text."""
        value = super().get_prep_value(value)
        if not isinstance(value, str):
            return value
        return cut_text(value)[0] if self.cut else clean_text(value)

    def deconstruct(self) -> Any:
        """Return the field for migrations, as Django's."""
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.TextField", args, kwargs


class CleanJSONField(models.JSONField):
    """JSON as `clean_json` gives it, whatever the value is. The column is never NULL: `None` is JSON's `null`.

    Args:
        cut: Whether JSON beyond `STORED_BYTES` of the setting `LIMITS` is cut, with a mark.
    """

    def __init__(self, *args: Any, cut: bool = False, **kwargs: Any) -> None:
        self.cut = cut
        super().__init__(*args, **kwargs)

    def get_prep_value(self, value: Any) -> Any:
        """Return the cleaned value."""
        value = super().get_prep_value(value)
        if value is None or _is_expression(value):
            return value
        return cut_json(value)[0] if self.cut else clean_json(value)

    def get_db_prep_save(self, value: Any, connection: Any) -> Any:
        """Return what is sent to the database; `None` becomes JSON's `null`."""
        if value is None:
            return connection.ops.adapt_json_value(None, self.encoder)
        return super().get_db_prep_save(value, connection)

    def deconstruct(self) -> Any:
        """Return the field for migrations, as Django's."""
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.JSONField", args, kwargs


class FiniteFloatField(models.FloatField):  # type: ignore[type-arg]
    """A number that JSON has: NaN and infinities are unknown, written as `None` and read as `None`."""

    def get_prep_value(self, value: Any) -> Any:
        """Return the number, or `None` when it is none that JSON has."""
        value = super().get_prep_value(value)
        return None if isinstance(value, float) and not math.isfinite(value) else value

    def from_db_value(self, value: Any, *_: Any) -> Any:
        """Return the number; rows written by others may hold what this field never writes."""
        return None if isinstance(value, float) and not math.isfinite(value) else value

    def deconstruct(self) -> Any:
        """Return the field for migrations, as Django's."""
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.FloatField", args, kwargs
