"""A cache in a folder, one file per entry."""

from __future__ import annotations

import os
import re
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from neuron_evals.core.caches.contract import CacheError, CacheStats, TidyCache, checked_key
from neuron_evals.core.caches.pruning import Entry, chosen, summed
from neuron_evals.core.exceptions import InvalidArgument

# What the system refuses, and a path that can be none, with a NUL in it.
_REFUSALS = (OSError, ValueError)

_OURS = re.compile(r"[0-9a-f]{64}\.json|\.[0-9a-f]{16}\.tmp")
"""Names of entries, and of files that a killed process left half written."""


class FileCache(TidyCache):
    """Keeps each entry as `<key>.json` in a folder, which is made by the first write.

    A file is written beside its place and moved there when it is complete, so that no reader and no killed process sees
    half of one. A file that is damaged is as good as missing, and replaced by the next write.

    Args:
        path: The folder, relative to the working directory as it is now.

    Raises:
        InvalidArgument: `path` is no path, or empty.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        given: object = path
        if not isinstance(given, str | os.PathLike) or not os.fspath(given):
            msg = f'FileCache takes the path of a folder, such as ".neuron/cache/evaluation", got {path!r:.100}'
            raise InvalidArgument(msg)
        self.path = Path(path).absolute()

    def get(self, key: str) -> str | None:
        """Return the text that was set for a key; `None` when there is no such file, or when it cannot be read."""
        file = self._file(key)
        try:
            # Bytes, so that line ends stay as they are.
            return file.read_bytes().decode()
        except _REFUSALS:
            return None

    def set(self, key: str, text: str) -> None:
        """Keep a text for a key.

        Raises:
            CacheError: The folder cannot be made or the file not be written.
        """
        file = self._file(key)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            _replace(file, text.encode())
        except _REFUSALS as exc:
            msg = f'cannot write to "{self.path}": {_reason(exc)}'
            raise CacheError(msg) from exc

    def problems(self) -> list[str]:
        """Return why the folder cannot be made or written to; nothing is left behind by trying."""
        try:
            # Only trying tells for network file systems, full disks and access lists. Where it can be, the file has no
            # name.
            with tempfile.TemporaryFile(dir=_existing(self.path)):
                return []
        except _REFUSALS as exc:
            return [f'the cache folder "{self.path}" cannot be written to: {_reason(exc)}']

    def stats(self) -> CacheStats:
        """Return how much the folder holds, what killed processes left half written included.

        Raises:
            CacheError: The folder cannot be read.
        """
        return summed(self._entries())

    def prune(self, *, before: datetime | None = None, max_size: int | None = None) -> CacheStats:
        """Remove entries; files that are not ours stay.

        Raises:
            CacheError: The folder cannot be read, or a file not be removed.
        """
        removed = chosen(self._entries(), before, max_size)
        try:
            for entry in removed:
                (self.path / entry.name).unlink(missing_ok=True)
        except OSError as exc:
            msg = f'cannot remove from "{self.path}": {_reason(exc)}'
            raise CacheError(msg) from exc
        return summed(removed)

    def _entries(self) -> Iterator[Entry[str]]:
        try:
            for file in self.path.iterdir() if self.path.exists() else ():
                if _OURS.fullmatch(file.name) is None:
                    continue
                with suppress(FileNotFoundError):  # another process removed or renamed it meanwhile
                    known = file.lstat()
                    yield Entry(file.name, known.st_size, datetime.fromtimestamp(known.st_mtime, UTC))
        except _REFUSALS as exc:
            msg = f'cannot read "{self.path}": {_reason(exc)}'
            raise CacheError(msg) from exc

    def _file(self, key: str) -> Path:
        return self.path / f"{checked_key(key)}.json"


def _existing(place: Path) -> Path:
    """Return the folder, or the nearest one above it that exists."""
    try:
        place.lstat()
    except FileNotFoundError:
        return _existing(place.parent)
    return place


def _replace(file: Path, data: bytes) -> None:
    temporary = file.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        temporary.write_bytes(data)
        temporary.replace(file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _reason(exc: Exception) -> str:
    return (isinstance(exc, OSError) and exc.strerror) or str(exc)
