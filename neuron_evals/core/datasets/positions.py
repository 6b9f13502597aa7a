"""Where each of many texts came first, in little memory."""

from __future__ import annotations

from array import array
from itertools import repeat

_FIRST_SIZE = 2**14

_SMALL = 2**18
"""Below so many slots the table grows fast: it is small, and moving its texts takes time."""

_FULL = 0.85
"""The share of slots that may be taken. More make the table smaller and the search in it longer."""


class Positions:
    """The position at which each text was noted. It keeps a hash of 64 bits for each, not the text.

    Each of many takes about 14 bytes, where a dict of hashes and positions takes 140.
    """

    __slots__ = ("_hashes", "_slots")

    def __init__(self) -> None:
        # The hash at each position; 0 where none was noted.
        self._hashes = array("q")
        # Positions plus 1, found by double hashing; 0 in a free slot. The size is 2**n or 3 * 2**n.
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
        self._hashes.extend(repeat(0, position - len(self._hashes)))
        self._hashes.append(hashed)
        self._slots[slot] = len(self._hashes)
        if len(self._hashes) > _FULL * len(self._slots):
            self._grow()
        return None

    def _slot_of(self, hashed: int) -> int:
        """Return the slot of a hash, or the free one where it belongs."""
        hashes, slots = self._hashes, self._slots
        size = len(slots)
        slot = hashed % size
        # Shares no factor with the size, so that it leads through all slots.
        step = 6 * (hashed >> 32 & 0xFFFF) + 1
        while (held := slots[slot]) and hashes[held - 1] != hashed:
            slot = (slot + step) % size
        return slot

    def _grow(self) -> None:
        size = len(self._slots)
        if size < _SMALL:
            size *= 4
        else:
            size += size // 2 if size % 3 else size // 3
        self._slots = array("I")  # so that the two are not in memory together
        self._slots = array("I", bytes(4)) * size
        for position, hashed in enumerate(self._hashes, 1):
            if hashed:
                self._slots[self._slot_of(hashed)] = position
