"""What one execution of one item gave."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from neuron_evals.core.messages import Usage
from neuron_evals.core.printable import printable
from neuron_evals.core.results.checks import Check, Verdict, broken_checks_error
from neuron_evals.core.results.measurements import AgentSteps, measurements
from neuron_evals.core.results.names import short_name
from neuron_evals.core.trajectories import Trajectory


class Status(StrEnum):
    """How an item ended."""

    PASSED = "passed"
    FAILED = "failed"
    """The agent was wrong."""
    ERROR = "error"
    """Something broke: the agent, the evaluator, or a check."""
    SKIPPED = "skipped"
    CANCELLED = "cancelled"


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


_NO_STEPS = AgentSteps()


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What one execution of one item gave.

    Attributes:
        evaluator_class: Full dotted name of the evaluator; of a suite its name, such as `suite support`.
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
        known_usage: What is known of the agent's tokens, which the whole cannot be below: `usage` does not know a kind
            of token that one model call did not tell. `None` when nothing is known. Kept likewise.
        known_cost: What is known of their cost, likewise.
        trajectory: The conversation that was evaluated, where there was one. Where `run` returned something else, it is
            the last one that a `Conversation` had in it; where `run` did not return, that as far as it went, with what
            broke in its `ending`.
        run_time: Seconds that `run` took; `None` when it did not return. A cached run keeps those of its first run.
        tool_time: Part of them in which tools ran; `None` when nothing told. Kept likewise.
        judge_usage: Tokens of the judges' model calls, and of whatever else `evaluate` asked, in this run; `None` when
            there was none, or unknown.
        judge_cost: What they cost; `None` likewise.
        known_judge_usage: What is known of the judges' tokens, as `known_usage`: a classifier, for one, tells none.
        known_judge_cost: What is known of their cost, likewise.
        judge_time: Seconds of the judges' model calls; `None` when there was none.
        simulator_usage: Tokens of the simulated user's model calls; `None` when there was none, or unknown. A cached
            run keeps those of its first run, as of all that follows.
        simulator_cost: What they cost; `None` likewise.
        known_simulator_usage: What is known of the simulated user's tokens, as `known_usage`.
        known_simulator_cost: What is known of their cost, likewise.
        simulator_time: Seconds of these calls, which are a part of `run_time`; `None` when there was none, or unknown.
        metrics: The figures of the project's own (`record_metric`), by name. A cached run has those of `evaluate` only.
        steps: How the agent came to its output: model calls, tool calls, and the like. A cached run keeps those of its
            first run.
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
    known_usage: Usage | None = None
    known_cost: float | None = None
    trajectory: Trajectory | None = None
    run_time: float | None = None
    tool_time: float | None = None
    judge_usage: Usage | None = None
    judge_cost: float | None = None
    known_judge_usage: Usage | None = None
    known_judge_cost: float | None = None
    judge_time: float | None = None
    simulator_usage: Usage | None = None
    simulator_cost: float | None = None
    known_simulator_usage: Usage | None = None
    known_simulator_cost: float | None = None
    simulator_time: float | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    steps: AgentSteps = _NO_STEPS

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
    def measurements(self) -> dict[str, Any]:
        """What was measured of the agent: `latency`, `tokens`, `cost`, `tool_calls`, `tool_errors`, and more.

        The names are those of Nous.Eval: `latency` has `total` and `first_token` in seconds, `tokens` has `input`,
        `output`, `total` and `cached`, `cost` has `total` and what is `known` of it; `iterations`, `requests` and
        `retries` are counts. `None` is unknown. A cached run has what its first run had.
        """
        return measurements(self)

    @property
    def failed_checks(self) -> tuple[Check, ...]:
        """The checks with the verdict `failed`."""
        return tuple(check for check in self.checks if check.verdict is Verdict.FAILED)

    @property
    def broken_checks(self) -> tuple[Check, ...]:
        """The checks with the verdict `error`."""
        return tuple(check for check in self.checks if check.verdict is Verdict.ERROR)

    @property
    def broke_by_checks(self) -> bool:
        """Whether nothing broke but checks; their messages say why, and `error` only names them."""
        return bool(self.broken_checks) and self.error in (None, broken_checks_error(self.checks))

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
        """Return the item, its status and every check, an entry each, for an assertion message in a test.

        It is safe to print: no text can drive a terminal, and every line of an entry after its first is indented by
        six spaces, so that none can pass for another entry.
        """
        repeat = f", repeat {self.repeat + 1}" if self.repeat else ""
        title = f"{short_name(self.evaluator_class)} #{self.index} ({self.item_id}{repeat}): {self.status}"
        entries = [] if self.error is None else [f"error: {self.error}"]
        if self.trajectory is not None and self.trajectory.ending is not None:
            entries.append(f"conversation ended: {self.trajectory.ending}")
        entries.extend(f"{check.verdict}: {check.full_description}" for check in self.checks)
        return "\n".join([printable(title), *map(_indented, entries)])


def _indented(entry: str) -> str:
    return "  " + printable(entry, multiline=True).replace("\n", "\n      ")


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
