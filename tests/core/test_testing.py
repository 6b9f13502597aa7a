"""`assert_case` in a test of any framework."""

from __future__ import annotations

from typing import Any

import pytest

from neuron_evals import Agent, FakeProvider, SuiteError, assert_case

CASE: dict[str, Any] = {"input": "When are you open?", "expected": "9"}


def test_case_that_passes__its_result_is_returned():
    assert assert_case(CASE, agent=lambda text: "9 to 5").output == "9 to 5"


def test_case_that_fails__the_message_has_checks_and_answer():
    with pytest.raises(AssertionError) as failed:
        assert_case(CASE, agent=lambda text: "Never")
    message = str(failed.value)
    assert 'does not contain "9"' in message
    assert "output: 'Never'" in message


def test_case_that_breaks__fails_with_what_broke():
    def broken(text: str) -> str:
        raise RuntimeError("provider down")

    with pytest.raises(AssertionError, match="provider down"):
        assert_case(CASE, agent=broken)


def test_case_with_a_judge__whose_verdict_counts():
    case = {**CASE, "eval_type": "llm_judge", "expected": "Is it polite?"}
    assert assert_case(case, agent=lambda text: "Hello", judge=Agent(FakeProvider("SCORE: 5"))).score == 1.0
    with pytest.raises(AssertionError, match="rude"):
        assert_case(case, agent=lambda text: "Hm", judge=Agent(FakeProvider("SCORE: 1\nEXPLANATION: rude")))


def test_case_that_means_nothing__is_a_mistake_and_no_failure():
    with pytest.raises(SuiteError):
        assert_case({**CASE, "eval_type": "contians"}, agent=lambda text: pytest.fail("called"))
