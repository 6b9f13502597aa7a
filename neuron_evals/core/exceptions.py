"""The error tree of the engine.

Errors of the engine derive from `NeuronEvalsError` and, where there is one, from the builtin they resemble.
`ConfigurationError` and `StopRun` stay outside that base on purpose: code that tolerates a broken item must not swallow
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any


class NeuronEvalsError(Exception):
    """Base of the errors that an evaluation can meet.

    Attributes:
        context: Details for reports, made of JSON values; the check that broke on the error carries them.
    """

    context: Mapping[str, Any] = MappingProxyType({})


class InvalidArgument(NeuronEvalsError, ValueError):  # noqa: N818  (reads as the documents name it)
    """An option of an assertion, dataset or result that cannot mean anything; raised where the object is built."""


class InvalidInput(NeuronEvalsError, TypeError):  # noqa: N818
    """An assertion was given a value of a type it does not evaluate; a mistake in the evaluator, not of the agent."""


class EvaluationError(NeuronEvalsError):
    """An evaluator was used or written in a way that cannot be evaluated."""


class PatternTimeout(NeuronEvalsError, TimeoutError):  # noqa: N818
    """A regular expression ran into its time limit."""


@dataclass(frozen=True)
class DatasetProblem:
    """One thing that is wrong with a dataset.

    Attributes:
        message: What is wrong and what would be valid.
        source: The file's name, or a word for data that has no file (`"items"`).
        item: Position of the item, counted from 0; `None` when the problem belongs to no item.
        line: Line in the file, counted from 1; `None` when unknown.
        column: Column in the line, counted from 1; `None` when unknown.
        field: Name of the field; `None` when the problem belongs to no field.
    """

    message: str
    source: str
    item: int | None = None
    line: int | None = None
    column: int | None = None
    field: str | None = None

    def __str__(self) -> str:
        """Return the problem as one line: where, then what."""
        where = self.source
        if self.line is not None:
            where += f", line {self.line}"
        if self.column is not None:
            where += f", column {self.column}"
        if self.item is not None:
            where += f", item {self.item}"
        if self.field is not None:
            where += f', field "{self.field}"'
        return f"{where}: {self.message}"


class DatasetError(EvaluationError, ValueError):
    """A dataset cannot be read or holds items that cannot be run.

    Attributes:
        problems: Every problem that was found, in the order of the dataset.
    """

    def __init__(self, problems: Iterable[DatasetProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type[DatasetError], tuple[tuple[DatasetProblem, ...]]]:
        """Rebuild from the problems: the default would pass the message instead."""
        return type(self), (self.problems,)


class _WithContext(NeuronEvalsError):  # noqa: N818  (never raised itself)
    """An error with details of its own."""

    def __init__(self, message: str, context: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.context = dict(context or {})

    def __reduce__(self) -> tuple[type[_WithContext], tuple[str, Mapping[str, Any]]]:
        """Rebuild with the details: the default would pass the message alone."""
        return type(self), (str(self), self.context)


class JudgeError(_WithContext):
    """A judge gave nothing that can be read as a grade, even when it was asked once more.

    Attributes:
        context: The raw replies, among other details.
    """


class ClassifierError(_WithContext):
    """A classifier gave no answer, or one that is no probability."""


class EmbeddingsError(NeuronEvalsError):
    """Texts could not be embedded, or their vectors cannot be compared."""


class TimeLimit(NeuronEvalsError, TimeoutError):  # noqa: N818  (as PatternTimeout)
    """An item, or a turn of its conversation, took longer than it may."""


class OutputError(NeuronEvalsError):
    """An output driver could not write what it had to write."""


class ConfigurationError(Exception):
    """What was asked for cannot be set up: an unknown name, an option out of range, a class that cannot be built."""


class StopRun(Exception):  # noqa: N818
    """The one exception by which an output driver stops a run."""


def is_transient(exc: BaseException) -> bool:
    """Return whether an error is one of infrastructure, which another try may not meet.

    It is when it, or what it came from, is a `ConnectionError` or `TimeoutError`, or has a true attribute `transient`.
    A regular expression that ran into its time limit would do so again.
    """
    seen: set[int] = set()
    cause: BaseException | None = exc
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        if getattr(cause, "transient", None) is True:
            return True
        if isinstance(cause, ConnectionError | TimeoutError) and not isinstance(cause, PatternTimeout):
            return True
        cause = cause.__cause__
    return False
