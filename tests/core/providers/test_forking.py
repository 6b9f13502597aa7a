"""A forked child uses none of its parent's connections, locks and threads."""

from __future__ import annotations

import os
import threading
import urllib.request

import pytest

from tests.core.providers.dialects import OPENAI
from tests.core.providers.server import Answer

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def in_child(work) -> int:
    """Return the exit status of a forked child that does `work`."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_fork__child_has_its_own_connection_and_the_parents_stays(server, hello):
    server.answers(Answer(OPENAI.text))
    provider = OPENAI.make(server)
    provider.complete(hello)
    assert in_child(lambda: provider.complete(hello)) == 0
    provider.complete(hello)
    first, second, third = (asked.connection for asked in server.asked)
    assert first == third != second


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_fork__after_a_thread_made_a_request__child_asks_the_system_for_no_proxies(server, hello, monkeypatch):
    # On macOS that look-up ends a forked child whose parent had threads.
    def refuse(*_: object) -> None:
        msg = "nobody may look proxies up"
        raise AssertionError(msg)

    for name in ("getproxies", "proxy_bypass"):
        monkeypatch.setattr(urllib.request, name, refuse)
    server.answers(Answer(OPENAI.text))
    provider = OPENAI.make(server)
    thread = threading.Thread(target=provider.complete, args=(hello,))
    thread.start()
    thread.join()
    assert in_child(lambda: provider.complete(hello)) == 0
    assert len(server.asked) == 2


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_fork__while_locks_are_held__child_is_not_stuck(server, hello):
    server.answers(Answer(OPENAI.text))
    provider = OPENAI.make(server, timeout=60, max_in_flight=1)
    limiter, slots = provider._transport.limiter, provider._transport._slots
    with limiter._lock, slots._lock:
        assert in_child(lambda: provider.complete(hello)) == 0
