"""The runner's side of process workers."""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
import time
import weakref
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from neuron_evals.core.execution import Executed, Task, broken, cancelled, too_late
from neuron_evals.core.jsonable import Unserialisable
from neuron_evals.core.runner.pools.contract import LONGEST_WAIT, PARTING_SECONDS, Done, Hooks, Pool
from neuron_evals.core.runner.pools.processes.forker import RECALL, decoded, serve
from neuron_evals.core.runner.pools.processes.forking import fork
from neuron_evals.core.runner.pools.processes.frames import FrameReader, framed
from neuron_evals.core.runner.pools.processes.wire import executed_from, recorded_from, task_text, unsendable

if TYPE_CHECKING:
    from neuron_evals.core.caches import RunOutputs
    from neuron_evals.core.evaluators import BaseEvaluator

_CHUNK = 1 << 16
_OWN_THREADS_SECONDS = 2.0


def why_no_fork() -> str | None:
    """Return why this process cannot have process workers; `None` when it can."""
    if not hasattr(os, "fork"):
        return "this system cannot fork"
    _await_own_threads()
    if threading.active_count() > 1:
        return f"this process has {threading.active_count()} threads, and forking beside them can deadlock"
    return None


_LIVE: weakref.WeakSet[ProcessPool] = weakref.WeakSet()
"""The pools of this process: a forker must not hold the links of the others, or these would not see them end."""


def _await_own_threads() -> None:
    """Let threads of our own that are idle end, such as the one that watches calls of models."""
    until = time.monotonic() + _OWN_THREADS_SECONDS
    for thread in threading.enumerate():
        if thread.name.startswith("neuron-evals"):
            thread.join(max(0.0, until - time.monotonic()))


class ProcessPool(Pool):
    """A fork per item, at most `count` at a time. The forker is forked when the pool is made.

    Args:
        evaluator: The evaluator after `set_up`.
        count: How many children may live at a time.
        hooks: What to do in the forker and its children.
        outputs: Where outputs of `run` are cached; `None` for nowhere.
    """

    def __init__(self, evaluator: BaseEvaluator, count: int, hooks: Hooks, outputs: RunOutputs | None = None) -> None:
        self._outputs = outputs
        self.ahead = 2 * count
        self._evaluator = evaluator
        self._count = count
        self._hooks = hooks
        self._tasks: dict[int, Task] = {}
        self._done: list[Done] = []
        self._ear, self._bell = os.pipe()
        for end in (self._ear, self._bell):
            os.set_blocking(end, False)
        self._reader = FrameReader()
        self._forker = 0
        self._link: socket.socket | None = None
        _LIVE.add(self)
        self._fork()

    def start(self, ticket: int, task: Task) -> None:
        """Send a task; one whose item cannot be sent is an error."""
        try:
            text = task_text(ticket, task)
        except Unserialisable:
            msg = f"process workers cannot have this item: {unsendable(task)}; keep to plain values, or use threads"
            self._done.append((ticket, broken(task, msg)))
            return
        if self._link is None:
            self._fork()
        self._tasks[ticket] = task
        self._send(text)

    def wait(self, timeout: float | None) -> Iterable[Done]:
        """Return what is done."""
        if not self._done:
            watched: list[Any] = [self._ear] if self._link is None else [self._ear, self._link]
            patience = LONGEST_WAIT if timeout is None else min(timeout, LONGEST_WAIT)
            ready, _, _ = select.select(watched, [], [], patience)
            if self._ear in ready:
                with suppress(BlockingIOError):
                    os.read(self._ear, _CHUNK)
            if self._link is not None and self._link in ready and not self._heard(self._link):
                self._lose_forker()
        done, self._done = self._done, []
        return done

    def rest(self) -> Iterable[Done]:
        """Return what is done: hang up, and read to its end what the forker still has to say."""
        if self._link is not None:
            with suppress(OSError):
                self._link.shutdown(socket.SHUT_WR)
            until = time.monotonic() + PARTING_SECONDS
            while select.select([self._link], [], [], max(0.0, until - time.monotonic()))[0]:
                if not self._heard(self._link):
                    break
        done, self._done = self._done, []
        return done

    def recall(self) -> None:
        """Take back what the forker has not begun."""
        self._send(RECALL)

    def wake(self) -> None:
        """Make `wait` return."""
        with suppress(BlockingIOError, OSError):
            os.write(self._bell, b"!")

    def close(self, *, abandon: bool) -> None:
        """Hang up: the forker kills the children that are left, and ends."""
        self._hang_up()
        self.let_go()
        _LIVE.discard(self)

    def let_go(self) -> None:
        """Close this process's copy of everything, without telling the forker."""
        if self._link is not None:
            self._link.close()
        if self._ear >= 0:
            os.close(self._ear)
            os.close(self._bell)
            self._ear = self._bell = -1

    def _fork(self) -> None:
        mine, its = socket.socketpair()
        pid = fork()
        if pid == 0:
            mine.close()
            for pool in list(_LIVE):
                pool.let_go()
            outputs = None if self._outputs is None else self._outputs.uncounted()
            serve(its, self._evaluator, self._count, self._hooks, outputs)
        its.close()
        self._forker, self._link, self._reader = pid, mine, FrameReader()

    def _send(self, text: str) -> None:
        if self._link is not None:
            # An end of the link shows when it is read; what was sent in vain is then told as broken.
            with suppress(OSError):
                self._link.sendall(framed(text))

    def _heard(self, link: socket.socket) -> bool:
        """Take what the forker says; return whether it is still there."""
        try:
            data = link.recv(_CHUNK)
        except OSError:
            return False
        self._reader.feed(data)
        for message in self._reader.messages():
            self._note(decoded(message))
        return bool(data)

    def _note(self, said: dict[str, Any]) -> None:
        task = self._tasks.pop(said["ticket"])
        executed: Executed | None = None
        if "executed" in said:
            executed, counts = executed_from(said["executed"], task, cancelled(task))
            if self._outputs is not None and counts is not None:
                self._outputs.add(counts)
        elif "late" in said:
            executed = too_late(task, said["seconds"], recorded_from(said["so_far"]))
        elif "died" in said:
            so_far = recorded_from(said.get("so_far", ()))
            executed = broken(task, f"WorkerDied: {said['died']}", said["seconds"], so_far)
        self._done.append((said["ticket"], executed))

    def _lose_forker(self) -> None:
        self._hang_up()
        error = "WorkerDied: the process that forks process workers ended"
        # Another try meets another forker, and most of these had not even begun.
        self._done.extend((ticket, broken(task, error, transient=True)) for ticket, task in self._tasks.items())
        self._tasks.clear()

    def _hang_up(self) -> None:
        if self._link is not None:
            with suppress(OSError):
                self._link.shutdown(socket.SHUT_RDWR)
            self._link.close()
            self._link = None
            with suppress(ChildProcessError):
                _wait_for(self._forker)


def _wait_for(pid: int) -> None:
    """Wait until a process has ended; one that does not within a few seconds is killed."""
    for _ in range(100):
        if os.waitpid(pid, os.WNOHANG)[0]:
            return
        select.select([], [], [], 0.02)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
