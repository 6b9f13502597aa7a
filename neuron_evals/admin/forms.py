"""JSON in forms: read strictly, with the place of a mistake, and given back as it was typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import models
from django.forms.fields import InvalidJSONInput
from django.utils.translation import gettext

from neuron_evals.core.jsonable.reading import JsonFault, parse_document
from neuron_evals.core.jsonable.writing import dump_json


class StrictJSONField(forms.JSONField):
    """A field for JSON text.

    Args:
        nothing: Gives the value of a field that is left empty, or holds `null`.
        **options: Those of Django's field.
    """

    def __init__(self, *, nothing: Callable[[], Any], **options: Any) -> None:
        options["widget"] = forms.Textarea(attrs={"class": "ne-json", "rows": 10, "spellcheck": "false"})
        super().__init__(**options)
        self.nothing = nothing

    def to_python(self, value: Any) -> Any:
        """Return the value that a text holds.

        Raises:
            ValidationError: It is no JSON, or holds what must not be stored; the message says where.
        """
        if self.disabled:
            return value
        if value in self.empty_values:
            return self.nothing()
        text = value if isinstance(value, str) else dump_json(value)
        try:
            found = parse_document(text)
        except JsonFault as fault:
            raise ValidationError(_located(text, fault), code="json") from None
        nothing = self.nothing()
        if found is None:
            return nothing
        # Django asks no validator about what is empty, of whatever kind it is.
        if found in self.empty_values and type(found) is not type(nothing):
            example = gettext("a JSON list, such as []") if nothing == [] else gettext("a JSON object, such as {}")
            raise ValidationError(gettext("Use %s.") % example, code="json")
        return found

    def bound_data(self, data: Any, initial: Any) -> Any:
        """Return what was typed, as it was typed."""
        return initial if self.disabled else (None if data is None else InvalidJSONInput(data))

    def prepare_value(self, value: Any) -> Any:
        """Return a value as indented JSON."""
        return value if isinstance(value, InvalidJSONInput) else dump_json(value, indent=2)


class OneFault(forms.ModelForm):  # type: ignore[type-arg]
    """A form that says nothing of the row about a field whose text could not be read: the row has not got it."""

    def add_error(self, field: str | None, error: Any) -> None:
        """Add an error; of those of the row, the ones of fields that have none yet."""
        if field is None and hasattr(error, "error_dict"):
            known = set(self.errors)
            error = ValidationError({name: found for name, found in error.error_dict.items() if name not in known})
        super().add_error(field, error)


class StrictJSON:
    """Pages whose columns of JSON are edited by `StrictJSONField`."""

    def formfield_for_dbfield(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        """Return the field of a column's form."""
        if not isinstance(db_field, models.JSONField):
            return super().formfield_for_dbfield(db_field, request, **kwargs)  # type: ignore[misc]
        return db_field.formfield(form_class=StrictJSONField, nothing=db_field.get_default)


def _located(text: str, fault: JsonFault) -> str:
    line = text.count("\n", 0, fault.position) + 1
    column = fault.position - text.rfind("\n", 0, fault.position)
    place = {"line": line, "column": column, "message": fault.message}
    return gettext("line %(line)d, column %(column)d: %(message)s") % place
