"""Writing a file so that a failure leaves what was there."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from neuron_evals.core.exceptions import OutputError

if TYPE_CHECKING:
    from pathlib import Path

# What the system refuses; a path that can be none, with a NUL in it; before Python 3.13, links that go in circles.
_REFUSALS = (OSError, ValueError, RuntimeError)


def write_file(path: Path, pieces: Iterable[str]) -> None:
    """Write text as UTF-8 to a new file beside `path` and put it in its place when it is complete.

    An existing file keeps its permissions, and its content when anything fails; a link stays and its target is
    replaced. What is no regular file (a device, a pipe) is written to directly.

    Raises:
        OutputError: The file cannot be written.
    """
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            with target.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(pieces)
        else:
            _replace(target, pieces)
    except _REFUSALS as exc:
        msg = f'cannot write "{path}": {_reason(exc)}'
        raise OutputError(msg) from exc


def file_problems(path: Path) -> list[str]:
    """Return why `path` cannot be written, a line each; nothing is left behind by trying."""
    try:
        return [f'"{path}" {problem}' for problem in _file_problems(path.resolve())]
    except _REFUSALS as exc:
        return [f'"{path}" cannot be written: {_reason(exc)}']


def _replace(target: Path, pieces: Iterable[str]) -> None:
    # Made by os.open so that the umask decides on permissions; the tempfile module would make it private.
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123  (a descriptor has no Path)
            file.writelines(pieces)
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _file_problems(target: Path) -> list[str]:
    # Not exists(): before Python 3.13 it raises for a name that no file can have, since then it says no.
    with suppress(FileNotFoundError, NotADirectoryError):
        mode = target.stat().st_mode
        if stat.S_ISDIR(mode):
            return ["is a directory; give a file"]
        if not os.access(target, os.W_OK):
            return ["is read-only"]
        if not stat.S_ISREG(mode):
            return []
    if not target.parent.is_dir():
        what = "is not a directory" if target.parent.exists() else "does not exist"
        return [f'cannot be made: the folder "{target.parent}" {what}']
    # Only trying tells for network file systems, full disks and access lists. Where it can be, the file has no name.
    with tempfile.TemporaryFile(dir=target.parent):
        return []


def _reason(exc: Exception) -> str:
    return (isinstance(exc, OSError) and exc.strerror) or str(exc)
