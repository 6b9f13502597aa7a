"""The process of one item."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING

from neuron_evals.core.execution import Executed, Surroundings, broken, execute
from neuron_evals.core.jsonable import Unserialisable
from neuron_evals.core.runner.pools.processes.frames import framed
from neuron_evals.core.runner.pools.processes.wire import executed_text, so_far_text
from neuron_evals.core.tracebacks import describe_error
from neuron_evals.core.trajectories import Recorded

if TYPE_CHECKING:
    from neuron_evals.core.caches import RunOutputs
    from neuron_evals.core.execution import Task
    from neuron_evals.core.messages import Message
    from neuron_evals.core.runner.pools.contract import Hooks
    from neuron_evals.core.trajectories.recording import Source


def live(task: Task, hooks: Hooks, outputs: RunOutputs | None, answer: int) -> None:
    """Execute a task, write what it gave to a pipe, and end the process. Never returns.

    The process ends by `os._exit`: nothing inherited is destructed, so no connection of the parent is closed.

    Args:
        task: The task.
        hooks: What to do around it.
        outputs: Where outputs of `run` are cached.
        answer: Descriptor of the pipe.
    """
    status = 1
    try:
        # A group of its own, so that what an item starts can be killed with it; Ctrl-C is for the runner alone.
        with suppress(OSError):
            os.setpgid(0, 0)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        teller = Teller(answer)
        text = executed_text(_executed(task, hooks, outputs, teller), outputs)
        _part(hooks)
        teller.tell_last(text)
        status = 0
    except BaseException:  # the runner sees the process end; what broke is only known here
        traceback.print_exc()
    finally:
        _flush()
        os._exit(status)


class Teller(Recorded):
    """Tells the runner of the item's conversation as it goes, for the case that this process comes to no good end.

    Args:
        pipe: Descriptor of the pipe to write to.
    """

    __slots__ = ("_done", "_lock", "_pipe", "_told")

    def __init__(self, pipe: int) -> None:
        super().__init__()
        self._pipe = pipe
        self._lock = threading.Lock()
        self._told: tuple[Message, ...] = ()
        self._done = False

    def record(self, source: Source) -> None:
        """Take a conversation, and tell what is new in it."""
        super().record(source)
        trajectory = self.trajectory()
        with self._lock:
            if trajectory is None or self._done:
                return
            with suppress(Unserialisable, OSError):  # what cannot be told now is in the result, if there will be one
                messages = tuple(trajectory.messages())
                text = so_far_text(self._told, messages, trajectory.ending)
                _write(self._pipe, framed(text))
                self._told = messages

    def tell_last(self, text: str) -> None:
        """Tell what the item gave; nothing after it is told."""
        with self._lock:
            self._done = True
        _write(self._pipe, framed(text))


def _executed(task: Task, hooks: Hooks, outputs: RunOutputs | None, teller: Teller) -> Executed:
    try:
        return execute(task, hooks.around(Surroundings(outputs=outputs)), teller)
    except KeyboardInterrupt as exc:
        return broken(task, describe_error(exc))


def _part(hooks: Hooks) -> None:
    """Call the last hook; when it breaks, that is printed as a thread's would be, and the result still sent."""
    try:
        hooks.after_worker()
    except BaseException:  # nothing a hook raises may cost what the item gave
        traceback.print_exc()


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
