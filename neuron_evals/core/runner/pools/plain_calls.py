"""Plain functions called from an event loop, in daemon threads of our own."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from neuron_evals.core.runner.pools.contract import PARTING_SECONDS, Hooks


@dataclass(slots=True)
class _Call:
    """A call that waits for its turn or is under way."""

    run: Callable[[], Any]
    answer: asyncio.Future[Any]
    thread: threading.Thread | None = None


class PlainCalls:
    """At most `count` threads, all used from one event loop.

    They are no executor's, whose threads are waited for when the process ends: one that hangs would hold it.
    """

    def __init__(self, count: int, hooks: Hooks) -> None:
        self._count = count
        self._hooks = hooks
        self._inbox: SimpleQueue[_Call | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._lost: set[threading.Thread] = set()
        self._busy = 0
        self._closed = False

    async def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return what `function` returns, called in a thread with this context.

        A call whose task is cancelled goes on in its thread, which then counts no more.
        """
        if self._closed:
            raise asyncio.CancelledError  # only what was given up still calls
        loop = asyncio.get_running_loop()
        context = contextvars.copy_context()

        def run() -> Any:
            self._hooks.before_call()
            return context.run(function, *args)

        call = _Call(run, loop.create_future())
        self._busy += 1
        if len(self._threads) - len(self._lost) < min(self._count, self._busy):
            self._hire(loop)
        self._inbox.put(call)
        try:
            return await call.answer
        except asyncio.CancelledError:
            if call.thread is not None:
                self._lost.add(call.thread)
            raise
        finally:
            self._busy -= 1

    def close(self, *, wait: bool) -> None:
        """Let the threads end; with `wait` wait for them, but not for those whose call was given up."""
        self._closed = True
        for _ in self._threads:
            self._inbox.put(None)
        if wait:
            for thread in self._threads:
                if thread not in self._lost:
                    thread.join(PARTING_SECONDS)

    def _hire(self, loop: asyncio.AbstractEventLoop) -> None:
        thread = threading.Thread(target=self._toil, args=(loop,), name="neuron-evals-plain", daemon=True)
        thread.start()
        self._threads.append(thread)

    def _toil(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            while (call := self._inbox.get()) is not None:
                if call.answer.cancelled():
                    continue
                call.thread = threading.current_thread()
                answer = _answered(call)
                try:
                    loop.call_soon_threadsafe(answer)
                except RuntimeError:  # the loop is closed: nobody waits any more
                    return
        finally:
            self._hooks.after_worker()


def _answered(call: _Call) -> Callable[[], None]:
    """Make a call in this thread; return what gives its answer, to be run on the loop."""
    try:
        value = call.run()
    except BaseException as exc:  # raised where it is awaited
        error = exc
        return lambda: None if call.answer.done() else _fail(call.answer, error)
    return lambda: None if call.answer.done() else call.answer.set_result(value)


def _fail(answer: asyncio.Future[Any], error: BaseException) -> None:
    # A future cannot carry it: awaiting would look like the end of an iteration.
    answer.set_exception(RuntimeError(f"StopIteration: {error}") if isinstance(error, StopIteration) else error)
