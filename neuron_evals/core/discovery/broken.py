"""Files that cannot be imported, and why."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from neuron_evals.core.jsonable import clean_text
from neuron_evals.core.tracebacks import class_and_message, format_traceback

if TYPE_CHECKING:
    from types import TracebackType


@dataclass(frozen=True, slots=True)
class BrokenFile:
    """A file that could not be imported.

    Attributes:
        path: The file, or the folder that could not be listed.
        error: What broke, on one line, as `Class: message (file:line)`.
        traceback: The traceback, without the import system's frames.
    """

    path: Path
    error: str
    traceback: str

    @classmethod
    def of(cls, path: Path, exc: BaseException) -> BrokenFile:
        """Return the file that broke with `exc`."""
        own = _from_file_on(exc.__traceback__, path)
        if isinstance(exc, SyntaxError) and exc.filename and exc.lineno:
            error = f"{type(exc).__name__}: {exc.msg} ({Path(exc.filename).name}:{exc.lineno})"
        else:
            error = class_and_message(exc) + ("" if own is None else f" ({path.name}:{own.tb_lineno})")
        return cls(path, clean_text(" ".join(error.split())), clean_text(format_traceback(exc)))


def _from_file_on(traceback: TracebackType | None, path: Path) -> TracebackType | None:
    """Return the traceback without what happened before the file was reached."""
    while traceback is not None and traceback.tb_frame.f_code.co_filename != str(path):
        traceback = traceback.tb_next
    return traceback
