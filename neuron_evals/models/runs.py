"""Runs: stored executions of suites and evaluators."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from django.db import DEFAULT_DB_ALIAS, models
from django.utils.translation import gettext_lazy as _

from neuron_evals import conf
from neuron_evals.core.printable import printable
from neuron_evals.models.agents import AgentDefinition
from neuron_evals.models.contention import despite_contention
from neuron_evals.models.counts import COUNTS, counted
from neuron_evals.models.fields import CleanCharField, CleanJSONField, CleanTextField, FiniteFloatField
from neuron_evals.models.run_queries import LONGEST_SOURCE, RunQuerySet
from neuron_evals.models.run_status import ENDED, RunStatus, Trigger

if TYPE_CHECKING:
    from datetime import timedelta

STATE = ("status", "attempt", "cancel_requested_at", "queued_at", "started_at", "finished_at", *COUNTS)
"""The columns that change in single statements with a condition only."""

_RECOUNTS = 5
"""How often a run is counted that moves on each time: in a transaction that sees no others, it does for ever."""


class EvalRun(models.Model):
    """One stored execution of a suite or an evaluator.

    Its state (`STATE`) changes through `neuron_evals.models.states` and `leases` only, each time by one statement with
    a condition: two that act at once cannot undo each other's work.

    Attributes:
        suite: `None` for an evaluator from code.
        agent: The agent definition that was evaluated; `None` for one from code.
        judge: The agent definition that graded; `None` when there was none.
        source: What was run, for people: the evaluator's dotted name, or the suite's name.
        batch: Shared by the runs of one command; empty when there is one run.
        status: Where it is. `passed` is what exit status 0 means.
        triggered_by: Who started it; `None` for a schedule, or when the account is gone.
        launcher: What carries it, such as `process`; empty for a command that runs it itself.
        dispatch_error: Why the launcher could not be reached; empty when it could.
        idempotency_key: A hash of the key and the person, unique; `None` when no key was given.
        fake: Whether the agent was replaced; then it says nothing about the agent.
        options: How it was run, such as concurrency, repeats and time limit. It is executed by them and by both
            snapshots, so that none of the three is ever cut.
        agent_snapshot: The agent's definition as it was, as `judge_snapshot` the judge's; `{}` when unknown.
        agent_fingerprint: Hash of all that shaped the agent's answers; empty when unknown.
        suite_hash: Hash of the suite's dataset as it was.
        code_revision: The project's revision, such as a commit; empty when unknown.
        versions: Versions of what ran, by name.
        planned_count: How many results it will have; `None` when unknown.
        total_count: How many results it has. The counts by status add up to it.
        success_rate: Passed / (passed + failed + error), 0 to 1; with repeats the mean of the items' shares. `None`
            when nothing counted.
        aggregate_score: Mean score of the items that have one; `None` when none has.
        score_statistics: Statistics of the checks' scores by label.
        metrics: Percentiles of the latency, tokens, cost: `None` in it where unknown.
        error: Why it ended as `error`; empty otherwise.
        attempt: 1, and 1 more each time it is resumed.
        cancel_requested_at: When somebody asked to cancel it; `None` when nobody did.
        parent: The run of which this one repeats a part, or grades the answers again.
        queued_at: When it was last put into the queue: made, or resumed.
        started_at: When an executor first had it.
    """

    suite = models.ForeignKey(
        "neuron_evals.EvalSuite",
        models.PROTECT,
        related_name="runs",
        db_index=False,
        null=True,
        blank=True,
        verbose_name=_("suite"),
    )
    agent = models.ForeignKey(
        AgentDefinition,
        models.PROTECT,
        related_name="runs",
        db_index=False,
        null=True,
        blank=True,
        verbose_name=_("agent"),
    )
    judge = models.ForeignKey(
        AgentDefinition,
        models.PROTECT,
        related_name="judged_runs",
        db_index=False,
        null=True,
        blank=True,
        verbose_name=_("judge"),
    )
    source = CleanCharField(_("source"), max_length=LONGEST_SOURCE, blank=True)
    batch = CleanCharField(_("batch"), max_length=64, blank=True)
    status = models.CharField(_("status"), max_length=10, choices=RunStatus, default=RunStatus.QUEUED)
    trigger = models.CharField(_("trigger"), max_length=10, choices=Trigger, default=Trigger.COMMAND)
    triggered_by = models.ForeignKey(
        conf.user_model(),
        models.SET_NULL,
        related_name="+",
        db_index=False,
        null=True,
        blank=True,
        verbose_name=_("triggered by"),
    )
    launcher = CleanCharField(_("launcher"), max_length=100, blank=True)
    dispatch_error = CleanTextField(_("error of the launcher"), blank=True, cut=True)
    idempotency_key = models.CharField(  # noqa: DJ001  (unique: many rows have none)
        _("idempotency key"), max_length=64, null=True, blank=True, editable=False
    )
    fake = models.BooleanField(_("fake"), default=False)
    options = CleanJSONField(_("options"), default=dict, blank=True)
    agent_snapshot = CleanJSONField(_("agent as it was"), default=dict, blank=True)
    agent_fingerprint = CleanCharField(_("fingerprint of the agent"), max_length=64, blank=True)
    judge_snapshot = CleanJSONField(_("judge as it was"), default=dict, blank=True)
    judge_fingerprint = CleanCharField(_("fingerprint of the judge"), max_length=64, blank=True)
    suite_hash = models.CharField(_("hash of the dataset"), max_length=64, blank=True)
    code_revision = CleanCharField(_("code revision"), max_length=100, blank=True)
    versions = CleanJSONField(_("versions"), default=dict, blank=True, cut=True)
    planned_count = models.PositiveIntegerField(_("planned"), null=True, blank=True)
    total_count = models.PositiveIntegerField(_("total"), default=0)
    passed_count = models.PositiveIntegerField(_("passed"), default=0)
    failed_count = models.PositiveIntegerField(_("failed"), default=0)
    error_count = models.PositiveIntegerField(_("errors"), default=0)
    skipped_count = models.PositiveIntegerField(_("skipped"), default=0)
    cancelled_count = models.PositiveIntegerField(_("cancelled"), default=0)
    cached_count = models.PositiveIntegerField(_("from the cache"), default=0)
    success_rate = FiniteFloatField(_("success rate"), null=True, blank=True)
    aggregate_score = FiniteFloatField(_("aggregate score"), null=True, blank=True)
    assertions_passed = models.PositiveIntegerField(_("assertions passed"), default=0)
    assertions_failed = models.PositiveIntegerField(_("assertions failed"), default=0)
    assertions_broken = models.PositiveIntegerField(_("assertions broken"), default=0)
    assertions_skipped = models.PositiveIntegerField(_("assertions skipped"), default=0)
    score_statistics = CleanJSONField(_("score statistics"), default=dict, blank=True, cut=True)
    metrics = CleanJSONField(_("metrics"), default=dict, blank=True, cut=True)
    error = CleanTextField(_("error"), blank=True, cut=True)
    attempt = models.PositiveIntegerField(_("attempt"), default=1)
    cancel_requested_at = models.DateTimeField(_("cancel requested"), null=True, blank=True)
    parent = models.ForeignKey(
        "self",
        models.SET_NULL,
        related_name="children",
        db_index=False,
        null=True,
        blank=True,
        verbose_name=_("parent"),
    )
    metadata = CleanJSONField(_("metadata"), default=dict, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    queued_at = models.DateTimeField(_("queued since"), null=True, blank=True)
    started_at = models.DateTimeField(_("started"), null=True, blank=True)
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        permissions: ClassVar = [("cancel_evalrun", "Can cancel run"), ("export_evalrun", "Can export run")]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["idempotency_key"], name="neuron_evals_run_idempotency")
        ]
        indexes: ClassVar = [
            models.Index(fields=["status", "created_at"], name="neuron_evals_run_status"),
            models.Index(fields=["created_at"], name="neuron_evals_run_created"),
            models.Index(fields=["suite", "created_at"], name="neuron_evals_run_suite"),
            models.Index(fields=["agent", "created_at"], name="neuron_evals_run_agent"),
            models.Index(fields=["judge"], name="neuron_evals_run_judge"),
            models.Index(fields=["batch"], name="neuron_evals_run_batch"),
            models.Index(fields=["triggered_by"], name="neuron_evals_run_triggered_by"),
            models.Index(fields=["parent"], name="neuron_evals_run_parent"),
        ]

    def __str__(self) -> str:
        """Return its number and what was run, with escapes as in a suite's name."""
        return f"run {self.pk}: {printable(self.source)}" if self.source else f"run {self.pk}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store a new run, or columns of a stored one that are not part of its state.

        Raises:
            TypeError: A stored run is saved without `update_fields`, or with columns of the state in it: that would
                undo what others did in between.
        """
        if not self._state.adding:
            names = kwargs.get("update_fields")
            state = sorted(set(STATE) & set(names)) if names is not None else STATE
            if state:
                msg = (
                    f"EvalRun.save: name the columns in update_fields, without {', '.join(state)}; "
                    "the state of a stored run changes through neuron_evals.models.states and leases"
                )
                raise TypeError(msg)
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Delete the run with its items and reviews.

        Raises:
            ProtectedError: It is not over, or a suite has it as its baseline.
        """
        if not self.pk:
            return super().delete(*args, **kwargs)  # which refuses it
        using = kwargs.get("using") or next(iter(args), None) or self.database
        deleted = EvalRun.objects.using(using).filter(pk=self.pk).delete()
        self.pk = None  # as Django does
        return deleted

    @property
    def database(self) -> str:
        """Alias of the database that it is in."""
        return self._state.db or DEFAULT_DB_ALIAS

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens to it unless it is resumed."""
        return self.status in ENDED

    @property
    def duration(self) -> timedelta | None:
        """Time from its first start to its end; `None` before that."""
        if self.started_at is None or self.finished_at is None:
            return None
        return self.finished_at - self.started_at

    @property
    def total_assertions(self) -> int:
        """Number of checks."""
        return self.assertions_passed + self.assertions_failed + self.assertions_broken + self.assertions_skipped

    def recount(self) -> bool:
        """Count the stored results again, store the counts, and return whether any was different.

        Where the run moves on meanwhile, to its end for instance, the counts that belong to that stand, and it is
        counted once more.

        Raises:
            DoesNotExist: It was deleted.
        """
        rows = EvalRun.objects.using(self.database).filter(pk=self.pk)
        for _again in range(_RECOUNTS):
            counts = counted(self.items.using(self.database))
            unmoved = rows.filter(status=self.status, attempt=self.attempt)
            if despite_contention(self.database, partial(unmoved.update, **counts)):
                before = {name: getattr(self, name) for name in COUNTS}
                for name, value in counts.items():
                    setattr(self, name, value)
                return counts != before
            self.refresh_from_db(fields=STATE)
        return False  # whoever moved it each time has counted it
