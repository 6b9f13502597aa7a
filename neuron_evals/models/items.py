"""The results of a run, a row for each execution of an item."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, ClassVar, Self

from django.db import connections, models, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from neuron_evals.models.fields import CleanJSONField, CleanTextField, FiniteFloatField
from neuron_evals.models.inserting import insert, values
from neuron_evals.models.sizes import cut_text

LARGE = ("input", "output", "output_text", "trajectory", "checks", "details")
"""The columns that lists do without."""

_TEXT = ("item_id", "output_text", "error")
_ROWS, _BYTES = 500, 4_000_000
_BESIDE = 1_000
_SORTED = json.JSONEncoder(sort_keys=True).encode


class ItemStatus(models.TextChoices):
    """How an item ended; the values are those of `neuron_evals.Status`."""

    PASSED = "passed", _("Passed")
    FAILED = "failed", _("Failed")
    ERROR = "error", _("Error")
    SKIPPED = "skipped", _("Skipped")
    CANCELLED = "cancelled", _("Cancelled")


class ItemQuerySet(models.QuerySet["EvalRunItem"]):
    """Results of runs."""

    def passed(self) -> Self:
        """Return those that passed."""
        return self.filter(status=ItemStatus.PASSED)

    def failed(self) -> Self:
        """Return those in which the agent was wrong; errors are not among them."""
        return self.filter(status=ItemStatus.FAILED)

    def broken(self) -> Self:
        """Return those in which something broke."""
        return self.filter(status=ItemStatus.ERROR)

    def in_dataset_order(self) -> Self:
        """Order by position in the dataset, the repeats of an item one after the other."""
        return self.order_by("index", "repeat", "pk")

    def without_large_columns(self) -> Self:
        """Leave in the database what lists do not show: `LARGE`."""
        return self.defer(*LARGE)

    def stored_keys(self) -> set[tuple[str, int]]:
        """Return `item_key` and `repeat` of all: what a resumed run need not do again."""
        return set(self.values_list("item_key", "repeat").iterator(chunk_size=10_000))

    def store(self, items: Iterable[EvalRunItem]) -> int:
        """Insert results, and return how many there were.

        Their values become what the rows hold: cleaned, and cut where they are too large. Both hashes are set. They are
        sent about 4 MB at once: MariaDB takes 16 MB. The results do not learn the numbers of their rows.

        Call it in the block of `fenced`.

        Raises:
            IntegrityError: A result of the same item and repeat is there; nothing of that statement is stored.
        """
        count = 0
        with transaction.atomic(using=self.db, savepoint=False):
            for batch in _batches(items, connections[self.db]):
                insert(self.model, batch, self.db)
                count += len(batch)
        return count


class EvalRunItem(models.Model):
    """One stored result.

    Attributes:
        index: Position of the item in the dataset, counted from 0.
        item_id: Identity of the item across runs.
        item_key: The sha256 of `item_id`, as 64 hex digits.
        repeat: Which repeat of the item it is, counted from 0.
        score: The item's score; `None` when it was not scored.
        input: The item as the dataset gave it.
        output: What `run` returned, as JSON; `None` when it did not return.
        output_text: The output as text, for people; empty when there is none.
        trajectory: The messages of the conversation; empty when there was none.
        checks: The checks in their order, each with `verdict`, `score`, `name`, `label`, `weight`, `vacuous`, `line`,
            `message`, `context`.
        error: What broke; empty when nothing did.
        execution_time: Seconds from the start of `run` to the end of `evaluate`; `None` when unknown.
        cached_run: Whether the output came from the cache of run outputs.
        attempts: How often the item was tried.
        usage: Tokens and seconds of the `agent`, its `tools`, the `judges` and the `simulators`; what is unknown is
            left out. For judges and simulators `cost` too; `known` is what is known of a side where not all is.
        metrics: The figures of the project's own (`record_metric`), by name.
        cost: What the agent's model calls cost; `None` when unknown.
        tags: The item's own tags and its evaluator's.
        details: What few results have: `traceback`, `ending` of the conversation, `other_attempts` that do not count.
        output_hash: Hash of `output`.
        review_hash: Hash of `input` and `output`: what a reviewer judged. The same in two runs that gave the same.
        assertions_passed: How many of the checks passed, as the next three for the other verdicts.
    """

    run = models.ForeignKey(
        "neuron_evals.EvalRun", models.CASCADE, related_name="items", db_index=False, verbose_name=_("run")
    )
    index = models.PositiveIntegerField(_("position"))
    item_id = CleanTextField(_("item"), cut=True)
    item_key = models.CharField(_("key"), max_length=64, editable=False)
    repeat = models.PositiveSmallIntegerField(_("repeat"), default=0)
    status = models.CharField(_("status"), max_length=10, choices=ItemStatus)
    score = FiniteFloatField(_("score"), null=True, blank=True)
    input = CleanJSONField(_("input"), default=dict, blank=True, cut=True)
    output = CleanJSONField(_("output"), default=None, blank=True, cut=True)
    output_text = CleanTextField(_("output as text"), blank=True, cut=True)
    trajectory = CleanJSONField(_("trajectory"), default=list, blank=True, cut=True)
    checks = CleanJSONField(_("checks"), default=list, blank=True, cut=True)
    error = CleanTextField(_("error"), blank=True, cut=True)
    execution_time = FiniteFloatField(_("seconds"), null=True, blank=True)
    cached_run = models.BooleanField(_("from the cache"), default=False)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=1)
    usage = CleanJSONField(_("usage"), default=dict, blank=True, cut=True)
    metrics = CleanJSONField(_("metrics"), default=dict, blank=True, cut=True)
    cost = FiniteFloatField(_("cost"), null=True, blank=True)
    tags = CleanJSONField(_("tags"), default=list, blank=True, cut=True)
    details = CleanJSONField(_("details"), default=dict, blank=True, cut=True)
    output_hash = models.CharField(_("hash of the output"), max_length=64, blank=True, editable=False)
    review_hash = models.CharField(_("hash of input and output"), max_length=64, blank=True, editable=False)
    assertions_passed = models.PositiveIntegerField(_("assertions passed"), default=0)
    assertions_failed = models.PositiveIntegerField(_("assertions failed"), default=0)
    assertions_broken = models.PositiveIntegerField(_("assertions broken"), default=0)
    assertions_skipped = models.PositiveIntegerField(_("assertions skipped"), default=0)
    created_at = models.DateTimeField(_("stored"), auto_now_add=True)

    objects = ItemQuerySet.as_manager()

    class Meta:
        verbose_name = _("run item")
        verbose_name_plural = _("run items")
        permissions: ClassVar = [("review_evalrunitem", "Can review run item")]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "item_key", "repeat"], name="neuron_evals_item_identity"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["run", "index", "repeat"], name="neuron_evals_item_position"),
            models.Index(fields=["run", "status", "index"], name="neuron_evals_item_status"),
            models.Index(fields=["review_hash"], name="neuron_evals_item_review"),
        ]

    def __str__(self) -> str:
        """Return which item of which run it is."""
        repeat = f", repeat {self.repeat + 1}" if self.repeat else ""
        return f"item {self.index}{repeat} of run {self.run_id}"

    def settle(self) -> dict[str, str]:
        """Clean and cut the values, set both hashes, and return the JSON texts of the columns of JSON, by column.

        The hashes are those of what the agent was given and gave, before anything is cut.
        """
        for name in _TEXT:
            setattr(self, name, cut_text(getattr(self, name))[0])
        settled = {}
        for field in _json_fields():
            settled[field.attname] = held = field.settled(getattr(self, field.attname))
            setattr(self, field.attname, held.value)
        given, answered = (_SORTED(settled[name].whole) for name in ("input", "output"))
        self.output_hash = _sha256(answered)
        self.review_hash = _sha256(f"{given}\n{answered}")
        return {name: held.text for name, held in settled.items()}


@cache
def _json_fields() -> tuple[CleanJSONField, ...]:
    return tuple(field for field in EvalRunItem._meta.concrete_fields if isinstance(field, CleanJSONField))  # noqa: SLF001


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _batches(items: Iterable[EvalRunItem], connection: Any) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the values of rows, as many at once as have about 4 MB."""
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    batch: list[tuple[Any, ...]] = []
    size = 0
    for item in items:
        texts = item.settle()
        row = sum(map(len, texts.values())) + sum(_bytes(getattr(item, name)) for name in _TEXT) + _BESIDE
        if batch and (len(batch) == _ROWS or size + row > _BYTES):
            yield batch
            batch, size = [], 0
        batch.append(values(item, {**texts, "created_at": now}))
        size += row
    if batch:
        yield batch


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
