"""What suite files may name: within `SUITE_IMPORTS`, by public names, and not through what a module imported."""

from __future__ import annotations

import pytest
from django.test import override_settings

from neuron_evals import ConfigurationError, SuiteError, load_suite, parse_suite, run_case, run_suite
from neuron_evals.container import suite_import
from neuron_evals.core.suites.yaml_text import write_yaml
from tests.testapp import suite_code

ALLOWED = override_settings(NEURON_EVALS={"SUITE_IMPORTS": ["tests.testapp.suite_code"]})
CASE = {
    "id": "mood",
    "input": "Great!",
    "eval_type": "custom",
    "expected": {"mood": "glad"},
    "eval_config": {"evaluator": "tests.testapp.suite_code.Mood"},
}


def glad(text: str) -> str:
    return "I am glad"


def test_path_within_the_setting__names_what_is_there():
    with ALLOWED:
        assert suite_import("tests.testapp.suite_code.Mood") is suite_code.Mood


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("os.system", "not within"),
        ("tests.testapp.suite_codes.Mood", "not within"),
        ("tests.testapp.agents.echo", "not within"),
        ("tests.testapp.suite_code.os.system", "leads through the module os"),
        ("tests.testapp.suite_code.agents.echo", "leads through the module tests.testapp.agents"),
        ("tests.testapp.suite_code.Mood.__init__", "public names"),
        ("tests.testapp.suite_code._hidden", "public names"),
        ("tests.testapp.suite_code:Mood", "public names"),
        ("../suite_code.Mood", "public names"),
        ("Mood", "public names"),
        ("tests.testapp.suite_code.Mod", "cannot be imported"),
    ],
)
def test_path_outside__refused(path, why):
    with ALLOWED, pytest.raises(ConfigurationError, match=why):
        suite_import(path)


def test_setting_that_is_empty__allows_nothing():
    with override_settings(NEURON_EVALS={}), pytest.raises(ConfigurationError, match="it is empty"):
        suite_import("tests.testapp.suite_code.Mood")


def test_file__may_name_what_the_setting_allows(tmp_path):
    file = tmp_path / "moods.yaml"
    file.write_text(write_yaml({"test_cases": [CASE]}))
    with ALLOWED:
        assert run_suite(load_suite(file), agent=glad).passed_count == 1
    with override_settings(NEURON_EVALS={}), pytest.raises(SuiteError, match=r'eval_config\.evaluator: .*"SUITE_'):
        load_suite(file)


def test_case_in_code__likewise():
    with ALLOWED:
        assert run_case(CASE, agent=glad).passed


def test_data__names_nothing_whatever_the_setting_says():
    with ALLOWED:
        for data in ([CASE], {"test_cases": [CASE]}):
            with pytest.raises(SuiteError, match="nothing is imported here"):
                parse_suite(data)
            with pytest.raises(SuiteError, match="nothing is imported here"):
                run_suite(data, agent=glad)
