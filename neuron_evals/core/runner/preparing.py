"""Getting evaluators ready: everything that can be wrong before the first item is found here."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from neuron_evals.core.caches import RunKeys, RunOutputs
from neuron_evals.core.datasets import Dataset, Entry, as_dataset, identified
from neuron_evals.core.datasets.contract import refuse
from neuron_evals.core.datasets.identity import item_key
from neuron_evals.core.evaluators import BaseEvaluator
from neuron_evals.core.exceptions import DatasetError, DatasetProblem, EvaluationError
from neuron_evals.core.execution import Task
from neuron_evals.core.report import EvaluationResults
from neuron_evals.core.results import PlannedEvaluator, full_name
from neuron_evals.core.runner.limits import Limits, Resolver, complaints, validate_class
from neuron_evals.core.runner.pools.contract import Pool
from neuron_evals.core.runner.selection import Selection, tags_of
from neuron_evals.core.tracebacks import describe_broken_check, format_traceback

if TYPE_CHECKING:
    from neuron_evals.core.runner.crew import Crew

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

    def results(self) -> EvaluationResults:
        """Return its results, of which there is none."""
        return EvaluationResults(self.evaluator_class, error=self.error, traceback=self.traceback)


@dataclass(frozen=True, slots=True)
class Opened:
    """An evaluator after `set_up`, with its workers.

    Attributes:
        evaluator: The evaluator.
        pool: Where its items are executed.
        kind: Which kind of workers that is.
        namespace: The evaluator's grouping label, if it has one.
        outputs: Where its outputs are cached; `None` for nowhere.
        keys: Under which keys; `None` for nowhere.
    """

    evaluator: BaseEvaluator
    pool: Pool
    kind: str
    namespace: str | None = None
    outputs: RunOutputs | None = None
    keys: RunKeys | None = None

    def release(self) -> None:
        """End the workers and tear the evaluator down."""
        try:
            self.pool.close(abandon=True)
        finally:
            self.evaluator.tear_down()


@dataclass(frozen=True, slots=True)
class PreparedEvaluator:
    """An evaluator that is ready to run.

    Attributes:
        opened: The evaluator with its workers.
        dataset: Its dataset, found free of problems where it can be read before the run.
        selection: Which items run.
        limits: What the run says of time limits, repeats and retries.
        skip: What is not executed, because there is a result already: `item_key` and repeat of each.
        total: Number of results it gives; `None` when the dataset cannot be read before the run.
        entries: The items that run, when they are few enough to have been kept; else they are read again.
        left_out: How many items the selection leaves out; `None` when the dataset cannot be read before the run.
        resumed: How many executions there are results of already.
    """

    opened: Opened
    dataset: Dataset
    selection: Selection
    limits: Limits
    skip: Collection[tuple[str, int]] = ()
    total: int | None = None
    entries: tuple[Entry, ...] | None = None
    left_out: int | None = 0
    resumed: int = 0

    @property
    def evaluator(self) -> BaseEvaluator:
        """The evaluator."""
        return self.opened.evaluator

    @property
    def evaluator_class(self) -> str:
        """The evaluator's name."""
        return self.evaluator.evaluator_name

    def planned(self) -> PlannedEvaluator:
        """Return its line in the plan."""
        return PlannedEvaluator(
            self.evaluator_class, total=self.total, namespace=self.opened.namespace, workers=self.opened.kind
        )

    def tasks(self) -> Generator[Task, None, None]:
        """Yield what runs: each item as often as it is repeated, the repeats of an item one after the other.

        Raises:
            DatasetError: At the first problem of a dataset that could not be read before; also when it is empty.
        """
        entries: Iterable[Entry] | None = self.entries
        if entries is None:
            entries = self.selection.of(sound_entries(self.dataset, refuse), self.evaluator)
        limits = Resolver(self.limits, self.evaluator)
        for entry in entries:
            timeout, repeats, retries = limits.of(entry.item)
            tags = tags_of(entry, self.evaluator)
            for repeat in self.remaining(entry, repeats):
                key = self._key(entry, repeat)
                yield Task(self.evaluator, entry.index, entry.item_id, entry.item, tags, repeat, timeout, retries, key)

    def remaining(self, entry: Entry, repeats: int) -> Sequence[int]:
        """Return which repeats of an item are executed."""
        if not self.skip:
            return range(repeats)
        key = item_key(entry.item_id)
        return [repeat for repeat in range(repeats) if (key, repeat) not in self.skip]

    def absent(self) -> EvaluationResults:
        """Return the results of an evaluator of which nothing runs."""
        return EvaluationResults(self.evaluator_class, left_out=self.left_out, resumed=self.resumed)

    def release(self) -> None:
        """End the workers and tear the evaluator down."""
        self.opened.release()

    def _key(self, entry: Entry, repeat: int) -> str | None:
        outputs, keys = self.opened.outputs, self.opened.keys
        return None if outputs is None or keys is None else outputs.key(keys, entry.item, repeat)


def set_up(evaluator: BaseEvaluator, crew: Crew) -> Opened:
    """Set an evaluator up and get its workers.

    Raises:
        Exception: Whatever `set_up` raises; the evaluator is torn down then.
        EvaluationError: The evaluator is not written as one, or names a wrong dependency of its cached outputs.
    """
    _validate(evaluator)
    try:
        evaluator.set_up()
        outputs = crew.outputs()
        keys = None if outputs is None else RunKeys(evaluator)
        # Here and not before the first item: process workers are forked before any dataset is in memory.
        pool, kind = crew.pool(evaluator, outputs)
        return Opened(evaluator, pool, kind, evaluator.namespace, outputs, keys)
    except BaseException:
        evaluator.tear_down()
        raise


def prepare(
    opened: Opened, selection: Selection, limits: Limits, skip: Collection[tuple[str, int]] = ()
) -> PreparedEvaluator:
    """Get an evaluator's dataset, and read it through where that is possible without using it up.

    Raises:
        Exception: Whatever `get_dataset` raises; the evaluator is released then.
        DatasetError: The dataset has problems, or is empty.
    """
    try:
        dataset = as_dataset(opened.evaluator.get_dataset())
        prepared = PreparedEvaluator(opened, dataset, selection, limits, skip)
        if dataset.rereadable:
            return _surveyed(prepared)
        return replace(prepared, left_out=None if selection else 0, resumed=len(skip))
    except BaseException:
        opened.release()
        raise


def _validate(evaluator: BaseEvaluator) -> None:
    name = full_name(type(evaluator))
    tags: object = evaluator.tags
    if isinstance(tags, str) or not isinstance(tags, Iterable) or not all(isinstance(tag, str) for tag in tags):
        msg = f"{name}.tags must be a tuple of texts such as ('smoke',), got {tags!r}"
        raise EvaluationError(msg)
    namespace: object = evaluator.namespace
    if not (namespace is None or isinstance(namespace, str)):
        msg = f"{name}.namespace must be a text or None, got {namespace!r}"
        raise EvaluationError(msg)
    validate_class(evaluator)
    for called in ("set_up", "tear_down", "get_dataset"):
        if inspect.iscoroutinefunction(getattr(evaluator, called)):
            msg = f"{name}.{called} is an `async def`, and nobody would await it; only run and evaluate may be"
            raise EvaluationError(msg)
    for called in ("set_up", "tear_down", "run", "evaluate"):
        method = getattr(evaluator, called)
        if inspect.isgeneratorfunction(method) or inspect.isasyncgenfunction(method):
            msg = f"{name}.{called} is a generator, which would never run; return instead of yield"
            raise EvaluationError(msg)


def _surveyed(prepared: PreparedEvaluator) -> PreparedEvaluator:
    """Read a dataset through and return the evaluator with what was found; raise for every problem together."""
    problems: list[DatasetProblem] = []
    read = _Read(sound_entries(prepared.dataset, problems.append), prepared.selection)
    kept: list[Entry] = []
    limits = Resolver(prepared.limits, prepared.evaluator)
    count = total = wanted = 0
    for entry in prepared.selection.of(read, prepared.evaluator, to_the_end=True):
        count += 1
        repeats = limits.of(entry.item)[1]
        wanted += repeats
        total += len(prepared.remaining(entry, repeats)) if prepared.skip else repeats
        if count <= KEPT_ENTRIES:
            kept.append(entry)
    if problems:
        raise DatasetError(_shortened(problems))
    return replace(
        prepared,
        total=total,
        entries=tuple(kept) if count <= KEPT_ENTRIES else None,
        left_out=read.count - count,
        resumed=wanted - total,
    )


class _Read:
    """Entries that are counted as they are read, those outside the selection's part of the dataset left aside."""

    def __init__(self, entries: Iterable[Entry], selection: Selection) -> None:
        self.count = 0
        self._entries = entries
        self._selection = selection

    def __iter__(self) -> Iterator[Entry]:
        for entry in self._entries:
            self.count += self._selection.spans(entry.index)
            yield entry


def sound_entries(dataset: Dataset, on_problem: Callable[[DatasetProblem], None]) -> Iterator[Entry]:
    """Yield the entries of a dataset that can run; one that has no item has a problem.

    Args:
        dataset: The dataset.
        on_problem: Is told every problem.
    """
    sound = True

    def reported(problem: DatasetProblem) -> None:
        nonlocal sound
        sound = False
        on_problem(problem)

    empty = True
    for entry in identified(dataset, reported):
        empty = False
        wrong = complaints(entry.item)
        for name, complaint in wrong.items():
            message = f"{name} {complaint}"
            reported(DatasetProblem(message, dataset.source, item=entry.index, line=entry.line, field=name))
        if not wrong:
            yield entry
    if empty and sound:
        on_problem(DatasetProblem("the dataset is empty; it needs at least one item", source=dataset.source))


def _shortened(problems: list[DatasetProblem]) -> list[DatasetProblem]:
    if len(problems) <= SHOWN_PROBLEMS:
        return problems
    more = f"and {len(problems) - SHOWN_PROBLEMS} more problems"
    return [*problems[:SHOWN_PROBLEMS], DatasetProblem(more, source=problems[0].source)]
