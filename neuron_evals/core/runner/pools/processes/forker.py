"""The process that forks a child for each item."""

from __future__ import annotations

import gc
import os
import selectors
import signal
import time
import traceback
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from neuron_evals.core.jsonable import decode, encode
from neuron_evals.core.runner.pools.processes import child
from neuron_evals.core.runner.pools.processes.forking import fork
from neuron_evals.core.runner.pools.processes.frames import FrameReader, framed
from neuron_evals.core.runner.pools.processes.wire import SO_FAR, task_from

if TYPE_CHECKING:
    import socket

    from neuron_evals.core.caches import RunOutputs
    from neuron_evals.core.evaluators import BaseEvaluator
    from neuron_evals.core.execution import Task
    from neuron_evals.core.runner.pools.contract import Hooks

RECALL = "recall"

_CHUNK = 1 << 16
_REAP_SECONDS = 0.1
"""How often to look for children that ended without closing their pipe, because something they started holds it."""

_ENDING_SECONDS = 5.0
"""How long a child that has said all may take to end."""

_LAST_WORDS_SECONDS = 1.0
"""How long a child that is sending what it gave may take to send it all, once the runner hung up."""


@dataclass(slots=True, eq=False)
class _Child:
    """A child at work."""

    ticket: int
    pid: int
    pipe: int
    until: float | None
    silent: bool = False
    so_far: list[str] = field(default_factory=list)
    since: float = field(default_factory=time.monotonic)
    reader: FrameReader = field(default_factory=FrameReader)

    def said(self) -> str | None:
        """Return what the child's item gave, once it is said; keep what comes before."""
        for message in self.reader.messages():
            if not message.startswith(SO_FAR):
                return message
            self.so_far.append(message)
        return None


def serve(
    link: socket.socket, evaluator: BaseEvaluator, count: int, hooks: Hooks, outputs: RunOutputs | None
) -> NoReturn:
    """Fork children for the tasks that arrive, until the other side hangs up. Ends the process.

    Args:
        link: Connection to the runner's process.
        evaluator: The evaluator as it is after `set_up`.
        count: How many children may live at a time.
        hooks: What to do in this process and its children.
        outputs: Where outputs of `run` are cached.
    """
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the runner decides
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        hooks.after_fork()
        gc.freeze()  # so that collections in children copy no page of what is here
        _Forker(link, evaluator, count, hooks, outputs).run()
        status = 0
    except BaseException:  # the runner sees the link end; what broke is only known here
        traceback.print_exc()
    finally:
        os._exit(status)


class _Forker:
    """One loop over the runner's link and the children's pipes."""

    def __init__(
        self,
        link: socket.socket,
        evaluator: BaseEvaluator,
        count: int,
        hooks: Hooks,
        outputs: RunOutputs | None,
    ) -> None:
        self._outputs = outputs
        self._link = link
        self._evaluator = evaluator
        self._count = count
        self._hooks = hooks
        self._selector = selectors.DefaultSelector()
        self._tasks: deque[tuple[int, Task]] = deque()
        self._children: dict[int, _Child] = {}
        self._ending: dict[int, float] = {}
        self._incoming = FrameReader()
        self._outgoing = bytearray()

    def run(self) -> None:
        self._link.settimeout(0)
        self._selector.register(self._link, selectors.EVENT_READ)
        while True:
            while self._tasks and len(self._children) < self._count:
                self._fork(*self._tasks.popleft())
            for key, events in self._selector.select(self._patience()):
                if key.fileobj is not self._link:
                    self._hear(key.data)
                elif not self._exchange(events):
                    self._take_leave()
                    return
            self._look_after_children()

    def _patience(self) -> float | None:
        if not self._children:
            return _REAP_SECONDS if self._ending else None
        limits = [child.until for child in self._children.values() if child.until is not None]
        return (
            max(0.0, min(_REAP_SECONDS, *(limit - time.monotonic() for limit in limits))) if limits else _REAP_SECONDS
        )

    def _exchange(self, events: int) -> bool:
        """Send and receive; return whether the other side is still there."""
        try:
            if events & selectors.EVENT_WRITE:
                del self._outgoing[: self._link.send(self._outgoing)]
                self._expect()
            if events & selectors.EVENT_READ:
                data = self._link.recv(_CHUNK)
                if not data:
                    return False
                self._incoming.feed(data)
                for message in self._incoming.messages():
                    self._obey(message)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return True

    def _obey(self, message: str) -> None:
        if message == RECALL:
            while self._tasks:
                self._say({"ticket": self._tasks.popleft()[0], "recalled": True})
        else:
            self._tasks.append(task_from(message, self._evaluator))

    def _say(self, message: dict[str, object]) -> None:
        self._outgoing += framed(encode(message))
        # At once where there is room: a fork may come first, and what it starts may be the end of this process.
        with suppress(OSError):
            del self._outgoing[: self._link.send(self._outgoing)]
        self._expect()

    def _expect(self) -> None:
        if self._link in self._selector.get_map():
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._outgoing else 0)
            self._selector.modify(self._link, events)

    def _fork(self, ticket: int, task: Task) -> None:
        mine, its = os.pipe()
        try:
            pid = fork()
        except OSError as exc:
            os.close(mine)
            os.close(its)
            self._say({"ticket": ticket, "died": f"the system could not start its process: {exc}", "seconds": 0.0})
            return
        if pid == 0:
            # The runner must see the end of this link when the forker dies, whatever its children do.
            self._link.close()
            os.close(mine)
            child.live(task, self._hooks, self._outputs, its)
        os.close(its)
        with suppress(OSError):  # the child does it too; whoever is first
            os.setpgid(pid, pid)
        until = None if task.timeout is None else time.monotonic() + task.timeout
        self._children[pid] = born = _Child(ticket, pid, mine, until)
        self._selector.register(mine, selectors.EVENT_READ, born)

    def _hear(self, speaker: _Child) -> None:
        if speaker.pid not in self._children:
            return
        data = os.read(speaker.pipe, _CHUNK)
        speaker.reader.feed(data)
        message = speaker.said()
        if message is not None:
            self._let_go(speaker, {"executed": message})
        elif not data:
            # It is ending, or what it executes closed its pipe and goes on: waiting here would hold up everybody.
            speaker.silent = True
            self._selector.unregister(speaker.pipe)

    def _look_after_children(self) -> None:
        now = time.monotonic()
        for one in list(self._children.values()):
            if one.until is not None and one.until <= now:
                _kill(one.pid)
                self._let_go(one, {"late": True, "so_far": one.so_far})
                continue
            pid, status = os.waitpid(one.pid, os.WNOHANG)
            if pid:
                self._hear_last_words(one, status)
        for pid, until in list(self._ending.items()):
            if os.waitpid(pid, os.WNOHANG)[0]:
                del self._ending[pid]
            elif until <= now:
                _kill(pid)

    def _hear_last_words(self, ended: _Child, status: int) -> None:
        """Take what a child that ended left in its pipe, if that is a message."""
        os.set_blocking(ended.pipe, False)
        with suppress(BlockingIOError):
            while data := os.read(ended.pipe, _CHUNK):
                ended.reader.feed(data)
        message = ended.said()
        died: dict[str, object] = {"died": _how_it_ended(status), "so_far": ended.so_far}
        self._tell(ended, died if message is None else {"executed": message})

    def _let_go(self, one: _Child, words: dict[str, object]) -> None:
        """Tell what became of a child that is about to end."""
        self._tell(one, words)
        self._ending[one.pid] = time.monotonic() + _ENDING_SECONDS

    def _tell(self, one: _Child, words: dict[str, object]) -> None:
        if not one.silent:
            self._selector.unregister(one.pipe)
        os.close(one.pipe)
        del self._children[one.pid]
        self._say({"ticket": one.ticket, "seconds": time.monotonic() - one.since, **words})

    def _take_leave(self) -> None:
        """Hear out the children that are done, kill all, and send what is left to say: the runner may still read."""
        self._selector.unregister(self._link)
        until = time.monotonic() + _LAST_WORDS_SECONDS
        while (left := until - time.monotonic()) > 0:
            ready = self._selector.select(left if self._anyone_speaks() else 0.0)
            if not ready:
                break
            for key, _ in ready:
                self._hear(key.data)
        self._kill_all()
        self._link.settimeout(_ENDING_SECONDS)
        with suppress(OSError):
            self._link.sendall(self._outgoing)

    def _anyone_speaks(self) -> bool:
        return any(one.reader.begun for one in self._children.values())

    def _kill_all(self) -> None:
        for pid in (*self._children, *self._ending):
            _kill(pid)


def _kill(pid: int) -> None:
    """Kill a child and all that it started."""
    for kill in (os.killpg, os.kill):
        with suppress(OSError):
            kill(pid, signal.SIGKILL)


def _how_it_ended(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        hint = "; the system may have been out of memory" if -code == signal.SIGKILL else ""
        return f"its process was killed by {name}{hint}"
    return f"its process ended with exit status {code} before the item did"


def decoded(message: str) -> dict[str, object]:
    """Return what the forker said."""
    said: dict[str, object] = decode(message)
    return said
