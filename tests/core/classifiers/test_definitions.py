from __future__ import annotations

from typing import Any, cast

import pytest

from neuron_evals.core.classifiers import Boolean, Choice, ClassificationRequest, Score
from neuron_evals.core.exceptions import InvalidArgument


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: Boolean("  "), "Boolean: instructions must not be blank"),
        (lambda: Boolean(cast("Any", None)), "Boolean: instructions must be text, got NoneType"),
        (lambda: Score("q", ["only one"]), "Score: levels needs two or more, got 1"),
        (lambda: Score("q", ["a", " "]), r"Score: levels\[1\] must not be blank"),
        (lambda: Score("q", "ab"), "Score: levels must be a list of texts, got str"),
        (lambda: Score("", ["a", "b"]), "Score: instructions"),
        (lambda: Choice("q", {"a": "x"}), "Choice: options needs two or more"),
        (lambda: Choice("q", {"a": "x", "b": ""}), r"Choice: options\['b'\] must not be blank"),
        (lambda: Choice("q", {"a": "x", "": "y"}), "the name of an option must not be blank"),
        (lambda: Choice("q", cast("Any", ["a", "b"])), "mapping from name to meaning, got list"),
        (lambda: ClassificationRequest("x", {}), "at least one"),
        (lambda: ClassificationRequest("x", {"": Boolean("q")}), r"questions\[''\]"),
        (lambda: ClassificationRequest("x", cast("Any", {"a": "q"})), r"questions\['a'\]"),
    ],
)
def test_definition_that_asks_nothing__refused(make, problem):
    with pytest.raises(InvalidArgument, match=problem):
        make()


def test_definitions__compare_by_value():
    assert Score("q", ["a", "b"]) == Score("q", ("a", "b"))
    assert Choice("q", {"a": "x", "b": "y"}) == Choice("q", {"a": "x", "b": "y"})
