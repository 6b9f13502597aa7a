"""Assertions, and the recorder that turns their use into checks."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Any, ClassVar, Literal

from neuron_evals.core.exceptions import InvalidArgument, InvalidInput, NeuronEvalsError, is_transient
from neuron_evals.core.results import AssertionResult, Check, Verdict, full_name
from neuron_evals.core.tracebacks import describe_broken_check
from neuron_evals.core.trajectories import Trajectory

View = Literal["text", "trajectory", "record"]


class Assertion(ABC):
    """A reusable rule. Subclasses are frozen dataclasses: their fields are their options.

    An assertion that fails states a fact about the output. A value of a type that the assertion does not evaluate is a
    mistake in the evaluator: raise `InvalidInput` for it. Options are validated where the assertion is built
    (`__post_init__`).
    """

    accepts: ClassVar[View] = "text"
    """The view of an output that the assertion takes when it is used from data."""

    @abstractmethod
    def evaluate(self, actual: Any) -> AssertionResult:
        """Return what the rule says about `actual`.

        Raises:
            InvalidInput: `actual` has a type that this assertion does not evaluate.
        """

    @property
    def assertion_name(self) -> str:
        """Name in reports: the name of the class."""
        return type(self).__name__

    @property
    def weight(self) -> float:
        """Weight of the score in the item's score; 1 unless wrapped in `Weighted`."""
        return 1.0

    @property
    def vacuous(self) -> bool:
        """Whether every value passes, or none can, because of an empty option."""
        return False

    def unwanted(self, actual: Any) -> str:
        """Return what to say when `actual` passes although it should not (see `Not`)."""
        return f"{self!r} passed, and it should not"

    def _threshold(self, value: object) -> None:
        """Refuse a threshold that is not a finite number from 0 to 1."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            msg = f"{self.assertion_name}: threshold must be a number from 0 to 1, got {value!r}"
            raise InvalidArgument(msg)


def answer_hint(actual: Any) -> str:
    """Return a clause that says how to get the text of a trajectory; empty for anything else."""
    told = callable(getattr(type(actual), "final_answer", None))
    return "; give it trajectory.final_answer()" if told else ""


class StringAssertion(Assertion):
    """An assertion about text; implement `evaluate_string`."""

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return what `evaluate_string` says about `actual`.

        Raises:
            InvalidInput: `actual` is no text.
        """
        if not isinstance(actual, str):
            msg = f"{full_name(type(self))} evaluates text, got {type(actual).__name__}{answer_hint(actual)}"
            raise InvalidInput(msg)
        return self.evaluate_string(actual)

    @abstractmethod
    def evaluate_string(self, text: str) -> AssertionResult:
        """Return what the rule says about `text`."""


class TrajectoryAssertion(Assertion):
    """An assertion about a conversation; implement `evaluate_trajectory`."""

    accepts: ClassVar[View] = "trajectory"

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return what `evaluate_trajectory` says about `actual`.

        Raises:
            InvalidInput: `actual` is no trajectory.
        """
        if not isinstance(actual, Trajectory):
            msg = f"{full_name(type(self))} evaluates a Trajectory, got {type(actual).__name__}"
            raise InvalidInput(msg)
        return self.evaluate_trajectory(actual)

    @abstractmethod
    def evaluate_trajectory(self, trajectory: Trajectory) -> AssertionResult:
        """Return what the rule says about `trajectory`."""


class Recorder:
    """Collects the checks of one item.

    Attributes:
        checks: The checks in the order in which they were made.
        transient: Whether one of them broke by an infrastructure error, as `is_transient` says.
    """

    __slots__ = ("checks", "evaluator_class", "is_transient", "transient")

    def __init__(self, evaluator_class: str, is_transient: Callable[[Exception], bool] = is_transient) -> None:
        self.evaluator_class = evaluator_class
        self.is_transient = is_transient
        self.checks: list[Check] = []
        self.transient = False

    def check(self, assertion: Assertion, actual: Any, label: str | None, line: int | None) -> bool:
        """Evaluate, record, and return whether it passed.

        It never raises for what was found or for an assertion that broke.
        """
        try:
            check = self._found(_as_assertion(assertion), evaluated(assertion, actual), label, line)
        except Exception as exc:  # whatever an assertion raises is one broken check, not the end of the item
            check = self._broken(assertion, exc, label, line)
        self.checks.append(check)
        return check.passed

    async def acheck(self, assertion: Assertion, actual: Any, label: str | None, line: int | None) -> bool:
        """Do what `check` does, through `aevaluate` where the assertion has it."""
        try:
            check = self._found(_as_assertion(assertion), await aevaluated(assertion, actual), label, line)
        except Exception as exc:  # as in `check`
            check = self._broken(assertion, exc, label, line)
        self.checks.append(check)
        return check.passed

    def _found(self, assertion: Assertion, outcome: AssertionResult, label: str | None, line: int | None) -> Check:
        name = assertion.assertion_name
        if outcome.skipped:
            verdict = Verdict.SKIPPED
        elif outcome.passed:
            verdict = Verdict.PASSED
        else:
            verdict = Verdict.FAILED
        return Check(
            name=name,
            label=label or name,
            verdict=verdict,
            score=None if outcome.skipped else outcome.score,
            message=outcome.message or ("" if outcome.passed else f"{name} {verdict} and gave no reason"),
            context=outcome.context,
            evaluator_class=self.evaluator_class,
            line=line,
            weight=assertion.weight,
            vacuous=assertion.vacuous,
        )

    def _broken(self, assertion: object, exc: Exception, label: str | None, line: int | None) -> Check:
        with suppress(Exception):  # what an evaluator says of its errors must not hide them
            self.transient = self.transient or any(map(self.is_transient, _with_causes(exc)))
        name = type(assertion).__name__
        with suppress(Exception):  # its name may be what broke
            name = _as_assertion(assertion).assertion_name
        return Check(
            name=name,
            label=label or name,
            verdict=Verdict.ERROR,
            score=None,
            message=describe_broken_check(exc),
            context=exc.context if isinstance(exc, NeuronEvalsError) else {},
            evaluator_class=self.evaluator_class,
            line=line,
        )


def _with_causes(exc: Exception) -> Iterator[Exception]:
    """Yield an error and what it came from: a judge's own error may stand behind that of several judges."""
    seen: list[BaseException] = []
    cause: BaseException | None = exc
    while isinstance(cause, Exception) and cause not in seen:
        seen.append(cause)
        yield cause
        cause = cause.__cause__


def evaluated(assertion: Assertion, actual: Any) -> AssertionResult:
    """Return what `assertion` says about `actual`.

    Raises:
        InvalidInput: It is no assertion, or returned something else than an `AssertionResult`.
    """
    return _as_result(_as_assertion(assertion).evaluate(actual), assertion)


async def aevaluated(assertion: Assertion, actual: Any) -> AssertionResult:
    """Do what `evaluated` does, through `aevaluate` where the assertion has it."""
    aevaluate: Callable[[Any], Awaitable[AssertionResult]] | None = getattr(assertion, "aevaluate", None)
    if aevaluate is None:
        return evaluated(assertion, actual)
    return _as_result(await aevaluate(actual), assertion)


def _as_assertion(candidate: object) -> Assertion:
    if isinstance(candidate, Assertion):
        return candidate
    what = f"the class {candidate.__name__}" if isinstance(candidate, type) else type(candidate).__name__
    msg = f"check() takes an assertion such as StringContains('9'), then the value; got {what}"
    raise InvalidInput(msg)


def _as_result(found: object, assertion: Assertion) -> AssertionResult:
    if isinstance(found, AssertionResult):
        return found
    if inspect.iscoroutine(found):
        found.close()
        msg = f"{assertion.assertion_name}: what is awaited belongs into `async def aevaluate`, used through `acheck`"
        raise InvalidInput(msg)
    msg = f"{assertion.assertion_name}.evaluate() must return an AssertionResult, got {type(found).__name__}"
    raise InvalidInput(msg)
