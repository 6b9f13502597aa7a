"""What an agent can break on beside its provider."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuron_evals.core.exceptions import EvaluationError, NeuronEvalsError

if TYPE_CHECKING:
    from neuron_evals.core.messages import Message


class AgentError(NeuronEvalsError):
    """An agent was used in a way that its conversation does not allow, or gave something that is no answer."""


class UnstubbedCall(EvaluationError):  # noqa: N818  (says what happened)
    """A tool was called that has no stub, or whose stub has no answer to this call; the text names tool and arguments.

    It ends the item as an error: the agent did nothing wrong, and the tool did not run.
    """


class ToolFault(NeuronEvalsError):  # noqa: N818  (what a tool fails with)
    """What a tool failed with, in the words that the model is told."""


class StepLimitReached(AgentError):  # noqa: N818  (says what happened)
    """A turn would need more model calls than the agent may make: the model kept on calling tools.

    Attributes:
        history: The conversation up to there; the calls that were not run are marked so.
    """

    def __init__(self, message: str, history: tuple[Message, ...] = ()) -> None:
        super().__init__(message)
        self.history = history

    def __reduce__(self) -> tuple[type[StepLimitReached], tuple[str, tuple[Message, ...]]]:
        """Rebuild with the history: the default would pass the message alone."""
        return type(self), (str(self), self.history)
