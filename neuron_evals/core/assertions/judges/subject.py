"""What a judge is given to grade, and who made it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from neuron_evals.core.exceptions import InvalidInput
from neuron_evals.core.metrics import models_called
from neuron_evals.core.trajectories import Trajectory

if TYPE_CHECKING:
    from neuron_evals.core.judges.judging import Judgement


def text_of(owner: str, actual: Any, render: Callable[[Trajectory], str]) -> str:
    """Return the text to grade.

    Args:
        owner: Name of the assertion, for the error.
        actual: Text, or a trajectory.
        render: Returns the text of a trajectory.

    Raises:
        InvalidInput: `actual` is neither.
    """
    if isinstance(actual, str):
        return actual
    if not isinstance(actual, Trajectory):
        msg = f"{owner} evaluates text or a Trajectory, got {type(actual).__name__}"
        raise InvalidInput(msg)
    return render(actual)


def same_model_warning(actual: Any, judgements: Iterable[Judgement]) -> str:
    """Return a warning when a judge is the model that is tested; empty when it is not, or when that is unknown.

    A model is known to favour its own answers. The tested models are those that were called as an agent for the item,
    and those that the messages of a trajectory name.
    """
    tested = models_called("agent")
    if isinstance(actual, Trajectory):
        tested |= {message.model for message in actual.messages() if message.role == "assistant" and message.model}
    same = sorted({judgement.model for judgement in judgements if judgement.model} & tested)
    return f"the judge's model {', '.join(same)} is the tested model" if same else ""
