"""Results of runs: a list without the large columns, and a page with all that is known of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from neuron_evals.admin import texts
from neuron_evals.admin.checks import checks_table
from neuron_evals.admin.filters import RunFilter
from neuron_evals.admin.pages import ReadOnlyPages, Tool, list_of, new_page_of, page_of
from neuron_evals.admin.reviews import may_review, reviews_table
from neuron_evals.models import EvalReview, EvalRun, EvalRunItem
from neuron_evals.models.items import LARGE

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest

_OF_RUNS = (
    "options",
    "agent_snapshot",
    "judge_snapshot",
    "versions",
    "score_statistics",
    "metrics",
    "metadata",
    "error",
    "dispatch_error",
)
_NOT_LISTED = (*LARGE, "error", "usage", "metrics", "tags", "details", *(f"run__{column}" for column in _OF_RUNS))


def marks(item: EvalRunItem) -> list[str]:
    """Return what a reader must know of how a result came about: fake, cached, tried again, repeated."""
    found = []
    if item.run.fake:
        found.append(gettext("fake: canned replies stood in for the agent"))
    if item.cached_run:
        found.append(gettext("from the cache"))
    if item.attempts > 1:
        found.append(ngettext("%d attempt", "%d attempts", item.attempts) % item.attempts)
    if item.repeat:
        found.append(gettext("repeat %d") % (item.repeat + 1))
    return found


@admin.register(EvalRunItem)
class EvalRunItemAdmin(ReadOnlyPages):
    """Results of runs."""

    list_display = ("position", "item", "outcome", "shown_score", "marks", "seconds", "shown_cost")
    list_display_links = ("position", "item")
    list_filter = (RunFilter, "status", "cached_run")
    list_select_related = ("run",)
    search_fields = ("item_id",)
    ordering = ("-run", "index", "repeat")
    fieldsets: ClassVar[Any] = [
        (None, {"fields": ["run_page", "position", "item", "outcome", "shown_score", "marks", "shown_tags"]}),
        (_("Checks"), {"fields": ["shown_checks"]}),
        (_("Input and output"), {"fields": ["shown_input", "shown_output"]}),
        (_("Conversation"), {"fields": ["transcript", "ending"]}),
        (_("Error"), {"fields": ["shown_error", "traceback", "other_attempts"]}),
        (_("Time, tokens, cost"), {"fields": ["seconds", "shown_usage", "shown_metrics", "shown_cost", "created_at"]}),
        (_("Reviews"), {"fields": ["shown_reviews"]}),
    ]
    readonly_fields = tuple(name for _title, options in fieldsets for name in options["fields"])

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return that no result is deleted without its run: the counts of the run would not hold any more."""
        return False

    def lightened(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return the results without their large columns, and those of their runs."""
        return rows.defer(*_NOT_LISTED)

    def page_tools(self, request: HttpRequest, row: EvalRunItem) -> list[Tool]:
        """Return the way to a new review, and to the other results of the run."""
        tools: list[Tool] = [
            {"label": _("Items of the run"), "url": list_of(self, EvalRunItem, run=row.run_id), "post": False}
        ]
        if may_review(request):
            add = new_page_of(self, EvalReview, item=row.pk)
            tools.append({"label": _("Add review"), "url": add, "post": False})
        return tools

    @admin.display(description=_("run"))
    def run_page(self, item: EvalRunItem) -> str:
        """Return a link to the run."""
        return format_html(
            '<a href="{}">{}</a>', page_of(self, EvalRun, item.run_id), texts.one_line(str(item.run), 200)
        )

    @admin.display(description=_("position"), ordering="index")
    def position(self, item: EvalRunItem) -> str:
        """Return where the item stands in the dataset, counted from 0, as problems and reports do."""
        return str(item.index)

    @admin.display(description=_("item"), ordering="item_id")
    def item(self, item: EvalRunItem) -> str:
        """Return the item's identity."""
        return texts.one_line(item.item_id)

    @admin.display(description=_("status"), ordering="status")
    def outcome(self, item: EvalRunItem) -> str:
        """Return the status with its colour."""
        return texts.badge(item.status, item.get_status_display())

    @admin.display(description=_("score"), ordering="score")
    def shown_score(self, item: EvalRunItem) -> str:
        """Return the score."""
        return texts.number(item.score)

    @admin.display(description=_("marks"))
    def marks(self, item: EvalRunItem) -> str:
        """Return how the result came about."""
        return texts.joined(marks(item))

    @admin.display(description=_("time"), ordering="execution_time")
    def seconds(self, item: EvalRunItem) -> str:
        """Return how long the item took."""
        return texts.seconds(item.execution_time)

    @admin.display(description=_("cost"), ordering="cost")
    def shown_cost(self, item: EvalRunItem) -> str:
        """Return what the agent's model calls cost."""
        return texts.number(item.cost)

    @admin.display(description=_("tags"))
    def shown_tags(self, item: EvalRunItem) -> str:
        """Return the tags."""
        return texts.joined(texts.one_line(str(tag)) for tag in item.tags)

    @admin.display(description=_("checks"))
    def shown_checks(self, item: EvalRunItem) -> str:
        """Return the checks as a table."""
        return checks_table(item)

    @admin.display(description=_("input"))
    def shown_input(self, item: EvalRunItem) -> str:
        """Return the item as the dataset gave it."""
        return texts.json_block(item.input)

    @admin.display(description=_("output"))
    def shown_output(self, item: EvalRunItem) -> str:
        """Return the output: text as text, all else as JSON."""
        if isinstance(item.output, str) or item.details.get("output_is") == "trajectory":
            return texts.text_block(item.output_text)
        return texts.json_block(item.output)

    @admin.display(description=_("transcript"))
    def transcript(self, item: EvalRunItem) -> str:
        """Return the conversation as text."""
        from neuron_evals.outputs.reading import result_of  # noqa: PLC0415  (a start loads no engine)

        trajectory = result_of(item, "").trajectory
        return texts.text_block("" if trajectory is None else trajectory.to_transcript())

    @admin.display(description=_("ending"))
    def ending(self, item: EvalRunItem) -> str:
        """Return why the conversation ended."""
        return texts.figures(item.details.get("ending"))

    @admin.display(description=_("error"))
    def shown_error(self, item: EvalRunItem) -> str:
        """Return what broke."""
        return texts.text_block(item.error)

    @admin.display(description=_("traceback"))
    def traceback(self, item: EvalRunItem) -> str:
        """Return where it broke."""
        return texts.text_block(str(item.details.get("traceback") or ""))

    @admin.display(description=_("attempts that do not count"))
    def other_attempts(self, item: EvalRunItem) -> str:
        """Return what became of the other attempts."""
        return texts.json_block(item.details.get("other_attempts"))

    @admin.display(description=_("tokens and seconds of each side"))
    def shown_usage(self, item: EvalRunItem) -> str:
        """Return what each side used; of the agent the tokens are always there, known or not."""
        known = item.usage.get("agent")
        agent = {"input": None, "output": None, **(known if isinstance(known, dict) else {})}
        return texts.figures({**item.usage, "agent": agent})

    @admin.display(description=_("figures of the project"))
    def shown_metrics(self, item: EvalRunItem) -> str:
        """Return what was recorded by `record_metric`."""
        return texts.figures(item.metrics)

    @admin.display(description=_("reviews"))
    def shown_reviews(self, item: EvalRunItem) -> str:
        """Return what people said about the result."""
        return reviews_table(item)
