"""Where a dataset's file is, and its lines."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from neuron_evals.core.datasets.contract import Dataset, OnProblem
from neuron_evals.core.exceptions import DatasetError, DatasetProblem, InvalidArgument

PathText = str | os.PathLike[str]

_BOM = b"\xef\xbb\xbf"


class FileDataset(Dataset):
    """A dataset in one UTF-8 file, with or without a byte order mark; lines may end in LF, CRLF or CR.

    Args:
        path: One path, relative to the working directory; or two, the second relative to the folder of the first, as in
            `JsonDataset(__file__, "datasets/support.json")`.

    Raises:
        InvalidArgument: Not one or two paths.
        DatasetError: There is no such file; the message holds the whole path.
    """

    rereadable = True

    def __init__(self, *path: PathText) -> None:
        self.path = _located(type(self).__name__, path)
        self.source = self.path.name
        complaint = _complaint(self.path)
        if complaint is not None:
            raise DatasetError([DatasetProblem(complaint, self.source)])

    def _raw_lines(self, on_problem: OnProblem) -> Iterator[tuple[int, bytes]]:
        """Yield the number of each line and its bytes, line end included."""
        number = 0
        try:
            with self.path.open("rb") as file:
                for chunk in file:
                    raw = chunk.removeprefix(_BOM) if number == 0 else chunk
                    for line in raw.splitlines(keepends=True) if b"\r" in raw else (raw,):
                        number += 1
                        yield number, line
        except OSError as exc:
            on_problem(DatasetProblem(f"cannot be read: {exc.strerror}", self.source))

    def _decoded(self, raw: bytes, line: int, on_problem: OnProblem) -> str | None:
        """Return bytes of the file, which begin with the line, as text; report what is no UTF-8."""
        try:
            return raw.decode()
        except UnicodeDecodeError as exc:
            before = raw[: exc.start]
            last = before[before.rfind(b"\n") + 1 :].decode()
            problem = DatasetProblem(
                f"the byte 0x{raw[exc.start]:02x} is no UTF-8; save the file as UTF-8",
                self.source,
                line=line + before.count(b"\n"),
                column=len(last) + 1,
            )
            on_problem(problem)
            return None


def _located(owner: str, path: tuple[PathText, ...]) -> Path:
    if len(path) not in {1, 2} or not all(isinstance(part, str | os.PathLike) for part in path):
        got = ", ".join(type(part).__name__ for part in path) or "nothing"
        example = f'{owner}(__file__, "datasets/support.json")'
        msg = f"{owner} takes one path, or a file and a path relative to its folder such as {example}; got {got}"
        raise InvalidArgument(msg)
    if len(path) == 1:
        return Path(path[0]).absolute()
    origin = Path(path[0]).absolute()
    return (origin if origin.is_dir() else origin.parent) / path[1]


def _complaint(path: Path) -> str | None:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return f"no such file: {path}"
    except (OSError, ValueError) as exc:
        return f"cannot be opened: {path} ({getattr(exc, 'strerror', None) or exc})"
    if stat.S_ISREG(mode):
        return None
    return f"{'a folder' if stat.S_ISDIR(mode) else 'not a regular file'}, a dataset is one file: {path}"
