"""Reviews: anybody who may review adds one, nobody changes one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpResponseRedirect
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from neuron_evals.admin import texts
from neuron_evals.admin.pages import Pages, page_of
from neuron_evals.models import EvalReview, EvalRunItem

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


def may_review(request: HttpRequest) -> bool:
    """Return whether a person may review results: to read them is part of it."""
    return request.user.has_perms(["neuron_evals.view_evalrunitem", "neuron_evals.review_evalrunitem"])


def reviews_table(item: EvalRunItem) -> str:
    """Return the reviews of a result as a table, the newest, which is in force, first."""
    rows = [
        {
            "verdict": review.get_verdict_display(),
            "reviewer": texts.NONE if review.reviewer is None else str(review.reviewer),
            "created_at": review.created_at,
            "note": texts.text_block(review.note),
        }
        for review in item.reviews.newest_first().select_related("reviewer")
    ]
    return render_to_string("admin/neuron_evals/reviews.html", {"reviews": rows}) if rows else texts.NONE


@admin.register(EvalReview)
class EvalReviewAdmin(Pages):
    """Reviews of results."""

    list_display = ("__str__", "verdict", "item_page", "reviewer", "shown_note", "created_at")
    list_filter = ("verdict", "created_at")
    list_select_related = ("reviewer",)
    raw_id_fields = ("item",)
    ordering = ("-pk",)
    readonly_fields = ("item_page", "reviewer", "shown_note", "created_at")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the fields: of a new review what is asked, of a stored one what was said."""
        if obj is None:
            return ["item", "verdict", "note"]
        return ["item_page", "verdict", "reviewer", "shown_note", "created_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return whether a person may review."""
        return may_review(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return that nobody changes what was said; a newer review takes its place."""
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: Any) -> None:
        """Store a review as that of the person who is signed in."""
        obj.reviewer = request.user
        super().save_model(request, obj, form, change)

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        """Return to the result."""
        response = super().response_add(request, obj, post_url_continue)
        if "_addanother" in request.POST or "_continue" in request.POST or "_popup" in request.POST:
            return response
        return HttpResponseRedirect(page_of(self, EvalRunItem, obj.item_id))

    @admin.display(description=_("run item"), ordering="item")
    def item_page(self, review: EvalReview) -> str:
        """Return a link to the result, which is not loaded for it."""
        return format_html('<a href="{}">{}</a>', page_of(self, EvalRunItem, review.item_id), review.item_id)

    @admin.display(description=_("note"))
    def shown_note(self, review: EvalReview) -> str:
        """Return the note."""
        return texts.text_block(review.note)
