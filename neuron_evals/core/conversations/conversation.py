"""`Conversation`: an agent, and what is said to it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents import BaseAgent, as_agent
from neuron_evals.core.conversations.declared import declared
from neuron_evals.core.conversations.driving import adrive, drive
from neuron_evals.core.conversations.scripted import ScriptedUser
from neuron_evals.core.conversations.talking import Policy, Talk, Terms, TurnCheck
from neuron_evals.core.conversations.turns import read_turns
from neuron_evals.core.conversations.user import User
from neuron_evals.core.exceptions import EvaluationError, InvalidArgument

if TYPE_CHECKING:
    from neuron_evals.core.trajectories import Trajectory


class Conversation:
    """A conversation with an agent. It changes nothing: each method returns another one, and each run takes `fresh()`.

    Args:
        agent: The agent, or whatever `as_agent` takes for one.

    Raises:
        ConfigurationError: It is no agent.
    """

    __slots__ = ("_agent", "_terms")

    def __init__(self, agent: Any) -> None:
        self._agent = as_agent(agent)
        self._terms = Terms()

    @classmethod
    def from_item(cls, agent: Any, item: Mapping[str, Any], *, simulator_agent: Any = None) -> Conversation:
        """Return the conversation that an item of a dataset describes by `turns`, `user`, `approvals`, or `input`.

        Args:
            agent: The agent that is tested.
            item: The item; `conversation_problems(item)` says all that is wrong with it.
            simulator_agent: The provider or agent that plays a simulated user; needed where the item's `user` is a
                mapping.

        Raises:
            EvaluationError: The item has problems, or there is nothing to play its user.
        """
        said = declared(item, simulator_agent)
        made = cls(agent)
        if said.user is None:
            made = made.with_turns(said.turns)
        elif said.max_turns is None:
            made = made.with_user(said.user)
        else:
            made = made.with_user(said.user, said.max_turns)
        return made if said.policy is None else made.with_approvals(said.policy)

    def with_turns(self, turns: Iterable[Any]) -> Conversation:
        """Return the conversation with what the user says, one turn after the other.

        Args:
            turns: Texts, user's messages, or mappings with `content` and, where wanted, `attachments`.

        Raises:
            InvalidArgument: Something is no turn, or says nothing.
        """
        return self._but(turns=read_turns(turns, "with_turns"))

    def with_user(self, user: User | Iterable[Any], max_turns: int = 10) -> Conversation:
        """Return the conversation with somebody who decides at each step what to say, or to stop.

        Args:
            user: The user, or a list of turns for a `ScriptedUser`.
            max_turns: Most turns, 1 or more; after the last the user is not asked again.

        Raises:
            InvalidArgument: `max_turns` is below 1, or `user` is neither.
        """
        return self._but(
            user=user if isinstance(user, User) else ScriptedUser(user),
            max_turns=_whole("with_user: max_turns", max_turns),
        )

    def with_approvals(self, policy: Policy) -> Conversation:
        """Return the conversation with who decides when the agent stops to ask.

        Args:
            policy: Called with the interrupt and the conversation so far, plain or `async def`. It answers an
                `ApprovalRequest` with a mapping from the id of each pending call to a decision (see
                `neuron_evals.policies`); what it answers to another interrupt is given to the agent as it is.

        Raises:
            InvalidArgument: It cannot be called.
        """
        return self._but(policy=_callable("with_approvals: policy", policy))

    def with_turn_timeout(self, seconds: float) -> Conversation:
        """Return the conversation with a time limit for each turn, from the message to the end of the agent's answer.

        Calls of models end at it, and so does what can be awaited; other plain code is found late when it returns.

        Args:
            seconds: The limit, above 0; what the policy takes counts.

        Raises:
            InvalidArgument: It is no such number.
        """
        given: Any = seconds
        if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= sys.float_info.max:
            msg = f"with_turn_timeout: seconds must be a number above 0, got {given!r}"
            raise InvalidArgument(msg)
        return self._but(turn_timeout=float(given))

    def with_max_suspensions(self, count: int) -> Conversation:
        """Return the conversation with how often the agent may stop to ask in one turn; 10 unless it is said.

        Raises:
            InvalidArgument: `count` is below 1.
        """
        return self._but(max_suspensions=_whole("with_max_suspensions: count", count))

    def after_turn(self, check: TurnCheck) -> Conversation:
        """Return the conversation with something to do after each turn, after what there is already.

        Args:
            check: Called with the conversation so far, plain or `async def`. What it returns is ignored, so that
                `lambda trajectory: self.check(...)` will do; what it raises breaks the conversation off.

        Raises:
            InvalidArgument: It cannot be called.
        """
        return self._but(after_turn=(*self._terms.after_turn, _callable("after_turn: check", check)))

    def run(self) -> Trajectory:
        """Hold the conversation, and return it with its `ending`.

        When something breaks, the conversation as far as it went is kept in the result of the item that is running.

        Raises:
            EvaluationError: Nobody speaks, or turns and a user do; the agent stops to ask and there is no policy, or
                what the policy says cannot be used; it stops too often.
            SimulatorError: The simulated user broke.
            TimeLimit: A turn took too long.
            Exception: Whatever agent, policy and checks raise, unchanged.
        """
        talk = self._begun()
        with talk.recorded():
            return talk.ended(drive(talk.steps(), talk.agent))

    async def arun(self) -> Trajectory:
        """Do what `run` does, for async code; plain policies and checks run in a thread."""
        talk = self._begun()
        with talk.recorded():
            return talk.ended(await adrive(talk.steps(), talk.agent))

    def _but(self, **changes: Any) -> Conversation:
        made = Conversation(self._agent)
        made._terms = replace(self._terms, **changes)
        return made

    def _begun(self) -> Talk:
        turns, user = self._terms.turns, self._terms.user
        if user is not None and turns:
            msg = "Conversation: with_turns and with_user exclude one another; drop one"
            raise EvaluationError(msg)
        if user is None and not turns:
            msg = "Conversation: nobody speaks; call with_turns([...]) or with_user(user)"
            raise EvaluationError(msg)
        problems = [] if user is None else user.problems()
        if problems:
            msg = f"Conversation: the simulated user cannot speak: {'; '.join(problems)}"
            raise EvaluationError(msg)
        agent: Any = self._agent.fresh()
        if not isinstance(agent, BaseAgent):
            msg = f"Conversation: {type(self._agent).__name__}.fresh() must return an agent, got {type(agent).__name__}"
            raise EvaluationError(msg)
        return Talk(agent, self._terms)


def _whole(what: str, given: Any) -> int:
    if type(given) is not int or given < 1:
        msg = f"{what} must be a whole number, 1 or more, got {given!r}"
        raise InvalidArgument(msg)
    return given


def _callable(what: str, given: Any) -> Any:
    if not callable(given):
        msg = f"{what} must be callable, got {type(given).__name__}"
        raise InvalidArgument(msg)
    return given
