"""Columns that hold what comes from models, datasets and tools, on every database.

Each cleans what it is given on the way to the database, whoever writes it: `save`, `bulk_create`, `update`, a filter or
a fixture. In migrations they are Django's own fields; to the database they are nothing else.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from neuron_evals.core.jsonable import clean_json, clean_text
from neuron_evals.core.jsonable.exact_types import INTEGERS
from neuron_evals.models.sizes import cut_text, fitting_json, json_text

_TAKE_TEXT = ("sqlite", "mysql")
_WHOLE = 1e16
_DIGITS = re.compile(r"\d{19}")


@dataclass(frozen=True, slots=True)
class Settled:
    """A value as a column of JSON holds it.

    Attributes:
        value: The value.
        text: Its JSON text, ASCII alone.
        whole: The value before it was cut.
    """

    value: Any
    text: str
    whole: Any


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
        name, _path, args, kwargs = super().deconstruct()
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
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.TextField", args, kwargs


class CleanJSONField(models.JSONField):
    """JSON as `clean_json` gives it, whatever the value is. The column is never NULL: `None` is JSON's `null`.

    Args:
        cut: Whether JSON beyond `STORED_BYTES` of the setting `LIMITS` is cut, with a mark.
    """

    def __init__(self, *args: Any, cut: bool = False, **kwargs: Any) -> None:
        self.cut = cut
        super().__init__(*args, **kwargs)

    def settled(self, value: object) -> Settled:
        """Return a value as the column holds it."""
        whole = clean_json(value)
        text = json_text(whole)
        if "e+" in text or "-0.0" in text:
            whole = _with_kept_numbers(whole)
            text = json_text(whole)
        kept, kept_text = fitting_json(whole, text) if self.cut else (whole, text)
        return Settled(kept, kept_text, whole)

    def get_prep_value(self, value: Any) -> Any:
        """Return the value as the column holds it."""
        value = super().get_prep_value(value)
        return value if value is None or _is_expression(value) else self.settled(value).value

    def get_db_prep_save(self, value: Any, connection: Any) -> Any:
        """Return what is sent to the database; `None` becomes JSON's `null`."""
        if _is_expression(value):
            return super().get_db_prep_save(value, connection)
        settled = self.settled(value)
        if connection.vendor in _TAKE_TEXT:
            return settled.text
        return connection.ops.adapt_json_value(settled.value, self.encoder)

    def from_db_value(self, value: Any, *args: Any) -> Any:
        """Return the value; a number with too many digits for an integer was one with an exponent."""
        read = super().from_db_value(value, *args)
        return _read(read, value) if isinstance(value, str) else read

    def deconstruct(self) -> Any:
        """Return the field for migrations, as Django's."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.JSONField", args, kwargs


class FiniteFloatField(models.FloatField):  # type: ignore[type-arg]
    """A number that JSON has: NaN and infinities are unknown, written as `None` and read as `None`."""

    def validate(self, value: Any, model_instance: models.Model | None) -> None:
        """Refuse what JSON has not."""
        super().validate(value, model_instance)
        if value is not None and not math.isfinite(value):
            raise ValidationError(_("Use a finite number."), code="finite")

    def get_prep_value(self, value: Any) -> Any:
        """Return the number, or `None` when it is none that JSON has."""
        value = super().get_prep_value(value)
        return None if isinstance(value, float) and not math.isfinite(value) else value

    def from_db_value(self, value: Any, *_: Any) -> Any:
        """Return the number; rows written by others may hold what this field never writes."""
        return None if isinstance(value, float) and not math.isfinite(value) else value

    def deconstruct(self) -> Any:
        """Return the field for migrations, as Django's."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.FloatField", args, kwargs


def as_kept(value: object) -> Any:
    """Return a value as a column of JSON gives it back, from every database: to compare with what one holds."""
    text = json_text(CleanJSONField().settled(value).value)
    return _read(json.loads(text), text)


def _read(value: Any, text: str) -> Any:
    return _with_exponents(value) if _DIGITS.search(text) else value


def _with_kept_numbers(value: Any) -> Any:
    """Return JSON in which a float that Python writes with a positive exponent is the whole number that it is.

    PostgreSQL's jsonb has no exponents: 4.621837047087049e+16 would come back as 46218370470870490, another number. Nor
    has it -0.0, which is 0.0.
    """
    if isinstance(value, float):
        return int(value) if abs(value) >= _WHOLE else value + 0.0
    return _each(value, _with_kept_numbers)


def _with_exponents(value: Any) -> Any:
    """Return JSON in which an integer beyond 64 bits, which is written as text, is the float that it was."""
    if isinstance(value, int):
        return value if value in INTEGERS else float(value)
    return _each(value, _with_exponents)


def _each(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, list):
        return [change(member) for member in value]
    if isinstance(value, dict):
        return {name: change(member) for name, member in value.items()}
    return value
