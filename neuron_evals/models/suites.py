"""Suites as rows: evaluators written as data."""

from __future__ import annotations

import hashlib
import json
from typing import Any, ClassVar, Self

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Count, OuterRef, Subquery
from django.utils.translation import gettext_lazy as _

from neuron_evals import conf
from neuron_evals.core.jsonable import canonical_json, clean_json
from neuron_evals.models.agents import AgentDefinition
from neuron_evals.models.fields import CleanJSONField, CleanTextField, FiniteFloatField
from neuron_evals.models.runs import EvalRun
from neuron_evals.models.slugs import Named, NamedQuerySet
from neuron_evals.models.validators import validate_names, validate_object, validate_positive

LEGACY_JUDGE = ("provider", "model", "instructions", "agent_id")
"""The keys of the legacy `judge_config`."""


def dataset_hash(dataset: object) -> str:
    """Return the sha256 of a dataset as 64 hex digits: that of its canonical JSON, the same on every database."""
    return hashlib.sha256(canonical_json(dataset).encode()).hexdigest()


class SuiteQuerySet(NamedQuerySet):
    """Suites."""

    def without_dataset(self) -> Self:
        """Leave the datasets in the database: lists show `item_count`."""
        return self.defer("dataset")

    def with_counts(self) -> Self:
        """Give each suite `run_count`: how many runs it has."""
        return self.annotate(run_count=Count("runs"))

    def with_latest_run(self) -> Self:
        """Give each suite `latest_run_id`, `latest_run_status` and `latest_success_rate`: `None` when it has no run."""
        latest = EvalRun.objects.filter(suite=OuterRef("pk")).newest_first()
        return self.annotate(
            latest_run_id=Subquery(latest.values("pk")[:1]),
            latest_run_status=Subquery(latest.values("status")[:1]),
            latest_success_rate=Subquery(latest.values("success_rate")[:1]),
        )


class EvalSuite(Named):
    """A dataset with assertions, and the agent that is evaluated with it.

    What is unset (`None`) among the defaults is left to the command and the settings.

    Attributes:
        dataset: The items, a list of objects. Larger ones than `LIMITS` allows belong into a file, with an evaluator.
        item_count: How many items the dataset has; set whenever it is stored.
        content_hash: Hash of the dataset; set whenever it is stored.
        judge_config: Legacy form of the judge: `provider`, `model`, `instructions`, or `agent_id`.
        repeats: How often each item is executed, 1 or more.
        concurrency: How many items are in flight at most, 1 or more.
        timeout: Seconds that an item may take.
        retries: How often an item is tried again after an error of infrastructure, 0 or more.
        min_success_rate: Lowest success rate that is good enough, 0 to 1.
        baseline: The run that others are compared with.
    """

    KIND: ClassVar[str] = "suite"

    description = CleanTextField(_("description"), blank=True)
    agent = models.ForeignKey(
        AgentDefinition, models.PROTECT, related_name="suites", db_index=False, verbose_name=_("agent")
    )
    judge = models.ForeignKey(
        AgentDefinition,
        models.PROTECT,
        related_name="judged_suites",
        db_index=False,
        null=True,
        blank=True,
        verbose_name=_("judge"),
    )
    dataset = CleanJSONField(_("dataset"), default=list, blank=True)
    item_count = models.PositiveIntegerField(_("items"), default=0, editable=False)
    content_hash = models.CharField(_("hash of the dataset"), max_length=64, default="", blank=True, editable=False)
    judge_config = CleanJSONField(_("legacy judge"), default=dict, blank=True, validators=[validate_object])
    repeats = models.PositiveSmallIntegerField(_("repeats"), null=True, blank=True, validators=[MinValueValidator(1)])
    concurrency = models.PositiveSmallIntegerField(
        _("items in flight"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    timeout = FiniteFloatField(
        _("time limit"), null=True, blank=True, validators=[validate_positive], help_text=_("Seconds of an item.")
    )
    retries = models.PositiveSmallIntegerField(_("retries"), null=True, blank=True)
    min_success_rate = FiniteFloatField(
        _("lowest success rate"),
        null=True,
        blank=True,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text=_("A fraction from 0 to 1."),
    )
    tags = CleanJSONField(_("tags"), default=list, blank=True, validators=[validate_names])
    baseline = models.ForeignKey(
        EvalRun, models.PROTECT, related_name="+", db_index=False, null=True, blank=True, verbose_name=_("baseline")
    )
    is_active = models.BooleanField(_("active"), default=True)
    metadata = CleanJSONField(_("metadata"), default=dict, blank=True, validators=[validate_object])
    created_by = models.ForeignKey(
        conf.user_model(),
        models.SET_NULL,
        related_name="+",
        db_index=False,
        null=True,
        blank=True,
        verbose_name=_("created by"),
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated"), auto_now=True)

    objects = SuiteQuerySet.as_manager()

    class Meta:
        verbose_name = _("suite")
        verbose_name_plural = _("suites")
        permissions: ClassVar = [("run_evalsuite", "Can run suite")]
        constraints: ClassVar = [models.UniqueConstraint(fields=["slug"], name="neuron_evals_suite_slug")]
        indexes: ClassVar = [
            models.Index(fields=["agent", "name"], name="neuron_evals_suite_agent"),
            models.Index(fields=["judge"], name="neuron_evals_suite_judge"),
            models.Index(fields=["baseline"], name="neuron_evals_suite_baseline"),
            models.Index(fields=["created_by"], name="neuron_evals_suite_creator"),
            models.Index(fields=["name"], name="neuron_evals_suite_name"),
        ]

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the suite; `item_count` and `content_hash` are set with the dataset."""
        names = kwargs.get("update_fields")
        if "dataset" in self.__dict__ and (names is None or "dataset" in names):
            self.item_count = len(self.dataset) if isinstance(self.dataset, list) else 0
            self.content_hash = dataset_hash(self.dataset)
            if names is not None:
                kwargs["update_fields"] = {*names, "item_count", "content_hash"}
        super().save(*args, **kwargs)

    def clean(self) -> None:
        """Refuse a dataset that is no list of a size that `LIMITS` allows, and a legacy judge with unknown keys.

        What the items may hold is not looked at here.

        Raises:
            ValidationError: It lists all problems by field.
        """
        super().clean()
        problems = {}
        if wrong := _dataset_problem(self.dataset):
            problems["dataset"] = wrong
        if isinstance(self.judge_config, dict) and (
            unknown := [key for key in self.judge_config if key not in LEGACY_JUDGE]
        ):
            valid = ", ".join(LEGACY_JUDGE)
            near = conf.did_you_mean(str(unknown[0]), LEGACY_JUDGE)
            problems["judge_config"] = f'There is no key "{unknown[0]}". {near} The keys are {valid}.'.replace(
                "  ", " "
            )
        if problems:
            raise ValidationError(problems)


def _dataset_problem(dataset: object) -> str:
    limits = conf.read().limits
    if not isinstance(dataset, list):
        return f"A dataset is a JSON list of items, got {_json_kind(dataset)}."
    if len(dataset) > limits.dataset_items:
        return (
            f"The dataset has {len(dataset):,} items; a suite holds at most {limits.dataset_items:,}. "
            "Put a larger one into a file, with an evaluator in code."
        )
    size = len(json.dumps(clean_json(dataset), ensure_ascii=False).encode())
    if size > limits.dataset_bytes:
        return (
            f"The dataset has {size:,} bytes as JSON; a suite holds at most {limits.dataset_bytes:,}. "
            "Put a larger one into a file, with an evaluator in code."
        )
    return ""


def _json_kind(value: object) -> str:
    kinds = {dict: "an object", str: "text", bool: "a truth value", int: "a number", float: "a number"}
    return "nothing" if value is None else kinds.get(type(value), type(value).__name__)
