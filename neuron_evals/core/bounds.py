"""How much there may be of what rows keep: the same in files, in code and on every database."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

MAX_NAME = 200
"""Longest name of a suite or an agent, in characters."""

MAX_REPEATS = 10_000
"""How often an item is executed at most, on purpose."""

MAX_RETRIES = 1_000
"""How often an execution is tried again at most."""

MAX_CONCURRENCY = 10_000
"""How many items of a suite may be in flight at most by what the suite says."""


class SuiteSize(NamedTuple):
    """How large a suite may be, as a row and as a file.

    Attributes:
        items: Most items.
        bytes: Most bytes of its items as JSON text in UTF-8.
    """

    items: int = 10_000
    bytes: int = 2_000_000

    @property
    def file_bytes(self) -> int:
        """Most bytes of its file: other formats, and what stands beside the items, take more room than their JSON."""
        return _TIMES_THE_ITEMS * self.bytes


def size_suites_by(told: Callable[[], SuiteSize]) -> None:
    """Have suites be as large as the project says from now on, which the app does where Django is set up.

    Args:
        told: Returns it, whenever it is asked.
    """
    _sizes[:] = [told]


def suite_size() -> SuiteSize:
    """Return how large a suite may be."""
    return _sizes[0]() if _sizes else SuiteSize()


_TIMES_THE_ITEMS = 5
_sizes: list[Callable[[], SuiteSize]] = []
