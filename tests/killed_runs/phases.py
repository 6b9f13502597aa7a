"""What a process does at the phase at which the test wants to kill it: it says so, and stands still.

This is code of the tests alone: it wraps what the product calls, in the process that the test started.
"""

from __future__ import annotations

import functools
import os
import sys
import time
from pathlib import Path
from typing import Any

from neuron_evals.core.agents import AgentReply, BaseAgent
from neuron_evals.core.messages import Message
from neuron_evals.models.items import EvalRunItem, ItemQuerySet
from neuron_evals.runs import executing

PHASES = ("before the claim", "during an item", "between result and commit", "before the totals")
ITEM = "say 4"
"""At which item it is killed."""

IN_FLIGHT = 3
_PATIENCE = 300


def folder() -> Path:
    return Path(os.environ["TEST_FOLDER"])


def is_wanted(phase: str) -> bool:
    return os.environ.get("TEST_PHASE") == phase


def stand_still(said: object = "") -> None:
    """Say that the phase has come, and wait to be killed, or for the file `go`."""
    mark = folder() / f"reached-{os.getpid()}"
    mark.with_suffix(".new").write_text(str(said))
    mark.with_suffix(".new").rename(mark)
    wait()


def wait() -> None:
    end = time.monotonic() + _PATIENCE
    while not (folder() / "go").exists():
        if time.monotonic() > end:
            os._exit(99)
        time.sleep(0.02)


def wait_for_results(last: int) -> None:
    """Wait until the results up to a position are in the table.

    Items that take no time at all would end faster than the first of them is stored.
    """
    end = time.monotonic() + _PATIENCE
    while EvalRunItem.objects.filter(run=_run_id(), index__lte=last).count() <= last:
        if time.monotonic() > end:
            os._exit(98)
        time.sleep(0.01)


def _run_id() -> int:
    return int(sys.argv[-1])


def is_still() -> bool:
    return (folder() / f"reached-{os.getpid()}").exists() and not (folder() / "go").exists()


class Agent(BaseAgent):
    """Says what it is told, and notes each call in a file, with the process that made it."""

    def __init__(self) -> None:
        self._history: tuple[Message, ...] = ()

    def chat(self, message: str | Message) -> AgentReply:
        text = message if isinstance(message, str) else str(message.content)
        wait_for_results(int(text.removeprefix("say ")) - IN_FLIGHT)
        if is_still():
            wait()
        handle = os.open(folder() / "calls", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, f"{os.getpid()} {text}\n".encode())
        os.close(handle)
        if is_wanted("during an item") and text == ITEM:
            stand_still()
        said = Message("assistant", text)
        self._history = (*self._history, Message("user", text), said)
        return AgentReply(text, said)

    @property
    def history(self) -> tuple[Message, ...]:
        return self._history

    def fresh(self, **overrides: Any) -> Agent:
        self.refuse_unsupported(overrides)
        return type(self)()


def install() -> None:
    """Wrap what is called at the phase that the test wants."""
    if is_wanted("before the claim"):
        _wrap("claim")
    if is_wanted("before the totals"):
        _wrap("close_run")
    if is_wanted("between result and commit"):
        ItemQuerySet.store = _stored(ItemQuerySet.store)  # type: ignore[method-assign]


def _wrap(name: str) -> None:
    """Have a function stand still before it does what it does."""
    function = getattr(executing, name)

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        stand_still()
        return function(*args, **kwargs)

    setattr(executing, name, wrapped)


def _stored(store: Any) -> Any:
    @functools.wraps(store)
    def wrapped(rows: Any, items: Any) -> Any:
        items = list(items)
        count = store(rows, items)
        if any(item.index >= 4 for item in items):
            stand_still(count)
        return count

    return wrapped
