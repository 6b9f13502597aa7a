from __future__ import annotations

import math

import pytest

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.judges.scales import LabelScale, NumberScale, OffScale, as_scale

UNIT = NumberScale(0, 1)


@pytest.mark.parametrize(
    ("scale", "grade", "score"),
    [
        (UNIT, 0.85, 0.85),
        (UNIT, 0, 0.0),
        (UNIT, 1, 1.0),
        (UNIT, "0.8", 0.8),
        (UNIT, " .5 ", 0.5),
        (UNIT, "1e-1", 0.1),
        (NumberScale(1, 5), 1, 0.0),
        (NumberScale(1, 5), 3.5, 0.625),
        (NumberScale(1, 5), "5", 1.0),
        (NumberScale(0, 100), 80, 0.8),
        (NumberScale(-1, 1), 0, 0.5),
        (LabelScale({"irrelevant": 0, "relevant": 1}), "irrelevant", 0.0),
        (LabelScale({"1": 0, "10": 1}), "10", 1.0),
        (LabelScale({"poor": 1, "fair": 3, "good": 5}), "fair", 0.5),
    ],
)
def test_grade_on_the_scale__scores_its_share_of_the_way(scale, grade, score):
    assert scale.score(grade) == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize(
    "grade",
    [
        9,
        -0.2,
        1.0000001,
        3.1e120,
        10**400,
        -(10**400),
        True,
        False,
        None,
        [],
        {},
        "",
        "high",
        "3/4",
        "80%",
        "0,5",
        "1 2",
        "nan",
        "inf",
        "\u0660",
        math.nan,
        math.inf,
        "9" * 5000,
    ],
)
def test_number_off_the_scale__refused(grade):
    with pytest.raises(OffScale, match="0 to 1"):
        UNIT.score(grade)


@pytest.mark.parametrize("grade", ["Relevant", "rel", "", " relevant", 1, None, ["relevant"]])
def test_label_off_the_scale__refused_and_the_labels_named(grade):
    with pytest.raises(OffScale, match='one of "irrelevant", "relevant"'):
        LabelScale({"relevant": 1, "irrelevant": 0}).score(grade)


@pytest.mark.parametrize(
    "value",
    [
        (1,),
        (5, 1),
        (1, 1),
        (0, math.inf),
        (0, math.nan),
        (True, 5),
        ("1", "5"),
        (-1e308, 1e308),
        "15",
        5,
        None,
        {},
        {"only": 1},
        {"a": 1, "b": 1},
        {"a": 0, "b": "1"},
        {"a": 0, 2: 1},
        {" ": 0, "b": 1},
    ],
)
def test_scale_without_a_worst_and_a_best_grade__refused(value):
    with pytest.raises(InvalidArgument, match=r"^RubricJudge: .*(scale|labels)"):
        as_scale("RubricJudge", value)


@pytest.mark.parametrize("value", [(1, 5), [1, 5]])
def test_bounds__are_a_scale_of_numbers(value):
    assert as_scale("RubricJudge", value) == NumberScale(1, 5)
