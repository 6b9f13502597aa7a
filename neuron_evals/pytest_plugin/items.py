"""The tests: one item of an evaluator or a suite, or an evaluator as a whole."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import pytest

from neuron_evals.core.datasets import Entry
from neuron_evals.core.exceptions import NeuronEvalsError
from neuron_evals.core.experiments import evaluator_for
from neuron_evals.core.printable import printable
from neuron_evals.core.results import Status
from neuron_evals.core.testing import assert_evaluator, explained
from neuron_evals.pytest_plugin import FIXTURES, MARK
from neuron_evals.pytest_plugin.building import built, runner

if TYPE_CHECKING:
    import os

    from neuron_evals.core.evaluators import BaseEvaluator
    from neuron_evals.core.report import EvaluationResults


@dataclass(frozen=True, slots=True)
class Planned:
    """What a test runs.

    Attributes:
        entry: The item; `None` for all of them in one test.
        repeat: Which repeat of it, counted from 0.
        tags: The tags by which `-k` finds the test.
    """

    entry: Entry | None = None
    repeat: int = 0
    tags: tuple[str, ...] = ()


def _of_suite(
    evals_agent: Any, evals_judge: Any, evals_classifier: Any, evals_embeddings: Any, evals_simulator: Any
) -> None:
    """Tell pytest which fixtures an item of a suite takes."""


class EvaluationItem(pytest.Function):
    """A test that runs one item of a suite.

    It is a `Function`, so that fixtures and what other plugins hang on them, such as databases, go for it.
    """

    planned: Planned
    subject: Any

    @classmethod
    def of(cls, parent: pytest.Collector, name: str, planned: Planned, subject: Any) -> Self:
        """Return the test of an item.

        Args:
            parent: The file.
            name: Its name there.
            planned: What it runs.
            subject: Of what: a suite, or an evaluator class.
        """
        made: Self = cls.from_parent(parent, name=name, callobj=cls.signature(subject))
        made.planned, made.subject = planned, subject
        made.add_marker(MARK)
        made.extra_keyword_matches.update(planned.tags)
        return made

    @classmethod
    def signature(cls, subject: Any) -> Callable[..., None]:
        """Return a function that takes the fixtures of the test, and has its marks."""
        del subject
        return _of_suite

    def evaluator(self) -> BaseEvaluator:
        """Return the evaluator of this test, which nothing else uses."""
        given: dict[str, Any] = {name: self.funcargs[f"evals_{name}"] for name in FIXTURES}
        return evaluator_for(self.subject, **given)

    def runtest(self) -> None:
        """Run the item; an item of which nothing could be judged is skipped, with the reason."""
        try:
            self._run()
        except AssertionError as exc:
            said = str(exc)
        except NeuronEvalsError as exc:  # it says where and what, which a traceback would bury
            said = printable(f"{type(exc).__name__}: {exc}", multiline=True)
        else:
            return
        # Out here the error is not shown a second time as what this one came from.
        pytest.fail(said, pytrace=False)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return where the test comes from: its file, and the line there, counted from 0."""
        return self.path, self.line(), self.name

    def line(self) -> int:
        """Return the line: the first, as a suite file is a test as a whole."""
        return 0

    def _run(self) -> None:
        entry, repeat = self.planned.entry, self.planned.repeat
        if entry is None:
            assert_evaluator(self.evaluator(), runner=runner())
        else:
            self._require(runner().run_one(self.evaluator(), entry, repeat))

    def _require(self, results: EvaluationResults) -> None:
        for result in results.results:
            if result.score is not None:
                self.user_properties.append(("evals_score", result.score))
            if result.status is Status.SKIPPED:
                pytest.skip(explained(result))
        wrong = [explained(result) for result in results.results if not result.passed]
        if results.error is not None:
            wrong.append(printable(f"{results.error}\n{results.traceback}".rstrip(), multiline=True))
        if not results.results and not wrong:
            wrong.append("nothing was judged: the evaluator runs this item no more, or not as often")
        if wrong:
            pytest.fail("\n".join(wrong), pytrace=False)


class EvaluatorItem(EvaluationItem):
    """A test that runs one item of an evaluator class, or all of them."""

    @classmethod
    def signature(cls, subject: Any) -> Callable[..., None]:
        """Return a function with the marks of the class and its module."""

        def of_evaluator() -> None:
            """Take no fixture but those that marks and `autouse` ask for."""

        given = [getattr(owner, "pytestmark", []) for owner in (sys.modules[subject.__module__], subject)]
        of_evaluator.pytestmark = [  # type: ignore[attr-defined]  # as `pytest.mark` does it
            mark for marks in given for mark in (marks if isinstance(marks, list | tuple) else [marks])
        ]
        return of_evaluator

    def line(self) -> int:
        """Return the line of the class; the first where it does not tell, as a class that was made by a call."""
        try:
            return max(0, inspect.getsourcelines(self.subject)[1] - 1)
        except (OSError, TypeError):
            return 0

    def evaluator(self) -> BaseEvaluator:
        """Return the evaluator of this test, which nothing else uses."""
        return built(self.subject)
