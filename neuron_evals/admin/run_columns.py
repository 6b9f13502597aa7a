"""What pages and lists show of a run."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from neuron_evals.admin import texts
from neuron_evals.admin.pages import Pages, list_of, page_of
from neuron_evals.models import AgentDefinition, EvalRun, EvalRunShard, EvalSuite, ItemStatus

_SHARDS = 20


class RunColumns(Pages):
    """The columns of lists of runs, and the fields of their pages."""

    @admin.display(description=_("run"), ordering="pk")
    def number(self, run: EvalRun) -> str:
        """Return the run's number."""
        return str(run.pk)

    @admin.display(description=_("source"), ordering="source")
    def shown_source(self, run: EvalRun) -> str:
        """Return what was run."""
        return texts.one_line(run.source) or texts.NONE

    @admin.display(description=_("status"), ordering="status")
    def outcome(self, run: EvalRun) -> str:
        """Return the status with its colour."""
        return texts.badge(run.status, run.get_status_display())

    @admin.display(description=_("marks"))
    def marks(self, run: EvalRun) -> str:
        """Return what a reader must know of how the results came about."""
        found = []
        if run.fake:
            found.append(gettext("fake: canned replies stood in for the agent"))
        if run.cached_count:
            found.append(gettext("%d from the cache") % run.cached_count)
        if run.attempt > 1:
            found.append(gettext("resumed, attempt %d") % run.attempt)
        if run.parent_id is not None:
            found.append(gettext("repeats run %d") % run.parent_id)
        if run.cancel_requested_at is not None and not run.is_over:
            found.append(gettext("is being cancelled"))
        return texts.joined(found)

    @admin.display(description=_("results"))
    def counts(self, run: EvalRun) -> str:
        """Return how many results of each status there are; they are counted when the run ends."""
        planned = gettext("unknown") if run.planned_count is None else str(run.planned_count)
        if not run.is_over and not run.total_count:
            return gettext("%s planned, counted at the end") % planned
        words = [f"{getattr(run, f'{status}_count')} {status.label.lower()}" for status in ItemStatus]
        return gettext("%(total)d of %(planned)s: %(parts)s") % {
            "total": run.total_count,
            "planned": planned,
            "parts": ", ".join(words),
        }

    @admin.display(description=_("success rate"), ordering="success_rate")
    def shown_rate(self, run: EvalRun) -> str:
        """Return the success rate."""
        return texts.rate(run.success_rate)

    @admin.display(description=_("aggregate score"), ordering="aggregate_score")
    def shown_score(self, run: EvalRun) -> str:
        """Return the mean score."""
        return texts.number(run.aggregate_score)

    @admin.display(description=_("checks"))
    def check_counts(self, run: EvalRun) -> str:
        """Return how many checks ended in each verdict."""
        return gettext("%(passed)d passed, %(failed)d failed, %(broken)d broken, %(skipped)d skipped") % {
            "passed": run.assertions_passed,
            "failed": run.assertions_failed,
            "broken": run.assertions_broken,
            "skipped": run.assertions_skipped,
        }

    @admin.display(description=_("agent"), ordering="agent__name")
    def agent_name(self, run: EvalRun) -> str:
        """Return the agent's name."""
        return texts.NONE if run.agent is None else str(run.agent)

    @admin.display(description=_("duration"))
    def duration(self, run: EvalRun) -> str:
        """Return the time from its first start to its end."""
        return texts.seconds(None if run.duration is None else run.duration.total_seconds())

    @admin.display(description=_("suite"))
    def suite_page(self, run: EvalRun) -> str:
        """Return a link to the suite."""
        return self._link(EvalSuite, run.suite_id, gettext("suite"))

    @admin.display(description=_("agent"))
    def agent_page(self, run: EvalRun) -> str:
        """Return a link to the agent definition; an agent from code has none."""
        return self._link(AgentDefinition, run.agent_id, str(run.agent_snapshot.get("name") or gettext("agent")))

    @admin.display(description=_("judge"))
    def judge_page(self, run: EvalRun) -> str:
        """Return a link to the judge's definition."""
        return self._link(AgentDefinition, run.judge_id, str(run.judge_snapshot.get("name") or gettext("judge")))

    @admin.display(description=_("launcher"))
    def shown_launcher(self, run: EvalRun) -> str:
        """Return what carries the run."""
        return texts.one_line(run.launcher, 100) or texts.NONE

    @admin.display(description=_("batch"))
    def shown_batch(self, run: EvalRun) -> str:
        """Return what the runs of one command share."""
        return texts.one_line(run.batch, 100) or texts.NONE

    @admin.display(description=_("code revision"))
    def shown_revision(self, run: EvalRun) -> str:
        """Return the revision of the code that ran."""
        return texts.one_line(run.code_revision, 100) or texts.NONE

    @admin.display(description=_("parent"))
    def parent_page(self, run: EvalRun) -> str:
        """Return a link to the run of which this one repeats a part."""
        return self._link(EvalRun, run.parent_id, gettext("run"))

    def _link(self, model: Any, key: int | None, word: str) -> str:
        if key is None:
            return texts.NONE
        return format_html('<a href="{}">{} {}</a>', page_of(self, model, key), texts.one_line(word), key)

    @admin.display(description=_("error"))
    def shown_error(self, run: EvalRun) -> str:
        """Return why it ended as an error."""
        return texts.text_block(run.error)

    @admin.display(description=_("error of the launcher"))
    def shown_dispatch_error(self, run: EvalRun) -> str:
        """Return why the launcher could not be reached."""
        return texts.text_block(run.dispatch_error)

    @admin.display(description=_("shards"))
    def shown_shards(self, run: EvalRun) -> str:
        """Return the parts of the run, and who has them."""
        rows = run.shards.order_by("number").values("number", "status", "executor", "heartbeat_at")[:_SHARDS]
        shards = [{**row, "heartbeat_at": row["heartbeat_at"] and str(row["heartbeat_at"])} for row in rows]
        return format_html(
            '{}<a href="{}">{}</a>',
            texts.figures(shards),
            list_of(self, EvalRunShard, run=run.pk),
            gettext("All shards"),
        )

    @admin.display(description=_("score statistics"))
    def shown_statistics(self, run: EvalRun) -> str:
        """Return statistics of the checks' scores by label."""
        return texts.figures(run.score_statistics)

    @admin.display(description=_("times, tokens, cost"))
    def shown_metrics(self, run: EvalRun) -> str:
        """Return percentiles of the latency, tokens and cost."""
        return texts.figures(run.metrics) if run.metrics else gettext("unknown")

    @admin.display(description=_("options"))
    def shown_options(self, run: EvalRun) -> str:
        """Return how it was run."""
        return texts.figures(run.options)

    @admin.display(description=_("agent as it was"))
    def shown_agent(self, run: EvalRun) -> str:
        """Return the agent's definition as it was."""
        return texts.json_block(run.agent_snapshot)

    @admin.display(description=_("judge as it was"))
    def shown_judge(self, run: EvalRun) -> str:
        """Return the judge's definition as it was."""
        return texts.json_block(run.judge_snapshot)

    @admin.display(description=_("versions"))
    def shown_versions(self, run: EvalRun) -> str:
        """Return the versions of what ran."""
        return texts.figures(run.versions)

    @admin.display(description=_("metadata"))
    def shown_metadata(self, run: EvalRun) -> str:
        """Return the metadata."""
        return texts.json_block(run.metadata)
