"""An exception as text for reports, without the paths of one machine."""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from neuron_evals.core.exceptions import ConfigurationError, NeuronEvalsError

_NOT_SHOWN = (str(Path(__file__).parent), importlib.__file__, "<frozen importlib")
"""Files whose frames are left out of tracebacks: the engine's, and the import system's."""


def describe_error(exc: BaseException) -> str:
    """Return `Class: message (file:line)`; the place is where the error was raised, left out when unknown."""
    text = class_and_message(exc)
    last = exc.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None:
        return text
    return f"{text} ({short_path(last.tb_frame.f_code.co_filename)}:{last.tb_lineno})"


def class_and_message(exc: BaseException) -> str:
    """Return `Class: message`, or the class alone when the error says nothing."""
    return f"{type(exc).__name__}: {message}" if (message := error_message(exc)) else type(exc).__name__


def describe_broken_check(exc: BaseException) -> str:
    """Return an assertion's error as text: the engine's own errors speak for themselves, others say class and place."""
    message = error_message(exc)
    return message if message and isinstance(exc, ConfigurationError | NeuronEvalsError) else describe_error(exc)


def error_message(exc: BaseException) -> str:
    """Return `str(exc)`, also for an exception whose `__str__` breaks."""
    try:
        return str(exc)
    except Exception as broken:
        return f"(its text cannot be shown: {type(broken).__name__})"


def format_traceback(exc: BaseException) -> str:
    """Return the traceback of `exc` and its causes, with short paths and without the engine's own frames."""
    try:
        summary = traceback.TracebackException.from_exception(exc)
    except Exception as broken:
        return f"(the traceback cannot be shown: {type(broken).__name__})"
    for part in _chain(summary):
        part.stack = traceback.StackSummary.from_list(
            [
                traceback.FrameSummary(short_path(frame.filename), frame.lineno, frame.name, line=frame.line)
                for frame in part.stack
                if not frame.filename.startswith(_NOT_SHOWN)
            ]
        )
    return "".join(summary.format()).rstrip()


def short_path(filename: str) -> str:
    """Return a file name relative to the working directory or to the import path it lies on; else its last part."""
    if filename.startswith("<"):
        return filename
    path = Path(filename)
    candidates = [relative for root in _roots() if (relative := _relative(path, root))]
    return min(candidates, key=len, default=path.name)


def _roots() -> Iterator[Path]:
    with suppress(OSError):  # what is evaluated may have removed the working directory
        yield Path.cwd()
    entries: list[object] = [*sys.path]
    yield from (Path(entry) for entry in entries if isinstance(entry, str))


def _relative(path: Path, root: Path) -> str:
    if root == Path(root.anchor) or not path.is_relative_to(root):
        return ""
    return path.relative_to(root).as_posix()


def _chain(summary: traceback.TracebackException) -> Iterator[traceback.TracebackException]:
    """Yield an exception, what it came from, and the members of a group; each once."""
    seen: set[int] = set()
    pending: list[traceback.TracebackException | None] = [summary]
    while pending:
        part = pending.pop()
        if part is None or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        pending += [part.__cause__, part.__context__, *(getattr(part, "exceptions", None) or ())]
