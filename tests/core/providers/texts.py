"""What a log, a report or a debug page could show of an exception."""

from __future__ import annotations

import traceback
from pathlib import Path

from neuron_evals.core.tracebacks import describe_error, format_traceback


def texts_of(exc: BaseException) -> str:
    """Return all of it, with the values in the frames."""
    summary = traceback.TracebackException.from_exception(exc, capture_locals=True)
    # The frames of the tests themselves hold the key, of course.
    frames = [frame for frame in summary.stack if not frame.filename.startswith(str(Path(__file__).parent))]
    assert frames
    parts = [
        "".join(traceback.StackSummary.from_list(frames).format()),
        repr(exc),
        str(exc),
        describe_error(exc),
        format_traceback(exc),
    ]
    return "\n".join([*parts, repr(vars(exc)), repr(exc.__context__), repr(exc.__cause__)])
