"""A document becomes a row: found by its slug, changed or made, validated by the one validator."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import router, transaction

from neuron_evals import conf
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.jsonable import canonical_json
from neuron_evals.models import AgentDefinition, EvalSuite
from neuron_evals.models.agents import UNSTORED, named_agent
from neuron_evals.models.slugs import slug_for
from neuron_evals.transfer.documents import COLUMNS, as_rows_keep, document_of, key_of

if TYPE_CHECKING:
    from neuron_evals.core.suites import Problem

_IDENTITY = {"agent", "slug", "name"}
"""Keys that say which suite it is, or who is tested: without them nobody knows whether an agent is missing."""

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


def slug_of(document: Mapping[str, Any], fallback_name: str) -> str:
    """Return the slug of the suite that a document is about; parameters are those of `suite_for`."""
    return str(document.get("slug") or slug_for(document.get("name") or fallback_name, EvalSuite.KIND))


def suite_for(document: Mapping[str, Any], fallback_name: str) -> EvalSuite:
    """Return the stored suite that a document is about, or a new one that is not stored yet.

    Args:
        document: The document.
        fallback_name: Name for a document that has neither slug nor name, such as that of its file.
    """
    slug = slug_of(document, fallback_name)
    found: EvalSuite | None = EvalSuite.objects.select_related("agent", "judge").filter(slug=slug).first()
    return EvalSuite(slug=slug, name=document.get("name") or fallback_name) if found is None else found


def is_new(suite: EvalSuite) -> bool:
    """Return whether a suite is not stored yet."""
    return bool(suite._state.adding)  # noqa: SLF001  (Django's documented name)


def import_document(
    document: Mapping[str, Any], suite: EvalSuite, *, items_alone: bool = False, faults: Sequence[Problem] = ()
) -> str:
    """Store what a document says in a suite.

    Args:
        document: The document.
        suite: What `suite_for` gives.
        items_alone: Whether the file holds items only, so that all else of the suite stays as it is.
        faults: What is known to be wrong with its keys.

    Returns:
        What became of it: `created`, `updated` or `unchanged`.

    Raises:
        ValidationError: The suite would not be valid, an agent is named that does not exist, or none is where one is
            needed; all problems are listed by field, and nothing is stored.
    """
    created = is_new(suite)
    before = None if created else canonical_json(document_of(suite))
    with transaction.atomic(router.db_for_write(EvalSuite)):
        # An agent in code gets a definition here, which goes again when there is a problem.
        faulty = {key_of(fault) for fault in faults}
        wrong = _apply(document, suite, items_alone=items_alone, faulty=faulty)
        _validate(suite, wrong, faults)
        if before == canonical_json(as_rows_keep(document_of(suite))):
            return UNCHANGED
        suite.save()
    return CREATED if created else UPDATED


def find_agent(name: str) -> AgentDefinition:
    """Return the agent definition that a file names; an agent in code without one gets one.

    Args:
        name: A name in `AGENTS`, or the slug.

    Raises:
        ConfigurationError: There is none of that name.
    """
    found = named_agent(name)
    if found is not None and found.pk == UNSTORED:
        stored: AgentDefinition | None = AgentDefinition.objects.filter(code=name).order_by("pk").first()
        return stored or AgentDefinition.objects.create(name=name, code=name)
    if found is not None:
        return found
    coded = conf.read().agents
    slugs = list(AgentDefinition.objects.order_by("slug").values_list("slug", flat=True))
    parts = (
        f'there is no agent "{name}".',
        conf.did_you_mean(name, [*slugs, *coded]),
        f"Agent definitions: {', '.join(slugs) or 'none'}.",
        f'In {conf.NAME}["AGENTS"]: {", ".join(coded) or "none"}.',
    )
    raise ConfigurationError(" ".join(filter(None, parts)))


def _apply(
    document: Mapping[str, Any], suite: EvalSuite, *, items_alone: bool, faulty: Collection[str]
) -> dict[str, str]:
    """Set what a document says but its faulty keys; return what is wrong with the agents that it names, by field."""
    wrong: dict[str, str] = {}
    suite.dataset = document["dataset"]
    for role in ("agent", "judge"):
        if role in document:
            try:
                setattr(suite, role, find_agent(document[role]))
            except ConfigurationError as exc:
                wrong[role] = str(exc)
    if "agent" not in document and is_new(suite) and not _IDENTITY & set(faulty):
        wrong["agent"] = f'the suite "{suite.slug}" is new, and no agent is named; give one with --agent'
    if not items_alone:
        _apply_rest(document, suite)
    return wrong


def _apply_rest(document: Mapping[str, Any], suite: EvalSuite) -> None:
    if "judge" not in document:
        suite.judge = None
    suite.name = document.get("name", suite.name)
    suite.judge_config = document.get("judge_config", {})
    suite.is_active = document.get("is_active", True)
    for column in COLUMNS:
        setattr(suite, column, document[column] if column in document else getattr(EvalSuite(), column))


def _validate(suite: EvalSuite, wrong: Mapping[str, str], faults: Sequence[Problem]) -> None:
    """Refuse a suite with problems: those of its document and its agents, and those that the one validator finds.

    Args:
        suite: The suite; after a refusal it is good for nothing.
        wrong: What is wrong with the agents, by field.
        faults: What is wrong with the keys of the document.

    Raises:
        ValidationError: There are some; all are listed by field.
    """
    keys = {key_of(fault) for fault in faults}
    if "judge" in wrong or keys & {"judge", "judge_config"}:
        suite.judge = AgentDefinition(pk=UNSTORED)  # what needs a judge has no fault of its own
    errors: dict[str, list[Any]] = {role: [message] for role, message in wrong.items() if role not in keys}
    for fault in faults:
        said = fault.written() if fault.field == "dataset" else fault.message  # as those of items
        errors.setdefault(fault.field, []).append(ValidationError(said, code="document"))
    told = {*keys, *wrong}
    told |= {"judge"} if suite.judge_id == UNSTORED else set()
    told |= {"agent"} if keys & _IDENTITY else set()
    try:
        suite.full_clean(exclude=told)
    except ValidationError as exc:
        for field, found in exc.error_dict.items():
            if field not in told:
                errors.setdefault(field, []).extend(found)
    if errors:
        raise ValidationError(errors)


def problems_of(error: ValidationError) -> list[str]:
    """Return the problems of a suite, a line each: where, then what."""
    # Those of items say their place themselves.
    return [
        message if field == "dataset" else f"{field}: {message}"
        for field, messages in error.message_dict.items()
        for message in messages
    ]
