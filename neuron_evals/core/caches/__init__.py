"""The cache of run outputs: where entries are kept, and under which keys."""

from __future__ import annotations

from neuron_evals.core.caches.contract import Cache, CacheError
from neuron_evals.core.caches.file import FileCache
from neuron_evals.core.caches.keys import RunKeys, Uncacheable
from neuron_evals.core.caches.memory import MemoryCache

__all__ = ["Cache", "CacheError", "FileCache", "MemoryCache", "RunKeys", "Uncacheable"]
