"""What several judgements of one output say together."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Rule = Literal["mean", "median", "majority"]
RULES: tuple[Rule, ...] = ("mean", "median", "majority")


@dataclass(frozen=True, slots=True)
class Vote:
    """The joint verdict.

    Attributes:
        passed: Whether the output passes.
        score: The joint score, 0 to 1.
        passing: How many judgements reach the threshold on their own.
        count: How many judgements there are.
        lowest: The lowest score.
        highest: The highest score.
        deviation: Standard deviation of the scores, with `n - 1`; `None` for one.
    """

    passed: bool
    score: float
    passing: int
    count: int
    lowest: float
    highest: float
    deviation: float | None


def vote(scores: Sequence[float], rule: Rule, threshold: float) -> Vote:
    """Return the joint verdict on scores.

    Args:
        scores: The scores, at least one.
        rule: `mean` or `median`: that of the scores is the score, and passes from the threshold on. `majority`: the
            output passes when more than half of the scores reach the threshold; the score is the mean.
        threshold: Lowest score that passes.
    """
    passing = sum(score >= threshold for score in scores)
    # `fmean` is faster, and makes of three times 0.7 a little less than 0.7.
    score = statistics.median(scores) if rule == "median" else statistics.mean(scores)
    return Vote(
        passed=passing * 2 > len(scores) if rule == "majority" else score >= threshold,
        score=score,
        passing=passing,
        count=len(scores),
        lowest=min(scores),
        highest=max(scores),
        deviation=statistics.stdev(scores) if len(scores) > 1 else None,
    )
