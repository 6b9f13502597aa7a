"""Agents as rows."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import Any, ClassVar, Self

from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from neuron_evals import conf
from neuron_evals.core.exceptions import ConfigurationError, InvalidArgument
from neuron_evals.core.jsonable import canonical_json
from neuron_evals.models.fields import CleanCharField, CleanJSONField, CleanTextField, FiniteFloatField
from neuron_evals.models.slugs import Named, NamedQuerySet
from neuron_evals.models.validators import validate_names, validate_object, validate_positive

OPTIONS = ("temperature", "top_p", "max_tokens", "seed", "timeout")
"""The columns that say how the model answers; each may be unset."""

UNSTORED = 0
"""Number of a definition that is no row: with `None` in its place, a suite or a run would seem to have no agent."""

_LONGEST_INSTRUCTIONS = 100_000
_OF_PROVIDER = ("provider", "model", "instructions", "tools", "approval_tools", "max_steps", *OPTIONS)


class AgentQuerySet(NamedQuerySet["AgentDefinition"]):
    """Agent definitions."""

    def judges(self) -> Self:
        """Return those that are made to judge. Any agent may."""
        return self.filter(category=AgentDefinition.Category.JUDGE)


class AgentDefinition(Named):
    """An agent: one from code, by its name in the setting `AGENTS`; or a provider's model with instructions and tools.

    Neither keys nor addresses are here: both come from the provider in the settings.

    Attributes:
        code: Name in the setting `AGENTS`; then all that follows is empty.
        provider: Name in the setting `PROVIDERS`.
        model: Name of the model; the provider's by default.
        instructions: System prompt.
        temperature: Randomness, 0 or more. What is `None`, here and below, is not sent.
        top_p: Share of the probability mass that is sampled from, above 0 up to 1.
        max_tokens: Most tokens of one reply, 1 or more.
        seed: Seed of the sampling.
        timeout: Seconds that one model call may take.
        tools: Names in the setting `TOOLS`.
        max_steps: Most model calls in a turn, 1 or more; `None` for the engine's limit.
        approval_tools: Those of the tools of which each call needs an approval.
    """

    KIND: ClassVar[str] = "agent"

    class Category(models.TextChoices):
        """What an agent is for."""

        NONE = "", _("Agent")
        JUDGE = "judge", _("Judge")

    description = CleanTextField(_("description"), blank=True)
    category = models.CharField(_("category"), max_length=20, blank=True, choices=Category, default=Category.NONE)
    code = CleanCharField(_("agent in code"), max_length=200, blank=True, help_text=_("A name in AGENTS."))
    provider = CleanCharField(_("provider"), max_length=200, blank=True, help_text=_("A name in PROVIDERS."))
    model = CleanCharField(_("model"), max_length=200, blank=True)
    instructions = CleanTextField(_("instructions"), blank=True, validators=[MaxLengthValidator(_LONGEST_INSTRUCTIONS)])
    temperature = FiniteFloatField(_("temperature"), null=True, blank=True, validators=[MinValueValidator(0)])
    top_p = FiniteFloatField("top_p", null=True, blank=True, validators=[validate_positive, MaxValueValidator(1)])
    max_tokens = models.PositiveIntegerField(
        _("most tokens of a reply"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    seed = models.BigIntegerField(_("seed"), null=True, blank=True)
    timeout = FiniteFloatField(
        _("time limit"),
        null=True,
        blank=True,
        validators=[validate_positive],
        help_text=_("Seconds of one model call."),
    )
    tools = CleanJSONField(
        _("tools"), default=list, blank=True, validators=[validate_names], help_text=_("Names in TOOLS.")
    )
    max_steps = models.PositiveSmallIntegerField(
        _("most model calls in a turn"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    approval_tools = CleanJSONField(
        _("tools that need an approval"), default=list, blank=True, validators=[validate_names]
    )
    is_active = models.BooleanField(_("active"), default=True)
    metadata = CleanJSONField(_("metadata"), default=dict, blank=True, validators=[validate_object])
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated"), auto_now=True)

    objects = AgentQuerySet.as_manager()

    class Meta:
        verbose_name = _("agent definition")
        verbose_name_plural = _("agent definitions")
        constraints: ClassVar = [models.UniqueConstraint(fields=["slug"], name="neuron_evals_agent_slug")]
        indexes: ClassVar = [models.Index(fields=["name"], name="neuron_evals_agent_name")]

    @property
    def options(self) -> dict[str, Any]:
        """How the model answers: those of the options that are set."""
        values = {name: getattr(self, name) for name in OPTIONS}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def definition(self) -> dict[str, Any]:
        """All that shapes the answers, as JSON: what runs keep of the agent they ran."""
        if self.code:
            return {"code": self.code}
        return {
            "provider": self.provider,
            "model": self.model,
            "instructions": self.instructions,
            "options": self.options,
            "tools": list(self.tools),
            "max_steps": self.max_steps,
            "approval_tools": list(self.approval_tools),
        }

    @property
    def fingerprint(self) -> str:
        """A hash of all that shapes the answers: the definition, the provider's address and options, the tools.

        Of an agent in code it takes the name and what `AGENTS` says for it; what the agent itself tells is known when
        it is built. Empty when that cannot be told, as with a provider that the settings do not have.
        """
        if self.code:
            path = conf.read().agents.get(self.code)
            facts = canonical_json([self.code, path])
            return "" if path is None else hashlib.sha256(facts.encode()).hexdigest()
        from neuron_evals.registries.agents import defined_agent  # noqa: PLC0415  (only who asks pays for providers)

        try:
            return defined_agent(self.definition).fingerprint
        except (ConfigurationError, InvalidArgument):
            return ""

    def reserved_slugs(self) -> Collection[str]:
        """Return the names in `AGENTS`, which go before slugs, but that of the agent in code itself."""
        return {*conf.read().agents} - {self.code}

    def clean_fields(self, exclude: Collection[str] | None = None) -> None:
        """Refuse values of columns, and a new slug that means another agent already.

        Raises:
            ValidationError: It lists all problems by field.
        """
        problems: dict[str, Any] = {}
        if self._state.adding and "slug" not in (exclude or ()) and self.slug in self.reserved_slugs():
            taken = f'"{self.slug}" is a name in AGENTS, which goes before slugs; choose another slug.'
            problems["slug"] = [ValidationError(taken, code="reserved")]
        try:
            super().clean_fields(exclude=exclude)
        except ValidationError as exc:
            problems = exc.update_error_dict(problems)
        if problems:
            raise ValidationError(problems)

    def clean(self) -> None:
        """Refuse a definition that no agent can be built from.

        Raises:
            ValidationError: It lists all problems by field.
        """
        super().clean()
        problems = self._problems_of_code() if self.code else self._problems_of_provider()
        if problems:
            raise ValidationError(problems)

    def _problems_of_code(self) -> dict[str, str]:
        problems = {}
        if wrong := _unknown("AGENTS", [self.code], conf.read().agents):
            problems["code"] = wrong
        for name in _OF_PROVIDER:
            if getattr(self, name) not in (None, "", []):
                problems[name] = "Leave this empty: the agent in code says it."
        return problems

    def _problems_of_provider(self) -> dict[str, str]:
        settings = conf.read()
        problems = {}
        if not self.provider:
            problems["provider"] = "Name a provider, or an agent in code."
        elif wrong := _unknown("PROVIDERS", [self.provider], settings.providers):
            problems["provider"] = wrong
        elif not self.model and not settings.providers[self.provider].options.get("model"):
            problems["model"] = f'Name a model: the provider "{self.provider}" has none of its own in PROVIDERS.'
        if not isinstance(self.tools, list) or not isinstance(self.approval_tools, list):
            return problems  # their own validators say so
        if wrong := _unknown("TOOLS", self.tools, settings.tools):
            problems["tools"] = wrong
        others = [name for name in self.approval_tools if name not in self.tools]
        if others:
            problems["approval_tools"] = f'"{others[0]}" is none of the tools above.'
        return problems


def named_agent(name: str, using: str | None = None) -> AgentDefinition | None:
    """Return the agent that a name means, wherever one is named: a name in `AGENTS` goes first, then the slug of a row.

    Args:
        name: The name.
        using: Alias of the database; by default the one that routers name.

    Returns:
        The row; for a name in `AGENTS` a definition of number `UNSTORED`, which is not stored; `None` for neither.
    """
    if name in conf.read().agents:
        return AgentDefinition(pk=UNSTORED, name=name, slug=name, code=name)
    found: AgentDefinition | None = AgentDefinition.objects.using(using).filter(slug=name).first()
    return found


def _unknown(setting: str, names: list[Any], valid: Collection[str]) -> str:
    """Return what is wrong with the first of `names` that the setting does not have; empty when it has all."""
    for name in names:
        if name not in valid:
            known = f"It has {', '.join(sorted(valid))}." if valid else "It is empty."
            near = conf.did_you_mean(str(name), valid)
            return " ".join(filter(None, (f'The setting {setting} has no "{name}".', near, known)))
    return ""
