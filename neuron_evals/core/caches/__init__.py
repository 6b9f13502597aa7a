"""The cache of run outputs: where entries are kept, under which keys, and what execution asks of it."""

from __future__ import annotations

from neuron_evals.core.caches.contract import Cache, CacheError, CacheStats, TidyCache
from neuron_evals.core.caches.counts import CacheCounts
from neuron_evals.core.caches.entries import CachedRun
from neuron_evals.core.caches.file import FileCache
from neuron_evals.core.caches.keys import RunKeys, Uncacheable
from neuron_evals.core.caches.memory import MemoryCache
from neuron_evals.core.caches.outputs import RunOutputs

__all__ = [
    "Cache",
    "CacheCounts",
    "CacheError",
    "CacheStats",
    "CachedRun",
    "FileCache",
    "MemoryCache",
    "RunKeys",
    "RunOutputs",
    "TidyCache",
    "Uncacheable",
]
