from __future__ import annotations

import pytest

from neuron_evals.core.judges.votes import vote


@pytest.mark.parametrize(
    ("scores", "rule", "passed", "score"),
    [
        ([0.7], "mean", True, 0.7),
        ([0.7, 0.7, 0.7], "mean", True, 0.7),
        ([1.0, 0.5, 0.3], "mean", False, 0.6),
        ([1.0, 0.8, 0.0], "mean", False, 0.6),
        ([1.0, 0.8, 0.0], "median", True, 0.8),
        ([0.8, 0.6], "median", True, 0.7),
        ([1.0, 0.7, 0.0], "majority", True, 1.7 / 3),
        ([1.0, 0.6, 0.6], "majority", False, 2.2 / 3),
        ([1.0, 0.0], "majority", False, 0.5),
        ([0.69], "majority", False, 0.69),
    ],
)
def test_scores__give_one_verdict_by_the_rule(scores, rule, passed, score):
    found = vote(scores, rule, 0.7)
    assert found.passed is passed
    assert found.score == pytest.approx(score, abs=1e-12)


def test_spread__names_ends_deviation_and_how_many_reach_the_threshold():
    found = vote([0.2, 0.8, 0.8], "mean", 0.7)
    assert (found.lowest, found.highest, found.passing, found.count) == (0.2, 0.8, 2, 3)
    assert found.deviation == pytest.approx(0.34641, abs=1e-5)


def test_one_score__has_no_deviation():
    assert vote([0.2], "mean", 0.7).deviation is None
