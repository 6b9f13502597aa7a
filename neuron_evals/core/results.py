"""What evaluating gives: the result of an assertion, a check, an item; and the plan of what will be run.

Everything here is immutable data. Statistics over many results live in `neuron_evals.core.report`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.messages import Usage
from neuron_evals.core.trajectories import Trajectory

_NO_CONTEXT: Mapping[str, Any] = {}


class Verdict(StrEnum):
    """What a check found."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    """The check itself broke; nothing is known about the output."""
    SKIPPED = "skipped"
    """The check could not apply, and said why."""


class Status(StrEnum):
    """How an item ended."""

    PASSED = "passed"
    FAILED = "failed"
    """The agent was wrong."""
    ERROR = "error"
    """Something broke: the agent, the evaluator, or a check."""
    SKIPPED = "skipped"
    CANCELLED = "cancelled"


def finite_score(score: float | None, owner: str) -> float | None:
    """Return `score` as a float, or `None` for "not scored".

    Raises:
        InvalidArgument: `score` is no number, or is NaN or infinite. An unknown score is `None`.
    """
    if score is None:
        return None
    try:
        number = float(score)
    except (TypeError, ValueError):
        msg = f"{owner}: a score is a finite number or None, got {type(score).__name__}"
        raise InvalidArgument(msg) from None
    if not math.isfinite(number):
        msg = f"{owner}: a score is a finite number or None, got {number}"
        raise InvalidArgument(msg)
    return number


def _truth(value: object) -> bool:
    """Return a boolean of another library, such as numpy's, as Python's; refuse all else."""
    if isinstance(value, bool):
        return value
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, bool):
        return plain
    msg = f"AssertionResult: passed is True or False, got {type(value).__name__}"
    raise InvalidArgument(msg)


@dataclass(frozen=True, slots=True)
class AssertionResult:
    """What one assertion says about one value. Make it with `ok`, `fail` or `skip`.

    Verdict and score are independent: a failed assertion may carry a positive score, a passed one may carry 0.

    Attributes:
        passed: Whether the value is as the assertion wants it.
        score: A finite number, usually 0 to 1; `None` when it was not scored.
        message: Why; for people.
        context: Details for reports, made of JSON values.
        skipped: The assertion could not apply to this value; `message` says why.
    """

    passed: bool
    score: float | None
    message: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)
    skipped: bool = False

    def __post_init__(self) -> None:
        """Refuse a verdict that is neither true nor false, and a score that is no finite number."""
        object.__setattr__(self, "passed", _truth(self.passed))
        object.__setattr__(self, "score", finite_score(self.score, "AssertionResult"))

    @classmethod
    def ok(cls, score: float | None = 1.0, message: str = "", context: Mapping[str, Any] = _NO_CONTEXT) -> Self:
        """Return a result that passed."""
        return cls(passed=True, score=score, message=message, context=context)

    @classmethod
    def fail(cls, score: float | None, message: str, context: Mapping[str, Any] = _NO_CONTEXT) -> Self:
        """Return a result that failed."""
        return cls(passed=False, score=score, message=message, context=context)

    @classmethod
    def skip(cls, reason: str, context: Mapping[str, Any] = _NO_CONTEXT) -> Self:
        """Return a result that says the assertion could not apply; it counts neither as passed nor as failed."""
        return cls(passed=False, score=None, message=reason, context=context, skipped=True)


@dataclass(frozen=True, slots=True)
class Check:
    """One use of an assertion on one value, as recorded.

    Attributes:
        name: Name of the assertion, such as `"StringContains"`.
        label: Under what it is counted in statistics; the name unless the evaluator gave another.
        verdict: What was found.
        score: The score, or `None` when it was not scored.
        message: Why; never empty for a verdict other than passed.
        context: Details given by the assertion.
        evaluator_class: Full dotted name of the evaluator.
        line: Line of the call in the evaluator's source; `None` when unknown.
        weight: Weight of the score in the item's score; 0 is recorded, not counted.
        vacuous: Every value passes the assertion, or none can: it says nothing about the output.
    """

    name: str
    label: str
    verdict: Verdict
    score: float | None
    message: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)
    evaluator_class: str = ""
    line: int | None = None
    weight: float = 1.0
    vacuous: bool = False

    @property
    def passed(self) -> bool:
        """Whether the verdict is `passed`."""
        return self.verdict is Verdict.PASSED

    @property
    def full_description(self) -> str:
        """Where and what, such as `Support:31 -> StringContains: ...`."""
        place = short_name(self.evaluator_class) or "?"
        if self.line is not None:
            place += f":{self.line}"
        named = self.name if self.label == self.name else f"{self.name} ({self.label})"
        return f"{place} -> {named}: {self.message}" if self.message else f"{place} -> {named}"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A try of an item beside the one that counts.

    Attributes:
        status: How it ended.
        score: Its score.
        error: What broke; `None` when nothing did.
        execution_time: Seconds it took.
        output: What `run` returned.
    """

    status: Status
    score: float | None = None
    error: str | None = None
    execution_time: float = 0.0
    output: Any = None


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What one execution of one item gave.

    Attributes:
        evaluator_class: Full dotted name of the evaluator.
        index: Position of the item in the dataset, counted from 0.
        item_id: Identity of the item across runs.
        status: How the item ended.
        input: The item as the dataset gave it.
        output: What `run` returned; `None` when it did not return.
        execution_time: Seconds from the start of `run` to the end of `evaluate`, judges included.
        checks: The checks in the order in which they were made.
        error: What broke, as `Class: message (file:line)`; `None` when nothing did.
        traceback: The traceback of what broke; empty when nothing did.
        repeat: Which repeat of the item this is, counted from 0.
        cached_run: The output came from the cache of run outputs.
        attempts: How often the item was tried, the try that counts included.
        other_attempts: The tries that do not count: those before the last, which broke by an infrastructure error, and
            those after a wrong answer (`retry_failed`).
        tags: The item's own tags and its evaluator's.
        usage: Tokens of the agent's model calls; `None` when unknown. A cached run keeps those of its first run; where
            `run` did not return, these are the calls that had ended by then.
        cost: What they cost, in the currency of the price table; `None` when unknown. Kept likewise.
        trajectory: The conversation that was evaluated, where there was one.
        run_time: Seconds that `run` took; `None` when it did not return.
        tool_time: Part of them in which tools ran; `None` when nothing told.
        judge_usage: Tokens of the judges' model calls; `None` when there was none, or unknown.
        judge_cost: What they cost; `None` likewise.
        judge_time: Seconds of the judges' model calls; `None` when there was none.
    """

    evaluator_class: str
    index: int
    item_id: str
    status: Status
    input: Mapping[str, Any]
    output: Any = None
    execution_time: float = 0.0
    checks: tuple[Check, ...] = ()
    error: str | None = None
    traceback: str = ""
    repeat: int = 0
    cached_run: bool = False
    attempts: int = 1
    other_attempts: tuple[Attempt, ...] = ()
    tags: tuple[str, ...] = ()
    usage: Usage | None = None
    cost: float | None = None
    trajectory: Trajectory | None = None
    run_time: float | None = None
    tool_time: float | None = None
    judge_usage: Usage | None = None
    judge_cost: float | None = None
    judge_time: float | None = None

    @property
    def passed(self) -> bool:
        """Whether the status is `passed`."""
        return self.status is Status.PASSED

    @property
    def score(self) -> float | None:
        """Weighted mean of the scored checks; `None` when there is none, or when anything broke."""
        if self.status in (Status.ERROR, Status.CANCELLED):
            return None
        scored = [(check.score, check.weight) for check in self.checks if check.score is not None and check.weight]
        if not scored:
            return None
        return math.fsum(score * weight for score, weight in scored) / math.fsum(weight for _, weight in scored)

    @property
    def scores(self) -> dict[str, list[float | None]]:
        """Scores by label, in the order of the checks; a label may have been used more than once."""
        scores: dict[str, list[float | None]] = {}
        for check in self.checks:
            scores.setdefault(check.label, []).append(check.score)
        return scores

    @property
    def failed_checks(self) -> tuple[Check, ...]:
        """The checks with the verdict `failed`."""
        return tuple(check for check in self.checks if check.verdict is Verdict.FAILED)

    @property
    def reason(self) -> str:
        """Why the item did not pass, in one text; empty when it passed."""
        if self.passed:
            return ""
        if self.error is not None:
            return self.error
        if self.status is Status.CANCELLED:
            return "the run stopped before the item ended"
        return "; ".join(f"{check.label}: {check.message}" for check in self.checks if not check.passed)

    def explain(self) -> str:
        """Return the item, its status and every check, a line each, for an assertion message in a test."""
        repeat = f", repeat {self.repeat + 1}" if self.repeat else ""
        lines = [f"{short_name(self.evaluator_class)} #{self.index} ({self.item_id}{repeat}): {self.status}"]
        if self.error is not None:
            lines.append(f"  error: {self.error}")
        lines.extend(f"  {check.verdict}: {check.full_description}" for check in self.checks)
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of one execution when its output is evaluated: what limits on time, tokens and cost look at.

    Attributes:
        output: What `run` returned.
        trajectory: The conversation, where there was one.
        usage: Token usage; `None` when unknown.
        cost: Cost in the currency of the price table; `None` when unknown.
        duration: Seconds that `run` took; `None` when unknown.
    """

    output: Any = None
    trajectory: Trajectory | None = None
    usage: Usage | None = None
    cost: float | None = None
    duration: float | None = None


@dataclass(frozen=True, slots=True)
class PlannedEvaluator:
    """One evaluator of a plan.

    Attributes:
        evaluator_class: Full dotted name of the evaluator.
        total: Number of results it will give; `None` when the dataset cannot tell before it was read.
        error: Why it cannot run at all; `None` when it can.
        namespace: The evaluator's grouping label, if it has one.
        workers: Kind of its workers: `inline`, `threads`, `async` or `processes`; `None` when it cannot run.
    """

    evaluator_class: str
    total: int | None = None
    error: str | None = None
    namespace: str | None = None
    workers: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What one command or call is about to run; given to output drivers before the first item.

    Attributes:
        evaluators: The evaluators in the order in which they run.
        concurrency: How many items are in flight at most.
        notices: What a person should know of how it runs, such as workers that are not to be had here.
    """

    evaluators: tuple[PlannedEvaluator, ...]
    concurrency: int = 1
    notices: tuple[str, ...] = ()

    @property
    def workers(self) -> str:
        """The kinds of workers, with commas between them."""
        return ", ".join(dict.fromkeys(planned.workers for planned in self.evaluators if planned.workers is not None))

    @property
    def total(self) -> int | None:
        """Number of results to come; `None` when one of the datasets cannot tell."""
        total = 0
        for evaluator in self.evaluators:
            if evaluator.error is not None:
                continue
            if evaluator.total is None:
                return None
            total += evaluator.total
        return total


def short_name(dotted: str) -> str:
    """Return the last part of a dotted name; a file's name stays whole."""
    return dotted if "/" in dotted else dotted.rpartition(".")[2]


def full_name(cls: type) -> str:
    """Return the full dotted name of a class."""
    return f"{cls.__module__}.{cls.__qualname__}"
