"""Installing the judges that come with the package."""

from __future__ import annotations

from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction

from neuron_evals import conf
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.judge_templates import JudgeTemplate, judge_templates
from neuron_evals.models import AgentDefinition


class InstalledJudge(NamedTuple):
    """A judge after installing.

    Attributes:
        definition: Its row.
        created: Whether it was made by this call.
    """

    definition: AgentDefinition
    created: bool


def install_judges(provider: str | None = None, model: str | None = None) -> list[InstalledJudge]:
    """Make an agent definition of each judge that comes with the package; those that exist stay as they are.

    Args:
        provider: Name of the provider in the settings; the only one there is by default.
        model: Name of the model; the provider's own by default.

    Returns:
        All of them, in the order of `judge_templates()`.

    Raises:
        ConfigurationError: No provider is named and there is not exactly one, or the settings have none of that name,
            or no model is named and the provider has none; nothing is made.
    """
    slugs = [template.slug for template in judge_templates()]
    with transaction.atomic():
        found = {row.slug: row for row in AgentDefinition.objects.filter(slug__in=slugs)}
        made = {
            template.slug: _made(template, provider or _only_provider(), model)
            for template in judge_templates()
            if template.slug not in found
        }
    return [InstalledJudge({**found, **made}[slug], slug in made) for slug in slugs]


def _made(template: JudgeTemplate, provider: str, model: str | None) -> AgentDefinition:
    row = AgentDefinition(
        name=template.name,
        slug=template.slug,
        description=template.description,
        category=AgentDefinition.Category.JUDGE,
        provider=provider,
        model=model or "",
        instructions=template.instructions,
    )
    try:
        row.full_clean()
    except ValidationError as exc:
        msg = "; ".join(f"{field}: {' '.join(messages)}" for field, messages in exc.message_dict.items())
        raise ConfigurationError(msg) from exc
    row.save()
    return row


def _only_provider() -> str:
    names = list(conf.read().providers)
    if len(names) == 1:
        return names[0]
    if not names:
        msg = f'there is no provider; add one to {conf.NAME}["PROVIDERS"]'
    else:
        msg = f"which provider are the judges to ask? Name one of {', '.join(names)}"
    raise ConfigurationError(msg)
