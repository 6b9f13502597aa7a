from __future__ import annotations

import threading

import httpx
import pytest

from neuron_evals.core.providers.transport import slots
from neuron_evals.core.providers.transport.slots import Slots


@pytest.fixture(autouse=True)
def _no_certificates_read():
    slots._tls_context.cache_clear()
    yield
    slots._tls_context.cache_clear()


def test_threads_that_call_first_together_read_the_certificates_once(monkeypatch):
    free, read, create = Slots(), [], httpx.create_ssl_context
    second = threading.Thread(target=free.take)

    def slow(**options):
        read.append(threading.current_thread())
        if len(read) == 1:
            second.start()
            second.join(0.5)  # it can only end when it did not wait for this one
        return create(**options)

    monkeypatch.setattr(httpx, "create_ssl_context", slow)
    first = free.take()
    second.join()
    assert read == [threading.current_thread()]
    first.transport.close()
