"""Suites as rows: evaluators written as data."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Count, OuterRef, Subquery
from django.utils.translation import gettext_lazy as _

from neuron_evals import conf
from neuron_evals.core.bounds import MAX_CONCURRENCY, MAX_REPEATS, MAX_RETRIES
from neuron_evals.models.agents import AgentDefinition
from neuron_evals.models.datasets import dataset_errors, dataset_hash
from neuron_evals.models.fields import CleanJSONField, CleanTextField, FiniteFloatField
from neuron_evals.models.legacy_judges import legacy_judge_problem
from neuron_evals.models.runs import EvalRun
from neuron_evals.models.slugs import Named, NamedQuerySet
from neuron_evals.models.validators import validate_names, validate_object, validate_positive


class SuiteQuerySet(NamedQuerySet["EvalSuite"]):
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
        repeats: How often each item is executed, 1 to `MAX_REPEATS`.
        concurrency: How many items are in flight at most, 1 to `MAX_CONCURRENCY`.
        timeout: Seconds that an item may take.
        retries: How often an item is tried again after an error of infrastructure, 0 to `MAX_RETRIES`.
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
    repeats = models.PositiveSmallIntegerField(
        _("repeats"), null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(MAX_REPEATS)]
    )
    concurrency = models.PositiveSmallIntegerField(
        _("items in flight"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_CONCURRENCY)],
    )
    timeout = FiniteFloatField(
        _("time limit"), null=True, blank=True, validators=[validate_positive], help_text=_("Seconds of an item.")
    )
    retries = models.PositiveSmallIntegerField(
        _("retries"), null=True, blank=True, validators=[MaxValueValidator(MAX_RETRIES)]
    )
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
        """Refuse a dataset that the one validator refuses, and a legacy judge that is none.

        Raises:
            ValidationError: It lists all problems by field; those of items are `DatasetItemError`.
        """
        super().clean()
        problems: dict[str, Any] = {}
        if errors := dataset_errors(self.dataset, has_judge=self.has_judge):
            problems["dataset"] = errors
        if isinstance(self.judge_config, dict):
            wrong = legacy_judge_problem(self.judge_config, self._tested(), self._state.db)
            if wrong:
                problems["judge_config"] = wrong
        if problems:
            raise ValidationError(problems)

    @property
    def has_judge(self) -> bool:
        """Whether it has a judge, in the legacy form or not."""
        config = self.judge_config
        return self.judge_id is not None or (isinstance(config, dict) and any(config.values()))

    def _tested(self) -> AgentDefinition | None:
        try:
            tested: AgentDefinition | None = self.agent
        except AgentDefinition.DoesNotExist:  # its own field says so
            return None
        return tested
