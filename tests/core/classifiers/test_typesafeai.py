from __future__ import annotations

import asyncio

import pytest

from neuron_evals.core.classifiers import Boolean, Choice, ClassificationRequest, Score, TypeSafeAI
from neuron_evals.core.exceptions import ClassifierError, InvalidArgument
from neuron_evals.core.providers import ProviderError
from tests.core.providers.server import Answer, Server

REQUEST = ClassificationRequest(
    {"actual": "text", "reference": None},
    {
        "yes": Boolean("Is it?"),
        "level": Score("How?", ["low", "high"]),
        "which": Choice("Which?", {"a": "A", "b": "B"}),
    },
)
ANSWERS = {
    "yes": {"type": "noul", "noul": 0.9},
    "level": {"type": "score", "probabilities": [0.2, 0.8]},
    "which": {"type": "choice", "probabilities": {"a": 0.3, "b": 0.7}},
}
KEY = "canary-key-0123456789"


@pytest.fixture
def server():
    with Server() as running:
        yield running


def client(server, **options):
    return TypeSafeAI(KEY, url=f"{server.url}/v1/systemone", max_retries=0, **options)


@pytest.mark.parametrize(
    "ask", [lambda made: made.classify(REQUEST), lambda made: asyncio.run(made.aclassify(REQUEST))]
)
def test_questions__all_go_in_one_request_and_are_answered(server, ask):
    server.answers(Answer({"answers": ANSWERS}))
    result = ask(client(server))
    assert (result.boolean("yes").probability, result.score("level").value) == (0.9, 0.8)
    assert result.choice("which").value == "b"
    (asked,) = server.asked
    assert asked.path == "/v1/systemone"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body == {
        "model": "jev-latest",
        "state": {"actual": "text", "reference": None},
        "questions": {
            "yes": {"type": "noul", "instructions": "Is it?"},
            "level": {"type": "score", "instructions": "How?", "criteria": ["low", "high"]},
            "which": {"type": "choice", "instructions": "Which?", "criteria": {"a": "A", "b": "B"}},
        },
    }


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ({}, 'no "answers"'),
        ({"answers": []}, 'no "answers"'),
        ({"answers": {**ANSWERS, "more": ANSWERS["yes"]}}, "'more', which was not asked"),
        ({"answers": {"yes": ANSWERS["yes"]}}, "no answer to 'level'"),
        ({"answers": {**ANSWERS, "yes": {"type": "score", "noul": 1}}}, "has the type 'score', asked was 'noul'"),
        ({"answers": {**ANSWERS, "yes": {"type": "noul", "noul": "1"}}}, "'yes' cannot be used"),
        ({"answers": {**ANSWERS, "yes": 1}}, "has the type None"),
        ({"answers": {**ANSWERS, "level": {"type": "score", "probabilities": [0.5, 0.6]}}}, "sum to 1.1"),
    ],
)
def test_reply_that_does_not_answer__error_with_the_reply(server, reply, problem):
    server.answers(Answer(reply))
    with pytest.raises(ClassifierError, match=problem) as caught:
        client(server).classify(REQUEST)
    assert caught.value.context["reply"] == reply


def test_http_error__names_service_and_status_and_not_the_key(server):
    server.answers(Answer({"error": {"message": f"bad key {KEY}"}}, status=401))
    with pytest.raises(ProviderError, match="TypeSafeAI jev-latest: HTTP 401") as caught:
        client(server).classify(REQUEST)
    assert KEY not in f"{caught.value} {caught.value!r} {client(server)._endpoint!r}"


@pytest.mark.parametrize(
    ("question", "problem"),
    [
        (Score("q", [f"level {number}" for number in range(11)]), "11 levels; the service takes up to 10"),
        (Choice("q", {str(number): "x" for number in range(256)}), "256 options; the service takes up to 255"),
    ],
)
def test_more_than_the_service_takes__refused_before_sending(server, question, problem):
    with pytest.raises(InvalidArgument, match=problem):
        client(server).classify(ClassificationRequest("x", {"q": question}))
    assert not server.asked


@pytest.mark.parametrize(
    "options", [{}, {"api_key": " "}, {"api_key": "k", "model": " "}, {"api_key": "k", "url": "ftp://x"}]
)
def test_blank_key_or_model_or_no_address__refused(options):
    with pytest.raises(InvalidArgument):
        TypeSafeAI(**options)


def test_key_variable_that_is_not_set__a_problem(monkeypatch):
    monkeypatch.delenv("TYPESAFE_KEY", raising=False)
    assert TypeSafeAI(api_key_env="TYPESAFE_KEY").problems() == [
        "TypeSafeAI jev-latest: the environment variable TYPESAFE_KEY is not set; it should hold the API key"
    ]
