"""What all pages share: lists without large columns, tools beside the title, rights, what can only be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypedDict
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.urls import reverse

if TYPE_CHECKING:
    from django.db.models import Model, QuerySet
    from django.http import HttpRequest, HttpResponse
    from django.utils.functional import _StrPromise


class Tool(TypedDict):
    """A link or a button beside the title of a page.

    Attributes:
        label: What it says.
        url: Where it leads.
        post: Whether it is a button that changes something, and not a link.
    """

    label: str | _StrPromise
    url: str
    post: bool


class LightList(ChangeList):
    """A list whose rows leave their large columns in the database."""

    def get_queryset(self, *args: Any, **kwargs: Any) -> QuerySet[Any]:
        """Return the rows of the list."""
        rows = super().get_queryset(*args, **kwargs)
        light: QuerySet[Any] = self.model_admin.lightened(rows)  # type: ignore[attr-defined]
        return light


class Pages(admin.ModelAdmin):  # type: ignore[type-arg]
    """Pages of one of the models."""

    list_per_page = 50
    # Both would count a table of millions of rows again for each page.
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER

    class Media:
        """Styles for what these pages show beside Django's own."""

        css: ClassVar = {"all": ["neuron_evals/admin.css"]}

    def lightened(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows of the list without what it does not show."""
        return rows

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Return the class of the list."""
        return LightList

    def allows(self, request: HttpRequest, codename: str) -> bool:
        """Return whether a person has a permission of this app beside the right to see these pages."""
        named = f"{self.opts.app_label}.{codename}"
        return self.has_view_permission(request) and request.user.has_perm(named)

    def page_tools(self, request: HttpRequest, row: Any) -> list[Tool]:
        """Return what stands beside the title of a row's page."""
        return []

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Return the page of a row, with its tools."""
        row = context.get("original")
        context["tools"] = [] if row is None else self.page_tools(request, row)
        return super().render_change_form(request, context, *args, **kwargs)

    def wanted(self, request: HttpRequest, object_id: str, *, allowed: bool) -> Any:
        """Return the row that a button of its page is for.

        Raises:
            PermissionDenied: It is not `allowed`.
            Http404: There is no such row.
        """
        if not allowed:
            raise PermissionDenied
        row = self.get_object(request, unquote(object_id))
        if row is None:
            raise Http404
        return row


class ReadOnlyPages(Pages):
    """Pages of rows that nobody writes by hand. Who may delete them still can."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return that nobody adds one."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return that nobody changes one."""
        return False


def page_of(pages: admin.ModelAdmin[Any], model: type[Model], key: object) -> str:
    """Return the address of a row's page.

    Args:
        pages: Pages of the same admin site.
        model: The row's model.
        key: Its primary key.
    """
    return reverse(_named(pages, model, "change"), args=[key])


def new_page_of(pages: admin.ModelAdmin[Any], model: type[Model], **query: object) -> str:
    """Return the address of the page of a new row; the query fills its form."""
    return f"{reverse(_named(pages, model, 'add'))}?{urlencode(query)}"


def list_of(pages: admin.ModelAdmin[Any], model: type[Model], **query: object) -> str:
    """Return the address of a list; the query filters it."""
    return f"{reverse(_named(pages, model, 'changelist'))}?{urlencode(query)}"


def tool_of(pages: admin.ModelAdmin[Any], row: Model, name: str) -> str:
    """Return the address of a button of a row's page."""
    return reverse(_named(pages, type(row), name), args=[row.pk])


def _named(pages: admin.ModelAdmin[Any], model: type[Model], page: str) -> str:
    meta = model._meta  # noqa: SLF001  (Django's documented name)
    return f"{pages.admin_site.name}:{meta.app_label}_{meta.model_name}_{page}"
