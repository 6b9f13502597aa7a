"""The parts of a run that executors claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from neuron_evals.models.fields import CleanCharField

if TYPE_CHECKING:
    from datetime import datetime


class ShardStatus(models.TextChoices):
    """How far a shard is."""

    QUEUED = "queued", _("Queued")
    RUNNING = "running", _("Running")
    FINISHED = "finished", _("Finished")
    ERROR = "error", _("Error")
    CANCELLED = "cancelled", _("Cancelled")


OPEN = (ShardStatus.QUEUED, ShardStatus.RUNNING)
"""The statuses of a shard whose items are not all there yet."""


class ShardQuerySet(models.QuerySet["EvalRunShard"]):
    """Shards."""

    def open(self) -> Self:
        """Return those whose items are not all there yet."""
        return self.filter(status__in=OPEN)

    def free(self, now: datetime) -> Self:
        """Return those that an executor may claim: nobody has them, or who had them let the lease expire."""
        return self.filter(Q(status=ShardStatus.QUEUED) | Q(status=ShardStatus.RUNNING, lease_expires_at__lte=now))

    def leased(self, now: datetime) -> Self:
        """Return those with a lease that has not expired; also those that were given back before it did."""
        return self.filter(lease_expires_at__gt=now)


class EvalRunShard(models.Model):
    """A part of a run with its own lease, so that several executors can share the run. An ordinary run has one.

    Attributes:
        number: Which shard of the run it is, counted from 0.
        start: Position of its first item in the dataset, counted from 0.
        stop: Position behind its last item; `None` for the end of the dataset.
        executor: Who has it, or had it last, for people: such as host and process.
        token: Random text of the lease; empty when there is none.
        lease_expires_at: When others may claim it. Stays as it is when the shard is given back.
        attempt: How often it was opened: 1, and 1 more each time the run is resumed.
        heartbeat_at: When its executor was last heard of.
    """

    run = models.ForeignKey(
        "neuron_evals.EvalRun", models.CASCADE, related_name="shards", db_index=False, verbose_name=_("run")
    )
    number = models.PositiveIntegerField(_("number"))
    start = models.PositiveIntegerField(_("first item"), default=0)
    stop = models.PositiveIntegerField(_("end"), null=True, blank=True)
    status = models.CharField(_("status"), max_length=10, choices=ShardStatus, default=ShardStatus.QUEUED)
    executor = CleanCharField(_("executor"), max_length=200, blank=True)
    token = models.CharField(_("token"), max_length=64, blank=True, editable=False)
    lease_expires_at = models.DateTimeField(_("lease expires"), null=True, blank=True)
    attempt = models.PositiveIntegerField(_("attempt"), default=1)
    heartbeat_at = models.DateTimeField(_("heartbeat"), null=True, blank=True)

    objects = ShardQuerySet.as_manager()

    class Meta:
        verbose_name = _("shard")
        verbose_name_plural = _("shards")
        constraints: ClassVar = [models.UniqueConstraint(fields=["run", "number"], name="neuron_evals_shard_number")]
        indexes: ClassVar = [models.Index(fields=["status", "lease_expires_at"], name="neuron_evals_shard_lease")]

    def __str__(self) -> str:
        """Return which shard of which run it is."""
        return f"shard {self.number} of run {self.run_id}"
