"""`UserSimulator`: a model that plays the user of a conversation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from neuron_evals.core.asking.questions import Answer, NoAnswer, Question, aask, ask
from neuron_evals.core.asking.replies import without_thoughts
from neuron_evals.core.conversations.errors import SimulatorError
from neuron_evals.core.conversations.simulator_notes import confusion, persistence
from neuron_evals.core.conversations.simulator_options import Facts, Player, as_opening, as_part, as_player
from neuron_evals.core.conversations.simulator_prompt import REPLY_SCHEMA, RULES, imitations, simulator_prompt
from neuron_evals.core.conversations.simulator_reply import Step, read_step
from neuron_evals.core.conversations.user import SimulatedTurn, User
from neuron_evals.core.exceptions import ConfigurationError, StopRun
from neuron_evals.core.jsonable import canonical_json, clean_text
from neuron_evals.core.messages import Message
from neuron_evals.core.providers.errors import ProviderError
from neuron_evals.core.tracebacks import class_and_message
from neuron_evals.core.trajectories import Trajectory

if TYPE_CHECKING:
    from neuron_evals.core.agents import AgentReply

_LONGEST_REPLY = 4_000


class UserSimulator(User):
    """A model that plays the user: at each step it reads the conversation and goes on, or stops.

    Each step is a fresh conversation with the model. It sees what a user sees: the texts of both sides, without the
    agent's instructions and thoughts, and without its tools. One object may take part in any number of conversations
    at once. What it uses is counted as `simulator`.

    Args:
        player: The provider of the model, or an agent that plays; a callable from text to text is one too.
        persona: Who the user is; an everyday user by default.
        goal: What the user wants. It stops when it has that, or gives up.
        facts: What the user knows and tells when it is asked: a list of texts, or a mapping such as
            `{"order number": 123}`.
        opening: The user's first message, text or a user message; by default the model thinks of one.
        sees_tools: Whether it is shown the agent's tool calls and their results.
        model: Name of the model; the player's by default.
        temperature: As for `Agent`, like those below. What is `None` is not sent.
        top_p: Share of the probability mass that is sampled from.
        max_tokens: Most tokens of one reply.
        seed: Seed of the sampling.

    Raises:
        InvalidArgument: There is no goal, or an option cannot mean anything.
        ConfigurationError: The agent that plays cannot take a model or setting.
    """

    def __init__(  # noqa: PLR0913  (one for each thing that shapes a user, by name)
        self,
        player: Player,
        persona: str = "",
        goal: str = "",
        facts: Facts = (),
        *,
        opening: str | Message | None = None,
        sees_tools: bool = False,
        model: str | None = None,
        temperature: float | None = None,
        top_p: float | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,
    ) -> None:
        self._part = as_part(persona, goal, facts)
        self._opening = as_opening(opening)
        self._sees_tools = sees_tools
        settings = {"model": model, "temperature": temperature, "top_p": top_p, "max_tokens": max_tokens, "seed": seed}
        self._player = as_player(player, settings)

    def next_turn(self, trajectory: Trajectory) -> SimulatedTurn:
        """Return what the user does next.

        Args:
            trajectory: The conversation so far; empty when the user speaks first.

        Raises:
            SimulatorError: The model could not be reached, or gave no usable reply even when it was asked once more;
                its raw replies are in the error's context.
        """
        seen = self._seen(trajectory)
        known = self._known(seen)
        if known is not None:
            return known
        with self._own_faults():
            answer = ask(self._player, self._question(seen))
        return self._turn(seen, answer)

    async def anext_turn(self, trajectory: Trajectory) -> SimulatedTurn:
        """Do what `next_turn` does, for async code."""
        seen = self._seen(trajectory)
        known = self._known(seen)
        if known is not None:
            return known
        with self._own_faults():
            answer = await aask(self._player, self._question(seen))
        return self._turn(seen, answer)

    def problems(self) -> list[str]:
        """Return what would make every step fail, a line each, without calling anything."""
        return [f"the simulated user: {problem}" for problem in self._player.problems()]

    @property
    def fingerprint(self) -> str:
        """A hash of all that shapes what the user says, for cache keys; empty when the player's is."""
        if not self._player.fingerprint:
            return ""
        shaping = [self._player.fingerprint, self._part, self._opening, self._sees_tools, RULES, REPLY_SCHEMA]
        return hashlib.sha256(canonical_json(shaping).encode()).hexdigest()

    def _known(self, seen: Trajectory) -> SimulatedTurn | None:
        """Return the step for which no model is needed, if this is one."""
        if self._opening is None or any(message.role == "user" for message in seen.messages()):
            return None
        return SimulatedTurn(self._opening)

    def _seen(self, trajectory: Trajectory) -> Trajectory:
        """Return the conversation as the user sees it."""
        return Trajectory(filter(None, map(self._message_seen, trajectory.messages())))

    def _message_seen(self, message: Message) -> Message | None:
        if message.role == "assistant":
            calls = message.tool_calls if self._sees_tools else ()
            message = replace(message, content=without_thoughts(message.content), tool_calls=calls)
        elif message.role == "system" or (message.role == "tool" and not self._sees_tools):
            return None
        return message if message.content or message.attachments or message.tool_calls else None

    def _question(self, seen: Trajectory) -> Question[Step]:
        return Question(
            prompt=simulator_prompt(self._part, seen.to_transcript()),
            schema=REPLY_SCHEMA,
            wanted='"reason", "stop" and "message"',
            read=read_step,
            who="the simulated user",
            kind="simulator",
        )

    def _turn(self, seen: Trajectory, answer: Answer[Step]) -> SimulatedTurn:
        step, earlier = answer.value, seen.user_messages()
        notes = [f"asked once more: {answer.problem}"] if answer.problem else []
        imitated = imitations(_since_the_user(seen.messages()).to_transcript())
        if imitated:
            notes.append(f"the agent's text imitates a tag of the simulated user's prompt ({imitated})")
        if not step.message:
            notes += [] if earlier else ["it stopped before it said anything"]
            return SimulatedTurn(None, step.reason, tuple(notes))
        notes += confusion(step.message, seen.final_answer())
        notes += [] if step.stop else persistence(step.message, earlier)
        # A user who agrees to something must not be gone before the agent has done it.
        return SimulatedTurn(Message(role="user", content=step.message), step.reason, tuple(notes), last=step.stop)

    @contextmanager
    def _own_faults(self) -> Iterator[None]:
        """Raise what breaks inside as the simulated user's fault."""
        try:
            yield
        except NoAnswer as exc:
            tries = "1 try" if len(exc.replies) == 1 else f"{len(exc.replies)} tries"
            msg = f"the simulated user gave no usable reply in {tries}: {exc}"
            raise _fault(msg, replies=exc.replies) from None
        except (ConfigurationError, StopRun):
            raise
        except Exception as exc:
            if isinstance(exc, ProviderError) and exc.kind == "cancelled":
                raise  # the run was stopped, by nobody's fault
            msg = f"the simulated user broke: {class_and_message(exc)}"
            raise _fault(msg, transient=self._player.is_transient(exc)) from exc


def _since_the_user(messages: list[Message]) -> Trajectory:
    """Return what the agent has said since the user spoke."""
    newest = list(messages)
    for position, message in enumerate(messages, 1):
        if message.role == "user":
            newest = messages[position:]
    return Trajectory(newest)


def _fault(message: str, replies: tuple[AgentReply, ...] = (), *, transient: bool = False) -> SimulatorError:
    error = SimulatorError(message)
    if replies:
        error.context = {"replies": [clean_text(reply.text, _LONGEST_REPLY) for reply in replies]}
    if transient:
        # What it came from need not look transient to anybody but the agent; `is_transient` reads it here.
        vars(error)["transient"] = True
    return error
