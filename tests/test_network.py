"""The guard of `conftest.py`: no test leaves this machine."""

from __future__ import annotations

import asyncio
import socket

import pytest


@pytest.mark.parametrize("method", ["connect", "connect_ex"])
@pytest.mark.parametrize(
    ("family", "address"),
    [
        (socket.AF_INET, ("192.0.2.1", 80)),
        (socket.AF_INET6, ("2001:db8::1", 80)),
        (socket.AF_INET, ("example.com", 80)),
    ],
    ids=["IPv4", "IPv6", "name"],
)
def test_connection__to_another_machine__refused(
    method: str, family: socket.AddressFamily, address: tuple[str, int]
) -> None:
    with socket.socket(family) as client, pytest.raises(RuntimeError, match="tests use no network"):
        getattr(client, method)(address)


@pytest.mark.parametrize("host", ["example.com", b"example.com"], ids=["text", "bytes"])
def test_look_up__of_a_name__refused(host: str | bytes) -> None:
    with pytest.raises(RuntimeError, match="tests use no network"):
        socket.getaddrinfo(host, 80)


def test_connection__from_asyncio__refused():
    with pytest.raises(RuntimeError, match="tests use no network"):
        asyncio.run(asyncio.open_connection("192.0.2.1", 80))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_connection__to_this_machine__allowed(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection((host, server.getsockname()[1]), timeout=5).close()
