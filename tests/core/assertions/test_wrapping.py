from __future__ import annotations

import asyncio
import math

import pytest

from neuron_evals.core.assertions import Equals, GreaterThan, Not, StringContains, StringContainsAny, Weighted
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from neuron_evals.core.results import AssertionResult
from tests.core.assertions.doubles import BROKEN, CLOSE, FAIL, PASS, SKIP, Awaited, Gives


@pytest.mark.parametrize(("inner", "passed", "score"), [(FAIL, True, 1.0), (CLOSE, True, 1.0), (PASS, False, 0.0)])
def test_not_turns_the_verdict_round(inner, passed, score):
    result = Not(inner).evaluate("x")
    assert (result.passed, result.score) == (passed, score)


def test_not_of_a_skipped_assertion_is_skipped():
    result = Not(SKIP).evaluate("x")
    assert (result.skipped, result.passed, result.score, result.message) == (True, False, None, "no network")


def test_not_of_a_broken_assertion_breaks():
    with pytest.raises(RuntimeError, match="judge down"):
        Not(BROKEN).evaluate("x")
    with pytest.raises(InvalidInput, match="evaluates numbers"):
        Not(GreaterThan(3)).evaluate("four")


def test_not_says_which_assertion_passed_when_it_has_no_better_words():
    assert Not(PASS).evaluate("x").message.startswith("Gives(found=")
    assert Not(PASS).evaluate("x").message.endswith("passed, and it should not")


def test_not_keeps_the_context():
    assert Not(Gives(AssertionResult.ok(context={"seen": 3}))).evaluate("x").context == {"seen": 3}
    assert Not(Gives(AssertionResult.fail(0, "no", {"seen": 0}))).evaluate("x").context == {"seen": 0}


def test_not_twice_is_the_assertion():
    assert Not(Not(Equals("red"))).evaluate("red").passed
    assert not Not(Not(Equals("red"))).evaluate("blue").passed


@pytest.mark.parametrize("wrapper", [Not, Weighted])
@pytest.mark.parametrize(
    ("inner", "vacuous"), [(StringContains(""), True), (StringContains("x"), False), (StringContainsAny([]), True)]
)
def test_a_wrapper_is_vacuous_when_its_assertion_is(wrapper, inner, vacuous):
    assert wrapper(inner).vacuous is vacuous


@pytest.mark.parametrize("wrapper", [Not, Weighted])
def test_a_wrapper_takes_the_view_of_its_assertion(wrapper):
    class OfTrajectories(Gives):
        accepts = "trajectory"

    assert wrapper(PASS).accepts == "text"
    assert wrapper(OfTrajectories(None)).accepts == "trajectory"


@pytest.mark.parametrize("wrapper", [Not, Weighted])
@pytest.mark.parametrize(
    ("inner", "got"), [(StringContains, "the class StringContains"), ("red", "str"), (None, "NoneType")]
)
def test_a_wrapper_of_something_else_is_refused(wrapper, inner, got):
    with pytest.raises(InvalidArgument, match=rf"{wrapper.__name__}: assertion must be an assertion .* got {got}"):
        wrapper(inner)


@pytest.mark.parametrize("wrapper", [Not, Weighted])
def test_a_wrapper_refuses_what_is_no_result(wrapper):
    with pytest.raises(InvalidInput, match=r"Gives\.evaluate\(\) must return an AssertionResult, got bool"):
        wrapper(Gives(True)).evaluate("x")


def test_weighted_changes_the_weight_and_nothing_else():
    inner = StringContains("red")
    weighted = Weighted(inner, 3)
    assert (weighted.weight, weighted.assertion_name) == (3, "StringContains")
    assert weighted.evaluate("red") == inner.evaluate("red")
    assert weighted.evaluate("blue") == inner.evaluate("blue")
    assert Not(weighted).evaluate("red").message == '"red" contains "red", and it should not'
    assert Weighted(inner).weight == 1.0
    assert Weighted(inner, 0).weight == 0


@pytest.mark.parametrize("weight", [-1, math.nan, math.inf, "2", None, True])
def test_a_weight_out_of_range_is_refused(weight):
    with pytest.raises(InvalidArgument, match="Weighted: weight must be a finite number of 0 or more, got"):
        Weighted(PASS, weight)


@pytest.mark.parametrize("wrapper", [Not, Weighted])
def test_a_wrapper_awaits_an_assertion_that_can_be_awaited(wrapper):
    opposite = wrapper is Not
    found = asyncio.run(wrapper(Awaited(AssertionResult.ok())).aevaluate("x"))
    assert found.passed is not opposite
    assert asyncio.run(wrapper(FAIL).aevaluate("x")).passed is opposite
