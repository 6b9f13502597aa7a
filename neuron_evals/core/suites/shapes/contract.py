"""What a shape is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

Fault = tuple[str, str]
"""Where something is wrong, as a path, and what."""


class Shape(ABC):
    """What a JSON value may be."""

    @abstractmethod
    def faults(self, value: Any, path: str) -> Iterator[Fault]:
        """Yield what is wrong with a value.

        Args:
            value: A JSON value.
            path: Where it stands.
        """

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of such values."""

    @property
    @abstractmethod
    def noun(self) -> str:
        """What such a value is called, for messages."""

    def sample(self) -> Any:
        """Return a value of this shape."""
        return None
