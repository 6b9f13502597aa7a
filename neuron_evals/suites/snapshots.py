"""What a run keeps of the agent, the judge and the suite that it ran: JSON, without secrets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from neuron_evals import conf
from neuron_evals.container import build_agent
from neuron_evals.core.agents import BaseAgent
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.jsonable import clean_json
from neuron_evals.core.results import full_name
from neuron_evals.core.suites import SuiteDefaults
from neuron_evals.suites.judging import suite_judge

if TYPE_CHECKING:
    from neuron_evals.models import AgentDefinition, EvalSuite

_DEFAULTS = ("repeats", "concurrency", "timeout", "retries", "min_success_rate", "tags")


def agent_snapshot(agent: AgentDefinition | BaseAgent, *, build: bool = True) -> dict[str, Any]:
    """Return what a run keeps of an agent.

    Args:
        agent: A definition, or an agent from code.
        build: Whether an agent in code may be built for its class and fingerprint; not where a run does not use it.

    Returns:
        `name`, `class` (of an agent in code) and `fingerprint` (empty when nothing tells when its answers may change).
        Of a definition also `slug`, `definition`, which `build_agent` takes, and `provider`: its name, backend, model
        and the host of its address. Keys, headers and further options of providers are never in it.
    """
    if isinstance(agent, BaseAgent):
        return {"name": agent.name, "class": full_name(type(agent)), "fingerprint": agent.fingerprint}
    snapshot: dict[str, Any] = {
        "name": agent.name,
        "slug": agent.slug,
        "definition": agent.definition,
        "fingerprint": agent.fingerprint,
    }
    if agent.code:
        snapshot |= _of_built(agent) if build else {}
    else:
        snapshot["provider"] = _provider(agent.provider)
    return _as_object(snapshot)


def judge_snapshot(suite: EvalSuite, judge: AgentDefinition | BaseAgent | None = None) -> dict[str, Any]:
    """Return what a run keeps of the judge; `{}` when there is none.

    Args:
        suite: The suite, whose judge it is by default.
        judge: The judge that the run was given in its place.

    Raises:
        ConfigurationError: As for `suite_judge`.
    """
    chosen = suite_judge(suite) if judge is None else judge
    return {} if chosen is None else agent_snapshot(chosen)


def suite_snapshot(suite: EvalSuite) -> dict[str, Any]:
    """Return what a run keeps of a suite: its name, its defaults and the hash of its items, not the items.

    `project_defaults` is what the settings say for all suites, where they say something.
    """
    told = {name: value for name, value in asdict(conf.read().suite_defaults).items() if value not in (None, {})}
    return _as_object(
        {
            "name": suite.name,
            "slug": suite.slug,
            "content_hash": suite.content_hash,
            "item_count": suite.item_count,
            "defaults": {key: getattr(suite, key) for key in _DEFAULTS},
            "project_defaults": told,
        }
    )


def kept_defaults(snapshot: Mapping[str, Any]) -> SuiteDefaults:
    """Return what the settings said for all suites when a run was made; nothing, where the run is older than that.

    Args:
        snapshot: What the run keeps of its suite.
    """
    return SuiteDefaults(**(snapshot.get("project_defaults") or {}))


def _of_built(agent: AgentDefinition) -> dict[str, Any]:
    """Return what an agent in code says of itself; nothing when it cannot be built."""
    try:
        built = build_agent(agent)
    except ConfigurationError:
        return {}
    return {"class": full_name(type(built)), "fingerprint": built.fingerprint}


def _provider(alias: str) -> dict[str, Any]:
    entry = conf.read().providers.get(alias)
    if entry is None:
        return {"name": alias}
    host = _host(entry.options.get("base_url"))
    return {"name": alias, "backend": entry.backend, "model": entry.options.get("model"), "host": host}


def _host(address: object) -> str | None:
    """Return the host of an address: the rest may hold a key, in the options of a provider of one's own."""
    try:
        return urlsplit(address).hostname if isinstance(address, str) else None
    except ValueError:
        return None


def _as_object(snapshot: dict[str, Any]) -> dict[str, Any]:
    cleaned: dict[str, Any] = clean_json(snapshot)
    return cleaned
