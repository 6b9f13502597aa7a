"""Whom a simulated user plays, and by what, from what a developer gave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents import Agent, BaseAgent, as_agent
from neuron_evals.core.agents.structured import as_message
from neuron_evals.core.conversations.simulator_prompt import EVERYDAY_PERSONA, Part
from neuron_evals.core.exceptions import ConfigurationError, InvalidArgument, InvalidInput
from neuron_evals.core.jsonable import Unserialisable, clean_text, dump_json
from neuron_evals.core.providers.contract import BaseProvider

if TYPE_CHECKING:
    from neuron_evals.core.messages import Message

Player = BaseAgent | BaseProvider | Callable[[str], Any]
Facts = Iterable[str] | Mapping[str, Any]


def as_player(given: Any, settings: Mapping[str, Any]) -> BaseAgent:
    """Return the agent that plays the user.

    Args:
        given: A provider, an agent, or a callable from text to text.
        settings: Overrides for `BaseAgent.fresh`; `None` is left out.

    Raises:
        InvalidArgument: No agent can be made of it.
        ConfigurationError: The agent cannot take one of the settings.
    """
    try:
        agent = Agent(given) if isinstance(given, BaseProvider) else as_agent(given)
    except ConfigurationError as exc:
        msg = f"UserSimulator: the first argument is a provider, or an agent: {exc}"
        raise InvalidArgument(msg) from None
    try:
        return agent.fresh(**{name: value for name, value in settings.items() if value is not None})
    except ConfigurationError as exc:
        msg = f"UserSimulator: {exc}"
        raise ConfigurationError(msg) from None


def as_part(persona: Any, goal: Any, facts: Any) -> Part:
    """Return whom the user plays.

    Raises:
        InvalidArgument: Something has another type, or there is no goal.
    """
    for name, text in (("persona", persona), ("goal", goal)):
        if not isinstance(text, str):
            msg = f"UserSimulator: {name} must be text, got {type(text).__name__}"
            raise InvalidArgument(msg)
    if not goal.strip():
        msg = 'UserSimulator: goal must not be blank: say what the user wants, such as "Get a refund for order 123"'
        raise InvalidArgument(msg)
    return Part(clean_text(persona.strip()) or EVERYDAY_PERSONA, clean_text(goal.strip()), as_facts(facts))


def as_facts(facts: Any) -> tuple[str, ...]:
    """Return facts as texts.

    Args:
        facts: A list of texts, or a mapping from what a fact is about to a JSON value.

    Raises:
        InvalidArgument: It is neither, or holds a blank text.
    """
    if isinstance(facts, Mapping):
        return tuple(f"{_written(name, 'the names of facts')}: {_value(name, value)}" for name, value in facts.items())
    if isinstance(facts, str | bytes) or not isinstance(facts, Iterable):
        msg = f"UserSimulator: facts must be a list of texts or a mapping, got {type(facts).__name__}"
        raise InvalidArgument(msg)
    return tuple(_written(fact, f"facts[{position}]") for position, fact in enumerate(facts))


def as_opening(opening: Any) -> Message | None:
    """Return the first message of a user, if one is given.

    Raises:
        InvalidArgument: It is neither text nor a message of the user, or says nothing.
    """
    if opening is None:
        return None
    try:
        message = as_message(opening)
    except InvalidInput:
        msg = f"UserSimulator: opening must be text or a message of the user, got {type(opening).__name__}"
        raise InvalidArgument(msg) from None
    if not message.content.strip() and not message.attachments:
        msg = "UserSimulator: opening must not be blank; leave it out to have the user think of one"
        raise InvalidArgument(msg)
    return message


def _written(text: Any, what: str) -> str:
    if not isinstance(text, str) or not text.strip():
        msg = f"UserSimulator: {what} must be texts that are not blank, got {text!r}"
        raise InvalidArgument(msg)
    return clean_text(text.strip())


def _value(name: str, value: Any) -> str:
    if isinstance(value, str):
        return _written(value, f'facts["{name}"]')
    try:
        return dump_json(value)
    except Unserialisable as exc:
        msg = f'UserSimulator: facts["{name}"] must be a JSON value: {exc}'
        raise InvalidArgument(msg) from None
