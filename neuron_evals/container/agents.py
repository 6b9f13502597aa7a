"""Agents by name: those of the `AGENTS` setting, and those that are stored as rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.db import Error as DriverError
from django.db import router, transaction

from neuron_evals import conf
from neuron_evals.container.coded import coded_agent
from neuron_evals.core.exceptions import ConfigurationError, InvalidArgument
from neuron_evals.core.jsonable import clean_text
from neuron_evals.registries.dotted import described

if TYPE_CHECKING:
    from neuron_evals.core.agents import BaseAgent
    from neuron_evals.models import AgentDefinition

SHOWN_NAMES = 30
"""How many names of stored agents an error lists."""

_SHOWN_NAME = 80
_SLUG = re.compile(r"[-a-zA-Z0-9_]{1,80}", re.ASCII)
_NOT_OF_THE_AGENT = ("name", "slug", "description", "category", "metadata")
_REFUSALS = (DriverError, ImproperlyConfigured)


def get_agent(name: str) -> BaseAgent:
    """Return the agent of that name, with an empty conversation.

    A name in the `AGENTS` setting goes first, and needs no database. A class is built by the container, each time anew.

    Args:
        name: A name in the `AGENTS` setting, or the slug of an active agent definition.

    Raises:
        ConfigurationError: There is no such agent, it is inactive, or it cannot be built.
        SettingsError: The entry of the setting names no agent.
    """
    return _named(name, "agent")


def get_judge(name: str) -> BaseAgent:
    """Return the agent of that name that judges are to ask, each time in a fresh conversation. Any agent may be one.

    Args:
        name: As for `get_agent`, such as `"eval-judge-correctness"`, one of the judges that can be installed.

    Raises:
        ConfigurationError: As for `get_agent`.
        SettingsError: As for `get_agent`.
    """
    return _named(name, "judge")


def build_agent(definition: AgentDefinition | Mapping[str, Any]) -> BaseAgent:
    """Return the agent that a row describes, with an empty conversation; nothing is called.

    Args:
        definition: The row, or its `definition`, such as a run kept it.

    Raises:
        ConfigurationError: It cannot be built: all that is wrong, each with its field.
        SettingsError: An entry of the settings that it names cannot be used.
    """
    row = _row(definition) if isinstance(definition, Mapping) else definition
    if problems := definition_problems(row):
        msg = f"{_called(row)}: {'; '.join(f'{field}: {message}' for field, message in problems)}"
        raise ConfigurationError(msg)
    if row.code:
        return coded_agent(row.code)
    from neuron_evals.registries.agents import defined_agent  # noqa: PLC0415  (an agent in code needs no provider)

    try:
        return defined_agent(row.definition, row.slug or row.name)
    except InvalidArgument as exc:
        msg = f"{_called(row)}: {exc}"
        raise ConfigurationError(msg) from exc


def definition_problems(row: AgentDefinition) -> list[tuple[str, str]]:
    """Return why no agent can be built from a row, as fields and messages; no query is made."""
    try:
        row.full_clean(exclude=_NOT_OF_THE_AGENT, validate_unique=False, validate_constraints=False)
    except ValidationError as exc:
        return [(field, message) for field, messages in exc.message_dict.items() for message in messages]
    return []


def _named(name: str, word: str) -> BaseAgent:
    return coded_agent(name) if name in conf.read().agents else build_agent(_stored(name, word))


def _row(definition: Mapping[str, Any]) -> AgentDefinition:
    from neuron_evals.models import AgentDefinition  # noqa: PLC0415  (as in `_stored`)

    fields = {key: value for key, value in definition.items() if key != "options"}
    try:
        return AgentDefinition(**fields, **(definition.get("options") or {}))
    except TypeError as exc:
        msg = f"this is no definition of an agent: {exc}"
        raise ConfigurationError(msg) from exc


def _called(row: AgentDefinition) -> str:
    return f'agent "{row.slug or row.name}"' if row.slug or row.name else "the agent"


def _stored(name: str, word: str) -> AgentDefinition:
    """Return the active agent definition with that slug.

    Raises:
        ConfigurationError: There is none.
    """
    if not apps.is_installed("neuron_evals"):
        _refuse(name, word, [], "the app is not in INSTALLED_APPS")
    from neuron_evals.models import AgentDefinition  # noqa: PLC0415  (agents in code need no rows)

    rows = AgentDefinition.objects.all()
    try:
        with transaction.atomic(router.db_for_read(AgentDefinition)):
            found = rows.filter(slug=name).first() if _SLUG.fullmatch(name) else None
            slugs = list(rows.active().order_by("slug").values_list("slug", flat=True)) if found is None else []
    except _REFUSALS as exc:
        _refuse(name, word, [], described(exc))
    if found is None:
        _refuse(name, word, slugs)
    if not found.is_active:
        msg = f'the {word} "{name}" is inactive; activate it in its definition, or name another'
        raise ConfigurationError(msg)
    stored: AgentDefinition = found
    return stored


def _refuse(name: str, word: str, slugs: list[str], why_none: str = "") -> NoReturn:
    coded = list(conf.read().agents)
    shown = [*slugs[:SHOWN_NAMES], *([f"and {len(slugs) - SHOWN_NAMES} more"] if len(slugs) > SHOWN_NAMES else [])]
    stored = f"cannot be read ({why_none})" if why_none else ", ".join(shown) or "none"
    parts = [
        f'there is no {word} "{clean_text(name, _SHOWN_NAME)}".',
        conf.did_you_mean(name, [*coded, *slugs]),
        f'In {conf.NAME}["AGENTS"]: {", ".join(coded) or "none"}.',
        f"Stored: {stored}.",
        _how_to_install(name) if word == "judge" and not why_none else "",
    ]
    raise ConfigurationError(" ".join(filter(None, parts)))


def _how_to_install(name: str) -> str:
    from neuron_evals.judge_templates import judge_templates  # noqa: PLC0415  (only for this message)

    if name not in {template.slug for template in judge_templates()}:
        return ""
    return "It comes with the package; install it with `manage.py eval_import --judge-templates`."
