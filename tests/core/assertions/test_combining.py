from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from neuron_evals.core.assertions import (
    AllOf,
    AnyOf,
    GreaterThan,
    Not,
    NotContains,
    StringContains,
    StringContainsAny,
    Weighted,
)
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from neuron_evals.core.results import AssertionResult
from tests.core.assertions.doubles import BROKEN, CLOSE, FAIL, HALF, PASS, SKIP, UNSCORED, Awaited, Gives

EVERY = StringContains("")  # every text passes
NONE = StringContainsAny([])  # no text passes
RED = StringContains("red")


@pytest.mark.parametrize(
    ("parts", "passed", "score"),
    [
        ([PASS], True, 1.0),
        ([PASS, HALF], True, 0.75),
        ([PASS, FAIL], False, 0.5),
        ([FAIL, CLOSE], False, 0.2),
        ([PASS, UNSCORED], True, 1.0),
        ([UNSCORED], True, None),
        ([PASS, SKIP], True, 1.0),
        ([FAIL, SKIP], False, 0.0),
        ([Weighted(PASS, 3), FAIL], False, 0.75),
        ([Weighted(PASS, 0), HALF], True, 0.5),
        ([Weighted(PASS, 0)], True, None),
        ([Weighted(FAIL, 0), PASS], False, 1.0),
    ],
)
def test_all_of_passes_when_all_pass_and_scores_their_mean(parts, passed, score):
    result = AllOf(parts).evaluate("x")
    assert (result.passed, result.skipped, result.score) == (passed, False, pytest.approx(score) if score else score)


@pytest.mark.parametrize(
    ("parts", "passed", "score"),
    [
        ([PASS], True, 1.0),
        ([FAIL, HALF], True, 0.5),
        ([CLOSE, FAIL], False, 0.4),
        ([CLOSE, UNSCORED], True, 0.4),
        ([UNSCORED], True, None),
        ([FAIL, SKIP], False, 0.0),
        ([HALF, SKIP], True, 0.5),
        ([HALF, BROKEN], True, 0.5),
        ([BROKEN, HALF], True, 0.5),
    ],
)
def test_any_of_passes_when_one_passes_and_scores_the_best(parts, passed, score):
    result = AnyOf(parts).evaluate("x")
    assert (result.passed, result.skipped, result.score) == (passed, False, score)


@pytest.mark.parametrize("cls", [AllOf, AnyOf])
def test_when_all_parts_are_skipped_the_whole_is(cls):
    result = cls(SKIP, Gives(AssertionResult.skip("no key"))).evaluate("x")
    assert (result.skipped, result.score) == (True, None)
    assert result.message == "Gives: no network; Gives: no key"


@pytest.mark.parametrize("parts", [[BROKEN], [PASS, BROKEN], [FAIL, BROKEN], [BROKEN, SKIP]])
def test_a_broken_part_breaks_all_of(parts):
    with pytest.raises(RuntimeError, match="judge down"):
        AllOf(parts).evaluate("x")


@pytest.mark.parametrize("parts", [[BROKEN], [FAIL, BROKEN], [BROKEN, SKIP], [BROKEN, Gives(ValueError("second"))]])
def test_a_broken_part_breaks_any_of_when_no_other_passes(parts):
    with pytest.raises(RuntimeError, match="judge down"):
        AnyOf(parts).evaluate("x")


def test_any_of_that_passed_says_which_part_broke():
    assert AnyOf(BROKEN, PASS).evaluate("x").message == "Gives broke: RuntimeError: judge down"


def test_the_reason_names_the_parts_that_failed_or_were_skipped():
    found = AllOf(RED, PASS, StringContains("blue"), SKIP).evaluate("green")
    assert found.message == (
        '2 of 4 failed: StringContains: "green" does not contain "red"; '
        'StringContains: "green" does not contain "blue"; skipped Gives: no network'
    )
    assert AllOf(PASS, SKIP).evaluate("x").message == "skipped Gives: no network"
    assert AllOf(PASS).evaluate("x").message == ""
    found = AnyOf(RED, StringContains("blue")).evaluate("green")
    assert found.message == (
        'none passed: StringContains: "green" does not contain "red"; StringContains: "green" does not contain "blue"'
    )


@pytest.mark.parametrize("cls", [AllOf, AnyOf])
def test_what_each_part_said_is_kept(cls):
    judged = Gives(AssertionResult.ok(0.8, "polite", {"threshold": 0.7}))
    parts = cls(judged, PASS).evaluate("x").context["parts"]
    assert [part["score"] for part in parts] == [0.8, 1.0]
    assert parts[0] == {
        "name": "Gives",
        "passed": True,
        "skipped": False,
        "score": 0.8,
        "message": "polite",
        "context": {"threshold": 0.7},
    }


@pytest.mark.parametrize("cls", [AllOf, AnyOf])
def test_parts_are_given_one_by_one_or_in_a_list_or_by_name(cls):
    expected = cls(PASS, RED)
    assert expected.assertions == (PASS, RED)
    for same in (cls([PASS, RED]), cls((PASS,), RED), cls(iter([PASS, RED])), cls(assertions=[PASS, RED])):
        assert same == expected
    assert replace(expected, assertions=[RED]) == cls(RED)
    assert repr(cls(RED)) == f"{cls.__name__}(assertions=(StringContains(keyword='red'),))"


@pytest.mark.parametrize("cls", [AllOf, AnyOf])
@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ([], "takes at least one assertion, got none"),
        ([[]], "takes at least one assertion, got none"),
        ([PASS, "red"], r"assertions\[1\] must be an assertion such as StringContains\('9'\), got str"),
        ([[PASS, None]], r"assertions\[1\] must be an assertion .* got NoneType"),
        ([StringContains], r"assertions\[0\] must be an assertion .* got the class StringContains"),
        ([5], r"assertions\[0\] must be an assertion .* got int"),
        ([b"red"], r"assertions\[0\] must be an assertion .* got bytes"),
    ],
)
def test_no_parts_and_parts_of_another_kind_are_refused(cls, parts, said):
    with pytest.raises(InvalidArgument, match=f"{cls.__name__}:? {said}"):
        cls(*parts)


@pytest.mark.parametrize("cls", [AllOf, AnyOf])
def test_a_part_that_returns_no_result_breaks_the_whole(cls):
    with pytest.raises(InvalidInput, match="must return an AssertionResult, got NoneType"):
        cls(Gives(None)).evaluate("x")


@pytest.mark.parametrize(
    ("assertion", "vacuous"),
    [
        (AllOf(RED), False),
        (AllOf(EVERY), True),
        (AllOf(EVERY, RED), False),
        (AllOf(EVERY, EVERY), True),
        (AllOf(NONE, RED), True),
        (AllOf(Not(EVERY), RED), True),
        (AnyOf(RED), False),
        (AnyOf(EVERY, RED), True),
        (AnyOf(Not(NONE), RED), True),
        (AnyOf(Weighted(EVERY, 2), RED), True),
        (AnyOf(NONE, RED), False),
        (AnyOf(NotContains(""), RED), False),
        (AnyOf(NONE, NONE), True),
        (AnyOf(AllOf(EVERY, EVERY), RED), True),
        (AnyOf(AllOf(NONE, GreaterThan(3)), RED), False),
        (Not(AnyOf(EVERY, RED)), True),
        (AnyOf(Gives(InvalidInput("takes trajectories"), empty=True), RED), False),
    ],
)
def test_a_combination_is_vacuous_when_its_verdict_is_foregone(assertion, vacuous):
    assert assertion.vacuous is vacuous


def test_a_combination_takes_the_view_of_its_first_part():
    class OfTrajectories(Gives):
        accepts = "trajectory"

    assert AllOf(PASS).accepts == "text"
    assert AnyOf(OfTrajectories(None), OfTrajectories(None)).accepts == "trajectory"


@pytest.mark.parametrize("cls", [AllOf, AnyOf])
def test_parts_that_can_be_awaited_are_awaited(cls):
    found = asyncio.run(cls(Awaited(AssertionResult.ok(0.5)), PASS).aevaluate("x"))
    assert found.passed
    assert [part["score"] for part in found.context["parts"]] == [0.5, 1.0]


def test_a_part_that_breaks_while_awaited_counts_as_any_other():
    broken = Awaited(RuntimeError("judge down"))
    assert asyncio.run(AnyOf(broken, PASS).aevaluate("x")).passed
    with pytest.raises(RuntimeError, match="judge down"):
        asyncio.run(AnyOf(broken, FAIL).aevaluate("x"))
    with pytest.raises(RuntimeError, match="judge down"):
        asyncio.run(AllOf(broken, PASS).aevaluate("x"))
