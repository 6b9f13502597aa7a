"""Judges that are agents with a provider, and callables."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from neuron_evals.core.agents import Agent
from neuron_evals.core.assertions.judges import AgentJudge, CorrectnessJudge
from neuron_evals.core.exceptions import JudgeError
from neuron_evals.core.metrics import collecting
from neuron_evals.core.providers import FakeProvider, OpenAIProvider
from tests.core.providers.server import Answer, Server

GOOD = {"reasoning": "ok", "score": 0.8}


def test_agent__asked_with_the_schema_in_one_user_message():
    provider = FakeProvider(GOOD, model="grader")
    result = CorrectnessJudge(Agent(provider, instructions="Be strict."), "42").evaluate("It is 42.")
    (request,) = provider.requests
    assert [message.role for message in request.messages] == ["user"]
    assert request.instructions == "Be strict."
    assert request.schema is not None
    assert list(request.schema["properties"]) == ["reasoning", "score"]
    assert (result.passed, result.context["model"]) == (True, "grader")


def test_one_agent_shared__carries_nothing_from_one_judgement_to_the_next():
    provider = FakeProvider(GOOD, "no grade", GOOD)
    judge = Agent(provider)
    for _ in range(2):
        AgentJudge(judge, "c").evaluate("x")
    assert [len(request.messages) for request in provider.requests] == [1, 1, 1]
    assert judge.history == ()


def test_one_agent_shared_by_threads__each_gets_its_own_grade():
    provider = FakeProvider(*[GOOD] * 40)
    judge = AgentJudge(Agent(provider), "c")
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(judge.evaluate, [f"output {number}" for number in range(40)]))
    assert [result.score for result in results] == [0.8] * 40
    assert provider.call_count == 40


def test_agent_awaited__recorded_as_a_judge():
    with collecting() as collected:
        result = asyncio.run(AgentJudge(Agent(FakeProvider(GOOD, model="grader")), "c").aevaluate("x"))
    assert result.score == 0.8
    assert [(call.kind, call.model) for call in collected.model_calls] == [("judge", "grader")]


@pytest.mark.parametrize("ask", [lambda judge: judge.evaluate("x"), lambda judge: asyncio.run(judge.aevaluate("x"))])
def test_callable_from_text_to_text__is_a_judge_too(ask):
    result = ask(AgentJudge(lambda prompt: '{"score": 1, "reasoning": "fine"}', "c"))
    assert (result.passed, result.message) == (True, "fine")


def test_reply_cut_by_the_servers_token_limit__error_names_the_limit():
    choice = {"message": {"content": '{"reasoning": "The answer is mos'}, "finish_reason": "length"}
    usage = {"prompt_tokens": 90, "completion_tokens": 12}
    with Server() as server:
        server.answers(Answer({"choices": [choice], "usage": usage}))
        judge = Agent(OpenAIProvider("small", base_url=server.url))
        with pytest.raises(JudgeError, match="breaks off inside its JSON; it was cut at 12 tokens by the token limit"):
            AgentJudge(judge, "c").evaluate("x")


def test_context_too_long_for_the_judge__the_providers_error_says_so():
    body = {"error": {"message": "maximum context length is 8192 tokens", "code": "context_length_exceeded"}}
    with Server() as server:
        server.answers(Answer(body, status=400))
        with pytest.raises(Exception, match="maximum context length"):
            AgentJudge(Agent(OpenAIProvider("small", base_url=server.url)), "c").evaluate("word " * 10_000)
