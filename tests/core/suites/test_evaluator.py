"""How a suite runs: conversations, judges, views, keys of the cache, precedence."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, replace
from typing import Any

import pytest

from neuron_evals import (
    Agent,
    AssertionResult,
    BaseAgent,
    ConfigurationError,
    EvaluatorRunner,
    FakeAgent,
    FakeEmbeddings,
    FakeProvider,
    MemoryCache,
    Status,
    SuiteError,
    Tool,
    ToolCall,
    TrajectoryAssertion,
    as_agent,
    parse_suite,
    render,
    run_suite,
)
from neuron_evals.classifiers import FakeClassifier
from neuron_evals.core.assertions.registry import assertion_types
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.suites import AsyncSuiteEvaluator, Resources, SuiteEvaluator, SuiteSpec, suite_evaluator

ITEM: dict[str, Any] = {"input": "hours?", "reference": "9"}
GRADE = {"reasoning": "fine", "score": 0.9}


def nine(text: str) -> str:
    return "9 to 5"


def run(spec: Any, agent: Any = nine, resources: Resources | None = None, **options: Any) -> Any:
    suite = spec if isinstance(spec, SuiteSpec) else parse_suite(spec)
    return EvaluatorRunner().run(suite_evaluator(suite, as_agent(agent), resources), **options)


def asserting(*entries: dict[str, Any], **item: Any) -> list[dict[str, Any]]:
    return [{"input": "q", **item, "_assertions": list(entries)}]


def test_result__has_the_answer_as_text_and_the_conversation_beside_it():
    (result,) = run([ITEM]).results
    assert (result.output, result.status) == ("9 to 5", Status.PASSED)
    assert [(message.role, message.content) for message in result.trajectory.messages()] == [
        ("user", "hours?"),
        ("assistant", "9 to 5"),
    ]


def test_checks__in_their_order_with_their_labels_and_the_name_of_the_suite():
    item = {**ITEM, "tool": "lookup", "_assertions": [{"type": "contains", "value": "to"}, {"type": "not_empty"}]}
    (result,) = run(parse_suite([item], name="hours v1.2")).results
    assert [check.label for check in result.checks] == ["reference", "contains", "not_empty", "tool"]
    assert result.evaluator_class == "suite hours v1.2"
    assert result.failed_checks[0].full_description.startswith(
        "suite hours v1.2 -> ToolWasCalled (tool): lookup was not"
    )


def test_items__each_has_a_conversation_of_its_own():
    provider = FakeProvider("9", "9", "9")
    run([ITEM, ITEM, ITEM], Agent(provider))
    assert [len(request.messages) for request in provider.requests] == [1, 1, 1]


def test_items_in_threads__get_their_own_answers():
    items = [
        {"input": f"say {number}", "_assertions": [{"type": "equals", "expected": f"say {number}"}]}
        for number in range(40)
    ]
    assert run(items, lambda text: text, concurrency=8).success_rate == 1.0


def test_items_in_processes__are_found_there_too():
    items = [
        {"id": f"i{number}", **ITEM, "_assertions": [{"type": "max_duration", "seconds": 60}]} for number in range(3)
    ]
    assert run(items, concurrency=2, workers="processes").passed_count == 3


def test_agent_that_is_awaited__runs_on_one_event_loop():
    loops = set()

    async def answer(text: str) -> str:
        loops.add(id(asyncio.get_running_loop()))
        return "9"

    resources = Resources(judge=lambda: Agent(FakeProvider(*[GRADE] * 4)))
    spec = parse_suite([{**ITEM, "id": str(number), "_assertions": [{"type": "helpfulness"}]} for number in range(4)])
    assert type(suite_evaluator(spec, as_agent(answer), resources)) is AsyncSuiteEvaluator
    assert type(suite_evaluator(spec, as_agent(nine), resources)) is SuiteEvaluator
    assert run(spec, answer, resources, concurrency=4).passed_count == 4
    assert len(loops) == 1


def test_judge__made_once_and_before_the_agent_is_called():
    made = []

    def make():
        made.append("judge")
        return Agent(FakeProvider(*[GRADE] * 4))

    def agent(text: str) -> str:
        made.append("call")
        return "9"

    spec = [{**ITEM, "_assertions": [{"type": "helpfulness"}]}] * 4
    assert run(spec, agent, Resources(judge=make), concurrency=2).passed_count == 4
    assert made[0] == "judge"
    assert sorted(made) == ["call"] * 4 + ["judge"]


def test_judge_that_no_item_needs__is_not_made():
    assert run([ITEM], resources=Resources(judge=lambda: pytest.fail("made"))).passed_count == 1


def test_judge_that_cannot_be_made__known_before_the_agent_is_called():
    def broken():
        raise ConfigurationError("no key")

    with pytest.raises(ConfigurationError, match="no key"):
        run(asserting({"type": "helpfulness"}), lambda text: pytest.fail("called"), Resources(judge=broken))


def test_several_judges__all_are_asked():
    judges = [Agent(FakeProvider(GRADE)), Agent(FakeProvider({"reasoning": "no", "score": 0.1}))]
    (result,) = run(asserting({"type": "helpfulness"}), resources=Resources(judge=lambda: judges)).results
    assert result.checks[0].score == 0.5


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        ({"type": "helpfulness"}, "a judge"),
        ({"type": "classifier_judge", "criteria": "polite?"}, "a classifier"),
        ({"type": "string_similarity", "reference": "9"}, "embeddings"),
    ],
)
def test_what_an_assertion_needs_and_is_not_there__refused_with_the_item(entry, what):
    with pytest.raises(SuiteError, match=f"needs {what}") as refused:
        run([ITEM, *asserting(entry)], lambda text: pytest.fail("called"))
    assert [problem[:2] for problem in refused.value.problems] == [(1, "_assertions[0].type")]


def test_classifier_and_embeddings__are_given_to_those_that_need_them():
    resources = Resources(
        classifier=lambda: FakeClassifier([{"judgment": 0.9}]),
        embeddings=lambda: FakeEmbeddings({"9 to 5": [1.0, 0.0], "nine": [1.0, 0.0]}),
    )
    entries = ({"type": "classifier_judge", "criteria": "polite?"}, {"type": "string_similarity", "reference": "nine"})
    (result,) = run(asserting(*entries), resources=resources).results
    assert [check.score for check in result.checks] == [0.9, pytest.approx(1.0)]


def test_views__text_conversation_and_record_also_inside_one_another():
    agent = Agent(FakeProvider([ToolCall("lookup", {"day": "monday"})], "9 to 5"), tools=[lookup])
    inside: list[dict[str, Any]] = [
        {"type": "contains", "value": "9"},
        {"type": "tool_was_called", "name": "lookup", "arguments": {"day": "monday"}},
        {
            "type": "not",
            "assertion": {
                "type": "any_of",
                "assertions": [{"type": "tool_was_called", "name": "x"}, {"type": "contains", "value": "z"}],
            },
        },
        {"type": "weighted", "assertion": {"type": "max_duration", "seconds": 600}, "weight": 2},
    ]
    (result,) = run(asserting(*inside, {"type": "all_of", "assertions": inside}), agent).results
    assert result.status is Status.PASSED, result.explain()
    assert result.checks[3].weight == 2
    assert [part["name"] for part in result.checks[4].context["parts"]][:2] == ["StringContains", "ToolWasCalled"]


def test_type_of_a_project__sees_the_view_it_accepts():
    @dataclass(frozen=True)
    class Turns(TrajectoryAssertion):
        most: int

        def evaluate_trajectory(self, trajectory: Any) -> AssertionResult:
            count = len(trajectory.user_messages())
            return AssertionResult.ok() if count <= self.most else AssertionResult.fail(0.0, f"{count} turns")

    spec = parse_suite(asserting({"type": "turns", "most": 1}), types={**assertion_types(), "turns": Turns})
    assert run(spec).passed_count == 1


def lookup(day: str) -> str:
    """Look the hours up."""
    return "9 to 5"


def refund(order: str) -> str:
    """Refund an order."""
    return "done"


def test_agent_that_waits_for_an_approval__an_error_that_names_the_tool():
    gated = Tool.from_function(refund, approval=True)
    agent = Agent(FakeProvider([ToolCall("refund", {"order": "1"})], "never"), tools=[gated])
    (result,) = run([ITEM], agent).results
    assert result.status is Status.ERROR
    assert "stopped with ApprovalRequest (refund), and there is no policy" in result.error


def test_cache__answers_are_kept_until_what_the_agent_sees_changes():
    cache = MemoryCache()
    provider = FakeProvider(*["9"] * 20)
    agent = Agent(provider, instructions="a")

    def calls(item: dict[str, Any], agent: BaseAgent = agent) -> int:
        before = provider.call_count
        evaluator = suite_evaluator(parse_suite([item]), agent, Resources(judge=lambda: Agent(FakeProvider(GRADE))))
        EvaluatorRunner(cache).run(evaluator)
        return provider.call_count - before

    assert calls(ITEM) == 1
    unseen = {
        "reference": "nine",
        "tool": "x",
        "tags": ["a"],
        "metadata": {"a": 1},
        "context": "c",
        "id": "z",
        "name": "n",
    }
    assert calls({**ITEM, **unseen, "timeout": 600, "_assertions": [{"type": "helpfulness"}]}) == 0
    assert calls({**ITEM, "input": "days?"}) == 1
    changed = [
        agent.fresh(instructions="b"),
        agent.fresh(temperature=1),
        agent.fresh(seed=7),
        agent.fresh(max_tokens=16),
    ]
    assert [calls(ITEM, other) for other in changed] == [1, 1, 1, 1]
    assert [calls(ITEM, other) for other in changed] == [0, 0, 0, 0]


@pytest.mark.parametrize(("agent", "reason"), [(nine, "has no fingerprint"), (FakeAgent(), "fake agent are not kept")])
def test_cache__answers_of_which_nothing_tells_when_they_change_are_not_kept(agent, reason):
    results = EvaluatorRunner(MemoryCache()).run(
        suite_evaluator(parse_suite([{"input": "q", "_assertions": [{"type": "not_empty"}]}]), as_agent(agent))
    )
    assert results.passed_count == 1
    assert [reason in why for why in results.cache.not_stored] == [True]


def test_defaults_of_the_suite__reach_the_agent_and_the_run_goes_before_them():
    suite = {"model": "suite", "instructions": "Be brief.", "model_settings": {"temperature": 0.5}, "dataset": [ITEM]}
    provider = FakeProvider("9", "9")
    run_suite(suite, agent=Agent(provider, model="own", instructions="own"))
    run_suite(suite, agent=Agent(provider), model="run")
    assert [(request.model, request.instructions) for request in provider.requests] == [
        ("suite", "Be brief."),
        ("run", "Be brief."),
    ]
    assert provider.requests[0].settings.temperature == 0.5


def test_overrides_of_an_item__go_before_the_suite_and_after_the_run():
    spec = parse_suite({"model": "suite", "dataset": [ITEM, {**ITEM, "id": "own"}]})
    own = replace(spec.items[1], overrides={"model": "item", "instructions": "item"})
    spec = replace(spec, items=(spec.items[0], own))
    asked = []
    for overrides in ({}, {"model": "run"}):
        provider = FakeProvider("9", "9")
        EvaluatorRunner().run(suite_evaluator(spec, Agent(provider), overrides=overrides))
        asked.append([(request.model, request.instructions) for request in provider.requests])
    assert asked == [[("suite", ""), ("item", "item")], [("run", ""), ("run", "item")]]


@pytest.mark.parametrize("spec", [{"model": "m", "dataset": [ITEM]}, {"instructions": "i", "dataset": [ITEM]}])
def test_default_that_the_agent_cannot_take__refused_before_the_first_call(spec):
    with pytest.raises(ConfigurationError, match="cannot be changed"):
        run_suite(spec, agent=lambda text: pytest.fail("called"))


def test_agent_of_which_every_call_would_fail__refused_before_the_first_item():
    class Closed(FakeAgent):
        def problems(self) -> list[str]:
            return ["there is no key"]

    with pytest.raises(ConfigurationError, match="the agent cannot be called: there is no key"):
        run([ITEM], Closed())


def test_limits__of_the_suite_and_of_an_item():
    calls: list[str] = []
    lock = threading.Lock()

    def agent(text: str) -> str:
        with lock:
            calls.append(text)
        if text == "broken" and calls.count(text) < 3:
            raise ConnectionError("try again")
        return "9"

    suite = {"repeats": 2, "retries": 2, "dataset": [{**ITEM, "input": "a"}, {**ITEM, "input": "broken", "repeats": 1}]}
    report = run_suite(suite, agent=agent)
    assert calls == ["a", "a", "broken", "broken", "broken"]
    assert (report.passed_count, report.results[-1].attempts) == (3, 3)


def test_tags__of_the_suite_and_of_items_choose():
    suite = {
        "tags": ["all"],
        "dataset": [{**ITEM, "tags": "smoke, slow"}, {**ITEM, "id": "b", "tags": ["smoke"]}, {**ITEM, "id": "c"}],
    }

    def ids(**options: Any) -> list[int]:
        return [result.index for result in run_suite(suite, agent=nine, **options).results]

    assert ids(tags=["smoke"]) == [0, 1]
    assert ids(tags=["smoke"], exclude_tags=["slow"]) == [1]
    assert ids(tags=["all"]) == [0, 1, 2]


def test_report__names_the_suite_in_every_output():
    report = run_suite({"name": "Hours <b>", "dataset": [{**ITEM, "reference": "nine"}]}, agent=nine)
    assert "suite Hours <b> -> StringContains (reference)" in render(report, "detailed")
    assert 'name="suite Hours &lt;b&gt;"' in render(report, "junit")
    assert "suite Hours" in render(report, "markdown")


def test_text_from_outside__is_never_more_than_text():
    item = {
        "input": "{{ x }} %s {0}",
        "reference": "{% now %}",
        "_assertions": [{"type": "criteria", "criteria": "{0} %s"}],
    }
    provider = FakeProvider(GRADE)
    heard = []

    def agent(text: str) -> str:
        heard.append(text)
        return "{% now %} {0}"

    (result,) = run([item], agent, Resources(judge=lambda: Agent(provider))).results
    assert result.status is Status.PASSED
    assert heard == ["{{ x }} %s {0}"]
    assert "{0} %s" in provider.requests[0].messages[0].content


def test_items_that_nothing_tells_apart__refused_where_the_parser_had_no_part():
    spec = parse_suite([ITEM])
    with pytest.raises(InvalidArgument, match="same content; give each an id"):
        replace(spec, items=spec.items * 2).of(ITEM)


def test_check_that_passes_whatever_is_said__is_refused_or_says_so_in_the_report():
    nothing: list[dict[str, Any]] = [
        {"type": "matches_regex", "pattern": ".*"},
        {"type": "tool_usage", "min_tool_calls": 0},
    ]
    for entry in nothing:
        with pytest.raises(SuiteError, match="says nothing: every output passes it"):
            parse_suite(asserting(entry))
    cases = [
        {"input": "q", "expected": {"regex": ["x|"]}},
        {"input": "q", "eval_type": "llm_judge", "expected": "c", "eval_config": {"pass_threshold": 0}},
        {"input": "q", "_assertions": [{"type": "helpfulness", "threshold": 0}], "eval_config": {}},
    ]
    report = run_suite(cases, agent=nine, judge=Agent(FakeProvider("SCORE: 1", "SCORE: 1", GRADE)))
    assert [[check.vacuous for check in result.checks] for result in report.results] == [[True]] * 3
