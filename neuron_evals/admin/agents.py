"""Agent definitions: to edit, with all problems by field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from neuron_evals.admin import texts
from neuron_evals.admin.deletion import CountedDeletion
from neuron_evals.admin.forms import OneFault, StrictJSON
from neuron_evals.admin.pages import Tool, list_of
from neuron_evals.models import AgentDefinition, EvalRun, EvalSuite

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest


@admin.register(AgentDefinition)
class AgentDefinitionAdmin(StrictJSON, CountedDeletion):
    """Agent definitions."""

    form = OneFault
    list_display = ("shown_name", "slug", "category", "built_from", "is_active", "updated_at")
    list_filter = ("category", "is_active", "provider")
    search_fields = ("name", "slug", "model", "code")
    ordering = ("name", "pk")
    readonly_fields = ("fingerprint", "created_at", "updated_at")
    fieldsets: ClassVar[Any] = [
        (None, {"fields": ["name", "slug", "description", "category", "is_active"]}),
        (_("An agent in code"), {"fields": ["code"]}),
        (_("Or a model"), {"fields": ["provider", "model", "instructions", "tools", "approval_tools", "max_steps"]}),
        (
            _("How the model answers"),
            {
                "fields": ["temperature", "top_p", "max_tokens", "seed", "timeout"],
                "description": _("What is left empty is not sent."),
            },
        ),
        (_("More"), {"fields": ["metadata", "fingerprint", "created_at", "updated_at"], "classes": ["collapse"]}),
    ]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return what cannot be changed: the slug too, once it is stored."""
        return self.readonly_fields if obj is None else ("slug", *self.readonly_fields)

    def lightened(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return the definitions without their instructions."""
        return rows.defer("instructions", "description", "metadata", "tools", "approval_tools")

    def needing(self, keys: list[Any]) -> list[QuerySet[Any]]:
        """Return the suites and runs that name one of them."""
        return [
            model.objects.filter(**{f"{column}__in": keys})
            for model in (EvalSuite, EvalRun)
            for column in ("agent", "judge")
        ]

    def page_tools(self, request: HttpRequest, row: AgentDefinition) -> list[Tool]:
        """Return the way to the suites that evaluate it."""
        return [{"label": _("Suites"), "url": list_of(self, EvalSuite, agent__id__exact=row.pk), "post": False}]

    @admin.display(description=_("name"), ordering="name")
    def shown_name(self, agent: AgentDefinition) -> str:
        """Return the name."""
        return str(agent)

    @admin.display(description=_("built from"))
    def built_from(self, agent: AgentDefinition) -> str:
        """Return the agent's name in code, or the provider with the model."""
        if agent.code:
            return gettext("code: %s") % texts.one_line(agent.code, 200)
        return texts.joined(texts.one_line(part, 200) for part in (agent.provider, agent.model) if part)

    @admin.display(description=_("fingerprint"))
    def fingerprint(self, agent: AgentDefinition) -> str:
        """Return a hash of all that shapes the answers."""
        return agent.fingerprint or gettext("unknown")
