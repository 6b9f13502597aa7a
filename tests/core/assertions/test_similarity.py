from __future__ import annotations

import asyncio
import math

import pytest

from neuron_evals.core.assertions import StringSimilarity
from neuron_evals.core.embeddings import FakeEmbeddings
from neuron_evals.core.exceptions import EmbeddingsError, InvalidArgument, InvalidInput


@pytest.mark.parametrize(
    ("vector", "reference", "options", "passed", "score"),
    [
        ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0], {"threshold": 0.8}, False, 0.0),
        ([0.7, 0.3, 0.0], [1.0, 0.0, 0.0], {}, True, 0.9191450300180579),
        ([0.9, 0.1, 0.0], [1.0, 0.0, 0.0], {"threshold": 0.8}, True, 0.9938837346736189),
        ([0.6, 0.8], [1.0, 0.0], {"threshold": 0.61}, False, 0.6),
        ([0.0, 1.0], [1.0, 0.0], {"threshold": 0.0}, True, 0.0),
        ([0.0, 0.0], [1.0, 0.0], {"threshold": 0.6}, False, 0.0),
        ([1.0, 0.0], [0.0, 0.0], {"threshold": 0.6}, False, 0.0),
        ([-1.0, 0.0], [1.0, 0.0], {"threshold": 0.0}, False, -1.0),
        ([0.1, 0.2, 0.3], [0.1, 0.2, 0.3], {"threshold": 1.0}, True, 1.0),
        ([1e200, 0.0], [1e200, 1e200], {}, True, math.sqrt(0.5)),
        ([1e-200, 0.0], [1e-200, 1e-200], {}, True, math.sqrt(0.5)),
        ([1, 0], [1, 0], {}, True, 1.0),
    ],
)
def test_cosine__is_the_score_and_passes_from_the_threshold_on(vector, reference, options, passed, score):
    embeddings = FakeEmbeddings({"actual text": vector, "reference text": reference})
    result = StringSimilarity("reference text", embeddings, **options).evaluate("actual text")
    assert result.passed is passed
    assert result.score == pytest.approx(score, abs=1e-9)


def test_failed__message_has_texts_score_and_threshold():
    embeddings = FakeEmbeddings({"a": [0.6, 0.8], "r": [1.0, 0.0]})
    assert StringSimilarity("r", embeddings, 0.61).evaluate("a").message == (
        'the similarity of "a" and "r" is 0.6, below the threshold 0.61'
    )


@pytest.mark.parametrize(
    ("vector", "problem"),
    [
        ([1.0], "different lengths cannot be compared: 1 and 2"),
        ([], "different lengths"),
        ([math.nan, 1.0], "non-finite vector"),
        ([math.inf, 1.0], "non-finite vector"),
        ([[1.0, 0.0]], "different lengths"),
        (["x", "y"], "a list of numbers"),
    ],
)
def test_vectors_that_cannot_be_compared__error(vector, problem):
    embeddings = FakeEmbeddings({"a": vector, "r": [1.0, 1.0]})
    with pytest.raises(EmbeddingsError, match=problem):
        StringSimilarity("r", embeddings).evaluate("a")


def test_reference__embedded_once_for_all_texts_and_assertions():
    embeddings = FakeEmbeddings({"a": [1.0], "b": [1.0], "r": [1.0]})
    StringSimilarity("r", embeddings).evaluate("a")
    StringSimilarity("r", embeddings).evaluate("b")
    assert embeddings.calls == [("a", "r"), ("b",)]


def test_awaited__the_same_and_the_reference_once():
    embeddings = FakeEmbeddings({"a": [1.0], "b": [1.0], "r": [1.0]})

    async def both():
        return [await StringSimilarity("r", embeddings).aevaluate(text) for text in ("a", "b")]

    assert [result.score for result in asyncio.run(both())] == [1.0, 1.0]
    assert embeddings.calls == [("a", "r"), ("b",)]


@pytest.mark.parametrize(
    "options",
    [
        *({"threshold": value} for value in (-0.1, 1.5, math.nan, math.inf, True, "1")),
        {"reference": 5},
        {"embeddings": None},
        {"embeddings": FakeEmbeddings},
    ],
)
def test_option_that_means_nothing__refused(options):
    with pytest.raises(InvalidArgument, match="StringSimilarity: "):
        StringSimilarity(**{"reference": "r", "embeddings": FakeEmbeddings({}), **options})


@pytest.mark.parametrize("actual", [None, 5, ["a"]])
def test_what_is_no_text__refused_before_anything_is_embedded(actual):
    embeddings = FakeEmbeddings({"r": [1.0]})
    with pytest.raises(InvalidInput):
        StringSimilarity("r", embeddings).evaluate(actual)
    with pytest.raises(InvalidInput):
        asyncio.run(StringSimilarity("r", embeddings).aevaluate(actual))
    assert not embeddings.calls
