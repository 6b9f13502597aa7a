"""Forking without noise."""

from __future__ import annotations

import os
import sys
import warnings


def fork() -> int:
    """Fork this process; return the child's id, and 0 in the child.

    Raises:
        OSError: The system has no room for another process.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()  # else the child would print it once more
    with warnings.catch_warnings():
        # From Python 3.12 on it warns of other threads. Python's own are ruled out by the caller; those of numeric
        # libraries look after themselves.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()
