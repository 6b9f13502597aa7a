"""Async code called from plain code, and plain code from async code."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")

InThread = Callable[..., Awaitable[Any]]
"""Calls a function with arguments in a thread, and gives what it returns."""

_IN_THREAD: ContextVar[tuple[asyncio.AbstractEventLoop, InThread] | None] = ContextVar(
    "neuron_evals_in_thread", default=None
)


def finish(awaitable: Awaitable[T]) -> T:
    """Return what an awaitable gives. It runs in an event loop of its own, and in the caller's context.

    Where this thread runs an event loop already, a thread of its own is used, and the loop stands still meanwhile.
    """

    async def awaited() -> T:
        return await awaitable

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(awaited())
    results: list[T] = []
    errors: list[BaseException] = []

    def target() -> None:
        try:
            results.append(asyncio.run(awaited()))
        except BaseException as exc:
            errors.append(exc)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(target,), daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def call_plain_with(in_thread: InThread) -> None:
    """Have `in_thread` call plain functions for the rest of this context, as far as this event loop calls them."""
    _IN_THREAD.set((asyncio.get_running_loop(), in_thread))


def plain_caller() -> InThread | None:
    """Return what `call_plain_with` was told for the running event loop; `None` when it was told nothing."""
    owned = _IN_THREAD.get()
    # In another loop, such as one that a plain function made for itself, nobody would hear the answer.
    return owned[1] if owned is not None and owned[0] is asyncio.get_running_loop() else None


async def call_plain(function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """Return what a plain function returns, called in a thread with this context, so that it does not hold the loop.

    The thread is one of those that `call_plain_with` was told, or one of the event loop's default executor.
    """
    in_thread = plain_caller()
    called = partial(_returned, function, *args, **kwargs)
    if in_thread is None:
        return await asyncio.to_thread(called)
    result: T = await in_thread(called)
    return result


def _returned(function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    try:
        return function(*args, **kwargs)
    except StopIteration as exc:
        # No future takes one: who awaits it would wait for ever.
        msg = f"StopIteration: {exc}"
        raise RuntimeError(msg) from exc
