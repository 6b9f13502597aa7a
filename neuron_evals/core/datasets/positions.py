"""Where each of many texts came first, in little memory."""

from __future__ import annotations

from array import array
from itertools import chain

_FIRST_SIZE = 2**14

_SMALL = 2**18
"""Below so many slots the table grows fast: it is small, and moving its texts takes time."""

_PIECE = 4096

_FULL = 0.85
"""The share of slots that may be taken. More make the table smaller and the search in it longer."""


class Positions:
    """The position at which each text was noted. It keeps a hash of 64 bits for each, not the text.

    Each of many takes about 14 bytes, where a dict of hashes and positions takes 140.
    """

    __slots__ = ("_count", "_pieces", "_slots")

    def __init__(self) -> None:
        # The hash at each position; 0 where none was noted. In pieces that never move: one long array is moved whenever
        # it outgrows its place, and leaves holes that nothing fits into.
        self._pieces: list[array[int]] = []
        self._count = 0
        # Positions plus 1, found by double hashing; 0 in a free slot. The size is 2**n, 9 * 2**n or 3 * 2**n.
        self._slots = array("I", bytes(4)) * _FIRST_SIZE

    def note(self, text: str, position: int) -> int | None:
        """Note a text unless it is known.

        Args:
            text: The text.
            position: Its position, counted from 0, after all those that were noted before.

        Returns:
            The position at which it was noted before; `None` when it is new.
        """
        hashed = hash(text) or 1
        slot = self._slot_of(hashed)
        if self._slots[slot]:
            return self._slots[slot] - 1
        while self._count < position:
            self._append(0)
        self._append(hashed)
        self._slots[slot] = self._count
        if self._count > _FULL * len(self._slots):
            self._grow()
        return None

    def _append(self, hashed: int) -> None:
        piece, place = divmod(self._count, _PIECE)
        if not place:
            # Made whole: one that is appended to keeps room for more.
            self._pieces.append(array("q", bytes(8)) * _PIECE)
        self._pieces[piece][place] = hashed
        self._count += 1

    def _slot_of(self, hashed: int) -> int:
        """Return the slot of a hash, or the free one where it belongs."""
        pieces, slots = self._pieces, self._slots
        size = len(slots)
        slot = hashed % size
        # Shares no factor with the size, so that it leads through all slots.
        step = 6 * (hashed >> 32 & 0xFFFF) + 1
        while held := slots[slot]:
            piece, place = divmod(held - 1, _PIECE)
            if pieces[piece][place] == hashed:
                break
            slot = (slot + step) % size
        return slot

    def _grow(self) -> None:
        size = len(self._slots)
        if size < _SMALL:
            size *= 4
        else:
            size += size // 3 if size % 3 == 0 else size // 8
        self._slots = array("I")  # so that the two are not in memory together
        self._slots = array("I", bytes(4)) * size
        for position, hashed in enumerate(chain.from_iterable(self._pieces), 1):
            if hashed:
                self._slots[self._slot_of(hashed)] = position
