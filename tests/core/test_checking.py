from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import Any

import pytest

from neuron_evals.core.assertions import Equals, GreaterThan, MatchesRegex, StringContains, StringContainsAll, Weighted
from neuron_evals.core.checking import Assertion, Recorder, StringAssertion, TrajectoryAssertion
from neuron_evals.core.exceptions import ConfigurationError, InvalidArgument, InvalidInput
from neuron_evals.core.results import AssertionResult, Check, Verdict
from neuron_evals.core.trajectories import Trajectory
from tests.core.assertions.doubles import BROKEN, FAIL, HALF, PASS, SKIP, UNSCORED, Awaited, Gives


@pytest.fixture
def recorder() -> Recorder:
    return Recorder("shop.evaluators.Support")


def checked(assertion: Any, actual: Any = "at ten") -> Check:
    recorder = Recorder("shop.evaluators.Support")
    returned = recorder.check(assertion, actual, None, 31)
    (check,) = recorder.checks
    assert returned is check.passed
    return check


@pytest.mark.parametrize(
    ("assertion", "verdict", "score"),
    [
        (PASS, Verdict.PASSED, 1.0),
        (HALF, Verdict.PASSED, 0.5),
        (UNSCORED, Verdict.PASSED, None),
        (Gives(AssertionResult.ok(0.0)), Verdict.PASSED, 0.0),
        (FAIL, Verdict.FAILED, 0.0),
        (Gives(AssertionResult.fail(0.9, "nearly")), Verdict.FAILED, 0.9),
        (Gives(AssertionResult.fail(None, "unknown")), Verdict.FAILED, None),
        (SKIP, Verdict.SKIPPED, None),
        (BROKEN, Verdict.ERROR, None),
        (GreaterThan(3), Verdict.ERROR, None),
    ],
)
def test_a_check_keeps_verdict_and_score_apart(assertion, verdict, score):
    check = checked(assertion)
    assert (check.verdict, check.score) == (verdict, score)
    assert bool(check.message) is not check.passed


def test_a_check_records_label_line_place_context_and_weight(recorder):
    judged = Weighted(Gives(AssertionResult.fail(0.4, "rude", {"threshold": 0.7})), 3)
    recorder.check(judged, "at ten", "tone", 31)
    assert recorder.checks == [
        Check(
            name="Gives",
            label="tone",
            verdict=Verdict.FAILED,
            score=0.4,
            message="rude",
            context={"threshold": 0.7},
            evaluator_class="shop.evaluators.Support",
            line=31,
            weight=3,
        )
    ]


def test_without_a_label_the_name_of_the_assertion_is_used():
    assert checked(StringContains("x")).label == "StringContains"
    assert checked(Weighted(StringContains("x"), 2)).label == "StringContains"


def test_a_broken_assertion_is_one_error_and_the_others_are_still_made(recorder):
    returned = [recorder.check(assertion, "x", None, None) for assertion in (BROKEN, PASS, FAIL, PASS)]
    assert returned == [False, True, False, True]
    assert [check.verdict for check in recorder.checks] == ["error", "passed", "failed", "passed"]


def test_two_checks_of_the_same_assertion_are_both_kept(recorder):
    recorder.check(StringContains("x"), "x", None, 1)
    recorder.check(StringContains("y"), "x", None, 2)
    assert [(check.label, check.verdict, check.line) for check in recorder.checks] == [
        ("StringContains", "passed", 1),
        ("StringContains", "failed", 2),
    ]


def test_checks_that_find_no_answer_fail_and_are_no_errors(recorder):
    recorder.check(MatchesRegex("/^ANSWER: [AB]$/m"), "I am not sure.", None, None)
    recorder.check(Equals("A"), "I am not sure.", None, None)
    assert [check.verdict for check in recorder.checks] == ["failed", "failed"]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RuntimeError("judge down"), "RuntimeError: judge down"),
        (KeyError("score"), "KeyError: 'score'"),
        (ValueError(), "ValueError"),
        (InvalidInput("takes numbers"), "takes numbers"),
        (InvalidInput(), "InvalidInput"),
        (ConfigurationError("the judge has no key"), "the judge has no key"),
        (RecursionError("too deep"), "RecursionError: too deep"),
    ],
)
def test_what_broke_is_named(error, message):
    check = checked(Gives(error))
    assert (check.name, check.verdict) == ("Gives", Verdict.ERROR)
    assert check.message.startswith(message)
    assert "\n" not in check.message


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit])
def test_an_interruption_is_not_swallowed(recorder, interruption):
    class Interrupts(Gives):
        def evaluate(self, actual: Any) -> Any:
            raise interruption

    with pytest.raises(interruption):
        recorder.check(Interrupts(None), "x", None, None)


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, "high"])
def test_a_score_that_is_no_finite_number_is_an_error(score):
    class Scores(Gives):
        def evaluate(self, actual: Any) -> AssertionResult:
            return AssertionResult.ok(self.found)

    check = checked(Scores(score))
    assert (check.verdict, check.score) == (Verdict.ERROR, None)
    assert "a score is a finite number or None" in check.message


@pytest.mark.parametrize(("found", "got"), [(True, "bool"), (None, "NoneType"), ("passed", "str"), (0.7, "float")])
def test_another_return_type_is_an_error(found, got):
    check = checked(Gives(found))
    assert check.verdict is Verdict.ERROR
    assert check.message == f"Gives.evaluate() must return an AssertionResult, got {got}"


@pytest.mark.parametrize(
    ("candidate", "got"), [(StringContains, "the class StringContains"), ("9", "str"), (None, "NoneType")]
)
def test_what_is_no_assertion_is_an_error_that_says_what_check_takes(candidate, got):
    check = checked(candidate)
    assert check.verdict is Verdict.ERROR
    assert check.message == f"check() takes an assertion such as StringContains('9'), then the value; got {got}"


@pytest.mark.parametrize("actual", [None, 5, 1.5, b"x", ["x"], {"a": 1}, True])
def test_a_value_of_the_wrong_type_is_an_error_that_names_assertion_and_type(actual):
    check = checked(StringContains("x"), actual)
    assert check.verdict is Verdict.ERROR
    name = "neuron_evals.core.assertions.contains.StringContains"
    assert check.message == f"{name} evaluates text, got {type(actual).__name__}"


@pytest.mark.parametrize(("assertion", "vacuous"), [(StringContainsAll([]), True), (StringContainsAll(["x"]), False)])
def test_a_check_that_says_nothing_is_marked(assertion, vacuous):
    assert checked(assertion).vacuous is vacuous


def test_a_failure_without_a_reason_says_that_there_is_none():
    assert checked(Gives(AssertionResult.fail(0, ""))).message == "Gives failed and gave no reason"


def test_the_reason_of_a_pass_is_kept():
    assert checked(Gives(AssertionResult.ok(0.9, "polite throughout"))).message == "polite throughout"


def test_a_check_can_be_awaited(recorder):
    async def evaluate() -> list[bool]:
        return [
            await recorder.acheck(Awaited(AssertionResult.ok(0.8)), "x", "tone", 5),
            await recorder.acheck(Awaited(RuntimeError("judge down")), "x", None, 6),
            await recorder.acheck(Awaited(None), "x", None, 7),
            await recorder.acheck(StringContains("x"), "x", None, 8),
            await recorder.acheck(StringContains, "x", None, 9),
        ]

    assert asyncio.run(evaluate()) == [True, False, False, True, False]
    assert [check.verdict for check in recorder.checks] == ["passed", "error", "error", "passed", "error"]
    assert [check.line for check in recorder.checks] == [5, 6, 7, 8, 9]
    assert (recorder.checks[0].label, recorder.checks[0].score) == ("tone", 0.8)


@dataclass(frozen=True)
class Polite(StringAssertion):
    """What a project writes."""

    threshold: float = 0.5

    def __post_init__(self) -> None:
        self._threshold(self.threshold)

    def evaluate_string(self, text: str) -> AssertionResult:
        score = 1.0 if "please" in text else 0.2
        if score >= self.threshold:
            return AssertionResult.ok(score)
        return AssertionResult.fail(score, "no please")


def test_an_assertion_of_a_project_is_checked_as_any_other():
    assert checked(Polite(), "please wait").verdict is Verdict.PASSED
    assert checked(Polite(), "wait").full_description == "Support:31 -> Polite: no please"
    assert checked(Polite(), None).message.endswith("Polite evaluates text, got NoneType")
    assert checked(Polite()).name == "Polite"


@pytest.mark.parametrize("threshold", [-0.1, 1.1, math.nan, math.inf, "0.5", None, True])
def test_a_threshold_out_of_range_is_refused_when_the_assertion_is_built(threshold):
    with pytest.raises(InvalidArgument, match="Polite: threshold must be a number from 0 to 1, got"):
        Polite(threshold)


def test_the_bases_cannot_be_built():
    with pytest.raises(TypeError, match="evaluate"):
        Assertion()  # type: ignore[abstract]  # (that is the point)
    with pytest.raises(TypeError, match="evaluate_string"):
        StringAssertion()  # type: ignore[abstract]  # (that is the point)


def test_a_text_assertion_on_a_trajectory_names_the_accessor_for_its_text():
    check = checked(Polite(), Trajectory.from_messages([]))
    assert check.verdict is Verdict.ERROR
    assert check.message.endswith("evaluates text, got Trajectory; give it trajectory.final_answer()")


@pytest.mark.parametrize("actual", ["text", None, [], Trajectory])
def test_a_trajectory_assertion_on_something_else_breaks_and_says_so(actual):
    @dataclass(frozen=True)
    class Calm(TrajectoryAssertion):
        def evaluate_trajectory(self, trajectory: Trajectory) -> AssertionResult:
            return AssertionResult.ok()

    assert checked(Calm(), Trajectory.from_messages([])).verdict is Verdict.PASSED
    check = checked(Calm(), actual)
    assert check.verdict is Verdict.ERROR
    assert check.message.endswith(f"Calm evaluates a Trajectory, got {type(actual).__name__}")
    assert Calm.accepts == "trajectory"
