"""How an item talks with the agent: one input, or what `turns`, `user`, `approvals` and `stubs` ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents import FakeAgent
from neuron_evals.core.agents.stubs import read_stubs, stub_problems, stub_tools
from neuron_evals.core.conversations import (
    CONVERSATION_KEYS,
    Conversation,
    conversation_problems,
    is_simulated,
    player_name,
)
from neuron_evals.core.suites.problems import ITEM

if TYPE_CHECKING:
    from neuron_evals.core.agents import BaseAgent
    from neuron_evals.core.suites.shapes import Fault

OPENERS = ("turns", "user")
"""Keys of an item that begin a conversation without an `input`."""

STUBS = "stubs"

SEEN = ("input", *CONVERSATION_KEYS, STUBS)
"""The keys that shape the agent's answer."""


def talking_faults(item: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield what is wrong with `turns`, `user`, `approvals` and `stubs` of an item."""
    given = seen(item)
    if not given.keys().isdisjoint(CONVERSATION_KEYS):
        opened = not given.keys().isdisjoint(OPENERS)
        for path, message in conversation_problems(given):
            # What is wrong with an input alone is said where all keys are looked at.
            if path != ITEM and (opened or not path.startswith("input")):
                yield path, message
    if STUBS in given:
        for path, message in stub_problems(given[STUBS]):
            yield (f"{STUBS}.{path}" if path else STUBS), message


def seen(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of an item shapes the agent's answer."""
    return {key: item[key] for key in SEEN if item.get(key) is not None}


def needs_player(item: Mapping[str, Any]) -> bool:
    """Return whether a model plays the item's user, and the item does not name the agent that does."""
    return is_simulated(item) and player_name(item) is None


def stubbed(agent: BaseAgent, given: Mapping[str, Any]) -> BaseAgent:
    """Return the agent with the stubs of an item, if it has some. A fake agent runs no tools, so there is none to stub.

    Args:
        agent: The agent.
        given: What `seen` returned.

    Raises:
        ConfigurationError: The agent does not tell its tools, or has none of a stub's name.
    """
    if STUBS not in given or isinstance(agent, FakeAgent):
        return agent
    return stub_tools(agent, read_stubs(given[STUBS]))


def conversation(agent: BaseAgent, given: Mapping[str, Any], player: Any = None) -> Conversation:
    """Return the conversation that an item describes.

    Args:
        agent: The agent.
        given: What `seen` returned.
        player: What plays a simulated user.

    Raises:
        ConfigurationError: As for `stubbed`.
    """
    return Conversation.from_item(stubbed(agent, given), given, simulator_agent=player)
