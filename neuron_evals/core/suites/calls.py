"""Functions of a project that a suite names: whether they can be called as they will be, and calling them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from neuron_evals.core.agents.bridging import call_plain, finish


def refused_call(function: Callable[..., Any], *arguments: Any) -> str:
    """Return the parameters of a function that cannot be called with these arguments; empty when it can.

    It is empty too when the function does not tell its parameters, as some in C do not.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    try:
        signature.bind(*arguments)
    except TypeError:
        return str(signature)
    return ""


def called(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function returns; of an `async def` what it gives in the end."""
    value = function(*arguments)
    return finish(value) if inspect.isawaitable(value) else value


@dataclass(frozen=True)
class Made:
    """What a function makes for an item when the item runs, and not before.

    Attributes:
        function: The function; it is called without arguments.
    """

    function: Callable[[], Any]

    def make(self) -> Any:
        """Return what it makes."""
        return called(self.function)

    async def amake(self) -> Any:
        """Do what `make` does, on an event loop; a plain function runs in a thread."""
        if inspect.iscoroutinefunction(self.function):
            return await self.function()
        value = await call_plain(self.function)
        return await value if inspect.isawaitable(value) else value
