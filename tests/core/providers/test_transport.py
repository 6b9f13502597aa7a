"""Answers that are none, limits, and repetition."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from neuron_evals import Message, ModelRequest, ModelSettings, ProviderError, StopToken
from neuron_evals.core.cancellation import Deadline, ends_by, stopped_by
from neuron_evals.core.providers.transport import RetryPolicy
from neuron_evals.core.providers.transport.receiving import Receiver
from tests.core.providers.dialects import OPENAI
from tests.core.providers.server import Answer, Server
from tests.patience import under_shortest_limit, wait_until

GOOD = Answer(OPENAI.text)
LONG = "x" * 4_000


def failing(server, call, hello, **options):
    with pytest.raises(ProviderError) as caught:
        call(OPENAI.make(server, **options), hello)
    return caught.value


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 529])
def test_status_that_may_be_gone__repeated(server, call, hello, status):
    server.answers(Answer({"error": {"message": "busy"}}, status=status), GOOD)
    reply = call(OPENAI.make(server), hello)
    assert (reply.message.content, reply.attempts, len(server.asked)) == ("Hello!", 2, 2)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "bad_request"),
        (401, "auth"),
        (403, "auth"),
        (404, "bad_request"),
        (413, "bad_request"),
        (422, "bad_request"),
    ],
)
def test_status_that_stays__error_at_once(server, call, hello, status, kind):
    server.answers(Answer({"error": {"message": "no"}}, status=status))
    error = failing(server, call, hello)
    assert (error.kind, error.status, error.attempts, error.transient) == (kind, status, 1, False)
    assert len(server.asked) == 1


def test_server_stays_broken__error_after_all_attempts(server, call, hello):
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    server.answers(Answer(overloaded, status=529))
    error = failing(server, call, hello, max_retries=2)
    assert (error.kind, error.status, error.code, error.attempts) == ("server", 529, "overloaded_error", 3)
    assert str(error) == "openai m: HTTP 529 (overloaded_error): Overloaded (3 attempts)"
    assert len(server.asked) == 3


def test_no_retries__one_attempt_that_the_item_may_repeat(server, call, hello):
    server.answers(Answer({}, status=529))
    provider = OPENAI.make(server, max_retries=0)
    with pytest.raises(ProviderError) as caught:
        call(provider, hello)
    assert (caught.value.attempts, len(server.asked)) == (1, 1)
    assert provider.is_transient(caught.value)


def test_repeated_in_vain__the_item_does_not_repeat_it_again(server, hello):
    server.answers(Answer({}, status=500))
    provider = OPENAI.make(server, max_retries=1)
    with pytest.raises(ProviderError) as caught:
        provider.complete(hello)
    assert caught.value.transient
    assert not provider.is_transient(caught.value)


def test_quota_used_up__not_repeated(server, call, hello):
    body = {"error": {"message": "You exceeded your quota", "type": "insufficient_quota", "code": "insufficient_quota"}}
    server.answers(Answer(body, status=429))
    error = failing(server, call, hello)
    assert (error.kind, error.transient, len(server.asked)) == ("rate_limit", False, 1)


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after__waited_for_instead_of_our_own_wait(server, call, hello, form):
    past = format_datetime(datetime.now(UTC) - timedelta(minutes=1), usegmt=True)
    server.answers(Answer({}, status=429, headers={"retry-after": "0.2" if form == "seconds" else past}), GOOD)
    provider = OPENAI.make(server)
    provider._transport._retries = RetryPolicy(first_wait=60)
    started = time.monotonic()
    assert call(provider, hello).attempts == 2
    assert (0.2 if form == "seconds" else 0.0) <= time.monotonic() - started < 25  # our own wait is 30 s or more


def test_retry_after_beyond_the_deadline__error_at_once(server, call):
    server.answers(Answer({"error": {"message": "slow down"}}, status=429, headers={"Retry-After": "50"}))
    asked = ModelRequest((Message("user", "Hello?"),), settings=ModelSettings(timeout=40))
    started = time.monotonic()
    error = failing(server, call, asked)
    assert time.monotonic() - started < 30
    assert (error.kind, error.retry_after) == ("rate_limit", 50)


@pytest.mark.parametrize("seconds", [float("inf"), 1e12])
def test_timeout_longer_than_a_socket_can_wait__no_limit(server, call, hello, seconds):
    server.answers(GOOD)
    assert call(OPENAI.make(server, timeout=seconds), hello).message.content == "Hello!"


def test_connection_reset__repeated(server, call, hello):
    server.answers(Answer(reset=True), Answer(OPENAI.text, cut=True), GOOD)
    assert call(OPENAI.make(server), hello).attempts == 3


def test_nobody_listens__connection_error_after_all_attempts(call, hello):
    with socket.socket() as silent, Server() as server:
        silent.bind(("127.0.0.1", 0))  # keeps the port from everybody else
        server.url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        error = failing(server, call, hello, max_retries=1)
    assert (error.kind, error.status, error.attempts) == ("connection", None, 2)


@pytest.mark.parametrize("head", [False, True], ids=["body", "head"])
def test_slow_drip__ends_at_the_deadline(server, call, hello, head):
    # No read waits for long, and all of them together take minutes.
    server.answers(Answer({**OPENAI.text, "long": LONG}, headers={"x-long": LONG}, drip=0.05, drip_head=head))
    started = time.monotonic()
    error = failing(server, call, hello, timeout=0.3)
    assert (error.kind, error.attempts) == ("timeout", 1)
    assert "no complete reply within 0.3 s" in str(error)
    assert 0.25 < time.monotonic() - started < 60


def test_silence__ends_at_the_deadline_of_the_request(server, call):
    server.answers(Answer(held=True))
    asked = ModelRequest((Message("user", "Hello?"),), settings=ModelSettings(timeout=0.2))
    started = time.monotonic()
    assert failing(server, call, asked).kind == "timeout"
    assert time.monotonic() - started < 30


def test_silence__ends_at_the_deadline_around_it(server, call, hello):
    server.answers(Answer(held=True))
    started = time.monotonic()
    with ends_by(Deadline.after(0.2)):
        assert failing(server, call, hello).kind == "timeout"
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("waiting", ["reply", "repetition"])
def test_run_stopped__waiting_ends_at_once(server, call, hello, waiting):
    server.answers(Answer(held=True) if waiting == "reply" else Answer({}, status=503, headers={"retry-after": "30"}))
    token = StopToken()
    stopped = []

    def stop() -> None:
        wait_until(lambda: server.asked)
        stopped.append(time.monotonic())
        token.set("interrupted", abandon=waiting == "reply")

    thread = threading.Thread(target=stop)
    thread.start()
    with stopped_by(token):
        error = failing(server, call, hello)
    thread.join()
    assert (error.kind, error.transient) == ("cancelled", False)
    assert "the run was stopped (interrupted)" in str(error)
    assert time.monotonic() - stopped[0] < 15  # both would last 30 s or more


def test_run_stops_without_abandoning__reply_in_flight_is_waited_for(server, call, hello):
    server.answers(Answer(OPENAI.text, drip=0.002))
    token = StopToken()
    token.set("first failure")
    with stopped_by(token):
        assert call(OPENAI.make(server), hello).message.content == "Hello!"


def test_after_a_time_out__next_call_gets_its_own_reply(call, hello):
    class Holding(Server):
        def take(self, asked):
            answer = super().take(asked)
            return Answer(held=True) if asked.body["messages"][0]["content"] == "Hold" else answer

    with Holding() as server:
        server.answers(GOOD)
        provider = OPENAI.make(server)

        def kind_of_error(limit):
            with pytest.raises(ProviderError) as caught:
                call(provider, ModelRequest((Message("user", "Hold"),), settings=ModelSettings(timeout=limit)))
            return caught.value.kind

        kind, _ = under_shortest_limit(kind_of_error, lambda _: server.asked)
        assert kind == "timeout"
        assert call(provider, hello).message.content == "Hello!"


@pytest.mark.parametrize("bomb", [gzip.compress(b"0" * 50_000_000), b"\x1f\x8b broken"], ids=["bomb", "broken"])
def test_compressed_reply__refused_and_not_unpacked(server, call, hello, bomb):
    server.answers(Answer(bomb, headers={"Content-Encoding": "gzip"}))
    error = failing(server, call, hello)
    assert error.kind == "bad_reply"
    assert "answered with the encoding gzip" in str(error)


def test_huge_reply__refused_at_the_limit(server, call, hello):
    server.answers(Answer(b'{"x": "' + b"a" * 3_000_000))
    error = failing(server, call, hello, max_reply_bytes=1_000_000)
    assert error.kind == "too_large"
    assert "larger than 1,000,000 bytes" in str(error)
    assert len(server.asked) == 1


def test_huge_stream__refused_at_the_limit(server, call, hello):
    server.answers(Answer(b"data: " + b"a" * 3_000_000, kind="text/event-stream"))
    assert failing(server, call, hello, max_reply_bytes=1_000_000, stream=True).kind == "too_large"


def test_huge_error__its_beginning_is_enough(server, call, hello):
    server.answers(Answer(b"a" * 3_000_000, status=400, kind="text/plain"))
    error = failing(server, call, hello, max_reply_bytes=1_000)
    assert error.status == 400
    assert len(str(error)) < 700


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirect__not_followed(server, call, hello, status):
    with Server() as other:
        other.answers(GOOD)
        server.answers(Answer(status=status, headers={"Location": other.url}))
        error = failing(server, call, hello, api_key="sk-never-sent-elsewhere")
        assert other.asked == []
    assert (error.kind, error.status) == ("bad_reply", status)
    assert "redirect" in str(error)


def test_page_instead_of_json__error_that_says_so(server, call, hello):
    server.answers(Answer(b"<html>Sign in</html>", kind="text/html; charset=utf-8"))
    error = failing(server, call, hello)
    assert error.kind == "bad_reply"
    assert "answered with text/html where JSON was expected" in str(error)


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/vnd.api+json", None])
def test_other_ways_to_say_json__read(server, hello, kind):
    server.answers(Answer(OPENAI.text, kind=kind))
    assert OPENAI.make(server).complete(hello).message.content == "Hello!"


@pytest.mark.parametrize("body", [b"", b"not json", b"[1]", b"\xff\xfe", b"[" * 100_000, b'{"choices": '])
def test_broken_json__error(server, call, hello, body):
    server.answers(Answer(body))
    error = failing(server, call, hello)
    assert error.kind == "bad_reply"
    assert "no JSON object" in str(error)


@pytest.mark.parametrize(
    ("body", "kind", "sent"),
    [
        ({"error": {"message": "Rate limited upstream", "code": 429}}, "rate_limit", 3),
        ({"error": {"message": "Provider broke", "code": 502}}, "server", 3),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "server", 3),
        ({"error": "model is not loaded"}, "bad_reply", 1),
        ({"error": {"message": "bad key", "type": "authentication_error"}}, "auth", 1),
    ],
)
def test_success_with_an_error_in_its_body__kind_from_its_words(server, hello, body, kind, sent):
    server.answers(Answer(body))
    error = failing(server, lambda provider, asked: provider.complete(asked), hello, max_retries=2)
    assert (error.kind, len(server.asked)) == (kind, sent)


def test_success_with_an_error_whose_code_is_no_number__told(server, hello):
    server.answers(Answer({"error": {"message": "Too hot", "code": "\u00b2"}}))
    assert str(failing(server, lambda provider, request: provider.complete(request), hello)) == (
        "openai m: answered with an error (\u00b2): Too hot"
    )


def test_error_text__one_line_and_clean(server, hello):
    server.answers(Answer({"error": {"message": "bad\r\nINFO forged\x00 line"}}, status=400))
    error = failing(server, lambda provider, asked: provider.complete(asked), hello)
    assert str(error) == "openai m: HTTP 400: bad INFO forged␀ line"


def test_calls_one_after_the_other__one_connection(server, hello):
    server.answers(GOOD)
    provider = OPENAI.make(server)
    for _ in range(3):
        provider.complete(hello)
    assert len({asked.connection for asked in server.asked}) == 1
    provider.close()
    provider.complete(hello)
    assert len({asked.connection for asked in server.asked}) == 2


def test_async_calls_one_after_the_other__one_connection_per_loop(server, hello):
    server.answers(GOOD)
    provider = OPENAI.make(server)

    async def twice() -> None:
        await provider.acomplete(hello)
        await provider.acomplete(hello)

    asyncio.run(twice())
    asyncio.run(twice())
    assert len({asked.connection for asked in server.asked}) == 2
    assert provider._transport._slots._by_loop == {}


def test_aclose__connections_of_the_loop_closed_and_provider_usable(server, hello):
    server.answers(GOOD)
    provider = OPENAI.make(server)

    async def close_between() -> None:
        await provider.acomplete(hello)
        await provider.aclose()
        await provider.acomplete(hello)

    asyncio.run(close_between())
    assert len({asked.connection for asked in server.asked}) == 2


def test_many_threads_share_a_provider__each_gets_its_own_reply(hello):
    class Echo(Server):
        def take(self, asked):
            super().take(asked)
            return Answer({"choices": [{"message": {"content": asked.body["messages"][0]["content"]}}]})

    wrong = []
    with Echo() as server:
        server.answers(GOOD)
        provider = OPENAI.make(server)

        def work(name: int) -> None:
            for number in range(10):
                text = f"{name}-{number}"
                if provider.complete(ModelRequest((Message("user", text),))).message.content != text:
                    wrong.append(text)

        threads = [threading.Thread(target=work, args=(name,)) for name in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []
        assert len({asked.connection for asked in server.asked}) <= 16


def test_async_call_cancelled__next_one_works(server, hello):
    server.answers(Answer(held=True), GOOD)
    provider = OPENAI.make(server)

    async def cancel_first() -> str:
        first = asyncio.ensure_future(provider.acomplete(hello))
        await asyncio.to_thread(wait_until, lambda: server.asked)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        return (await provider.acomplete(hello)).message.content

    assert asyncio.run(cancel_first()) == "Hello!"
    assert provider._transport.limiter._in_flight == 0


def test_interrupted__next_call_works(server, call, hello, monkeypatch):
    server.answers(GOOD)
    provider = OPENAI.make(server)

    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Receiver, "feed", interrupt)
        with pytest.raises(KeyboardInterrupt):
            call(provider, hello)
    assert provider._transport.limiter._in_flight == 0
    assert call(provider, hello).message.content == "Hello!"


def test_proxy_variables__ignored(server, hello, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    server.answers(GOOD)
    assert OPENAI.make(server).complete(hello).message.content == "Hello!"
