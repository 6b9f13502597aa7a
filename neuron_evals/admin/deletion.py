"""Deleting: what goes along is counted, and what stands against it is said, without loading thousands of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.db import transaction
from django.db.models import ProtectedError
from django.http import HttpResponseRedirect
from django.utils.translation import gettext

from neuron_evals.admin.pages import Pages, page_of

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse


class CountedDeletion(Pages):
    """Pages of rows that others belong to or need."""

    def belonging(self, keys: list[Any]) -> list[QuerySet[Any]]:
        """Return what is deleted along with rows of these keys."""
        return []

    def needing(self, keys: list[Any]) -> list[QuerySet[Any]]:
        """Return what keeps rows of these keys from being deleted."""
        return []

    def get_deleted_objects(
        self,
        objs: Any,
        request: HttpRequest,
    ) -> tuple[list[Any], dict[str, int], set[str], list[Any]]:
        """Return what the page of a deletion shows: the rows, counts by kind, rights that lack, and what hinders it."""
        rows = list(objs)
        keys = [row.pk for row in rows]
        counts = {str(self.opts.verbose_name_plural): len(rows)}
        counts |= _counted(self.belonging(keys), lambda meta: str(meta.verbose_name_plural))
        lacking = set() if self.has_delete_permission(request) else {str(self.opts.verbose_name)}
        hindering = _counted(self.needing(keys), lambda meta: str(meta.verbose_name_plural))
        hints = [gettext("%(count)d %(kind)s") % {"count": count, "kind": kind} for kind, count in hindering.items()]
        return [str(row) for row in rows], counts, lacking, hints

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Show the page of a deletion, or delete; what began to stand against it meanwhile is a message."""
        try:
            return super().delete_view(request, object_id, extra_context)
        except ProtectedError as exc:
            self.message_user(request, str(exc.args[0]), messages.ERROR)
            return HttpResponseRedirect(page_of(self, self.model, object_id))

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **kwargs: Any) -> Any:
        """Do what was chosen for the selected rows; what began to stand against deleting them is a message."""
        if request.POST.get("action") != "delete_selected":
            return super().response_action(request, queryset, *args, **kwargs)
        try:
            # Django notes what is deleted before it is.
            with transaction.atomic(queryset.db):
                return super().response_action(request, queryset, *args, **kwargs)
        except ProtectedError as exc:
            self.message_user(request, str(exc.args[0]), messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())


def _counted(queries: list[QuerySet[Any]], name: Callable[[Any], str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for rows in queries:
        if count := rows.count():
            kind = name(rows.model._meta)  # noqa: SLF001  (Django's documented name)
            counts[kind] = counts.get(kind, 0) + count
    return counts
