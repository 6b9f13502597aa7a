"""What a cache of run outputs is."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime

from neuron_evals.core.exceptions import InvalidArgument, NeuronEvalsError

_KEY = re.compile("[0-9a-f]{64}")


class CacheError(NeuronEvalsError):
    """A cache could not keep an entry."""


class Cache(ABC):
    """Texts under keys. `RunOutputs` writes and reads what the texts say; a cache only keeps them.

    Several threads and processes may use one cache at once: whoever reads gets a whole text or none, and of two texts
    set for one key either is kept. An entry is no promise: it may be gone at any time.
    """

    @abstractmethod
    def get(self, key: str) -> str | None:
        """Return the text that was set for a key; `None` when there is none, or when it cannot be read.

        Args:
            key: 64 lower-case hex digits.

        Raises:
            InvalidArgument: `key` is none.
        """

    @abstractmethod
    def set(self, key: str, text: str) -> None:
        """Keep a text for a key, in place of the one that was there.

        Args:
            key: 64 lower-case hex digits.
            text: Any text without surrogates.

        Raises:
            InvalidArgument: `key` is none.
            CacheError: The text could not be kept; what was there before may be there still.
        """

    def keep(self, key: str, text: str, *, evaluator: str, item_id: str) -> None:
        """Do what `set` does, knowing whose output it is; a cache that people look into can tell them.

        Args:
            key: As for `set`, and so is `text`.
            text: The text.
            evaluator: Name of the evaluator.
            item_id: Identity of the item.
        """
        del evaluator, item_id
        self.set(key, text)

    async def aget(self, key: str) -> str | None:
        """Do what `get` does, on an event loop; a cache that waits for others overrides it."""
        return self.get(key)

    async def akeep(self, key: str, text: str, *, evaluator: str, item_id: str) -> None:
        """Do what `keep` does, on an event loop; likewise."""
        self.keep(key, text, evaluator=evaluator, item_id=item_id)

    def has(self, key: str) -> bool:
        """Return whether `get` gives a text; parameters and errors are those of `get`."""
        return self.get(key) is not None

    def problems(self) -> list[str]:
        """Return everything that would keep entries from being kept, a line each; asked before anything runs."""
        return []


@dataclass(frozen=True, slots=True)
class CacheStats:
    """How much a cache holds, or how much was removed.

    Attributes:
        entries: How many entries.
        size: Their bytes.
        oldest: When the oldest was stored; `None` when there is none.
        newest: When the newest was; likewise.
    """

    entries: int = 0
    size: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None


class TidyCache(Cache):
    """A cache that tells what it holds, and lets go of it."""

    @abstractmethod
    def stats(self) -> CacheStats:
        """Return how much it holds.

        Raises:
            CacheError: It cannot be read.
        """

    @abstractmethod
    def prune(self, *, before: datetime | None = None, max_size: int | None = None) -> CacheStats:
        """Remove entries, and return how much that was.

        Args:
            before: Remove those that were stored before this moment.
            max_size: Then remove the oldest until the others have at most so many bytes, 0 or more.

        Raises:
            CacheError: They cannot be removed; some may be.
        """

    def clear(self) -> CacheStats:
        """Remove all entries, and return how much that was.

        Raises:
            CacheError: As for `prune`.
        """
        return self.prune(max_size=0)


def checked_key(key: str) -> str:
    """Return `key` when it is 64 lower-case hex digits, as a sha256 is written: it is safe as a file name.

    Raises:
        InvalidArgument: It is not.
    """
    given: object = key
    if not isinstance(given, str) or _KEY.fullmatch(given) is None:
        msg = f"the key of a cache is a sha256 as 64 lower-case hex digits, got {key!r:.100}"
        raise InvalidArgument(msg)
    return key
