"""The legacy form of a suite's judge: its model or its agent, written into the suite."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError

from neuron_evals import conf

if TYPE_CHECKING:
    from neuron_evals.models.agents import AgentDefinition

LEGACY_JUDGE = ("provider", "model", "instructions", "agent_id")
"""The keys of the legacy `judge_config`."""

INSTRUCTIONS = "You grade answers of an AI agent by the criteria that come with each of them. Be strict and consistent."
"""What a legacy judge without instructions is told."""


def legacy_judge(config: Mapping[str, Any], tested: AgentDefinition) -> AgentDefinition:
    """Return the judge that a `judge_config` without `agent_id` describes, as a row that is not stored.

    Args:
        config: `provider` and `model`, those of the tested agent by default, and `instructions`.
        tested: The agent under test.
    """
    provider = config.get("provider") or tested.provider
    # The model of one provider means nothing to another.
    model = config.get("model") or (tested.model if provider == tested.provider else "")
    return type(tested)(
        name="legacy judge",
        category=type(tested).Category.JUDGE,
        provider=provider,
        model=model,
        instructions=config.get("instructions") or INSTRUCTIONS,
    )


def referred_judge(reference: int | str, using: str | None) -> AgentDefinition | None:
    """Return the agent definition that an `agent_id` names, by number or slug; `None` when there is none."""
    from neuron_evals.models.agents import AgentDefinition  # noqa: PLC0415  (rows import this module)

    try:
        found: AgentDefinition = AgentDefinition.objects.using(using).find(reference)
    except AgentDefinition.DoesNotExist:
        return None
    return found


def legacy_judge_problem(config: Mapping[str, Any], tested: AgentDefinition | None, using: str | None) -> str:
    """Return what is wrong with a `judge_config`; empty when nothing is.

    Args:
        config: The value of the column.
        tested: The agent under test; `None` when it is not known, and then only what the config says is looked at.
        using: Alias of the database in which an `agent_id` is looked up.
    """
    unknown = [key for key in config if key not in LEGACY_JUDGE]
    if unknown:
        hints = (f'There is no key "{unknown[0]}".', conf.did_you_mean(str(unknown[0]), LEGACY_JUDGE))
        return " ".join(filter(None, (*hints, f"The keys are {', '.join(LEGACY_JUDGE)}.")))
    for key, value in config.items():
        is_number = key == "agent_id" and isinstance(value, int) and not isinstance(value, bool)
        if value is not None and not is_number and not isinstance(value, str):
            return f'"{key}" is text{" or a number" if key == "agent_id" else ""}, or is left out.'
    reference = config.get("agent_id")
    if reference in (None, ""):
        return _inline_problem(config, tested)
    if others := [key for key in config if key != "agent_id" and config[key]]:
        return f'"agent_id" names a whole agent: leave "{others[0]}" out.'
    if referred_judge(reference, using) is None:
        return f'There is no agent definition "{reference}": "agent_id" is the number or slug of one.'
    return ""


def _inline_problem(config: Mapping[str, Any], tested: AgentDefinition | None) -> str:
    from neuron_evals.models.agents import AgentDefinition  # noqa: PLC0415  (rows import this module)

    if not any(config.values()):
        return ""
    try:
        judge = legacy_judge(config, tested or AgentDefinition())
        judge.full_clean(validate_unique=False, validate_constraints=False)
    except ValidationError as exc:
        problems = exc.message_dict
        if tested is None:  # what the config leaves out is the agent's
            problems = {field: problems[field] for field in problems if config.get(field)}
        return "; ".join(f"{field}: {' '.join(messages)}" for field, messages in problems.items())
    return ""
