"""Outputs that a later run may use again."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from neuron_evals.models.fields import CleanCharField, CleanTextField

if TYPE_CHECKING:
    from datetime import datetime

LONGEST_EVALUATOR = 300
"""Greatest length of an evaluator's name, in characters."""


class CachedOutputQuerySet(models.QuerySet["CachedOutput"]):
    """Entries of the cache of run outputs."""

    def of(self, evaluator: str) -> Self:
        """Return those of one evaluator, by its full dotted name."""
        return self.filter(evaluator=evaluator)

    def older_than(self, moment: datetime) -> Self:
        """Return those that were stored before a moment."""
        return self.filter(created_at__lt=moment)


class CachedOutput(models.Model):
    """What `run` returned for an item, under a key that changes with all that shapes it.

    Attributes:
        key: A sha256 as 64 hex digits.
        evaluator: Full dotted name of the evaluator.
        item_id: Identity of the item.
        payload: JSON text, kept letter by letter: a JSON column would not give back the order of keys and the form of
            numbers on every database, and a hit must not differ from a fresh run.
        size: Length of `payload` in bytes (UTF-8).
    """

    key = models.CharField(_("key"), max_length=64)
    evaluator = CleanCharField(_("evaluator"), max_length=LONGEST_EVALUATOR, blank=True)
    item_id = CleanTextField(_("item"), blank=True, cut=True)
    payload = models.TextField(_("payload"))
    size = models.PositiveIntegerField(_("bytes"))
    created_at = models.DateTimeField(_("stored"), auto_now_add=True)

    objects = CachedOutputQuerySet.as_manager()

    class Meta:
        verbose_name = _("cached output")
        verbose_name_plural = _("cached outputs")
        constraints: ClassVar = [models.UniqueConstraint(fields=["key"], name="neuron_evals_cached_key")]
        indexes: ClassVar = [
            models.Index(fields=["created_at"], name="neuron_evals_cached_created"),
            models.Index(fields=["evaluator"], name="neuron_evals_cached_evaluator"),
        ]

    def __str__(self) -> str:
        """Return the beginning of the key."""
        return self.key[:12]
