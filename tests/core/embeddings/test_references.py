from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from neuron_evals.core.embeddings import BaseEmbeddings, FakeEmbeddings
from neuron_evals.core.embeddings import references as references_module
from neuron_evals.core.exceptions import EmbeddingsError


class Gated(BaseEmbeddings):
    """Waits until it is let go, and counts how often each text was embedded."""

    def __init__(self):
        self.gate = threading.Event()
        self.entered = threading.Event()
        self.texts = []

    def embed(self, texts):
        self.entered.set()
        assert self.gate.wait(60)
        self.texts += texts
        return [[1.0] for _ in texts]


def test_threads_that_need_one_reference_at_once__embed_it_once():
    embeddings = Gated()
    with ThreadPoolExecutor(8) as pool:
        found = [pool.submit(embeddings.compared, f"text {number}", "reference") for number in range(8)]
        assert embeddings.entered.wait(60)
        embeddings.gate.set()
        assert [future.result(60) for future in found] == [([1.0], [1.0])] * 8
    assert embeddings.texts.count("reference") == 1


def test_threads_with_references_of_their_own__do_not_wait_for_each_other():
    barrier = threading.Barrier(3)

    class Together(BaseEmbeddings):
        def embed(self, texts):
            barrier.wait(60)
            return [[1.0] for _ in texts]

    with ThreadPoolExecutor(3) as pool:
        assert len(list(pool.map(Together().compared, "abc", "xyz"))) == 3


def test_tasks_that_need_one_reference_at_once__embed_it_once():
    class Slow(FakeEmbeddings):
        async def aembed(self, texts):
            await asyncio.sleep(0)
            return self.embed(texts)

    embeddings = Slow({"a": [1.0], "b": [1.0], "r": [1.0]})

    async def all_at_once():
        await asyncio.gather(*(embeddings.acompared(text, "r") for text in "abab"))

    asyncio.run(all_at_once())
    assert sum(call.count("r") for call in embeddings.calls) == 1


def test_reference_that_broke__is_tried_again_and_no_turn_is_left():
    embeddings = FakeEmbeddings({"a": [1.0]})
    for _ in range(2):
        with pytest.raises(EmbeddingsError, match="no vector was given for 'r'"):
            embeddings.compared("a", "r")
    embeddings.vectors["r"] = [1.0]
    assert embeddings.compared("a", "r") == ([1.0], [1.0])
    assert not embeddings._references._turns


def test_more_references_than_are_kept__the_longest_unused_goes(monkeypatch):
    monkeypatch.setattr(references_module, "MOST_KEPT", 2)
    embeddings = FakeEmbeddings({text: [1.0] for text in "axyz"})
    for reference in "xyxz":
        embeddings.compared("a", reference)
    embeddings.calls.clear()
    embeddings.compared("a", "x")
    embeddings.compared("a", "y")
    assert embeddings.calls == [("a",), ("a", "y")]


def test_another_number_of_vectors_than_texts__error():
    class Short(BaseEmbeddings):
        def embed(self, texts):
            return [[1.0]]

    with pytest.raises(EmbeddingsError, match="1 vectors came for 2 texts"):
        Short().compared("a", "r")


def test_embeddings_of_a_project__awaited_without_more_than_embed():
    class Lengths(BaseEmbeddings):
        def embed(self, texts):
            return [[float(len(text))] for text in texts]

    assert asyncio.run(Lengths().acompared("ab", "abc")) == ([2.0], [3.0])
    assert Lengths().problems() == []
