from __future__ import annotations

import pytest

from neuron_evals.core.caches import FileCache, MemoryCache
from tests.core.caches.behaviour import CacheBehaviour


class TestMemoryCache(CacheBehaviour):
    @pytest.fixture
    def cache(self):
        return MemoryCache()


class TestFileCache(CacheBehaviour):
    @pytest.fixture
    def cache(self, tmp_path):
        return FileCache(tmp_path / "not" / "there yet")
