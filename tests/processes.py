"""What became of processes that tests had started."""

from __future__ import annotations

from pathlib import Path


def is_alive(pid: int) -> bool:
    """Return whether a process runs; one that has ended does not, whether or not its parent took note."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in ("Z", "X")
