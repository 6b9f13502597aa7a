"""Conversations as data: the keys `turns`, `user` and `approvals` of an item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from neuron_evals.core.approvals import Decision
from neuron_evals.core.conversations.policies import described, tool_name_problem
from neuron_evals.core.conversations.scripted import ScriptedUser
from neuron_evals.core.conversations.simulator import UserSimulator
from neuron_evals.core.conversations.simulator_options import as_facts
from neuron_evals.core.conversations.talking import Policy
from neuron_evals.core.conversations.turns import turn_problems
from neuron_evals.core.conversations.user import User
from neuron_evals.core.exceptions import EvaluationError, InvalidArgument
from neuron_evals.core.nearest import did_you_mean

CONVERSATION_KEYS: Final = ("turns", "user", "approvals")
"""The keys that make an item a conversation."""

USER_KEYS: Final = ("persona", "goal", "facts", "max_turns", "agent")
"""What the mapping of a simulated user may have."""

_ALL: Final = ("approve", "reject")

Problem = tuple[str, str]
"""The path of a field, such as `turns[1].content`, and what is wrong there."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What an item says of its conversation.

    Attributes:
        turns: What is said.
        user: Who speaks instead.
        max_turns: Most turns of the user; `None` where the item does not say.
        policy: Who decides on approvals.
    """

    turns: tuple[Any, ...] = ()
    user: User | None = None
    max_turns: int | None = None
    policy: Policy | None = None


def conversation_problems(item: Mapping[str, Any]) -> list[Problem]:
    """Return all that is wrong with an item as a conversation, without calling anything.

    Args:
        item: The item. One of `turns`, `user` and `input` says who speaks: `turns` is a list of texts or of mappings of
            messages; `user` a list of texts, or a mapping with `goal` and, where wanted, `persona`, `facts`,
            `max_turns` and `agent`, the name of the agent that plays; `input` is the only turn. `approvals` is
            `"approve"` or `"reject"` for every call, or a mapping from tool to decision, `"*"` for the rest.
    """
    return [*_speaker_problems(item), *_approval_problems(item)]


def player_name(item: Mapping[str, Any]) -> str | None:
    """Return the name of the agent that plays the item's simulated user; `None` when it names none."""
    user = item.get("user")
    return user.get("agent") if isinstance(user, Mapping) else None


def is_simulated(item: Mapping[str, Any]) -> bool:
    """Return whether a model plays the item's user, so that an agent is needed for it."""
    return isinstance(item.get("user"), Mapping)


def declared(item: Mapping[str, Any], simulator_agent: Any = None) -> Declared:
    """Return what an item says of its conversation.

    Args:
        item: The item.
        simulator_agent: What plays a simulated user, as `UserSimulator` takes it.

    Raises:
        EvaluationError: The item has problems, or needs an agent that plays its user and there is none.
    """
    problems = conversation_problems(item)
    if problems:
        msg = f"the item is no conversation: {'; '.join(f'{path}: {message}' for path, message in problems)}"
        raise EvaluationError(msg)
    policy = described(item["approvals"]) if "approvals" in item else None
    user = item.get("user")
    if user is None:
        return Declared(tuple(item["turns"]) if "turns" in item else (item["input"],), policy=policy)
    if not isinstance(user, Mapping):
        # Its script is its limit; one more, so that it is asked and stops.
        return Declared(user=ScriptedUser(user), max_turns=len(user) + 1, policy=policy)
    if simulator_agent is None:
        msg = "user: a simulated user needs an agent that plays it; give simulator_agent"
        raise EvaluationError(msg)
    played = UserSimulator(simulator_agent, user.get("persona", ""), user["goal"], user.get("facts", ()))
    return Declared(user=played, max_turns=user.get("max_turns"), policy=policy)


def _speaker_problems(item: Mapping[str, Any]) -> Iterator[Problem]:
    if "turns" in item:
        yield from _turns_problems("turns", item["turns"])
    if "user" in item:
        if "turns" in item:
            yield "user", "turns and user exclude one another; drop one"
        yield from _user_problems(item["user"])
    if "turns" in item or "user" in item:
        if "input" in item:
            yield "input", f"say it in {'turns' if 'turns' in item else 'user'}; a conversation has no input beside"
    elif "input" in item:
        for path, message in turn_problems(item["input"]):
            yield _under("input", path), message
    else:
        yield "(item)", "nobody speaks; give turns, user or input"


def _turns_problems(where: str, turns: Any) -> Iterator[Problem]:
    if not isinstance(turns, list | tuple):
        yield where, f"must be a list of texts or messages, got {type(turns).__name__}"
    elif not turns:
        yield where, "must have at least one turn"
    else:
        for position, turn in enumerate(turns):
            for path, message in turn_problems(turn):
                yield _under(f"{where}[{position}]", path), message


def _user_problems(user: Any) -> Iterator[Problem]:
    if isinstance(user, list | tuple):
        yield from _turns_problems("user", user)
        return
    if not isinstance(user, Mapping):
        yield "user", f"must be a list of texts, or a mapping with {', '.join(USER_KEYS)}, got {type(user).__name__}"
        return
    for key in user:
        if key not in USER_KEYS:
            hint = f"{did_you_mean(key, USER_KEYS)}a user has {', '.join(USER_KEYS)}"
            yield f"user.{key}", f"unknown key; {hint}"
    if "goal" not in user:
        yield "user.goal", "is missing; say what the user wants"
    for key in ("goal", "persona", "agent"):
        text = user.get(key, "something")
        if not isinstance(text, str) or not text.strip():
            yield f"user.{key}", f"must be text that is not blank, got {text!r}"
    count = user.get("max_turns", 1)
    if type(count) is not int or count < 1:
        yield "user.max_turns", f"must be a whole number, 1 or more, got {count!r}"
    try:
        as_facts(user.get("facts", ()))
    except InvalidArgument as exc:
        yield "user.facts", str(exc).removeprefix("UserSimulator: ")


def _approval_problems(item: Mapping[str, Any]) -> Iterator[Problem]:
    if "approvals" not in item:
        return
    given = item["approvals"]
    if not isinstance(given, Mapping):
        if given not in _ALL:
            yield "approvals", f'must be "approve" or "reject", or a mapping from tool to decision, got {given!r}'
        return
    if not given:
        yield "approvals", 'must name at least one tool, or "*" for all'
    for tool, decision in given.items():
        problem = tool_name_problem(tool)
        if problem:
            yield f"approvals.{tool}", problem
        try:
            Decision.parse(decision)
        except InvalidArgument as exc:
            yield f"approvals.{tool}", str(exc)


def _under(where: str, path: str) -> str:
    return f"{where}.{path}" if path else where
