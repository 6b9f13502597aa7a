"""Signals that end a run in good order."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

    from neuron_evals.core.cancellation import StopToken

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def signals_stop(token: StopToken) -> Iterator[None]:
    """Have SIGINT and SIGTERM ask `token` to stop. Outside the main thread, which alone takes signals, do nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handler(number: int, frame: FrameType | None) -> None:
        token.interrupt()

    before = {number: signal.signal(number, handler) for number in SIGNALS}
    try:
        yield
    finally:
        for number, previous in before.items():
            # None: the previous handler was not installed from Python and cannot be put back.
            signal.signal(number, signal.SIG_DFL if previous is None else previous)
