"""Assertion types by name."""

from __future__ import annotations

import pytest
from django.test import override_settings

from neuron_evals.conf import SettingsError
from neuron_evals.container import assertion_types
from neuron_evals.core.assertions import registry
from neuron_evals.core.results import full_name
from tests.testapp.hooks import Sentiment

PATH = "tests.testapp.hooks.Sentiment"


def test_setting__adds_to_the_built_in_types_and_changes_none():
    with override_settings(NEURON_EVALS={"ASSERTIONS": {"sentiment": PATH}}):
        assert assertion_types() == {**registry.assertion_types(), "sentiment": Sentiment}
    assert "sentiment" not in assertion_types()


def test_name__is_built_in__refused_naming_both_classes():
    name, built_in = next(iter(registry.assertion_types().items()))
    with override_settings(NEURON_EVALS={"ASSERTIONS": {name: PATH}}), pytest.raises(SettingsError) as caught:
        assertion_types()
    [problem] = caught.value.problems
    assert problem.code == "E009"
    assert problem.message.startswith(f'NEURON_EVALS["ASSERTIONS"]["{name}"]: ')
    assert PATH in problem.message
    assert full_name(built_in) in problem.message


@pytest.mark.parametrize(
    "path", ["tests.testapp.mail.Agent", "tests.testapp.hooks.before", "neuron_evals.core.checking.StringAssertion"]
)
def test_path__names_no_assertion_class__refused(path: str) -> None:
    with override_settings(NEURON_EVALS={"ASSERTIONS": {"mine": path}}), pytest.raises(SettingsError) as caught:
        assertion_types()
    assert [problem.code for problem in caught.value.problems] == ["E005"]
