"""A cache that ends with the process."""

from __future__ import annotations

from neuron_evals.core.caches.contract import Cache, checked_key


class MemoryCache(Cache):
    """Keeps entries in this process, for tests and notebooks. It has no limit."""

    def __init__(self) -> None:
        # A dict is read and written whole in any thread.
        self._texts: dict[str, str] = {}

    def get(self, key: str) -> str | None:
        """Return the text that was set for a key, or `None`."""
        return self._texts.get(checked_key(key))

    def set(self, key: str, text: str) -> None:
        """Keep a text for a key."""
        self._texts[checked_key(key)] = text
