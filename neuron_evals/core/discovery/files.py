"""The Python files under a folder."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


_NOT_OURS = ("__pycache__", "conftest.py")


def python_files(folder: Path, on_unreadable: Callable[[Path, OSError], object]) -> Iterator[Path]:
    """Yield every Python file under a folder once, in a stable order, `__init__.py` before its neighbours.

    Links come last, so that a file that is reached in two ways has the name that it has without them. Hidden files and
    folders, `__pycache__` and virtual environments are left out. So is each `conftest.py`, which is pytest's: where
    evaluators do not run as tests there may be no pytest to import.

    Args:
        folder: The folder.
        on_unreadable: Is told of each folder that cannot be listed.
    """
    seen: set[str] = set()
    links: deque[Path] = deque()
    entries = deque([folder])
    while entries or links:
        entry = (entries or links).popleft()
        real = os.path.realpath(entry)
        if real in seen:
            continue
        seen.add(real)
        if entry.is_dir():
            try:
                for member in _members(entry):
                    (links if member.is_symlink() else entries).append(member)
            except OSError as exc:
                on_unreadable(entry, exc)
        elif entry.suffix == ".py" and entry.is_file():
            yield entry


def _members(folder: Path) -> list[Path]:
    members = [
        member for member in folder.iterdir() if not member.name.startswith(".") and member.name not in _NOT_OURS
    ]
    if any(member.name == "pyvenv.cfg" for member in members):
        return []
    return sorted(members, key=lambda member: (member.name != "__init__.py", member.name))
