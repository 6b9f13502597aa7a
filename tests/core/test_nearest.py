"""The known name that a wrong one was probably meant to be."""

from __future__ import annotations

import pytest

from neuron_evals.core.nearest import did_you_mean, nearest

KNOWN = ("contains", "contains_any", "Regex")


@pytest.mark.parametrize(
    ("given", "near"),
    [("contians", "contains"), ("CONTAINS_ANY", "contains_any"), ("regexp", "Regex"), ("zzz", None), (7, None)],
)
def test_nearest__whatever_the_case(given, near):
    assert nearest(given, KNOWN) == near


def test_question__ends_with_a_space_or_is_empty():
    assert did_you_mean("regexp", KNOWN) == 'did you mean "Regex"? '
    assert did_you_mean("zzz", KNOWN) == did_you_mean("regexp", []) == ""
