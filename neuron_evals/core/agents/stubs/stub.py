"""`Stub`: what answers in place of a tool."""

from __future__ import annotations

import inspect
import itertools
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from neuron_evals.core.agents.errors import UnstubbedCall
from neuron_evals.core.agents.stubs.replies import Reply, as_replies, require_error
from neuron_evals.core.exceptions import EvaluationError, InvalidArgument
from neuron_evals.core.jsonable import clean_json
from neuron_evals.core.messages import ToolCall
from neuron_evals.core.trajectories import described_call

if TYPE_CHECKING:
    from neuron_evals.core.agents.tools import Tool

Answers = Callable[[Mapping[str, Any]], Any]
"""Answers the calls of one conversation, each by the arguments as the model wrote them."""


class Stub(ABC):
    """What answers in place of a tool; made by one of the static methods.

    A stub never invents an answer: a call that it has none for ends the item as an error (`UnstubbedCall`). It holds no
    state: how far it has come belongs to the conversation. Results are kept as JSON values.
    """

    stubbed: ClassVar[bool] = True
    """Whether its calls are marked as answered by a stub."""

    @staticmethod
    def result(value: Any) -> Stub:
        """Return `value` from every call."""
        return _Result(clean_json(value))

    @staticmethod
    def results(values: Iterable[Any]) -> Stub:
        """Return a value from each call, in order. A call after the last one has no answer.

        Raises:
            InvalidArgument: `values` is no list, or empty.
        """
        if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
            msg = f"Stub.results: values must be a list, got {type(values).__name__}"
            raise InvalidArgument(msg)
        kept = tuple(clean_json(value) for value in values)
        if not kept:
            msg = "Stub.results: values must not be empty"
            raise InvalidArgument(msg)
        return _Results(kept)

    @staticmethod
    def fault(error: str | Exception) -> Stub:
        """Fail in every call.

        Args:
            error: What the model is told, word by word; or an exception, raised as a tool would raise it.

        Raises:
            InvalidArgument: It is neither, or blank.
        """
        require_error("Stub.fault: error", error)
        return Replies((Reply(error=error),))

    @staticmethod
    def replies(replies: Iterable[Mapping[str, Any]]) -> Stub:
        """Answer with the first reply that fits the arguments, as often as it does; else there is no answer.

        Args:
            replies: Mappings with `result` or `error` (as for `fault`), and with `arguments`: as for `ToolWasCalled`,
                a mapping that lists some of them, or a predicate. A reply without `arguments` fits every call.

        Raises:
            InvalidArgument: There is no reply, or one cannot be read.
        """
        return Replies(as_replies("Stub.replies: replies", replies))

    @staticmethod
    def function(function: Callable[..., Any]) -> Stub:
        """Call a function, plain or `async def`, with what the tool's own would get. What it raises, the tool raised.

        Raises:
            InvalidArgument: It cannot be called.
        """
        given: Any = function
        if not callable(given):
            msg = f"Stub.function: function must be callable, got {type(given).__name__}"
            raise InvalidArgument(msg)
        return _Function(function)

    @staticmethod
    def real() -> Stub:
        """Let calls through to the tool."""
        return _Real()

    @abstractmethod
    def begin(self, tool: Tool) -> Answers:
        """Return what answers the calls of `tool` in one conversation; several threads may call it."""

    def in_thread(self, tool: Tool) -> bool:
        """Return whether async code calls the answers in a thread.

        What is at hand is given at once: the calls of a round are answered in their order.
        """
        del tool
        return False


@dataclass(frozen=True)
class _Result(Stub):
    value: Any

    def begin(self, tool: Tool) -> Answers:
        del tool
        return lambda _arguments: clean_json(self.value)


@dataclass(frozen=True)
class _Results(Stub):
    values: tuple[Any, ...]

    def begin(self, tool: Tool) -> Answers:
        numbers = itertools.count()  # counts in one step, whatever the number of threads

        def answer(arguments: Mapping[str, Any]) -> Any:
            number = next(numbers)
            if number < len(self.values):
                return clean_json(self.values[number])
            msg = (
                f"{_described(tool, arguments)} has no result left: its stub has {len(self.values)} and they were given"
            )
            raise UnstubbedCall(msg)

        return answer


@dataclass(frozen=True)
class Replies(Stub):
    """Answers by arguments; `Stub.replies` makes it.

    Attributes:
        given: The replies; the first that fits is taken.
        once: Whether each is given at most once in a conversation.
    """

    given: tuple[Reply, ...]
    once: bool = False

    def begin(self, tool: Tool) -> Answers:
        """Return what finds the reply to each call."""
        left = list(self.given)
        lock = threading.Lock()

        def answer(arguments: Mapping[str, Any]) -> Any:
            with lock:
                found = next((place for place, reply in enumerate(left) if reply.fits(arguments)), None)
                reply = None if found is None else left.pop(found) if self.once else left[found]
            if reply is not None:
                return reply.give()
            none = "none that is left" if self.once else "none"
            msg = f"{_described(tool, arguments)} has no reply: of the {len(self.given)} of its stub, {none} fits"
            raise UnstubbedCall(msg)

        return answer


@dataclass(frozen=True)
class _Function(Stub):
    called: Callable[..., Any]

    def begin(self, tool: Tool) -> Answers:
        def answer(arguments: Mapping[str, Any]) -> Any:
            taken = tool.arguments(arguments)
            try:
                inspect.signature(self.called).bind(**taken)
            except ValueError:  # written in C, without a signature
                pass
            except TypeError as exc:
                msg = f"the stub of {tool.name} cannot be called as the tool is: {exc}"
                raise EvaluationError(msg) from exc
            return self.called(**taken)

        return answer

    def in_thread(self, tool: Tool) -> bool:
        del tool
        return not inspect.iscoroutinefunction(self.called)


@dataclass(frozen=True)
class _Real(Stub):
    stubbed = False

    def begin(self, tool: Tool) -> Answers:
        return lambda arguments: tool.function(**tool.arguments(arguments))

    def in_thread(self, tool: Tool) -> bool:
        return tool.in_thread


@dataclass(frozen=True)
class Refused(Stub):
    """Refuses every call: the tool has no stub."""

    stubbed = False

    def begin(self, tool: Tool) -> Answers:
        """Return what refuses each call."""

        def answer(arguments: Mapping[str, Any]) -> Any:
            msg = f"{_described(tool, arguments)} was refused: the tool has no stub"
            raise UnstubbedCall(msg)

        return answer


def _described(tool: Tool, arguments: Mapping[str, Any]) -> str:
    return f"{described_call(ToolCall(tool.name, arguments)):.500}"
