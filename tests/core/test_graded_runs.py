"""Whole runs with judges and providers that misbehave: what the report says of them."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from neuron_evals import (
    Agent,
    AgentJudge,
    BaseEvaluator,
    ClassifierJudge,
    EvaluatorRunner,
    FakeProvider,
    MemoryCache,
    Message,
    NotEmpty,
    PriceTable,
    RubricJudge,
    Usage,
    render,
)
from neuron_evals.classifiers import Boolean, FakeClassifier
from neuron_evals.core.report import Amount, EvaluationReport
from neuron_evals.core.results import Status
from tests.core.providers.dialects import DIALECTS
from tests.core.providers.server import Answer, Server


class Graded(BaseEvaluator):
    """Each item is checked by the assertions of its own."""

    def __init__(self, *items):
        self.items = items

    def get_dataset(self):
        return [{"id": str(number)} for number in range(len(self.items))]

    def run(self, item):
        return "output"

    def evaluate(self, output, item):
        for assertion in self.items[int(item["id"])]:
            self.check(assertion, output)


class Asking(Graded):
    """The output is what an agent says."""

    def __init__(self, agent, *items):
        super().__init__(*items)
        self.agent = agent

    def run(self, item):
        return self.agent.fresh().chat("Hello?").text


def percent(score):
    """A judge on a scale from 0 to 100 that gives this score, also when asked again."""
    reply = f'{{"reasoning": "so", "score": {score}}}'
    return RubricJudge(Agent(FakeProvider(reply, reply)), "c", scale=(0, 100))


def broken():
    return AgentJudge(Agent(FakeProvider("I cannot evaluate this.", "Really not.")), "c")


def test_score_off_the_scale_between_others__error_and_outside_the_mean():
    results = EvaluatorRunner().run(Graded([percent(80)], [percent(3.1e120)], [percent(90)]))

    assert [result.status for result in results.results] == [Status.PASSED, Status.ERROR, Status.PASSED]
    assert results.score_statistics["RubricJudge"].average == pytest.approx(0.85)
    assert (results.score_statistics["RubricJudge"].count, results.score_statistics["RubricJudge"].errors) == (2, 1)
    assert results.aggregate_score == pytest.approx(0.85)


def test_score_as_text__a_number_that_the_mean_counts():
    as_text = AgentJudge(Agent(FakeProvider('{"score": "0.8", "reasoning": "ok"}')), "c", threshold=0.5)
    as_number = AgentJudge(Agent(FakeProvider({"score": 0.6})), "c", threshold=0.5)
    results = EvaluatorRunner().run(Graded([as_text], [as_number]))

    assert results.passed_count == 2
    assert results.results[0].score == 0.8
    assert results.aggregate_score == pytest.approx(0.7)


def test_every_judge_of_an_item_broken__error_without_a_score_and_no_success():
    results = EvaluatorRunner().run(Graded([broken(), broken()], [percent(100)]))

    assert (results.results[0].status, results.results[0].score) == (Status.ERROR, None)
    assert (results.error_count, results.failed_count, results.success_rate) == (1, 0, 0.5)
    assert results.score_statistics["RubricJudge"].min == 1.0
    assert results.score_statistics["AgentJudge"].min is None


def test_five_broken_checks_beside_a_passed_one__not_passed_and_listed_with_what_went_wrong():
    results = EvaluatorRunner().run(Graded([NotEmpty()], [*(broken() for _ in range(5)), NotEmpty()]))
    text = render(EvaluationReport.of(results))

    assert results.results[1].status is Status.ERROR
    assert (results.assertions_broken, results.assertions_passed) == (5, 2)
    assert "1) ERROR Graded #1" in text
    assert "Assertions: 1 passed, 0 failed, 5 errors" in text


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_overloaded_provider__each_item_an_error_with_status_and_type_and_none_lost(dialect):
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}

    with Server() as server:
        server.answers(Answer(overloaded, status=529))
        asking = Asking(Agent(dialect.make(server, max_retries=0)), *[[NotEmpty()]] * 7)
        results = EvaluatorRunner().run(asking, concurrency=3)

    assert (results.total_count, results.error_count) == (7, 7)
    assert all("HTTP 529 (overloaded_error): Overloaded" in result.reason for result in results.results)


def test_reply_without_usage__output_kept_and_tokens_and_cost_unknown():
    reply = {"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}], "usage": None}
    with Server() as server:
        server.answers(Answer(reply))
        asking = Asking(Agent(DIALECTS["openai"].make(server), model="gpt-5-mini"), [NotEmpty()])
        results = EvaluatorRunner().run(asking)

    (result,) = results.results
    assert result.output == "hi"
    assert (result.usage.input, result.usage.output, result.cost) == (None, None, None)
    assert not results.agent_spending.known
    assert results.agent_spending.cost.total is None


def test_second_run_from_the_cache__costs_nothing_and_its_items_keep_what_the_first_one_told():
    reply = {**DIALECTS["openai"].text, "usage": {"prompt_tokens": 10_000, "completion_tokens": 5_000}}
    prices = PriceTable().with_overrides({"m": {"input": 1, "output": 2}})
    with Server() as server:
        server.answers(Answer(reply))
        asking = Asking(Agent(DIALECTS["openai"].make(server), model="m", prices=prices), [NotEmpty()])
        runner = EvaluatorRunner(cache=MemoryCache())
        first, second = runner.run(asking), runner.run(asking)

    assert len(server.asked) == 1
    assert (first.agent_spending.cost.total, second.agent_spending.cost.total) == (Decimal("0.02"), 0)
    (kept,) = second.results
    assert (kept.cached_run, kept.cost, kept.usage) == (True, 0.02, first.results[0].usage)
    assert kept.run_time == first.results[0].run_time
    assert second.average_execution_time is None
    assert "Cost of agent: 0\n" in render(EvaluationReport.of(second))


@pytest.mark.parametrize("workers", ["inline", "processes"])
def test_judge_with_a_price_and_classifier_without_one__total_unknown_and_the_known_part_shown_everywhere(workers):
    prices = PriceTable().with_overrides({"grader": {"input": 1, "output": 2}})
    grade = Message("assistant", '{"score": 0.9}', usage=Usage(10_000, 5_000))
    judge = AgentJudge(Agent(FakeProvider(grade, model="grader"), prices=prices), "c")
    classifier = ClassifierJudge(FakeClassifier([{"judgment": 0.9}]), Boolean("Is it polite?"))
    options = {"concurrency": 2, "workers": workers} if workers == "processes" else {}
    results = EvaluatorRunner().run(Graded([judge, classifier]), **options)

    (result,) = results.results
    assert (result.judge_cost, result.known_judge_cost) == (None, 0.02)
    assert (result.judge_usage.input, result.known_judge_usage.input) == (None, 10_000)
    assert results.judge_spending.cost == Amount(Decimal("0.02"), 0, 1)
    assert results.judge_spending.input == Amount(10_000, 0, 1)
    report = EvaluationReport.of(results)
    assert "Cost of judges: at least 0.02 (known for 0 of 1 item)" in render(report)
    written = json.loads(render(report, "json"))
    assert written["usage"]["judges"]["cost"] == {"total": None, "known": 0.02, "known_items": 0}
    assert (written["results"][0]["judge_cost"], written["results"][0]["known_judge_cost"]) == (None, 0.02)


def test_agent_of_which_one_call_has_no_price__total_unknown_and_the_known_part_counted():
    prices = PriceTable().with_overrides({"small": {"input": 1, "output": 2}})
    replies = [Message("assistant", "hi", usage=Usage(10_000, 5_000), model=model) for model in ("small", "other")]

    class TwoAgents(Graded):
        def run(self, item):
            provider = FakeProvider(*replies)
            return [Agent(provider, prices=prices).chat("Hello?").text for _ in replies][-1]

    results = EvaluatorRunner().run(TwoAgents([NotEmpty()]))
    (result,) = results.results
    assert (result.cost, result.known_cost, result.usage.input) == (None, 0.02, 20_000)
    assert results.agent_spending.cost == Amount(Decimal("0.02"), 0, 1)
    assert results.agent_spending.input.total == 20_000
