"""One turn of an agent as a sequence of steps, the same for plain and for async code."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents.contract import AgentReply
from neuron_evals.core.agents.errors import StepLimitReached
from neuron_evals.core.agents.rounds import Round, Work, with_ids
from neuron_evals.core.agents.tools import Tool
from neuron_evals.core.approvals import ApprovalRequest, read_decisions
from neuron_evals.core.messages import Message, ToolCall, Usage
from neuron_evals.core.metrics import record_tool_errors, record_tools, record_usage, total_cost
from neuron_evals.core.providers.contract import BaseProvider, ModelReply, ModelRequest, ModelSettings
from neuron_evals.core.providers.prices import PriceTable, cost_of

if TYPE_CHECKING:
    from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Setup:
    """All that shapes an agent's answers."""

    provider: BaseProvider
    instructions: str = ""
    tools: tuple[Tool, ...] = ()
    model: str | None = None
    settings: ModelSettings = field(default_factory=ModelSettings)
    max_steps: int = 10
    prices: PriceTable | None = None
    opening: tuple[Message, ...] = ()
    deps: Any = None


@dataclass(frozen=True, slots=True)
class Ask:
    """A step: ask the model. It is answered by a `ModelReply`."""

    request: ModelRequest


@dataclass(frozen=True, slots=True)
class Run:
    """A step: run tools. Each outcome is given to `take` as soon as it is there: the next tool may end the turn.

    Attributes:
        work: What to run.
        take: Takes a call with its outcome.
    """

    work: tuple[Work, ...]
    take: Callable[[ToolCall], None]


Steps = Generator[Ask | Run, Any, AgentReply]
"""The steps of a turn; it returns the reply."""


class Turn:
    """A turn: from what the user says to the answer, with all tools in between.

    Args:
        setup: The agent's.
        messages: The conversation; it grows.
        schema: JSON schema of the answer; `None` for free text.

    Attributes:
        request: What has to be decided on before the turn can go on; `None` when nothing has.
    """

    def __init__(self, setup: Setup, messages: list[Message], schema: Mapping[str, Any] | None = None) -> None:
        self._setup = setup
        self._messages = messages
        self._schema = schema
        self._usages: list[Usage] = []
        self._costs: list[Decimal | None] = []
        self._seconds = 0.0
        self._round: Round | None = None
        self.request: ApprovalRequest | None = None

    def start(self, message: Message) -> Steps:
        """Yield the steps from a user's message on."""
        self._messages.append(message)
        return (yield from self._timed(self._go_on()))

    def resume(self, payload: Any) -> Steps:
        """Yield the steps after decisions.

        Raises:
            EvaluationError: The decisions cannot be used; the turn still waits for them.
        """
        if self.request is None or self._round is None:
            msg = "the turn waits for no decision"
            raise RuntimeError(msg)
        self._round.decide(read_decisions(self.request, payload))
        self.request = None
        return (yield from self._timed(self._finish_round_and_go_on(self._round)))

    def break_off(self) -> None:
        """Give each call that has no outcome one that says so, since servers refuse a history with calls without.

        A turn that waits for decisions still does.
        """
        if self._round is not None and self.request is None:
            self._round.give_up("the turn was broken off before this tool ran")
            self._close(self._round)

    def _timed(self, steps: Steps) -> Steps:
        started = time.perf_counter()
        reply = yield from steps
        self._seconds += time.perf_counter() - started
        return replace(reply, duration=self._seconds)

    def _go_on(self) -> Steps:
        reply = yield from self._ask()
        while reply.message.tool_calls:
            part = Round(reply.message.tool_calls, self._setup.tools, self._setup.deps)
            message = replace(reply.message, tool_calls=part.proposed)
            self._messages.append(message)
            self._round = part
            if part.fault is not None:
                raise part.fault
            if len(self._usages) >= self._setup.max_steps:
                raise self._limit_reached(part)
            yield from self._run(part)
            if part.request is not None:
                self._tell(part)
                self.request = part.request
                return self._reply(reply, message)
            self._close(part)
            reply = yield from self._ask()
        self._messages.append(reply.message)
        return self._reply(reply, reply.message)

    def _finish_round_and_go_on(self, part: Round) -> Steps:
        yield from self._run(part)
        self._close(part)
        return (yield from self._go_on())

    def _ask(self) -> Generator[Ask, ModelReply, ModelReply]:
        setup = self._setup
        request = ModelRequest(
            messages=as_sent(self._messages),
            model=setup.model,
            instructions=setup.instructions,
            tools=tuple(tool.spec for tool in setup.tools),
            schema=self._schema,
            settings=setup.settings,
        )
        started = time.perf_counter()
        reply = yield Ask(request)
        seconds = time.perf_counter() - started
        asked = setup.model or setup.provider.model
        message = replace(
            reply.message,
            model=reply.message.model or asked,
            duration=seconds if reply.message.duration is None else reply.message.duration,
            tool_calls=with_ids(reply.message.tool_calls, f"call_{len(self._messages)}"),
        )
        prices = setup.prices or setup.provider.prices
        # A server may answer under another name than the one it was asked by.
        costs = (cost_of(model, message.usage, prices) for model in (message.model, asked))
        cost = next((known for known in costs if known is not None), None)
        self._usages.append(message.usage or Usage())
        self._costs.append(cost)
        record_usage(
            message.usage,
            cost,
            message.model,
            seconds=seconds,
            first_token=reply.first_token,
            attempts=reply.attempts,
            tool_calls=len(message.tool_calls),
        )
        return replace(reply, message=message)

    def _run(self, part: Round) -> Generator[Run, None, None]:
        if not part.ready:
            return
        started = time.perf_counter()
        yield Run(part.ready, part.take)
        record_tools(time.perf_counter() - started)

    def _tell(self, part: Round) -> None:
        """Put what became of a round so far into the conversation: all of it is one message."""
        if self._messages[-1].role == "tool":
            self._messages.pop()
        if part.outcomes:
            self._messages.append(Message(role="tool", tool_calls=part.outcomes))

    def _close(self, part: Round) -> None:
        record_tool_errors(sum(call.error is not None for call in part.outcomes))
        self._tell(part)
        self._round = None

    def _reply(self, reply: ModelReply, message: Message) -> AgentReply:
        return AgentReply(
            text=message.content,
            message=message,
            interrupt=self.request,
            usage=Usage.sum(self._usages),
            cost=total_cost(self._costs),
            model=message.model,
            first_token=reply.first_token,
            finish_reason=reply.finish_reason,
        )

    def _limit_reached(self, part: Round) -> StepLimitReached:
        limit = self._setup.max_steps
        part.give_up(f"not run: the limit of {limit} model calls was reached")
        self._close(part)
        names = ", ".join(call.name for call in part.proposed)
        msg = f"the model still calls tools ({names}) after {limit} model calls; max_steps allows more"
        return StepLimitReached(msg, tuple(self._messages))


def as_sent(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return a conversation as the model sees it: it proposed what was run, also where a person edited that."""
    sent = list(messages)
    for position, message in enumerate(messages):
        if message.role != "tool" or position == 0:
            continue
        run = {call.id: call.arguments for call in message.tool_calls}
        proposal = messages[position - 1]
        if any(run.get(call.id, call.arguments) != call.arguments for call in proposal.tool_calls):
            calls = tuple(replace(call, arguments=run.get(call.id, call.arguments)) for call in proposal.tool_calls)
            sent[position - 1] = replace(proposal, tool_calls=calls)
    return tuple(sent)
