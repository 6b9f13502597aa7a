"""Getting evaluators ready: everything that can be wrong before the first item is found here."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace

from neuron_evals.core.datasets import Dataset, Entry, as_dataset, identified
from neuron_evals.core.datasets.contract import refuse
from neuron_evals.core.evaluators import BaseEvaluator
from neuron_evals.core.exceptions import DatasetError, DatasetProblem, EvaluationError
from neuron_evals.core.execution import Task
from neuron_evals.core.results import PlannedEvaluator, full_name
from neuron_evals.core.runner.selection import Selection, tags_of
from neuron_evals.core.tracebacks import describe_broken_check, format_traceback

KEPT_ENTRIES = 10_000
"""Up to how many entries are kept from the survey, so that they need not be read and identified twice."""

SHOWN_PROBLEMS = 20
"""How many problems of one dataset are reported at once; a file of the wrong kind may have one in every line."""


@dataclass(frozen=True, slots=True)
class BrokenEvaluator:
    """An evaluator that cannot run at all.

    Attributes:
        evaluator_class: Its full dotted name, or the name of the file that could not be imported.
        error: Why.
        traceback: The traceback; empty when there is none.
    """

    evaluator_class: str
    error: str
    traceback: str = ""

    @classmethod
    def of(cls, evaluator_class: str, exc: BaseException) -> BrokenEvaluator:
        """Return the evaluator that broke with `exc`."""
        return cls(evaluator_class, describe_broken_check(exc), format_traceback(exc))

    def planned(self) -> PlannedEvaluator:
        """Return its line in the plan."""
        return PlannedEvaluator(self.evaluator_class, error=self.error)


@dataclass(frozen=True, slots=True)
class PreparedEvaluator:
    """An evaluator after `set_up`, with its dataset.

    Attributes:
        evaluator: The evaluator.
        dataset: Its dataset, found free of problems where it can be read before the run.
        selection: Which items run.
        total: Number of items that run; `None` when the dataset cannot be read before the run.
        entries: The items that run, when they are few enough to have been kept; else they are read again.
    """

    evaluator: BaseEvaluator
    dataset: Dataset
    selection: Selection
    total: int | None = None
    entries: tuple[Entry, ...] | None = None

    @property
    def evaluator_class(self) -> str:
        """The evaluator's full dotted name."""
        return full_name(type(self.evaluator))

    def planned(self) -> PlannedEvaluator:
        """Return its line in the plan."""
        return PlannedEvaluator(self.evaluator_class, total=self.total, namespace=self.evaluator.namespace)

    def tasks(self) -> Generator[Task, None, None]:
        """Yield the items that run.

        Raises:
            DatasetError: At the first problem of a dataset that could not be read before; also when it is empty.
        """
        entries: Iterable[Entry] | None = self.entries
        if entries is None:
            entries = self.selection.of(_entries(self.dataset, refuse), self.evaluator)
        for entry in entries:
            yield Task(self.evaluator, entry.index, entry.item_id, entry.item, tags_of(entry, self.evaluator))


def prepare(evaluator: BaseEvaluator, selection: Selection) -> PreparedEvaluator:
    """Set an evaluator up and read its dataset through, where that is possible without using it up.

    Raises:
        Exception: Whatever `set_up` or `get_dataset` raises; the evaluator is torn down then.
        DatasetError: The dataset has problems, or is empty.
        EvaluationError: The evaluator is not written as one.
    """
    _validate(evaluator)
    try:
        evaluator.set_up()
        dataset = as_dataset(evaluator.get_dataset())
        prepared = PreparedEvaluator(evaluator, dataset, selection)
        return _surveyed(prepared) if dataset.rereadable else prepared
    except BaseException:
        evaluator.tear_down()
        raise


def _validate(evaluator: BaseEvaluator) -> None:
    if isinstance(evaluator.tags, str) or not all(isinstance(tag, str) for tag in evaluator.tags):
        msg = f"{full_name(type(evaluator))}.tags must be a tuple of texts such as ('smoke',), got {evaluator.tags!r}"
        raise EvaluationError(msg)


def _surveyed(prepared: PreparedEvaluator) -> PreparedEvaluator:
    """Read a dataset through and return the evaluator with what was found; raise for every problem together."""
    problems: list[DatasetProblem] = []
    entries = _entries(prepared.dataset, problems.append)
    kept: list[Entry] = []
    total = 0
    for entry in prepared.selection.of(entries, prepared.evaluator, to_the_end=True):
        total += 1
        if total <= KEPT_ENTRIES:
            kept.append(entry)
    if problems:
        raise DatasetError(_shortened(problems))
    return replace(prepared, total=total, entries=tuple(kept) if total <= KEPT_ENTRIES else None)


def _entries(dataset: Dataset, on_problem: Callable[[DatasetProblem], None]) -> Iterator[Entry]:
    """Yield the entries of a dataset; one that has none has a problem."""
    sound = True

    def reported(problem: DatasetProblem) -> None:
        nonlocal sound
        sound = False
        on_problem(problem)

    empty = True
    for entry in identified(dataset, reported):
        empty = False
        yield entry
    if empty and sound:
        on_problem(DatasetProblem("the dataset is empty; it needs at least one item", source=dataset.source))


def _shortened(problems: list[DatasetProblem]) -> list[DatasetProblem]:
    if len(problems) <= SHOWN_PROBLEMS:
        return problems
    more = f"and {len(problems) - SHOWN_PROBLEMS} more problems"
    return [*problems[:SHOWN_PROBLEMS], DatasetProblem(more, source=problems[0].source)]
