"""Connections: encrypted ones, those that are used again, and those that must not be."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Callable
from functools import partial

import pytest

from neuron_evals import BaseProvider, Message, ModelReply, ModelRequest, ProviderError, StopToken
from neuron_evals.core.cancellation import stopped_by
from neuron_evals.core.providers.transport import connections, streams
from tests.core.providers.dialects import OPENAI
from tests.core.providers.sockets import ByteServer, trusting

BODY = json.dumps(OPENAI.text).encode()
GOOD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(BODY), BODY)
OTHER = GOOD.replace(b"Hello!", b"Other!")

Several = Callable[[BaseProvider, ModelRequest, int, Callable[[], object]], list[ModelReply]]


async def _several(
    provider: BaseProvider, asked: ModelRequest, count: int, between: Callable[[], object], *, held: bool
) -> list[ModelReply]:
    replies = []
    for number in range(count):
        if number:
            between()
            if not held:
                for _ in range(3):  # the loop takes in what came
                    await asyncio.sleep(0)
        replies.append(await provider.acomplete(asked))
    return replies


def _several_blocking(
    provider: BaseProvider, asked: ModelRequest, count: int, between: Callable[[], object]
) -> list[ModelReply]:
    replies = []
    for number in range(count):
        if number:
            between()
        replies.append(provider.complete(asked))
    return replies


@pytest.fixture(params=["sync", "async", "async, loop held"])
def several(request: pytest.FixtureRequest) -> Several:
    """Calls one after the other, with something done between."""
    if request.param == "sync":
        return _several_blocking
    return lambda *arguments: asyncio.run(_several(*arguments, held=request.param == "async, loop held"))


def texts(replies: list[ModelReply]) -> list[str]:
    return [reply.message.content for reply in replies]


def nothing() -> None:
    pass


@pytest.fixture
def _trusted(monkeypatch):
    monkeypatch.setattr(connections, "tls_for", lambda origin: trusting() if origin.scheme == b"https" else None)


@pytest.mark.usefixtures("_trusted")
def test_encrypted__calls_one_after_the_other__one_connection(several, hello):
    with ByteServer(GOOD, tls=True) as server:
        replies = several(OPENAI.make(server, api_key="sk-canary-01234567"), hello, 3, nothing)
        assert texts(replies) == ["Hello!"] * 3
        assert server.connections == 1
        assert all(b"sk-canary" in call for call in server.calls)


@pytest.mark.usefixtures("_trusted")
def test_encrypted__name_that_the_certificate_does_not_have__refused_before_anything_is_sent(call, hello):
    with ByteServer(GOOD, tls=True) as server:
        provider = OPENAI.make(server, api_key="sk-canary-01234567", max_retries=0)
        provider.base_url = provider.base_url.replace("127.0.0.1", "localhost")
        with pytest.raises(ProviderError, match=r"ConnectError: .*localhost") as caught:
            call(provider, hello)
        assert (caught.value.kind, server.calls) == ("connection", [])


def test_encrypted__signed_by_nobody_that_is_trusted__refused_before_anything_is_sent(call, hello):
    with ByteServer(GOOD, tls=True) as server:
        provider = OPENAI.make(server, api_key="sk-canary-01234567", max_retries=0)
        with pytest.raises(ProviderError, match=r"ConnectError: .*certificate verify failed") as caught:
            call(provider, hello)
        assert (caught.value.kind, server.calls) == ("connection", [])


@pytest.mark.usefixtures("_trusted")
@pytest.mark.parametrize("end", ["deadline", "abandoned"])
def test_encrypted__server_that_shakes_no_hands__ends_in_time(call, hello, end):
    token = StopToken()
    with ByteServer(GOOD, tls=True, mute=True) as server:
        provider = OPENAI.make(server, max_retries=0, timeout=0.3 if end == "deadline" else 300)
        if end == "abandoned":
            token.set("interrupted", abandon=True)
        started = time.monotonic()
        with stopped_by(token), pytest.raises(ProviderError) as caught:
            call(provider, hello)
    assert caught.value.kind == ("timeout" if end == "deadline" else "cancelled")
    assert time.monotonic() - started < 8  # making a connection may take 10 s


@pytest.mark.usefixtures("_trusted")
def test_no_connection_in_time__connection_error_that_may_be_gone(call, hello, monkeypatch):
    monkeypatch.setattr(connections, "CONNECT_SECONDS", 0.2)
    with ByteServer(GOOD, tls=True, mute=True) as server, pytest.raises(ProviderError) as caught:
        call(OPENAI.make(server, max_retries=1), hello)
    assert (caught.value.kind, caught.value.attempts, caught.value.transient) == ("connection", 2, True)
    assert "no connection within 0.2 s" in str(caught.value)


def test_server_closes_after_its_answer__next_call_has_a_connection_of_its_own(several, hello):
    with ByteServer(GOOD, OTHER, closes=True) as server:
        replies = several(OPENAI.make(server, max_retries=0), hello, 3, server.closed.acquire)
        assert texts(replies) == ["Hello!", "Other!", "Other!"]
        assert [reply.attempts for reply in replies] == [1, 1, 1]
        assert server.connections == 3


def test_server_answers_twice__second_answer_not_taken_for_that_of_the_next_call(several, hello):
    with ByteServer(GOOD + OTHER, GOOD) as server:
        replies = several(OPENAI.make(server), hello, 2, nothing)
        assert texts(replies) == ["Hello!"] * 2
        assert [reply.attempts for reply in replies] == [1, 2]
        assert server.connections == 2


@pytest.mark.parametrize("unasked", [OTHER, b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n", b"x"])
def test_server_sends_while_nobody_asks__next_call_has_a_connection_of_its_own(several, hello, unasked):
    with ByteServer(GOOD) as server:
        replies = several(OPENAI.make(server, max_retries=0), hello, 2, partial(server.push, unasked))
        assert texts(replies) == ["Hello!"] * 2
        assert server.connections == 2


def test_connection_unused_for_long__made_anew(several, hello, monkeypatch):
    monkeypatch.setattr(connections, "IDLE_SECONDS", 0.0)
    with ByteServer(GOOD) as server:
        several(OPENAI.make(server), hello, 2, nothing)
        assert server.connections == 2


def test_server_closes_instead_of_an_answer__repeated(several, hello):
    with ByteServer(GOOD, None, OTHER) as server:
        replies = several(OPENAI.make(server), hello, 2, nothing)
        assert texts(replies) == ["Hello!", "Other!"]
        assert [reply.attempts for reply in replies] == [1, 2]


def test_answer_that_is_no_http__connection_error(call, hello):
    with ByteServer(b"SSH-2.0-OpenSSH_9\r\n\r\n") as server, pytest.raises(ProviderError) as caught:
        call(OPENAI.make(server, max_retries=0), hello)
    assert caught.value.kind == "connection"
    assert "RemoteProtocolError" in str(caught.value)


def test_header_host_given__sent_instead_of_ours(call, hello):
    with ByteServer(GOOD) as server:
        call(OPENAI.make(server, headers={"Host": "gateway"}), hello)
        assert b"host: gateway\r\n" in server.calls[0].lower()
        assert b"127.0.0.1" not in server.calls[0]


def test_header_given_twice__read_as_one_list(call, hello):
    twice = GOOD.replace(b"\r\n", b"\r\ncontent-encoding: gzip\r\nContent-Encoding: identity\r\n", 1)
    with ByteServer(twice) as server, pytest.raises(ProviderError, match="answered with the encoding gzip, identity"):
        call(OPENAI.make(server, max_retries=0), hello)


def test_server_refuses_before_it_has_read_all__its_answer_is_told(hello, monkeypatch):
    here, there = socket.socketpair()
    there.sendall(b"HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n")
    there.close()
    monkeypatch.setattr(streams.Sockets, "connect_tcp", lambda owner, *_, **__: streams._SocketStream(owner, here))
    with ByteServer(GOOD) as server, pytest.raises(ProviderError) as caught:
        OPENAI.make(server).complete(hello)
    assert (caught.value.status, caught.value.attempts, server.calls) == (413, 1, [])


def test_large_call__sent_whole(call):
    text = "ä" * 3_000_000
    with ByteServer(GOOD) as server:
        assert call(OPENAI.make(server), ModelRequest((Message("user", text),))).message.content == "Hello!"
        assert len(server.calls) == 1


def test_async_calls__one_is_cancelled__its_connection_is_not_used_again(hello):
    async def first_cancelled(provider: BaseProvider) -> str:
        first = asyncio.ensure_future(provider.acomplete(hello))
        await asyncio.to_thread(server.called.acquire)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        return (await provider.acomplete(hello)).message.content

    with ByteServer(b"HTTP/1.1 200 OK\r\n", OTHER) as server:
        assert asyncio.run(first_cancelled(OPENAI.make(server))) == "Other!"
        assert server.connections == 2
