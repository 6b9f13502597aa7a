"""Objects that must start anew in a forked child: their locks, threads and sockets belong to the parent."""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Forgetful(Protocol):
    """Something that holds locks, threads or connections."""

    def after_fork(self) -> None:
        """Start anew, in the child, which has one thread. Nothing of the parent is closed or waited for."""


_ALIVE: WeakSet[Forgetful] = WeakSet()


def forget_after_fork(item: Forgetful) -> None:
    """Have `item.after_fork()` called in each child that is forked while `item` is alive."""
    _ALIVE.add(item)


def _in_child() -> None:
    for item in list(_ALIVE):
        item.after_fork()


if hasattr(os, "register_at_fork"):  # where there is no fork, there is nothing to do
    os.register_at_fork(after_in_child=_in_child)
