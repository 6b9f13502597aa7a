"""What people said about results."""

from __future__ import annotations

from typing import ClassVar, Self

from django.db import models
from django.db.models import OuterRef, Subquery
from django.utils.translation import gettext_lazy as _

from neuron_evals import conf
from neuron_evals.models.fields import CleanTextField
from neuron_evals.models.items import EvalRunItem


class ReviewVerdict(models.TextChoices):
    """What a person says about the status of a result."""

    AGREE = "agree", _("Agree")
    SHOULD_PASS = "should_pass", _("Should pass")
    SHOULD_FAIL = "should_fail", _("Should fail")


class ReviewQuerySet(models.QuerySet["EvalReview"]):
    """Reviews."""

    def newest_first(self) -> Self:
        """Order by time, the newest first."""
        return self.order_by("-pk")

    def in_force(self) -> Self:
        """Return the newest review of each result; the others are history."""
        newest = EvalReview.objects.filter(item=OuterRef("item")).newest_first()
        return self.filter(pk=Subquery(newest.values("pk")[:1]))


class EvalReview(models.Model):
    """What a person said about a result. The newest of a result is in force; the others stay.

    Attributes:
        reviewer: Who; `None` when the account is gone.
        verdict: Whether the status is right, or what it should be.
        note: Why.
    """

    item = models.ForeignKey(
        EvalRunItem, models.CASCADE, related_name="reviews", db_index=False, verbose_name=_("run item")
    )
    reviewer = models.ForeignKey(
        conf.user_model(),
        models.SET_NULL,
        related_name="+",
        db_index=False,
        null=True,
        blank=True,
        verbose_name=_("reviewer"),
    )
    verdict = models.CharField(_("verdict"), max_length=20, choices=ReviewVerdict)
    note = CleanTextField(_("note"), blank=True, cut=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    objects = ReviewQuerySet.as_manager()

    class Meta:
        verbose_name = _("review")
        verbose_name_plural = _("reviews")
        indexes: ClassVar = [
            models.Index(fields=["item"], name="neuron_evals_review_item"),
            models.Index(fields=["reviewer"], name="neuron_evals_review_reviewer"),
        ]

    def __str__(self) -> str:
        """Return the verdict and what it is about."""
        return f"{self.verdict}: item {self.item_id}"
