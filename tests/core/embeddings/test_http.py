from __future__ import annotations

import asyncio

import pytest

from neuron_evals.core.embeddings import OllamaEmbeddings, OpenAIEmbeddings
from neuron_evals.core.exceptions import EmbeddingsError, InvalidArgument
from neuron_evals.core.providers import ProviderError
from tests.core.providers.server import Answer, Server

KEY = "canary-key-0123456789"


@pytest.fixture
def server():
    with Server() as running:
        yield running


def openai_reply(*vectors, reverse=False):
    data = [{"index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    return Answer({"data": data[::-1] if reverse else data})


@pytest.fixture(params=["sync", "async"])
def embed(request):
    if request.param == "sync":
        return lambda embeddings, texts: embeddings.embed(texts)
    return lambda embeddings, texts: asyncio.run(embeddings.aembed(texts))


def test_openai__sends_all_texts_in_one_call_and_goes_by_index(server, embed):
    server.answers(openai_reply([1.0, 0.0], [0.0, 1.0], reverse=True))
    embeddings = OpenAIEmbeddings("small", base_url=f"{server.url}/v1/", api_key=KEY, extra_body={"dimensions": 2})
    assert embed(embeddings, ["a", "b"]) == [[1.0, 0.0], [0.0, 1.0]]
    (asked,) = server.asked
    assert (asked.path, asked.headers["authorization"]) == ("/v1/embeddings", f"Bearer {KEY}")
    assert asked.body == {"model": "small", "input": ["a", "b"], "dimensions": 2}


def test_ollama__sends_all_texts_in_one_call_without_a_key(server, embed):
    server.answers(Answer({"embeddings": [[1, 0], [0, 1]]}))
    assert embed(OllamaEmbeddings("mini", base_url=server.url), ["a", "b"]) == [[1, 0], [0, 1]]
    (asked,) = server.asked
    assert (asked.path, asked.body) == ("/api/embed", {"model": "mini", "input": ["a", "b"]})
    assert "authorization" not in asked.headers


def test_more_texts_than_a_batch__several_calls_in_order(server, embed):
    server.answers(openai_reply([1.0], [2.0]), openai_reply([3.0]))
    assert embed(OpenAIEmbeddings("m", base_url=server.url, batch_size=2), list("abc")) == [[1.0], [2.0], [3.0]]
    assert [body["input"] for body in server.bodies] == [["a", "b"], ["c"]]


@pytest.mark.parametrize(
    "reply",
    [
        {},
        {"data": None},
        {"data": [1]},
        {"data": [{"index": 0, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": []}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": "AACAPw=="}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [True]}]},
    ],
)
def test_reply_without_a_vector_for_each_text__error(server, reply):
    server.answers(Answer(reply))
    with pytest.raises(EmbeddingsError, match="openai m: the reply does not hold 2 vectors"):
        OpenAIEmbeddings("m", base_url=server.url).embed(["a", "b"])


def test_http_error__names_model_and_status_and_not_the_key(server):
    server.answers(Answer({"error": {"message": f"bad key {KEY}"}}, status=401))
    embeddings = OpenAIEmbeddings("m", base_url=server.url, api_key=KEY)
    with pytest.raises(ProviderError, match="openai m: HTTP 401") as caught:
        embeddings.embed(["a"])
    assert KEY not in f"{caught.value}{caught.value!r}{embeddings!r}{embeddings.__dict__!r}"


@pytest.mark.parametrize(
    "options", [{"model": " "}, {"model": None}, {"batch_size": 0}, {"batch_size": True}, {"base_url": "ftp://x"}]
)
def test_option_that_means_nothing__refused(options):
    with pytest.raises(InvalidArgument):
        OpenAIEmbeddings(**{"model": "m", **options})


def test_key_variable_that_is_not_set__a_problem(monkeypatch):
    monkeypatch.delenv("EMBED_KEY", raising=False)
    (problem,) = OpenAIEmbeddings("m", api_key_env="EMBED_KEY").problems()
    assert "EMBED_KEY is not set" in problem


def test_http_error_awaited__names_the_model(server):
    server.answers(Answer({"error": "model not found"}, status=404))
    with pytest.raises(ProviderError, match="ollama mini: HTTP 404: model not found"):
        asyncio.run(OllamaEmbeddings("mini", base_url=server.url).aembed(["a"]))


def test_overloaded_server__asked_again(server, embed):
    server.answers(Answer({}, status=503, headers={"retry-after": "0"}), openai_reply([1.0]))
    assert embed(OpenAIEmbeddings("m", base_url=server.url), ["a"]) == [[1.0]]
    assert len(server.asked) == 2


def test_closed__can_be_used_again(server):
    server.answers(openai_reply([1.0]))
    embeddings = OpenAIEmbeddings("m", base_url=server.url)
    for _ in range(2):
        assert embeddings.embed(["a"]) == [[1.0]]
        embeddings.close()


def test_closed_in_a_loop__can_be_used_again(server):
    server.answers(openai_reply([1.0]))
    embeddings = OpenAIEmbeddings("m", base_url=server.url)

    async def twice():
        for _ in range(2):
            assert await embeddings.aembed(["a"]) == [[1.0]]
            await embeddings.aclose()

    asyncio.run(twice())
