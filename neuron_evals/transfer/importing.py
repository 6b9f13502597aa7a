"""A document becomes a row: found by its slug, changed or made, validated by the one validator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neuron_evals import conf
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.jsonable import canonical_json
from neuron_evals.models import AgentDefinition, EvalSuite
from neuron_evals.models.slugs import slug_for
from neuron_evals.transfer.documents import COLUMNS, document_of

if TYPE_CHECKING:
    from django.core.exceptions import ValidationError

CREATED, UPDATED, UNCHANGED = "created", "updated", "unchanged"
"""What became of a suite."""


@dataclass(frozen=True, slots=True)
class Target:
    """What the one who imports says beside the file; it goes before what the file says.

    Attributes:
        slug: Slug of the suite; that of the file by default, else made from the name.
        name: Name of a new suite.
        agent: Slug of the agent definition, or a name in `AGENTS`.
        judge: Likewise, of the judge.
    """

    slug: str | None = None
    name: str | None = None
    agent: str | None = None
    judge: str | None = None

    def over(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return a document with what is said here in it."""
        said = {"slug": self.slug, "name": self.name, "agent": self.agent, "judge": self.judge}
        return {**document, **{key: value for key, value in said.items() if value is not None}}


def suite_for(document: Mapping[str, Any], fallback_name: str) -> EvalSuite:
    """Return the stored suite that a document is about, or a new one that is not stored yet.

    Args:
        document: The document.
        fallback_name: Name for a document that has neither slug nor name, such as that of its file.
    """
    slug = document.get("slug") or slug_for(document.get("name") or fallback_name, EvalSuite.KIND)
    found: EvalSuite | None = EvalSuite.objects.select_related("agent", "judge").filter(slug=slug).first()
    return EvalSuite(slug=slug, name=document.get("name") or fallback_name) if found is None else found


def is_new(suite: EvalSuite) -> bool:
    """Return whether a suite is not stored yet."""
    return bool(suite._state.adding)  # noqa: SLF001  (Django's documented name)


def import_document(document: Mapping[str, Any], suite: EvalSuite, *, items_alone: bool = False) -> str:
    """Store what a document says in a suite.

    Args:
        document: The document.
        suite: What `suite_for` gives.
        items_alone: Whether the file holds items only, so that all else of the suite stays as it is.

    Returns:
        What became of it: `created`, `updated` or `unchanged`.

    Raises:
        ValidationError: The suite would not be valid; all problems are listed by field.
        ConfigurationError: An agent is named that does not exist, or none is where one is needed.
    """
    created = is_new(suite)
    before = None if created else canonical_json(document_of(suite))
    _apply(document, suite, items_alone=items_alone)
    suite.full_clean()
    if before == canonical_json(document_of(suite)):
        return UNCHANGED
    suite.save()
    return CREATED if created else UPDATED


def named_agent(name: str) -> AgentDefinition | None:
    """Return the agent definition that a file names, by slug or by its name in `AGENTS`; `None` if there is none."""
    rows = AgentDefinition.objects.order_by("pk")
    by_slug: AgentDefinition | None = rows.filter(slug=name).first()
    return by_slug or rows.filter(code=name).first() if name in conf.read().agents else by_slug


def find_agent(name: str, role: str = "agent") -> AgentDefinition:
    """Return the agent definition that a file names; an agent in code without one gets one.

    Args:
        name: The slug, or a name in `AGENTS`.
        role: What the file calls it, for errors.

    Raises:
        ConfigurationError: There is none of that name.
    """
    found = named_agent(name)
    coded = conf.read().agents
    if found is not None:
        return found
    if name in coded:
        made: AgentDefinition = AgentDefinition.objects.create(name=name, code=name)
        return made
    slugs = list(AgentDefinition.objects.order_by("slug").values_list("slug", flat=True))
    parts = (
        f'{role}: there is no agent "{name}".',
        conf.did_you_mean(name, [*slugs, *coded]),
        f"Agent definitions: {', '.join(slugs) or 'none'}.",
        f'In {conf.NAME}["AGENTS"]: {", ".join(coded) or "none"}.',
    )
    raise ConfigurationError(" ".join(filter(None, parts)))


def _apply(document: Mapping[str, Any], suite: EvalSuite, *, items_alone: bool) -> None:
    suite.dataset = document["dataset"]
    if "agent" in document:
        suite.agent = find_agent(document["agent"])
    elif is_new(suite):
        msg = f'the suite "{suite.slug}" is new, and no agent is named; give one with --agent'
        raise ConfigurationError(msg)
    if "judge" in document:
        suite.judge = find_agent(document["judge"], "judge")
    if items_alone:
        return
    if "judge" not in document:
        suite.judge = None
    suite.name = document.get("name", suite.name)
    suite.judge_config = document.get("judge_config", {})
    suite.is_active = document.get("is_active", True)
    for column in COLUMNS:
        setattr(suite, column, document[column] if column in document else getattr(EvalSuite(), column))


def problems_of(error: ValidationError) -> list[str]:
    """Return the problems of a suite, a line each: where, then what."""
    # Those of items say their place themselves.
    return [
        message if field == "dataset" else f"{field}: {message}"
        for field, messages in error.message_dict.items()
        for message in messages
    ]
