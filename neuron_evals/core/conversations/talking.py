"""The steps of a conversation, the same for plain and for async code."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents import AgentReply
from neuron_evals.core.approvals import ApprovalRequest, Interrupt, read_decisions
from neuron_evals.core.cancellation import Deadline
from neuron_evals.core.conversations.errors import SimulatorError
from neuron_evals.core.conversations.user import SimulatedTurn, User
from neuron_evals.core.exceptions import EvaluationError, TimeLimit
from neuron_evals.core.jsonable import clean_text
from neuron_evals.core.messages import Message
from neuron_evals.core.tracebacks import class_and_message
from neuron_evals.core.trajectories import Ending, Remark, Trajectory, record_trajectory
from neuron_evals.core.trajectories.ending import EndingReason

if TYPE_CHECKING:
    from neuron_evals.core.agents import BaseAgent

Policy = Callable[[Interrupt, Trajectory], Any]
"""Answers an interrupt: called with it and the conversation so far. For an `ApprovalRequest` it returns a mapping from
the id of each pending call to a decision; for any other interrupt what the agent is to be resumed with. It may be
`async def`."""

TurnCheck = Callable[[Trajectory], Any]
"""Called after a turn with the conversation so far. What it returns is ignored. It may be `async def`."""

_DETAIL_LENGTH = 1_000


@dataclass(frozen=True, slots=True)
class Terms:
    """What a conversation goes by.

    Attributes:
        turns: What is said, one after the other.
        user: Who speaks instead; `None` for nobody.
        max_turns: Most turns of `user`.
        policy: Answers interrupts; `None` where there must be none.
        turn_timeout: Seconds a turn may take; `None` for no limit of its own.
        max_suspensions: How often a turn may stop to ask.
        after_turn: Called after each turn.
    """

    turns: tuple[Message, ...] = ()
    user: User | None = None
    max_turns: int = 10
    policy: Policy | None = None
    turn_timeout: float | None = None
    max_suspensions: int = 10
    after_turn: tuple[TurnCheck, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnLimit:
    """Until when a turn must be complete."""

    turn: int
    seconds: float
    deadline: Deadline

    def error(self) -> TimeLimit:
        """Return what a turn that took longer breaks on."""
        return TimeLimit(f"turn {self.turn} of the conversation took longer than {self.seconds:g} s")


@dataclass(frozen=True, slots=True)
class Deliver:
    """A step: tell the agent something, or resume it. It is answered by the agent's reply."""

    said: Any
    resumes: bool
    limit: TurnLimit | None


@dataclass(frozen=True, slots=True)
class Listen:
    """A step: ask the user what comes next. It is answered by a `SimulatedTurn`."""

    user: User
    so_far: Trajectory


@dataclass(frozen=True, slots=True)
class Call:
    """A step: call a policy or a check. It is answered by what that returns."""

    function: Callable[..., Any]
    args: tuple[Any, ...]


Steps = Generator[Deliver | Listen | Call, Any, EndingReason]
"""The steps of a conversation; it returns why it ended."""


class Talk:
    """One run of a conversation.

    Args:
        agent: The agent, with an empty history; it is this conversation's own.
        terms: What the conversation goes by.
    """

    def __init__(self, agent: BaseAgent, terms: Terms) -> None:
        self.agent = agent
        self._terms = terms
        self._turns = 0
        self._user_speaks = False
        self._said: Message | None = None
        self._detail = ""
        self._reasons: list[Remark] = []
        self._notes: list[Remark] = []

    def steps(self) -> Steps:
        """Yield the steps."""
        user = self._terms.user
        if user is None:
            for message in self._terms.turns:
                yield from self._turn(message)
            return "script_ended"
        while self._turns < self._terms.max_turns:
            step = yield from self._next_of(user)
            if step.message is None:
                return "user_stopped"
            yield from self._turn(step.message)
            if step.last:
                return "user_stopped"
        return "max_turns"

    @contextmanager
    def recorded(self) -> Iterator[None]:
        """Keep the conversation for the item it is part of, as far as it goes, whatever breaks inside."""
        record_trajectory(self.broken_off)
        try:
            yield
        except BaseException as exc:
            with suppress(Exception):  # it is about to be told what broke; a history that breaks too must not hide it
                fault = self._user_speaks and isinstance(exc, Exception)
                record_trajectory(self.broken_off(class_and_message(exc), simulator_fault=fault))
            raise

    def ended(self, reason: EndingReason) -> Trajectory:
        """Return the whole conversation, and keep it for the item it is part of."""
        trajectory = self._so_far(self._ending(reason, self._detail))
        record_trajectory(trajectory)
        return trajectory

    def broken_off(self, detail: str, *, simulator_fault: bool = False) -> Trajectory:
        """Return the conversation as far as it went, with what breaks it off."""
        line = clean_text(" ".join(detail.split()), _DETAIL_LENGTH)
        ending = self._ending("error", line, simulator_fault=simulator_fault)
        history = self.agent.history
        if self._said is not None and sum(message.role == "user" for message in history) < self._turns:
            # The agent was told, and had not noted it yet.
            history = (*history, self._said)
        return Trajectory(history, ending)

    def _ending(self, reason: EndingReason, detail: str, *, simulator_fault: bool = False) -> Ending:
        return Ending(reason, self._turns, detail, simulator_fault, tuple(self._reasons), tuple(self._notes))

    def _so_far(self, ending: Ending | None = None) -> Trajectory:
        return Trajectory(self.agent.history, ending)

    def _next_of(self, user: User) -> Generator[Listen, Any, SimulatedTurn]:
        self._user_speaks = True
        step = yield Listen(user, self._so_far())
        if not isinstance(step, SimulatedTurn):
            msg = f"{type(user).__name__}.next_turn must return a SimulatedTurn, got {type(step).__name__}"
            raise SimulatorError(msg)
        turn = self._turns + 1
        self._detail = step.reason
        if step.reason:
            self._reasons.append(Remark(turn, step.reason))
        self._notes.extend(Remark(turn, note) for note in step.notes)
        if step.message is not None:
            _refuse_what_no_user_says(step.message, turn)
        self._user_speaks = False
        return step

    def _turn(self, message: Message) -> Generator[Deliver | Call, Any, None]:
        self._turns += 1
        self._said = message
        record_trajectory(self.broken_off)
        seconds = self._terms.turn_timeout
        limit = None if seconds is None else TurnLimit(self._turns, seconds, Deadline.after(seconds))
        reply = yield Deliver(message, resumes=False, limit=limit)
        suspensions = 0
        while (request := self._request_of(reply)) is not None:
            suspensions += 1
            if suspensions > self._terms.max_suspensions:
                msg = (
                    f"the agent stopped to ask more than {self._terms.max_suspensions} times in turn {self._turns}; "
                    "with_max_suspensions(n) allows more"
                )
                raise EvaluationError(msg)
            record_trajectory(self.broken_off)
            payload = yield from self._answer_to(request)
            reply = yield Deliver(payload, resumes=True, limit=limit)
        record_trajectory(self.broken_off)
        for check in self._terms.after_turn:
            yield Call(check, (self._so_far(),))

    def _answer_to(self, request: Interrupt) -> Generator[Call, Any, Any]:
        """Return what the policy says; of an approval only when it decides on every pending call and nothing else."""
        if self._terms.policy is None:
            msg = f"the agent stopped with {_described(request)}, and there is no policy; call with_approvals(policy)"
            raise EvaluationError(msg)
        payload = yield Call(self._terms.policy, (request, self._so_far()))
        if isinstance(request, ApprovalRequest):
            return {key: decision.plain for key, decision in read_decisions(request, payload).items()}
        return payload

    def _request_of(self, reply: Any) -> Interrupt | None:
        if not isinstance(reply, AgentReply):
            msg = f"{type(self.agent).__name__} must answer with an AgentReply, got {type(reply).__name__}"
            raise EvaluationError(msg)
        request: Any = reply.interrupt
        if request is None or isinstance(request, Interrupt):
            return request
        msg = f"the agent stopped without a request: its interrupt must be an Interrupt, got {type(request).__name__}"
        raise EvaluationError(msg)


def _described(request: Interrupt) -> str:
    name = type(request).__name__
    if isinstance(request, ApprovalRequest) and request.pending:
        return f"{name} ({', '.join(action.name for action in request.pending)})"
    return name


def _refuse_what_no_user_says(message: Any, turn: int) -> None:
    """Refuse a simulated user's message that an agent cannot be told.

    Raises:
        SimulatorError: It is no message of the user, or an empty one.
    """
    if not isinstance(message, Message) or message.role != "user":
        what = f"a message of the {message.role}" if isinstance(message, Message) else type(message).__name__
        msg = f"the simulated user must give a message of the user in turn {turn}, got {what}"
        raise SimulatorError(msg)
    if not message.content.strip() and not message.attachments:
        msg = f"the simulated user gave an empty message in turn {turn}; to stop it gives none"
        raise SimulatorError(msg)
