"""The times of many items."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import chain

_PIECE = 4096


class Times:
    """Seconds, eight bytes each: percentiles need every one, and reports of a million items must stay small.

    They are held in pieces that never move. One long array is moved whenever it outgrows its place, and leaves holes
    that nothing fits into.
    """

    __slots__ = ("_pieces",)

    def __init__(self) -> None:
        self._pieces: list[array[float]] = [array("d")]

    def append(self, seconds: float) -> None:
        """Add one."""
        if len(self._pieces[-1]) == _PIECE:
            self._pieces.append(array("d"))
        self._pieces[-1].append(seconds)

    def extend(self, other: Times) -> None:
        """Add all of another; later additions to one are none to the other."""
        # A full piece never changes, so both can hold it.
        self._pieces += [piece if len(piece) == _PIECE else piece[:] for piece in other._pieces]
        self._pieces.append(array("d"))

    def __len__(self) -> int:
        return sum(map(len, self._pieces))

    def __iter__(self) -> Iterator[float]:
        return chain.from_iterable(self._pieces)
