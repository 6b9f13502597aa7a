"""What a cache of run outputs is."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

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

    def has(self, key: str) -> bool:
        """Return whether `get` gives a text; parameters and errors are those of `get`."""
        return self.get(key) is not None

    def problems(self) -> list[str]:
        """Return everything that would keep entries from being kept, a line each; asked before anything runs."""
        return []


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
