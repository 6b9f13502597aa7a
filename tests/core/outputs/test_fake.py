"""A run with canned replies in place of the agent says so in every output."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest

from neuron_evals.core.outputs import render
from tests.core.outputs.factories import evaluator, item, report

REAL = evaluator(item(), name="shop.Real")
FAKE = evaluator(item(), name="shop.Fake", fake=True)


@pytest.mark.parametrize("form", ["console", "detailed", "markdown"])
def test_fake_evaluator__the_text_says_so_and_which(form):
    text = render(report(REAL, FAKE), form)
    assert "canned replies stood in for the agent" in text
    assert [line for line in text.splitlines() if "(fake)" in line and "Fake" in line]
    assert not [line for line in text.splitlines() if "(fake)" in line and "Real" in line]


def test_fake_evaluator__json_says_so_of_the_report_and_the_evaluator():
    data = json.loads(render(report(REAL, FAKE), "json"))
    assert data["fake"] is True
    assert [each["fake"] for each in data["evaluators"]] == [False, True]


def test_fake_evaluator__junit_has_the_property_for_it_alone():
    found = ET.fromstring(render(report(REAL, FAKE), "junit"))  # noqa: S314  (our own text)
    names = [
        suite.get("name")
        for suite in found
        if suite.find("properties/property[@name='fake'][@value='true']") is not None
    ]
    assert names == ["shop.Fake"]


@pytest.mark.parametrize("form", ["console", "detailed", "markdown", "junit"])
def test_real_evaluators__nothing_is_called_fake(form):
    assert "fake" not in render(report(REAL), form).lower()
    assert report(REAL).fake is False
