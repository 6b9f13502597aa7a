"""Judges with criteria of their own: four of one answer, and one of a whole conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from neuron_evals.core.assertions.judges.base import Judge
from neuron_evals.core.assertions.options import require_text, require_written
from neuron_evals.core.checking import View
from neuron_evals.core.judges.prompts import Material


@dataclass(frozen=True)
class FaithfulnessJudge(Judge):
    """Passes when a judge finds the output grounded in a context: what retrieval or a tool found.

    Args:
        judge: The agent that grades, or several in a list.
        context: The text that the output may rely on.
        threshold: Lowest score that passes, 0 to 1.
        examples: Graded examples: mappings with `input`, `output`, `score` and `reasoning`.
        votes: How often each judge is asked, 1 or more.
        rule: What several judgements say together: `mean`, `median` or `majority`.

    Raises:
        InvalidArgument: An option has another type or is out of range.
    """

    context: str
    threshold: float = 0.7
    examples: Sequence[Mapping[str, Any]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        require_text(self.assertion_name, "context", self.context)

    def instructions(self) -> str:
        """Return the criteria."""
        return (
            "Is everything that the output claims supported by the context? What the context does not say counts as "
            "unsupported, also where it is true. Lower the score for each claim that the context does not support, and "
            "more for one that it contradicts."
        )

    def material(self) -> Sequence[Material]:
        """Return the context."""
        return (Material("The context:", "context", self.context),)


@dataclass(frozen=True)
class CorrectnessJudge(Judge):
    """Passes when a judge finds that the output says what the expected answer says, in whatever words.

    Args:
        judge: The agent that grades, or several in a list.
        expected: The expected answer.
        threshold: Lowest score that passes, 0 to 1.
        examples: Graded examples: mappings with `input`, `output`, `score` and `reasoning`.
        votes: How often each judge is asked, 1 or more.
        rule: What several judgements say together: `mean`, `median` or `majority`.

    Raises:
        InvalidArgument: An option has another type or is out of range.
    """

    expected: str
    threshold: float = 0.7
    examples: Sequence[Mapping[str, Any]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        require_text(self.assertion_name, "expected", self.expected)

    def instructions(self) -> str:
        """Return the criteria."""
        return (
            "Does the output have the meaning and the facts of the expected answer? The wording may differ. Lower the "
            "score for facts that are wrong, for what is left out, and for what contradicts the expected answer."
        )

    def material(self) -> Sequence[Material]:
        """Return the expected answer."""
        return (Material("The expected answer:", "reference", self.expected),)


@dataclass(frozen=True)
class RelevanceJudge(Judge):
    """Passes when a judge finds that the output answers the question.

    Args:
        judge: The agent that grades, or several in a list.
        question: What the user asked.
        threshold: Lowest score that passes, 0 to 1.
        examples: Graded examples: mappings with `input`, `output`, `score` and `reasoning`.
        votes: How often each judge is asked, 1 or more.
        rule: What several judgements say together: `mean`, `median` or `majority`.

    Raises:
        InvalidArgument: An option has another type or is out of range.
    """

    question: str
    threshold: float = 0.7
    examples: Sequence[Mapping[str, Any]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        require_text(self.assertion_name, "question", self.question)

    def instructions(self) -> str:
        """Return the criteria."""
        return (
            "Does the output address the question, help to answer it, and stay on its topic? Lower the score for what "
            "does not belong to it, and more for an output that evades the question."
        )

    def material(self) -> Sequence[Material]:
        """Return the question."""
        return (Material("The question:", "question", self.question),)


@dataclass(frozen=True)
class HelpfulnessJudge(Judge):
    """Passes when a judge finds the output clear, complete, actionable and concise.

    Args:
        judge: The agent that grades, or several in a list.
        threshold: Lowest score that passes, 0 to 1.
        examples: Graded examples: mappings with `input`, `output`, `score` and `reasoning`.
        votes: How often each judge is asked, 1 or more.
        rule: What several judgements say together: `mean`, `median` or `majority`.

    Raises:
        InvalidArgument: An option has another type or is out of range.
    """

    threshold: float = 0.7
    examples: Sequence[Mapping[str, Any]] = ()

    def instructions(self) -> str:
        """Return the criteria."""
        return (
            "Is the output helpful? It should be clear, complete enough to act on, say what to do where something is "
            "to be done, and be no longer than that takes."
        )


@dataclass(frozen=True)
class TaskCompletionJudge(Judge):
    """Passes when a judge finds that a conversation reached the user's goal.

    Args:
        judge: The agent that grades, or several in a list.
        goal: What the user wanted.
        threshold: Lowest score that passes, 0 to 1.
        examples: Graded examples: mappings with `input`, `output`, `score` and `reasoning`.
        votes: How often each judge is asked, 1 or more.
        rule: What several judgements say together: `mean`, `median` or `majority`.

    Raises:
        InvalidArgument: An option has another type or is out of range.
    """

    accepts: ClassVar[View] = "trajectory"

    goal: str
    threshold: float = 0.7
    examples: Sequence[Mapping[str, Any]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        require_written(self.assertion_name, "goal", self.goal)

    def instructions(self) -> str:
        """Return the criteria."""
        return (
            "Did the conversation reach the user's goal? Look at all of it: the tools that were called and what they "
            "returned, what was approved or rejected, and the final answer. Where a person's rejection stood in the "
            "way, grade how the agent dealt with it. Give part of the score for part of the goal, and little where the "
            "agent gave up early."
        )

    def material(self) -> Sequence[Material]:
        """Return the goal."""
        return (Material("The user's goal:", "goal", self.goal),)
