"""The fixture `evals` in ordinary tests."""

from __future__ import annotations

from tests.plugin.test_collecting import AGENT, SUITE

TESTS = """
import pytest

from neuron_evals import BaseEvaluator, StringContains


class Hours(BaseEvaluator):
    def get_dataset(self):
        return [{"input": "9"}, {"input": "8"}]

    def run(self, item):
        return item["input"]

    def evaluate(self, output, item):
        self.check(StringContains("9"), output)


def test_case(evals):
    assert evals.case({"input": "Hi", "expected": "hello"}).output == "hello"


def test_case_that_fails(evals):
    evals.case({"input": "Hi", "expected": "hello"}, agent=lambda text: "\\x1b[31mgo away")


def test_suite(evals):
    evals.suite("basic.yaml", min_success_rate=0.5)


def test_suite_that_fails(evals):
    evals.suite("basic.yaml")


def test_evaluator(evals):
    evals.evaluator(Hours, min_success_rate=0.5)


def test_evaluator_that_fails(evals):
    evals.evaluator(Hours())
"""


def test_fixture__runs_cases_suites_and_evaluators_and_fails_with_what_they_found(folder):
    folder.write(sub__test_things_py=TESTS, sub__basic_yaml=SUITE, conftest_py=AGENT)
    done = folder.pytest("-v")
    assert {name: outcome for name, outcome in done.outcomes().items() if outcome != "PASSED"} == {
        f"sub/test_things.py::test_{what}_that_fails": "FAILED" for what in ("case", "suite", "evaluator")
    }, done.text
    assert "\x1b" not in done.text
    assert "go away" in done.text
    assert "1 of 2 items failed" in done.text
    assert "in assert_" not in done.text
