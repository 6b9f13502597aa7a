"""What columns that people fill may hold."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from neuron_evals.core.printable import name_fault


def validate_name(value: str) -> None:
    """Refuse a name that is blank, too long, or no one line of printable characters."""
    if wrong := name_fault(value):
        msg = f"A name {wrong}."
        raise ValidationError(msg, code="name")


def validate_object(value: object) -> None:
    """Refuse what is no JSON object, and one with values that no database keeps as they are."""
    from neuron_evals.core.suites.values import value_faults  # noqa: PLC0415  (start-up stays short)

    if not isinstance(value, dict):
        raise ValidationError(_("Use a JSON object, such as {}."), code="object")
    if faults := list(value_faults(value, "", 1)):
        raise ValidationError([f"{path}: {message}" if path else message for path, message in faults], code="values")


def validate_names(value: object) -> None:
    """Refuse what is no list of different texts, none of them blank."""
    if not isinstance(value, list) or not all(isinstance(name, str) and name.strip() for name in value):
        raise ValidationError(_('Use a JSON list of texts, none of them blank, such as ["smoke"].'), code="names")
    if len(set(value)) < len(value):
        raise ValidationError(_("A name stands in the list twice."), code="twice")


def validate_positive(value: float) -> None:
    """Refuse 0, what is below, and NaN."""
    if not value > 0:
        raise ValidationError(_("Use a number above 0."), code="positive")
