"""Embeddings: texts as vectors, over HTTP, offline, or as a test gives them."""

from __future__ import annotations

from neuron_evals.core.embeddings.contract import BaseEmbeddings
from neuron_evals.core.embeddings.fake import FakeEmbeddings
from neuron_evals.core.embeddings.http import OllamaEmbeddings, OpenAIEmbeddings
from neuron_evals.core.embeddings.offline import OfflineEmbeddings

__all__ = ["BaseEmbeddings", "FakeEmbeddings", "OfflineEmbeddings", "OllamaEmbeddings", "OpenAIEmbeddings"]
