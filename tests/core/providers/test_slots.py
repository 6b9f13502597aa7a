from __future__ import annotations

import threading

import httpx
import pytest

from neuron_evals.core.providers.transport import targets
from neuron_evals.core.providers.transport.slots import Slots

URL = "https://host/v1"


@pytest.fixture(autouse=True)
def _no_certificates_read():
    targets._tls_context.cache_clear()
    yield
    targets._tls_context.cache_clear()


def test_threads_that_call_first_together_read_the_certificates_once(monkeypatch):
    free, read, create = Slots(), [], httpx.create_ssl_context
    second = threading.Thread(target=free.take, args=(URL,))

    def slow(**options):
        read.append(threading.current_thread())
        if len(read) == 1:
            second.start()
            second.join(0.5)  # it can only end when it did not wait for this one
        return create(**options)

    monkeypatch.setattr(httpx, "create_ssl_context", slow)
    free.take(URL)
    second.join()
    assert read == [threading.current_thread()]


def test_call_without_encryption__reads_no_certificates(monkeypatch):
    monkeypatch.setattr(httpx, "create_ssl_context", lambda **_: pytest.fail("certificates were read"))
    Slots().take("http://127.0.0.1:1/v1")
