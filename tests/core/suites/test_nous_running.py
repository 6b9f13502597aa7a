"""How suites in the format of Nous.Eval run: who says what goes, setup and teardown, judges, own evaluators."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from neuron_evals import (
    Agent,
    BaseAgent,
    EvaluatorRunner,
    FakeProvider,
    MemoryCache,
    Status,
    SuiteError,
    Tool,
    ToolCall,
    as_agent,
    assert_case,
    parse_suite,
    render,
    run_case,
    run_suite,
)
from neuron_evals.core import naming
from neuron_evals.core.cancellation import current_deadline
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.suites import Resources, SuiteDefaults, suite_evaluator

CASE: dict[str, Any] = {"id": "a", "input": "q", "expected": "ok"}


def suite(*cases: dict[str, Any], **keys: Any) -> dict[str, Any]:
    return {**keys, "test_cases": list(cases) or [CASE]}


def custom(evaluator: Any, **more: Any) -> dict[str, Any]:
    return {**CASE, "eval_type": "custom", "eval_config": {"evaluator": evaluator, **more}}


def asked(data: Any, **options: Any) -> Any:
    provider = FakeProvider("ok")
    run_suite(data, agent=Agent(provider, "own", model="own", temperature=0.0), **options)
    return provider.requests[0]


# What run, case, suite and settings say, and which of them goes; `None` is said by nobody.
LEVELS = [
    ("run", "case", "suite", "settings"),
    (None, "case", "suite", "settings"),
    (None, None, "suite", "settings"),
    (None, None, None, "settings"),
    (None, None, None, None),
    ("run", None, None, "settings"),
    (None, "case", None, None),
]


def first(levels: tuple[str | None, ...], usual: str) -> str:
    return next((level for level in levels if level is not None), usual)


@pytest.mark.parametrize("levels", LEVELS)
def test_model__run_before_case_before_suite_before_settings_before_the_agents_own(levels):
    run, case, whole, settings = levels
    data = suite({**CASE, "agent_config": {"model": case}}, default_model=whole)
    assert asked(data, model=run, defaults=SuiteDefaults(model=settings)).model == first(levels, "own")


@pytest.mark.parametrize("levels", LEVELS)
def test_instructions__likewise(levels):
    run, case, whole, settings = levels
    data = suite({**CASE, "agent_config": {"instructions": case}}, default_instructions=whole)
    request = asked(data, instructions=run, defaults=SuiteDefaults(instructions=settings))
    assert request.instructions == first(levels, "own")


@pytest.mark.parametrize(
    ("run", "case", "settings", "found"),
    [
        ({"temperature": 0.3}, {"temperature": 0.2, "seed": 2}, {"temperature": 0.1, "seed": 1, "top_p": 0.5}, 0.3),
        (None, {"temperature": 0.2, "seed": 2}, {"temperature": 0.1, "seed": 1, "top_p": 0.5}, 0.2),
        (None, {"seed": 2}, {"temperature": 0.1, "seed": 1, "top_p": 0.5}, 0.1),
        (None, {"seed": 2}, {"top_p": 0.5}, 0.0),
    ],
)
def test_model_settings__likewise_and_one_by_one(run, case, settings, found):
    data = suite({**CASE, "agent_config": {"model_settings": case}})
    request = asked(data, model_settings=run, defaults=SuiteDefaults(model_settings=settings))
    assert (request.settings.temperature, request.settings.seed, request.settings.top_p) == (found, 2, 0.5)


def test_model_settings_of_a_suite__go_before_those_of_settings():
    data = {"model_settings": {"temperature": 0.2}, "items": [{"input": "q", "reference": "ok"}]}
    request = asked(data, defaults=SuiteDefaults(model_settings={"temperature": 0.1, "top_p": 0.5}))
    assert (request.settings.temperature, request.settings.top_p) == (0.2, 0.5)


def test_model_settings_of_a_run__are_checked():
    with pytest.raises(ConfigurationError, match='did you mean "temperature"'):
        asked(suite(), model_settings={"temprature": 1})


@pytest.mark.parametrize(
    ("run", "case", "whole", "settings", "found"),
    [
        (4000, 3_000_000, 2_000_000, 1000, 4000),
        (None, 3_000_000, 2_000_000, 1000, 3000),
        (None, None, 2_000_000, 1000, 2000),
        (None, None, None, 1000, 1000),
        (None, None, None, None, 30),
        (None, 20_000, None, None, 20),
    ],
)
def test_timeout__likewise_and_30_seconds_where_nobody_says_it(run, case, whole, settings, found):
    left: list[float] = []

    def answer(text: str) -> str:
        deadline = current_deadline()
        assert deadline is not None
        left.append(deadline.remaining)
        return "ok"

    data = suite({**CASE, "timeout": case}, default_timeout=whole)
    run_suite(data, agent=answer, timeout=run, defaults=SuiteDefaults(timeout=settings))
    assert found - 20 < left[0] <= found


@pytest.mark.parametrize(
    ("run", "whole", "settings", "calls"), [(3, 2, 1, 4), (None, 2, 1, 3), (None, None, 1, 2), (None, None, None, 1)]
)
def test_retries__run_before_suite_before_settings(run, whole, settings, calls):
    tried: list[str] = []

    def broken(text: str) -> str:
        tried.append(text)
        raise ConnectionError("down")

    report = run_suite(suite(retry_failed=whole), agent=broken, retries=run, defaults=SuiteDefaults(retries=settings))
    assert (report.results[0].status, len(tried)) == (Status.ERROR, calls)


@pytest.mark.parametrize(
    ("run", "whole", "settings", "found"), [(4, 3, 2, 4), (None, 3, 2, 3), (None, None, 2, 2), (None, None, None, 1)]
)
def test_parallelism__likewise(run, whole, settings, found):
    together, lock, flying, most = threading.Barrier(found, timeout=60), threading.Lock(), [0], [0]

    def answer(text: str) -> str:
        with lock:
            flying[0] += 1
            most[0] = max(most[0], flying[0])
        together.wait()
        with lock:
            flying[0] -= 1
        return "ok"

    cases = [{**CASE, "id": str(number)} for number in range(12)]
    report = run_suite(
        suite(*cases, parallelism=whole),
        agent=answer,
        concurrency=run,
        defaults=SuiteDefaults(concurrency=settings),
    )
    assert (report.passed_count, most) == (12, [found])


def test_retry_failed__tries_a_wrong_answer_again_and_counts_the_first():
    answers = iter(["no", "ok"])
    (result,) = run_suite(suite(retry_failed=2), agent=lambda text: next(answers)).results
    assert (result.status, result.attempts, [other.status for other in result.other_attempts]) == (
        Status.FAILED,
        2,
        [Status.PASSED],
    )


def test_retries_of_a_run_alone__try_no_wrong_answer_again():
    (result,) = run_suite(suite(), agent=lambda text: "no", retries=3).results
    assert result.attempts == 1


TAGGED = [
    {**CASE, "id": name, "tags": tags} for name, tags in (("a", ["x", "y"]), ("b", ["y"]), ("c", ["z"]), ("d", []))
]


@pytest.mark.parametrize(
    ("tags", "exclude", "found"),
    [
        ([], [], "abcd"),
        (["x"], [], "a"),
        (["x", "z"], [], "ac"),
        ([], ["x"], "bcd"),
        (["y"], ["x"], "b"),
        (["x"], ["x"], ""),
    ],
)
def test_tags__any_of_the_wanted_without_any_of_the_excluded(tags, exclude, found):
    report = run_suite(suite(*TAGGED), agent=lambda text: "ok", tags=tags, exclude_tags=exclude)
    assert "".join(result.item_id for result in report.results) == found


class Noting(BaseAgent):
    """An agent that takes whatever its items depend on, and says what that was."""

    SUPPORTED = frozenset({"deps"})

    def __init__(self) -> None:
        self.deps: Any = None
        self.inner = as_agent(lambda text: json.dumps(self.deps))

    @property
    def history(self) -> Any:
        return self.inner.history

    def fresh(self, **overrides: Any) -> Any:
        self.refuse_unsupported(overrides)
        made = Noting()
        made.deps = overrides.get("deps", self.deps)
        return made

    def chat(self, message: Any) -> Any:
        return self.inner.chat(message)


def test_setup__its_value_reaches_the_cases_and_teardown():
    happened: list[Any] = []

    def setup() -> dict[str, str]:
        happened.append("setup")
        return {"shop": "open", "account": "nobody"}

    cases = [
        {**CASE, "expected": '"shop": "open"'},
        {**CASE, "id": "b", "expected": '"account": "acct_123"', "deps": {"account": "acct_123"}},
    ]
    report = run_suite(suite(*cases, setup=setup, teardown=happened.append), agent=Noting())
    assert [result.output for result in report.results] == [
        '{"shop": "open", "account": "nobody"}',
        '{"shop": "open", "account": "acct_123"}',
    ]
    assert happened == ["setup", {"shop": "open", "account": "nobody"}]


def test_setup_that_is_awaited__is_awaited():
    async def setup() -> str:
        await asyncio.sleep(0)
        return "value"

    got: list[Any] = []
    run_suite(suite(setup=setup, teardown=got.append), agent=lambda text: "ok")
    assert got == ["value"]


def test_setup_that_breaks__no_case_runs_and_nothing_is_torn_down():
    def setup() -> None:
        raise RuntimeError("no database")

    data = suite(setup=setup, teardown=lambda value: pytest.fail("torn down"))
    with pytest.raises(RuntimeError, match="no database"):
        run_suite(data, agent=lambda text: pytest.fail("called"))


def test_teardown__is_called_after_cases_that_broke():
    def broken(text: str) -> str:
        raise RuntimeError("boom")

    got: list[Any] = []
    run_suite(suite(setup=lambda: 7, teardown=got.append), agent=broken)
    run_suite(suite(teardown=got.append), agent=broken)
    assert got == [7, None]


def test_teardown_that_breaks__is_told_and_no_case_is_lost():
    def teardown(value: Any) -> None:
        raise RuntimeError("cannot close")

    report = run_suite(suite(teardown=teardown), agent=lambda text: "ok")
    assert report.passed_count == 1
    (evaluator,) = report.evaluators
    assert "cannot close" in str(evaluator.error)
    assert "Evaluator errors: 1 of 1 evaluator" in render(report)


def test_deps_for_an_agent_that_takes_none__refused_before_it_is_called():
    with pytest.raises(ConfigurationError, match='"deps" cannot be changed'):
        run_suite(suite({**CASE, "deps": {"a": 1}}), agent=lambda text: pytest.fail("called"))


def test_deps_that_say_nothing__are_as_if_they_were_left_out():
    assert run_suite(suite({**CASE, "deps": {}}), agent=lambda text: "ok").passed_count == 1
    shared = run_suite(suite({**CASE, "deps": {}}, setup=lambda: "shared"), agent=Noting())
    assert shared.results[0].output == '"shared"'


def test_teardown_alone__leaves_an_agent_what_it_depends_on():
    agent = Noting().fresh(deps="its own")
    report = run_suite(suite(teardown=lambda value: None), agent=agent)
    assert report.results[0].output == '"its own"'


class Depends:
    """Passes when the evaluator is given what the agent was given."""

    def evaluate(self, actual, expected, config):
        passed = json.loads(actual["output"]) == actual["deps"]
        return {"score": float(passed), "passed": passed, "reason": str(actual["deps"])}


def made_by(function: Any, *ids: str, **keys: Any) -> Any:
    """Return a suite whose cases depend on what a function makes."""
    cases = [{**custom(Depends), "id": name, "tags": [name], "deps": "shop.account"} for name in ids]
    return parse_suite(suite(*cases, **keys), imports=lambda path: function)


class AwaitedNoting(Noting):
    asynchronous = True


@pytest.mark.parametrize("agent", [Noting(), AwaitedNoting()])
@pytest.mark.parametrize("awaited", [False, True])
def test_deps_by_path__are_made_after_setup_for_each_execution_of_a_chosen_case(agent, awaited):
    happened: list[Any] = []

    def account() -> dict[str, int]:
        assert awaited or not is_on_a_loop()
        happened.append("account")
        return {"account": len(happened)}

    async def account_in_time() -> dict[str, int]:
        return account()

    def setup() -> dict[str, int]:
        happened.append("setup")
        return {"shop": 1}

    spec = made_by(account_in_time if awaited else account, "a", "b", "c", setup=setup)
    assert happened == []
    report = run_suite(spec, agent=agent, repeats=2, tags=["a", "b"])
    assert [result.passed for result in report.results] == [True] * 4, [result.explain() for result in report.results]
    assert sorted(json.loads(result.output)["account"] for result in report.results) == [2, 3, 4, 5]
    assert happened == ["setup", *["account"] * 4]


def is_on_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def test_deps_by_path__are_not_made_where_nothing_depends_on_them():
    spec = made_by(lambda: pytest.fail("made"), "a", "b")
    spec = replace(spec, items=tuple(replace(item, checks=()) for item in spec.items))
    assert len(run_suite(spec, fake=True).results) == 2
    with pytest.raises(ConfigurationError, match='"deps" cannot be changed'):
        run_suite(spec, agent=lambda text: pytest.fail("called"))


def test_deps_by_path_that_break__are_an_error_of_that_case_alone_also_with_a_cache():
    def broken() -> None:
        raise RuntimeError("no account")

    spec = made_by(broken, "a")
    spec = replace(spec, items=(*spec.items, *parse_suite(suite({**CASE, "id": "b"})).items))
    for runner in (EvaluatorRunner(), EvaluatorRunner(cache=MemoryCache())):
        report = run_suite(spec, agent=Noting(), runner=runner)
        assert [result.status for result in report.results] == [Status.ERROR, Status.FAILED]
        assert "no account" in str(report.results[0].error)


def test_cache__knows_what_the_function_of_deps_made():
    accounts = iter([{"a": 1}, {"a": 1}, {"a": 2}, {"a": 2}, {"a": 2}])
    provider, cache = FakeProvider("ok", "ok"), MemoryCache()
    case = {**CASE, "deps": "shop.account"}
    spec = parse_suite(suite(case), imports=lambda path: lambda: next(accounts))
    for asked in (1, 2, 2):
        run_suite(spec, agent=Agent(provider), runner=EvaluatorRunner(cache=cache))
        assert provider.call_count == asked


def test_custom__is_given_output_conversation_and_what_the_case_says():
    seen = []

    class Checks:
        def evaluate(self, actual, expected, config):
            seen.append((actual["output"], actual["agent_result"].final_answer(), actual["deps"], expected, config))
            return {"score": 0.75, "passed": True, "reason": "nearly", "details": {"mood": "glad"}}

    data = suite({**custom(Checks, strict=True), "expected": {"mood": "glad"}}, setup=lambda: {"a": 1})
    (result,) = run_suite(data, agent=lambda text: "I am glad").results
    assert seen == [("I am glad", "I am glad", {"a": 1}, {"mood": "glad"}, {"strict": True})]
    (check,) = result.checks
    assert (check.label, check.name, check.score, check.message, check.context) == (
        "custom",
        "Checks",
        0.75,
        "nearly",
        {"mood": "glad"},
    )


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ({"score": 1.5, "passed": True}, "score as a number from 0 to 1, got 1.5"),
        ({"score": -1, "passed": False}, "score as a number"),
        ({"score": float("nan"), "passed": False}, "score as a number"),
        ({"score": True, "passed": True}, "score as a number"),
        ({"passed": True}, "score as a number"),
        ({"score": 1.0}, "passed as True or False"),
        ({"score": 1.0, "passed": 1}, "passed as True or False"),
        ({"score": 1.0, "passed": True, "reason": 3}, "reason as text"),
        ({"score": 1.0, "passed": True, "details": "x"}, "details as a mapping"),
        (None, "passed as True or False"),
        (True, "passed as True or False"),
    ],
)
def test_custom_that_returns_no_result__is_an_error(returned, message):
    result = run_case(custom(SimpleNamespace(evaluate=lambda actual, expected, config: returned)), agent=lambda t: "ok")
    assert result.status is Status.ERROR
    assert message in result.checks[0].message


def test_custom_that_raises__is_an_error_of_that_case_alone():
    def broken(actual, expected, config):
        raise KeyError("x")

    report = run_suite(
        suite(custom(SimpleNamespace(evaluate=broken)), {**CASE, "id": "b"}), agent=lambda text: "ok", concurrency=2
    )
    assert [result.status for result in report.results] == [Status.ERROR, Status.PASSED]


def test_custom__may_return_an_object_and_may_be_awaited():
    async def judge(actual, expected, config):
        await asyncio.sleep(0)
        return SimpleNamespace(score=0.0, passed=False, reason=None, details=None)

    async def awaited(text: str) -> str:
        return "ok"

    for agent in (lambda text: "ok", awaited):
        result = run_case(custom(SimpleNamespace(evaluate=judge)), agent=agent)
        assert (result.status, result.checks[0].message) == (Status.FAILED, "the evaluator gave no reason")


def test_plain_custom_with_an_agent_that_is_awaited__does_not_hold_the_loop():
    threads: list[str] = []

    def judge(actual, expected, config):
        threads.append(threading.current_thread().name)
        return {"score": 1, "passed": True}

    async def awaited(text: str) -> str:
        threads.append(threading.current_thread().name)
        return "ok"

    assert run_case(custom(SimpleNamespace(evaluate=judge)), agent=awaited).passed
    assert threads[0] != threads[1]


JUDGED = {**CASE, "eval_type": "llm_judge", "expected": "Is it polite?", "input": "Say hello"}


def judged(case: dict[str, Any], reply: str) -> tuple[Any, str]:
    provider = FakeProvider(reply, model="grader")
    result = run_case(case, agent=lambda text: "Hello", judge=Agent(provider))
    return result, "\n".join(message.content for message in provider.requests[0].messages)


def test_judge__is_shown_question_criteria_rubric_and_answer():
    result, prompt = judged(JUDGED, "SCORE: 4")
    assert result.score == 0.75
    for text in ("Say hello", "Is it polite?", "5: excellent", "Hello", "from 1 to 5"):
        assert text in prompt


def test_judge__is_shown_rubric_and_reference_of_case_or_config():
    expected = {"criteria": "Correct?", "rubric": "5: right", "reference_answer": "forty-two"}
    for case in (
        {**JUDGED, "expected": expected},
        {**JUDGED, "expected": "Correct?", "eval_config": {"rubric": "5: right", "reference_answer": "forty-two"}},
        {**JUDGED, "expected": None, "eval_config": expected},
    ):
        prompt = judged(case, "SCORE: 5")[1]
        assert all(text in prompt for text in expected.values())
        assert "excellent" not in prompt


def test_judge_without_criteria__grades_how_good_the_answer_is():
    assert "Judge how good the answer is" in judged({**JUDGED, "expected": {"reference_answer": "x"}}, "SCORE: 5")[1]


def test_judge__grades_on_the_scale_that_is_declared():
    case = {**JUDGED, "eval_config": {"scale": [0, 10], "pass_threshold": 0.3}}
    result, prompt = judged(case, "SCORE: 3")
    assert (result.score, result.passed) == (0.3, True)
    assert "from 0 to 10" in prompt
    assert "excellent" not in prompt
    labels = {**JUDGED, "eval_config": {"scale": {"rude": 0, "plain": 1, "kind": 4}}}
    assert judged(labels, "LABEL: plain")[0].score == 0.25


def test_judge_that_is_asked_several_times__gives_what_they_say_together():
    grades = [f"SCORE: {grade}" for grade in (1, 4, 5)]
    for rule, score in (("mean", 7 / 12), ("median", 0.75), ("majority", 7 / 12)):
        case = {**JUDGED, "eval_config": {"votes": 3, "rule": rule}}
        result = run_case(case, agent=lambda text: "Hello", judge=Agent(FakeProvider(*grades)))
        assert result.score == pytest.approx(score)
        assert result.passed is (rule != "mean")


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> dict[str, FakeProvider]:
    """Providers by name, as a project has them."""
    known: dict[str, FakeProvider] = {}

    def resolve(name: str, asked: Any) -> tuple[FakeProvider, str] | None:
        alias, _, model = name.partition(":")
        return (known[alias], model) if alias in known else None

    monkeypatch.setattr(naming, "_models", [resolve])
    return known


def test_judge_model__grades_unless_the_run_has_a_judge(models):
    models["local"] = FakeProvider("SCORE: 5")
    case = {**JUDGED, "eval_config": {"judge_model": "local:qwen3"}}
    assert run_case(case, agent=lambda text: "Hello").score == 1.0
    assert models["local"].requests[0].model == "qwen3"
    assert run_case(case, agent=lambda text: "Hello", judge=Agent(FakeProvider("SCORE: 1"))).score == 0.0


def test_judge_model__goes_before_the_judge_that_the_suite_names(models, monkeypatch):
    models["local"] = FakeProvider("SCORE: 5")
    monkeypatch.setattr(naming, "_resolvers", [lambda name: Agent(FakeProvider("SCORE: 1"))])
    cases = [{**JUDGED, "eval_config": {"judge_model": "local:qwen3"}}, {**JUDGED, "id": "b"}]
    report = run_suite(suite(*cases, judge="strict"), agent=lambda text: "Hello")
    assert [result.score for result in report.results] == [1.0, 0.0]


def test_judge_that_is_missing__refused_before_the_agent_is_called(models):
    with pytest.raises(SuiteError, match="needs a judge"):
        run_case(JUDGED, agent=lambda text: pytest.fail("called"))
    case = {**JUDGED, "eval_config": {"judge_model": "nowhere:qwen3"}}
    with pytest.raises(ConfigurationError, match="'nowhere:qwen3' names no model"):
        run_suite([case], agent=lambda text: pytest.fail("called"))


def test_model_of_the_suite__is_the_agent_where_none_is_given(models):
    models["local"] = FakeProvider("ok", "ok", "ok")
    models["other"] = FakeProvider("ok")
    cases = [CASE, {**CASE, "id": "b", "agent_config": {"model": "other:big"}}]
    data = suite(*cases, default_model="local:qwen3:8b", default_instructions="Be brief.")
    assert run_suite(data).passed_count == 2
    assert [(request.model, request.instructions) for request in models["local"].requests] == [
        ("qwen3:8b", "Be brief.")
    ]
    assert [request.model for request in models["other"].requests] == ["big"]
    assert run_suite(data, model="local:small").passed_count == 2
    assert [request.model for request in models["local"].requests[1:]] == ["small", "small"]


def test_models_of_all_cases__are_their_agents(models):
    models["local"] = FakeProvider("ok")
    assert run_suite(suite({**CASE, "agent_config": {"model": "local:qwen3"}})).passed_count == 1


def test_model_of_one_case__is_its_agent_or_that_of_the_agent_that_is_given(models):
    models["local"] = FakeProvider("ok", "ok")
    assert run_case({**CASE, "agent_config": {"model": "local:big"}}, model="local:small").passed
    assert run_case({**CASE, "agent_config": {"model": "local:big"}}).passed
    assert [request.model for request in models["local"].requests] == ["small", "big"]
    provider = FakeProvider("ok")
    assert_case(CASE, agent=Agent(provider, model="own"), model="other")
    assert provider.requests[0].model == "other"
    with pytest.raises(ConfigurationError, match="there is no agent"):
        run_case(CASE)


def test_no_agent_and_no_model__says_which_case_lacks_it(models):
    models["local"] = FakeProvider()
    cases = [{**CASE, "agent_config": {"model": "local:qwen3"}}, {**CASE, "id": "b"}]
    with pytest.raises(ConfigurationError, match=r'item 1 \(id "b"\) names no model'):
        run_suite(suite(*cases))
    for said, model in (("suite", None), ("run", "cloud:x")):
        with pytest.raises(ConfigurationError, match=rf"the {said}'s model: 'cloud:x' names no model"):
            run_suite(suite(default_model="cloud:x"), model=model)
    with pytest.raises(ConfigurationError, match=r"the model of item 0 \(id \"a\"\): 'cloud:x' names no model"):
        run_suite(suite({**CASE, "agent_config": {"model": "cloud:x"}}))


def test_model_of_a_run_without_a_provider__is_one_of_the_provider_that_the_suite_or_the_items_name(models):
    models["local"] = FakeProvider("ok", "ok")
    run_suite(suite(default_model="local:small"), model="over")
    run_suite(suite({**CASE, "agent_config": {"model": "local:small"}}), model="over")
    assert [request.model for request in models["local"].requests] == ["over", "over"]


@dataclass
class Person:
    name: str
    age: int


def test_output_type__is_what_the_agent_is_asked_for():
    provider = FakeProvider({"name": "John", "age": 30})
    case = {**CASE, "eval_type": "schema", "expected": {"schema": Person}, "agent_config": {"output_type": Person}}
    assert run_case(case, agent=Agent(provider)).passed
    schema = provider.requests[0].schema
    assert schema is not None
    (definition,) = schema["$defs"].values()
    assert list(definition["properties"]) == ["name", "age"]


@pytest.mark.parametrize(
    ("expected", "config", "output", "passed", "message"),
    [
        (Person, {}, '{"name": "John", "age": 30, "x": 1}', True, ""),
        (Person, {"allow_extra_fields": False}, '{"name": "John", "age": 30, "x": 1}', False, "does not have: x"),
        (Person, {}, "John is 30", False, "JSON"),
        ({"required_fields": ["name"]}, {}, '{"name": null}', False, "name is required, and empty"),
        ({"required_fields": ["name"]}, {}, '{"name": false}', True, ""),
        ({"field_values": {"age": 30}}, {}, '{"age": 30.0}', True, ""),
        ({"field_values": {"age": 30}}, {}, '{"age": "30"}', False, 'age must be 30, got "30"'),
        ({"field_values": {"age": None}}, {}, "{}", False, "age must be null, and is missing"),
        ({"schema": {"type": "object", "properties": {"a": {"type": "integer"}}}}, {}, '{"a": "x"}', False, "at "),
        (
            {"schema": Person, "required_fields": ["name"]},
            {"validate_changeset": False},
            '{"name": "John", "age": "thirty"}',
            True,
            "",
        ),
    ],
)
def test_schema__says_what_is_wrong(expected, config, output, passed, message):
    case = {**CASE, "eval_type": "schema", "expected": expected, "eval_config": config}
    result = run_case(case, agent=lambda text: output)
    assert (result.passed, result.score) == (passed, float(passed)), result.explain()
    assert message in result.checks[0].message


def test_tools_of_a_case__are_the_agents():
    def calculate(amount: float) -> float:
        """Return the tip."""
        return amount * 0.15

    provider = FakeProvider([ToolCall("calculate", {"amount": 50})], "7.5")
    case = {
        **CASE,
        "eval_type": "tool_usage",
        "expected": {"tools_called": ["calculate"], "output_contains": ["7.5"]},
        "agent_config": {"tools": [calculate]},
    }
    result = run_case(case, agent=Agent(provider))
    assert result.passed, result.explain()
    assert result.trajectory.last_tool_call("calculate").result == 7.5


def cached(case: dict[str, Any], provider: FakeProvider, cache: MemoryCache) -> bool:
    evaluator = suite_evaluator(parse_suite([case]), Agent(provider), Resources())
    (result,) = EvaluatorRunner(cache=cache).run(evaluator).results
    return result.cached_run


def test_cache__knows_what_the_agent_is_given_and_not_what_is_expected():
    class Fixed(FakeProvider):
        fingerprint = "fixed"

    provider, cache = Fixed(*["ok"] * 9), MemoryCache()
    case = {"input": "q", "expected": "ok"}
    said = [{"role": "user", "content": "p"}, {"role": "assistant", "content": "r"}, {"role": "user", "content": "q"}]
    assert not cached(case, provider, cache)
    assert cached(
        {**case, "expected": {"contains": ["o"]}, "eval_config": {"case_insensitive": False}}, provider, cache
    )
    for change in (
        {"input": "p"},
        {"input": said},
        {"agent_config": {"model": "other"}},
        {"agent_config": {"output_type": Person}},
    ):
        assert not cached({**case, **change}, provider, cache), change
        assert cached({**case, **change}, provider, cache), change


def test_processes__see_what_setup_made_and_which_evaluator_is_meant():
    class Sees:
        def evaluate(self, actual, expected, config):
            passed = actual["deps"] == {"shop": "open"} and json.loads(actual["output"]) == {"shop": "open"}
            return {"score": float(passed), "passed": passed}

    torn: list[Any] = []
    cases = [{**custom(Sees), "id": str(number)} for number in range(3)]
    data = suite(*cases, setup=lambda: {"shop": "open"}, teardown=torn.append)
    report = run_suite(data, agent=Noting(), workers="processes", concurrency=2)
    assert report.passed_count == 3, [result.explain() for result in report.results]
    assert torn == [{"shop": "open"}]


def test_fake_run__with_messages_tools_and_an_output_type():
    said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    case = {**CASE, "input": said, "deps": {"a": 1}, "agent_config": {"output_type": Person, "model": "m"}}
    report = run_suite(suite(case), fake={"items": {"a": {"reply": "ok"}}})
    (result,) = report.results
    assert report.fake
    assert result.passed, result.explain()
    assert [message.content for message in result.trajectory.messages()] == ["a", "b", "c", "ok"]


def test_output_type__with_stubs_and_approvals():
    def refund(order: int) -> str:
        """Refund an order."""
        raise RuntimeError("never in a test")

    provider = FakeProvider([ToolCall("refund", {"order": 1})], {"name": "John", "age": 30})
    case = {
        **CASE,
        "eval_type": "schema",
        "expected": {"schema": Person},
        "agent_config": {"output_type": Person},
        "stubs": {"refund": {"result": "done"}},
        "approvals": "approve",
        "_assertions": [{"type": "tool_was_approved", "name": "refund"}],
    }
    result = run_case(case, agent=Agent(provider, tools=[Tool.from_function(refund, approval=True)]))
    assert result.passed, result.explain()
    assert all(request.schema for request in provider.requests)


def test_tools_and_messages_of_a_case__with_stubs():
    def look(query: str) -> str:
        """Look something up."""
        raise RuntimeError("never in a test")

    provider = FakeProvider([ToolCall("look", {"query": "x"})], "ok")
    said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    case = {**CASE, "input": said, "tools": [look], "stubs": {"look": {"result": "stubbed"}}}
    result = run_case(case, agent=Agent(provider))
    assert result.passed, result.explain()
    assert result.trajectory.tool_calls()[0].result == "stubbed"
    assert [message.content for message in result.trajectory.messages()][:3] == ["a", "b", "c"]


def test_output_type__with_an_agent_that_is_awaited():
    async def awaited(text: str) -> str:
        return '{"name": "John", "age": 30}' if "name" in text else "no schema was asked for"

    case = {**CASE, "eval_type": "schema", "expected": Person, "agent_config": {"output_type": Person}}
    assert run_case(case, agent=awaited).passed


class Wants:
    """Passes an answer that has one word."""

    def __init__(self, word: str) -> None:
        self.word = word

    def evaluate(self, actual, expected, config):
        passed = self.word in actual["output"]
        return {"score": float(passed), "passed": passed, "reason": f"wanted {self.word}"}


def same_but_for(values: list[Any], case: Any) -> list[dict[str, Any]]:
    return [{"input": "q", **case(value)} for value in values]


@pytest.mark.parametrize("workers", ["threads", "processes"])
@pytest.mark.parametrize("words", [["ok", "nope", "k"], ["nope", "ok", "ok"]])
def test_cases_without_ids_that_differ_in_their_evaluators_alone__each_has_its_own(words, workers):
    cases = same_but_for(words, lambda word: {"eval_type": "custom", "eval_config": {"evaluator": Wants(word)}})
    report = run_suite(cases, agent=lambda text: "ok", workers=workers, concurrency=2)
    assert [result.passed for result in report.results] == [word in "ok" for word in words]
    digest = report.results[0].item_id
    assert [result.item_id for result in report.results] == [digest, f"{digest}-2", f"{digest}-3"]


def test_cases_without_ids_that_differ_in_their_schemas_alone__each_has_its_own():
    def person(kind: type) -> Any:
        return dataclass(type("Person", (), {"__annotations__": {"age": kind}}))

    cases = same_but_for([int, str], lambda kind: {"eval_type": "schema", "expected": person(kind)})
    report = run_suite(cases, agent=lambda text: '{"age": "old"}')
    assert [result.passed for result in report.results] == [False, True]


def test_cases_without_ids_that_differ_in_their_tools_alone__each_has_its_own():
    def looking(found: str) -> Any:
        def look(query: str) -> str:
            """Look something up."""
            return found

        return look

    provider = FakeProvider([ToolCall("look", {"query": "x"})], "ok", [ToolCall("look", {"query": "x"})], "ok")
    report = run_suite(
        same_but_for(["A", "B"], lambda found: {"expected": "ok", "tools": [looking(found)]}), agent=Agent(provider)
    )
    assert [result.trajectory.tool_calls()[0].result for result in report.results] == ["A", "B"]
