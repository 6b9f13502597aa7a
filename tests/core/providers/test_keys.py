"""Keys: where they come from, and that they show nowhere."""

from __future__ import annotations

import copy
import json
import logging
import pickle
import threading

import pytest

from neuron_evals import (
    Agent,
    AnthropicProvider,
    Message,
    ModelRequest,
    OllamaProvider,
    OpenAIEmbeddings,
    OpenAIProvider,
    ProviderError,
)
from neuron_evals.core.classifiers import TypeSafeAI
from neuron_evals.core.jsonable import clean_json
from neuron_evals.core.providers.keys import redact
from tests.core.providers.dialects import OPENAI
from tests.core.providers.server import EVENTS, Answer, events
from tests.core.providers.texts import texts_of
from tests.patience import under_shortest_limit

CANARY = "sk-canary-0123456789abcdef"
OTHER = "gateway-canary-9876543210"


ANSWERS = {
    "success": Answer(echo=True),
    "refused": Answer({"error": {"message": f"Incorrect API key provided: {CANARY}"}}, status=401),
    "refused at length": Answer({"error": f"{'x' * 480}{CANARY}"}, status=400),
    "page": Answer(f"<p>{CANARY}</p>".encode(), kind="text/html", status=500),
    "no json": Answer(f"key {CANARY}".encode()),
    "time-out": Answer(held=True),
    "reset": Answer(reset=True),
    "error in body": Answer({"error": {"message": CANARY, "type": CANARY}}),
    "stream": Answer(events({"error": f"Bearer {CANARY}"}), kind=EVENTS),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_key__in_no_text(server, dialect, call, caplog, name):
    caplog.set_level(logging.DEBUG)
    server.answers(ANSWERS[name])
    options = {"headers": {"X-Gateway-Key": OTHER}, "max_retries": 1, "stream": name == "stream"}

    def shown_by_a_call(limit):
        provider = dialect.make(server, api_key=CANARY, timeout=limit, **options)
        try:
            reply = repr(call(provider, ModelRequest((Message("user", "Hello?"),))))
        except ProviderError as exc:
            reply = texts_of(exc)
        return [reply, repr(provider), str(vars(provider)), provider.fingerprint, str(clean_json(provider))]

    if name == "time-out":
        shown, _ = under_shortest_limit(shown_by_a_call, lambda _: server.asked)
    else:
        shown = shown_by_a_call(60)
    header, form = dialect.key_header
    assert server.asked[0].headers[header] == form.format(CANARY)
    shown.append(caplog.text)
    for secret in (CANARY, CANARY[3:], OTHER):
        assert [text for text in shown if secret in text] == []


def test_key__echoed_in_the_reply__replaced(server, hello):
    server.answers(Answer(echo=True))
    reply = OPENAI.make(server, api_key=CANARY).complete(hello)
    assert "Bearer [redacted]" in reply.message.content


def test_key__echoed_in_pieces_of_a_stream__replaced(server, call, hello):
    pieces = [{"choices": [{"delta": {"content": part}}]} for part in ("Your key: ", OTHER[:9], OTHER[9:])]
    end = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
    server.answers(Answer(events(*pieces, end), kind=EVENTS))
    reply = call(OPENAI.make(server, api_key=OTHER, stream=True), hello)
    assert reply.message.content == "Your key: [redacted]"
    assert OTHER not in repr(reply)


AWKWARD = 'Zm9vYmFy/YmF6+cXV1"eA\\=='


@pytest.mark.parametrize("status", [200, 401, 500])
@pytest.mark.parametrize("key_in", ["message", "code", "reply", "stream", "list", "content type"])
@pytest.mark.parametrize(
    "escaped",
    [
        lambda key: json.dumps(key)[1:-1],
        lambda key: json.dumps(key)[1:-1].replace("/", "\\/"),
        lambda key: "".join(f"\\u{ord(char):04x}" for char in key),
    ],
    ids=["as little as can be", "slashes", "all"],
)
def test_key__that_a_reply_writes_with_escapes__in_no_text(server, hello, status, key_in, escaped):
    written = {
        "message": '{"error": {"message": "Incorrect API key: %s"}}',
        "code": '{"error": {"message": "no", "code": "%s"}}',
        "reply": '{"model": "%s", "choices": [{"message": {"content": "Your key: %s"}}]}',
        "stream": 'data: {"choices": [{"delta": {"content": "%s"}, "finish_reason": "stop"}]}\n\n',
        "list": '["%s"]',
        "content type": "%s",
    }[key_in]
    kind = {"stream": EVENTS, "content type": AWKWARD}.get(key_in, "application/json")
    server.answers(Answer(written.replace("%s", escaped(AWKWARD)).encode(), status=status, kind=kind))
    provider = OPENAI.make(server, api_key=AWKWARD, max_retries=0, stream=key_in == "stream")
    try:
        shown = repr(provider.complete(hello))
    except ProviderError as exc:
        shown = texts_of(exc)
    for secret in (AWKWARD, AWKWARD.lower(), repr(AWKWARD)[1:-1], "Zm9vYmFy/YmF6"):
        assert secret not in shown


def test_error__somebody_elses_key_in_it__not_shown_either(server, call, hello):
    server.answers(Answer({"error": {"message": "upstream refused sk-of-the-gateway-1234"}}, status=400))
    with pytest.raises(ProviderError, match=r"upstream refused \[redacted\]"):
        call(OPENAI.make(server), hello)


def test_key__from_the_environment__read_at_each_call(server, hello, monkeypatch):
    server.answers(Answer(OPENAI.text))
    provider = OPENAI.make(server, api_key_env="SHOP_MODEL_KEY")
    monkeypatch.setenv("SHOP_MODEL_KEY", "sk-first-000001")
    provider.complete(hello)
    monkeypatch.setenv("SHOP_MODEL_KEY", "sk-second-00002\n")
    provider.complete(hello)
    keys = [asked.headers["authorization"] for asked in server.asked]
    assert keys == ["Bearer sk-first-000001", "Bearer sk-second-00002"]


def test_two_runs_at_once__each_request_carries_the_key_of_its_own(server):
    server.answers(Answer(OPENAI.text))
    keys = {name: f"sk-of-run-{name}-000001" for name in ("a", "b")}
    agents = {name: Agent(OPENAI.make(server, api_key=key)) for name, key in keys.items()}

    def ask(name: str) -> None:
        for _ in range(20):
            agents[name].fresh().chat(name)

    threads = [threading.Thread(target=ask, args=(name,)) for name in keys for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    carried = [(asked.body["messages"][0]["content"], asked.headers["authorization"]) for asked in server.asked]
    assert len(carried) == 120
    assert set(carried) == {(name, f"Bearer {key}") for name, key in keys.items()}


def test_key__variable_not_set__named_before_and_at_the_call(server, call, hello, monkeypatch):
    monkeypatch.delenv("SHOP_MODEL_KEY", raising=False)
    provider = OPENAI.make(server, api_key_env="SHOP_MODEL_KEY")
    expected = "the environment variable SHOP_MODEL_KEY is not set; it should hold the API key"
    assert provider.problems() == [f"OpenAIProvider: {expected}"]
    with pytest.raises(ProviderError) as caught:
        call(provider, hello)
    assert (str(caught.value), caught.value.kind) == (f"openai m: {expected}", "auth")
    assert server.asked == []


@pytest.mark.parametrize("name", ["SHOP_MODEL_KEY", "OPENAI_API_KEY", "KEY2", "GPT4_KEY_2"])
def test_key__variable_named_as_usual__named(monkeypatch, name):
    monkeypatch.delenv(name, raising=False)
    (problem,) = OpenAIProvider("m", api_key_env=name).problems()
    assert f"the environment variable {name} is not set" in problem


@pytest.mark.parametrize("pasted", ["canary0123456789abcdef", "sk_canary_0123", "CANARYIOSF0DNN7EXAMPLE", "Canary_Key"])
def test_key__pasted_where_the_name_of_its_variable_belongs__not_shown(server, call, hello, pasted):
    provider = OPENAI.make(server, api_key_env=pasted)
    with pytest.raises(ProviderError) as caught:
        call(provider, hello)
    expected = "the environment variable that api_key_env names is not set; a key itself is given by api_key"
    assert provider.problems() == [f"OpenAIProvider: {expected}"]
    assert expected in str(caught.value)
    shown = f"{provider!r} {vars(provider)!r} {provider._key!r} {clean_json(provider)!r} {texts_of(caught.value)}"
    assert pasted not in shown


@pytest.mark.parametrize("pasted", ["canary0123456789abcdef", "sk_canary_0123"])
def test_key_of_embeddings_and_classifiers__pasted_for_the_name__not_shown(pasted):
    for holder in (OpenAIEmbeddings("m", api_key_env=pasted), TypeSafeAI(api_key_env=pasted)):
        (problem,) = holder.problems()
        assert "the environment variable that api_key_env names is not set" in problem
        assert pasted not in f"{problem} {holder!r} {vars(holder)!r} {clean_json(holder)!r}"


@pytest.mark.parametrize(
    "header",
    [
        "X-Credential",
        "X-Password",
        "X-Secret",
        "X-Token",
        "X-Auth-Tokens",
        "Api-Key",
        "apikey",
        "X_ACCESS_KEY_ID",
        "Proxy-Authorization",
        "X-Passphrase",
        "x-pass",
        "X-Session-Id",
        "Cookie",
        "X-Jwt-Assertion",
        "X-Amz-Signature",
    ],
)
def test_header__whose_name_means_a_secret__its_value_in_no_text(server, hello, caplog, header):
    caplog.set_level(logging.DEBUG)
    server.answers(Answer(echo=True), Answer({"error": {"message": f"bad {OTHER}", "code": OTHER}}, status=401))
    provider = OPENAI.make(server, headers={header: f"Scheme {OTHER}"})
    reply = provider.complete(hello)
    with pytest.raises(ProviderError) as caught:
        provider.complete(hello)
    assert server.asked[0].headers[header.lower()] == f"Scheme {OTHER}"
    assert OTHER not in f"{reply!r} {provider!r} {vars(provider)!r} {texts_of(caught.value)} {caplog.text}"


@pytest.mark.parametrize("header", ["X-Title", "X-Author", "X-Keyboard", "X-Tokenizer", "OpenAI-Project", "X-Spinning"])
def test_header__whose_name_means_no_secret__told_as_it_is(server, hello, header):
    server.answers(Answer(echo=True))
    assert OTHER in OPENAI.make(server, headers={header: OTHER}).complete(hello).message.content


def test_key__callable_breaks__its_text_is_not_shown(server, hello):
    def read() -> str:
        raise LookupError(CANARY)

    with pytest.raises(ProviderError, match="the callable that gives the API key raised LookupError") as caught:
        OPENAI.make(server, api_key=read).complete(hello)
    assert CANARY not in texts_of(caught.value)


@pytest.mark.parametrize("key", ["sk-ümlaut-canary", "sk-a\r\nX-Other: 1"])
def test_key__that_no_header_can_carry__refused_without_showing_it(server, hello, key):
    with pytest.raises(ProviderError, match="no HTTP header can carry") as caught:
        OPENAI.make(server, api_key=key).complete(hello)
    assert key not in texts_of(caught.value)


@pytest.mark.parametrize("provider", [OpenAIProvider, AnthropicProvider])
def test_no_key_for_the_service_itself__a_problem(provider):
    (problem,) = provider("m").problems()
    assert "needs a key: set api_key_env" in problem
    assert provider("m", api_key="sk-1").problems() == []
    assert provider("m", headers={"Authorization": "Bearer x"}).problems() == []
    assert provider("m", base_url="http://127.0.0.1:1").problems() == []


def test_no_key_for_a_local_server__no_problem():
    assert OllamaProvider("m").problems() == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Incorrect key sk-proj-abcdefgh1234.", "Incorrect key [redacted]."),
        ("Authorization: Bearer abc123def456", "Authorization: [redacted]"),
        ("see https://user:pass@host/x", "see https://[redacted]host/x"),
        ("a basic understanding of bearer authentication", "a basic understanding of bearer authentication"),
        ("the risk-averse desk-bound", "the risk-averse desk-bound"),
    ],
)
def test_redact__what_looks_like_a_key(text, expected):
    assert redact(text) == expected


def test_redact__placeholder_keys_leave_words_alone():
    assert redact("there is none", ["none"]) == "there is none"


def test_error__survives_pickling_and_copying():
    error = ProviderError("busy", kind="server", status=529, code="overloaded_error", retry_after=2.0, attempts=3)
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):  # noqa: S301  (its own text)
        assert type(other) is ProviderError
        assert vars(other) == vars(error)
        assert str(other) == "busy (3 attempts)"
