"""`BaseEvaluator`: what a developer writes."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from neuron_evals.core.exceptions import EvaluationError, is_transient
from neuron_evals.core.results import full_name

if TYPE_CHECKING:
    import os

    from neuron_evals.core.checking import Assertion, Recorder
    from neuron_evals.core.results import Record


class BaseEvaluator(ABC):
    """A dataset, how to run one item of it, and how to judge what came out.

    It has no `__init__`: a subclass may have its own, filled by the container, and need not call this one. `set_up`
    runs once before the first item, `tear_down` always once `set_up` began. Each item works on its own shallow copy of
    the evaluator as it was after `set_up`: rebinding an attribute is private to the item, objects reached from
    attributes are shared.
    """

    tags: ClassVar[Iterable[str]] = ()
    """Tags of every item of this evaluator, for `--tag` and `--exclude-tag`."""

    namespace: ClassVar[str | None] = None
    """A label that groups evaluators in reports."""

    timeout: ClassVar[float | None] = None
    """Seconds an item may take; `None` for no limit. A field `timeout` of the item goes before it."""

    repeats: ClassVar[int] = 1
    """How often each item is executed. A field `repeats` of the item goes before it."""

    retries: ClassVar[int] = 0
    """How often an item is tried again after an infrastructure error (see `is_transient`)."""

    retry_failed: ClassVar[bool] = False
    """Whether `retries` goes for wrong answers too. The first answer counts all the same; the others are kept."""

    fake: ClassVar[bool] = False
    """Whether the agent under test is replaced by one with canned replies; every report says so."""

    _recorder: Recorder | None = None
    _record: Record | None = None

    def set_up(self) -> None:  # noqa: B027  (a hook; doing nothing is right)
        """Prepare what all items share."""

    def tear_down(self) -> None:  # noqa: B027  (a hook; doing nothing is right)
        """Release what `set_up` prepared."""

    @abstractmethod
    def get_dataset(self) -> Iterable[Mapping[str, Any]]:
        """Return the items: a `Dataset`, or any iterable of mappings."""

    @abstractmethod
    def run(self, item: Any) -> Any:
        """Return the output for one item. It may be an `async def`."""

    @abstractmethod
    def evaluate(self, output: Any, item: Any) -> Any:
        """Check one output with `check`. It may be an `async def`, which uses `acheck`."""

    def is_transient(self, exc: Exception) -> bool:
        """Return whether an error is one of infrastructure, so that `retries` may help.

        By default it is a `ConnectionError`, a `TimeoutError`, or an error that says so by an attribute `transient`.
        Name the errors of other client libraries here.
        """
        return is_transient(exc)

    def cache_dependencies(self) -> Iterable[type | str | os.PathLike[str]]:
        """Return on what the outputs of `run` depend that its code does not show, so that the cache sees it change.

        The code of `run`, and of the methods it names through `self`, is seen anyway; `evaluate` never matters.

        Returns:
            Classes, for the whole file that defines each; and paths of files such as prompts, relative to the folder of
            the evaluator's own file. What is neither makes a run with a cache an error.
        """
        return ()

    def cache_input(self, item: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what the output for an item depends on, beside the code and the agents of the evaluator.

        By default it is the whole item; leave out what `run` does not look at, so that a change there runs nothing
        anew.
        """
        return item

    @property
    def evaluator_name(self) -> str:
        """Name in reports: the full dotted name of the class."""
        return full_name(type(self))

    def check(self, assertion: Assertion, actual: Any, label: str | None = None) -> bool:
        """Apply an assertion to a value and record what it found, so that later checks still run.

        Args:
            assertion: The rule.
            actual: The value under test, usually the output or a part of it.
            label: Under what the check is counted; the assertion's name by default.

        Returns:
            Whether it passed; False when it failed, broke or did not apply.

        Raises:
            EvaluationError: Called outside `run` and `evaluate`, where nothing records it.
        """
        return self._recording().check(assertion, actual, label, sys._getframe(1).f_lineno)  # noqa: SLF001

    async def acheck(self, assertion: Assertion, actual: Any, label: str | None = None) -> bool:
        """Do what `check` does from an `async def evaluate`, without blocking on assertions that can be awaited."""
        return await self._recording().acheck(assertion, actual, label, sys._getframe(1).f_lineno)  # noqa: SLF001

    @property
    def record(self) -> Record:
        """What is known of the execution that is evaluated: output, trajectory, usage, cost and duration.

        Limits look at it: `self.check(MaxDuration(2.0), self.record)`.

        Raises:
            EvaluationError: Read outside `evaluate`.
        """
        if self._record is None:
            msg = f"{type(self).__name__}: there is a record only while an output is evaluated"
            raise EvaluationError(msg)
        return self._record

    def _recording(self) -> Recorder:
        if self._recorder is None:
            msg = (
                f"{type(self).__name__}: check() records only while an item runs; use EvaluatorRunner().run(evaluator)"
            )
            raise EvaluationError(msg)
        return self._recorder
