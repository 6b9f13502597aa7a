"""What is asked of runs, and how they are made."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from django.db import IntegrityError, models, transaction
from django.db.models import Count, Exists, F, OuterRef, ProtectedError, Q

from neuron_evals.core.jsonable import clean_text
from neuron_evals.models.clock import database_now
from neuron_evals.models.contention import despite_contention
from neuron_evals.models.deletion import explained_refusal
from neuron_evals.models.items import ItemStatus
from neuron_evals.models.run_status import ACTIVE, ENDED, RunStatus
from neuron_evals.models.shards import EvalRunShard

if TYPE_CHECKING:
    from datetime import datetime

    from neuron_evals.models.runs import EvalRun

WHOLE_DATASET: tuple[tuple[int, int | None], ...] = ((0, None),)
"""One shard, from the first item to the end."""

LONGEST_SOURCE = 300

INSTEAD_OF_DELETING = "Give the suite another baseline, or none, first."
"""What to do where a run that is a baseline is to be deleted."""


INSTEAD_OF_DELETING_ACTIVE = (
    "Cancel it first; when the process of a running one is gone, `manage.py eval_runs sweep` closes it after a minute."
)
"""What to do where a run that is not over is to be deleted."""

_TOLD = 20
_PAGE = 500


class RunQuerySet(models.QuerySet["EvalRun"]):
    """Runs."""

    def for_suite(self, suite: Any) -> Self:
        """Return the runs of a suite, given as a row or its number."""
        return self.filter(suite=suite)

    def in_batch(self, batch: str) -> Self:
        """Return the runs of one command."""
        return self.filter(batch=batch)

    def active(self) -> Self:
        """Return those that are not over."""
        return self.filter(status__in=ACTIVE)

    def finished(self) -> Self:
        """Return those that are over."""
        return self.filter(status__in=ENDED)

    def newest_first(self) -> Self:
        """Order by when they were made, the newest first."""
        return self.order_by("-created_at", "-pk")

    def claimable(self, now: datetime) -> Self:
        """Return those of which an executor may claim a shard, the oldest first.

        Args:
            now: Time of the database, see `neuron_evals.models.clock`.
        """
        free = EvalRunShard.objects.filter(run=OuterRef("pk")).free(now)
        wanted = self.filter(Exists(free), status__in=ACTIVE, cancel_requested_at=None)
        return wanted.order_by("created_at", "pk")

    def waiting(self, since: datetime) -> Self:
        """Return those that wait for an executor since before a time, the oldest first.

        Args:
            since: A time of the database.
        """
        before = Q(queued_at__lt=since) | Q(queued_at=None, created_at__lt=since)  # rows that others made
        return self.filter(before, status=RunStatus.QUEUED).order_by("pk")

    def lost(self, now: datetime) -> Self:
        """Return those that say they are running while nobody has a lease on a shard of theirs.

        Args:
            now: Time of the database.
        """
        leased = EvalRunShard.objects.filter(run=OuterRef("pk")).leased(now)
        return self.filter(~Exists(leased), status=RunStatus.RUNNING)

    def with_counts(self) -> Self:
        """Give each run the number of its stored results now: `stored_total`, `stored_passed` and so on by status.

        The columns of the run itself are brought up to date when the run ends.
        """
        by_status = {f"stored_{status}": Count("items", filter=Q(items__status=status)) for status in ItemStatus.values}
        return self.annotate(stored_total=Count("items"), **by_status)

    def with_names(self) -> Self:
        """Load suite, agent, judge and person along, for lists."""
        return self.select_related("suite", "agent", "judge", "triggered_by").defer("suite__dataset")

    def asked_with(self, idempotency_key: str, user: object = None) -> EvalRun | None:
        """Return the run that was made for an idempotency key; `None` when there is none.

        Args:
            idempotency_key: The text that the one who asks chose.
            user: Number of the person who asks.
        """
        return self.filter(idempotency_key=_idempotency_hash(user, idempotency_key)).first()

    def without_large_columns(self) -> Self:
        """Leave in the database what lists do not show."""
        return self.defer("agent_snapshot", "judge_snapshot", "versions", "options", "score_statistics", "metrics")

    def enqueue(
        self,
        *,
        shards: Iterable[tuple[int, int | None]] = WHOLE_DATASET,
        idempotency_key: str = "",
        **columns: Any,
    ) -> tuple[EvalRun, bool]:
        """Make a queued run with its shards.

        Args:
            shards: Of each shard the position of its first item, and that behind its last (`None` for the end).
            idempotency_key: Text that the one who asks chose: asked again with the same, by the same person, the run
                is the one that was made the first time.
            **columns: The other columns: `suite`, `agent`, `judge`, `source`, `trigger`, `triggered_by` and so on.

        Returns:
            The run, and whether it was made by this call.
        """
        self._for_write = True  # as Django's own verbs that insert: a replica may not have the row yet
        run = self.model(**columns)
        run.source = clean_text(run.source, LONGEST_SOURCE)
        run.queued_at = database_now(self.db)
        if run.suite is not None and not run.suite_hash:
            run.suite_hash = run.suite.content_hash
        if idempotency_key:
            run.idempotency_key = _idempotency_hash(run.triggered_by_id, idempotency_key)
            before = self.filter(idempotency_key=run.idempotency_key).first()
            if before is not None:
                return before, False
        try:
            despite_contention(self.db, partial(self._insert, run, run.pk, list(shards)))
        except IntegrityError:
            before = self.filter(idempotency_key=run.idempotency_key).first() if idempotency_key else None
            if before is None:
                raise
            return before, False
        return run, True

    def delete(self) -> tuple[int, dict[str, int]]:
        """Delete the runs with their items and reviews, or none of them.

        Raises:
            ProtectedError: One is not over, or a suite has one as its baseline.
        """
        self._for_write = True
        keys = list(self.order_by("pk").values_list("pk", flat=True))
        return despite_contention(self.db, partial(self._delete_unless_active, keys))

    delete.alters_data = True  # type: ignore[attr-defined]
    delete.queryset_only = True  # type: ignore[attr-defined]

    def _delete_unless_active(self, keys: Sequence[int]) -> tuple[int, dict[str, int]]:
        deleted: Counter[str] = Counter()
        with transaction.atomic(self.db):
            for start in range(0, len(keys), _PAGE):
                runs = self.filter(pk__in=keys[start : start + _PAGE])
                # Who resumes a run or stores results locks its shards first, and waits from here on.
                shards = EvalRunShard.objects.using(self.db).filter(run__in=keys[start : start + _PAGE])
                shards.update(number=F("number"))
                if active := list(runs.active().select_related(None).only("status").order_by("pk")):
                    raise ProtectedError(_not_over(active), set(active))
                with explained_refusal(INSTEAD_OF_DELETING):
                    deleted.update(models.QuerySet.delete(runs)[1])
        return deleted.total(), dict(deleted)

    def _insert(self, run: EvalRun, key: int | None, shards: Iterable[tuple[int, int | None]]) -> None:
        using = self.db
        # A try before this one may have been undone.
        run.pk, run._state.adding = key, True  # noqa: SLF001  (what Django itself documents for copies)
        with transaction.atomic(using):
            run.save(using=using, force_insert=True)
            EvalRunShard.objects.using(using).bulk_create(
                EvalRunShard(run=run, number=number, start=start, stop=stop)
                for number, (start, stop) in enumerate(shards)
            )


def _not_over(runs: Sequence[EvalRun]) -> str:
    told = ", ".join(f"run {run.pk} ({run.status})" for run in runs[:_TOLD])
    more = f" and {len(runs) - _TOLD} more" if len(runs) > _TOLD else ""
    return f"Not deleted, because not over: {told}{more}. {INSTEAD_OF_DELETING_ACTIVE}"


def _idempotency_hash(user: object, key: str) -> str:
    return hashlib.sha256(f"{user}:{clean_text(key)}".encode()).hexdigest()
