"""Suites in the format of Nous.Eval: what a suite and a case may say, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from neuron_evals import Agent, FakeProvider, Message, SuiteError, parse_suite, run_case
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.suites import SuiteDefaults

CASE: dict[str, Any] = {"id": "greeting", "input": "Say hello", "expected": "hello"}


def suite(*cases: dict[str, Any], **keys: Any) -> Any:
    return parse_suite({**keys, "test_cases": list(cases) or [CASE]})


def problems(data: Any, **options: Any) -> dict[tuple[int | None, str], str]:
    with pytest.raises(SuiteError) as refused:
        parse_suite(data, **options)
    return {(index, field): message for index, field, message in refused.value.problems}


def wrong(**changes: Any) -> dict[str, str]:
    """Return what is wrong with a case that is right but for some keys."""
    return {field: message for (_, field), message in problems({"test_cases": [{**CASE, **changes}]}).items()}


@dataclass
class Person:
    name: str
    age: int


def calculate(amount: float) -> float:
    """Return the tip."""
    return amount


class Judges:
    def evaluate(self, actual, expected, config):
        return {"score": 1.0, "passed": True}


def test_suite__every_key_of_the_document():
    found = suite(
        name="basic_agent_tests",
        description="Smoke tests",
        default_model="local:qwen3",
        default_instructions="Be concise.",
        default_timeout=15000,
        parallelism=2,
        retry_failed=1,
        metadata={"owner": "platform-team"},
        agent="support",
        judge="strict",
        tags=["smoke"],
        repeats=3,
    )
    assert (found.name, found.description, found.agent, found.judge, found.tags, found.metadata) == (
        "basic_agent_tests",
        "Smoke tests",
        "support",
        "strict",
        ("smoke",),
        {"owner": "platform-team"},
    )
    assert found.defaults == SuiteDefaults("local:qwen3", "Be concise.", {}, 15.0, 1, 3, 2, retry_failed=True)


def test_suite_that_says_nothing__has_the_defaults_of_the_document():
    found = suite()
    assert (found.name, found.description, found.metadata) == ("unnamed", "", {})
    assert (found.defaults, found.usual_timeout, found.setup, found.teardown) == (SuiteDefaults(), 30.0, None, None)
    (item,) = found.items
    assert item.item == CASE
    assert (item.overrides, item.opening, item.output_type) == ({}, (), None)
    assert [(check.label, check.assertion.cls.__name__) for check in item.checks] == [("contains", "Contains")]


def test_suite__null_is_as_if_the_key_were_left_out():
    found = suite({**CASE, "timeout": None, "eval_type": None, "tags": None, "deps": None}, parallelism=None, name=None)
    assert (found.defaults, found.items[0].item) == (SuiteDefaults(), CASE)


def test_retry_failed_of_0__retries_nothing():
    defaults = suite(retry_failed=0).defaults
    assert (defaults.retries, defaults.retry_failed) == (0, None)


def test_case__every_key_of_the_document():
    case = {
        **CASE,
        "name": "Basic Greeting",
        "description": "The agent should greet back.",
        "eval_type": "fuzzy_match",
        "eval_config": {"threshold": 0.9},
        "tags": ["basic"],
        "deps": {"account_id": "acct_123"},
        "agent_config": {"model": "m", "instructions": "Be brief.", "model_settings": {"temperature": 0.3, "seed": 7}},
        "timeout": 20000,
        "metadata": {"owner": "me"},
    }
    (item,) = suite(case).items
    assert item.item == {**case, "timeout": 20.0}
    assert item.overrides == {
        "temperature": 0.3,
        "seed": 7,
        "model": "m",
        "instructions": "Be brief.",
        "deps": {"account_id": "acct_123"},
    }
    assert item.seen == {"input": "Say hello"}
    assert item.checks[0].assertion.options == {"expected": "hello", "threshold": 0.9}


def test_case__with_keys_of_studio_has_its_checks_in_order():
    case = {**CASE, "reference": "9", "tool": "look", "_assertions": [{"type": "not_empty"}], "repeats": 2}
    assert [check.label for check in suite(case).items[0].checks] == ["contains", "reference", "not_empty", "tool"]


def test_case_without_anything_expected__may_have_assertions_alone():
    (item,) = suite({"id": "a", "input": "q", "_assertions": [{"type": "not_empty"}]}).items
    assert [check.label for check in item.checks] == ["not_empty"]


def test_case_that_is_a_conversation__has_turns_instead_of_input():
    (item,) = suite({"id": "a", "turns": ["hi", "bye"], "expected": "bye"}).items
    assert item.seen == {"turns": ["hi", "bye"]}


def test_code__in_the_place_of_dotted_paths():
    case = {
        "id": "person",
        "input": "Extract: John is 30 years old",
        "expected": {"schema": Person},
        "eval_type": "schema",
        "agent_config": {"output_type": Person, "tools": [calculate]},
    }
    first, second = suite(
        case, {**CASE, "eval_type": "custom", "eval_config": {"evaluator": Judges}}, setup=dict, teardown=print
    ).items
    assert first.item["expected"] == {"schema": f"{__name__}.Person"}
    assert first.item["agent_config"] == {"output_type": f"{__name__}.Person", "tools": [f"{__name__}.calculate"]}
    assert first.output_type is not None
    assert [tool.name for tool in first.overrides["tools"]] == ["calculate"]
    assert second.item["eval_config"] == {"evaluator": f"{__name__}.Judges"}


def test_dotted_paths__are_resolved_where_they_may_be():
    known = {"shop.Person": Person, "shop.calculate": calculate, "shop.account": lambda: {"a": 1}, "shop.begin": dict}
    case = {
        "id": "person",
        "input": "q",
        "expected": "shop.Person",
        "eval_type": "schema",
        "tools": ["shop.calculate"],
        "deps": "shop.account",
        "agent_config": {"output_type": "shop.Person"},
    }
    found = parse_suite({"test_cases": [case], "setup": "shop.begin"}, imports=known.__getitem__)
    assert found.setup is dict
    assert found.items[0].overrides["deps"].make() == {"a": 1}
    assert found.items[0].item == case


def test_list_of_cases__needs_no_ids_and_is_told_by_its_keys():
    (item,) = parse_suite([{"input": "q", "expected": "a", "timeout": 500}]).items
    assert item.item["timeout"] == 0.5
    (item,) = parse_suite([{"input": "q", "reference": "a", "timeout": 500}]).items
    assert item.item["timeout"] == 500


def test_input_as_messages__the_last_is_said_after_the_others():
    provider = FakeProvider("hello c")
    case = {
        "input": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b"},
            {"role": "user", "content": "c"},
        ],
        "expected": "hello",
    }
    result = run_case(case, agent=Agent(provider, "Be long."))
    assert result.passed, result.explain()
    (request,) = provider.requests
    assert request.instructions == "Be brief."
    assert [(message.role, message.content) for message in request.messages] == [
        ("user", "a"),
        ("assistant", "b"),
        ("user", "c"),
    ]


def test_input_as_messages__an_agent_that_cannot_be_told_is_refused_before_it_is_called():
    said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    with pytest.raises(ConfigurationError, match="CallableAgent cannot begin with messages"):
        run_case({"input": said, "expected": "x"}, agent=lambda text: pytest.fail("called"))
    assert run_case({"input": said[-1:], "expected": "c"}, agent=lambda text: text).passed


@pytest.mark.parametrize(
    ("said", "field"),
    [
        (7, "input"),
        ("  ", "input"),
        ([], "input"),
        (["a"], "input[0]"),
        ([{"role": "tool", "content": "a"}], "input[0].role"),
        ([{"role": "user"}], "input[0].content"),
        ([{"role": "user", "content": "a", "name": "x"}], "input[0].name"),
        ([{"role": "system", "content": "a"}], "input"),
        ([{"role": "assistant", "content": "a"}, {"role": "user", "content": "a"}], "input"),
        ([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}], "input"),
        ([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], "input"),
        (Message(role="user", content="a"), "input"),
    ],
)
def test_input_that_says_nothing_to_the_agent__refused(said, field):
    assert field in wrong(input=said)


SUITE_MISTAKES: list[tuple[dict[str, Any], str, str]] = [
    ({"default_modell": "m"}, "default_modell", 'did you mean "default_model"'),
    ({"parallelism": 0}, "parallelism", "a whole number from 1 to 10000"),
    ({"parallelism": True}, "parallelism", "a whole number"),
    ({"retry_failed": -1}, "retry_failed", "a whole number from 0 to 1000"),
    ({"default_timeout": 0}, "default_timeout", "milliseconds above 0"),
    ({"default_timeout": "30s"}, "default_timeout", "milliseconds above 0"),
    ({"default_timeout": 10**400}, "default_timeout", "milliseconds above 0"),
    ({"retry_failed": 10**400}, "retry_failed", "a whole number from 0 to 1000"),
    ({"name": ""}, "name", "must not be empty"),
    ({"name": "a\nb"}, "name", "one line"),
    ({"metadata": ["x"]}, "metadata", "must be an object"),
    ({"setup": 7}, "setup", "callable without arguments"),
    ({"teardown": "shop.end"}, "teardown", "nothing is imported here"),
    ({"metadata": {"a": float("nan")}}, "metadata.a", "no number that JSON has"),
    ({"metadata": {"a": print}}, "metadata.a", "no JSON value"),
    ({"dataset": []}, "dataset", "there is no such key"),
]


@pytest.mark.parametrize(("keys", "field", "message"), SUITE_MISTAKES)
def test_suite_with_a_mistake__refused(keys, field, message):
    with pytest.raises(SuiteError) as refused:
        parse_suite({**keys, "test_cases": [CASE]})
    (problem,) = refused.value.problems
    assert (problem.item_index, problem.field) == (None, field)
    assert message in problem.message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"test_cases": []}, "at least one case"),
        ({"test_cases": None}, "is missing"),
        ({"test_cases": CASE}, "must be a list"),
        ({"default_model": "m"}, "is missing"),
    ],
)
def test_suite_without_cases__refused(data, message):
    assert message in problems(data)[None, "test_cases"]


CASE_MISTAKES: list[tuple[dict[str, Any], str, str]] = [
    ({"inptu": "x"}, "inptu", 'did you mean "input"'),
    ({"input": None}, "input", "is required"),
    ({"id": None}, "id", "is required"),
    ({"eval_type": "contians"}, "eval_type", 'did you mean "contains"'),
    ({"eval_type": 7}, "eval_type", "must be one of exact_match"),
    ({"eval_type": True}, "eval_type", "must be one of exact_match"),
    ({"eval_config": {"case_sensitive": False}}, "eval_config.case_sensitive", 'did you mean "case_insensitive"'),
    ({"eval_config": {"match_all": True}}, "eval_config.match_all", "there is no such key"),
    ({"eval_config": "strict"}, "eval_config", "must be an object"),
    ({"expected": None}, "(item)", "nothing to check"),
    ({"expected": None, "eval_type": "exact_match"}, "expected", "is missing"),
    ({"expected": False, "eval_type": "contains"}, "expected", "must be text or a list"),
    ({"expected": 42}, "expected", 'got 42; for the text, write "42"'),
    ({"expected": True}, "expected", 'got true; for the text, write "true"'),
    ({"expected": 42, "eval_type": "llm_judge"}, "expected", 'write "42"'),
    ({"expected": ""}, "expected", "every output would pass"),
    ({"expected": []}, "expected", "every output would pass"),
    ({"expected": {}}, "expected", "contains, contains_any, regex"),
    ({"expected": {"contains": "x"}}, "expected.contains", 'write ["x"]'),
    ({"expected": {"contains": [7]}}, "expected.contains[0]", "must be text"),
    ({"expected": ["a", 7.5]}, "expected[1]", "must be text, got 7.5"),
    ({"expected": {"contains_any": []}}, "expected.contains_any", "at least 1"),
    ({"expected": {"contains": ["x"], "regx": ["x"]}}, "expected.regx", 'did you mean "regex"'),
    ({"expected": {"regex": ["("]}}, "expected", "does not compile"),
    ({"expected": ["x"], "eval_type": "exact_match"}, "expected", "text or a number or true or false"),
    ({"eval_type": "fuzzy_match", "eval_config": {"threshold": 80}}, "eval_config.threshold", "from 0 to 1"),
    ({"eval_type": "fuzzy_match", "eval_config": {"threshold": True}}, "eval_config.threshold", "a number"),
    ({"eval_type": "tool_usage", "expected": {}}, "expected", "one of the keys tools_called"),
    ({"eval_type": "tool_usage"}, "expected", "must be an object"),
    ({"eval_type": "tool_usage", "expected": {"tool_called": ["a"]}}, "expected.tool_called", '"tools_called"'),
    ({"eval_type": "tool_usage", "expected": {"max_tool_calls": -1}}, "expected.max_tool_calls", "from 0 up"),
    (
        {"eval_type": "tool_usage", "expected": {"tool_args": {"a": {}}}, "eval_config": {"check_args": False}},
        "expected",
        "nothing is asked for",
    ),
    ({"eval_type": "schema", "expected": {}}, "expected", "keys schema, required_fields, field_values"),
    ({"eval_type": "schema", "expected": 7}, "expected", "must be the dotted path of a dataclass"),
    ({"eval_type": "schema", "expected": {"schema": int}}, "expected", "must be a JSON Schema"),
    ({"eval_type": "schema", "expected": {"schema": {"type": "objekt"}}}, "expected", "schema"),
    (
        {"eval_type": "schema", "expected": {"schema": Person}, "eval_config": {"validate_changeset": False}},
        "expected",
        "a schema that is asked",
    ),
    ({"eval_type": "llm_judge", "expected": {}}, "expected", "one of criteria, rubric, reference_answer"),
    ({"eval_type": "llm_judge", "expected": {"criterion": "x"}}, "expected.criterion", '"criteria"'),
    ({"eval_type": "llm_judge", "eval_config": {"pass_threshold": 3}}, "eval_config.pass_threshold", "from 0 to 1"),
    ({"eval_type": "llm_judge", "eval_config": {"scale": [5, 1]}}, "eval_config.scale", "with the lowest first"),
    ({"eval_type": "llm_judge", "eval_config": {"rule": "best"}}, "eval_config.rule", "one of mean, median, majority"),
    ({"eval_type": "custom"}, "eval_config.evaluator", "is missing"),
    ({"eval_type": "llm_judge", "expected": None}, "expected", "one of criteria, rubric, reference_answer"),
    ({"expected": {"contains": None}}, "expected", "an object with one of the keys contains, contains_any, regex"),
    ({"eval_type": "tool_usage", "expected": {"tools_called": None}}, "expected", "asks for nothing"),
    (
        {"eval_type": "custom", "eval_config": {"evaluator": 7}},
        "eval_config.evaluator",
        "must be the dotted path of a class or object",
    ),
    ({"eval_type": "custom", "eval_config": {"evaluator": int}}, "eval_config.evaluator", "int has none"),
    ({"agent_config": {"modle": "m"}}, "agent_config.modle", 'did you mean "model"'),
    (
        {"agent_config": {"model_settings": {"temprature": 1}}},
        "agent_config.model_settings.temprature",
        'did you mean "temperature"',
    ),
    ({"agent_config": {"tools": "shop.calculate"}}, "agent_config.tools", "a list of dotted paths"),
    ({"tools": [7]}, "tools[0]", "must be the dotted path of a tool, got 7"),
    ({"tools": [None]}, "tools[0]", "must be the dotted path of a tool, got null"),
    ({"tools": [calculate, calculate]}, "tools[1]", "already"),
    ({"tools": [calculate], "agent_config": {"tools": [calculate]}}, "tools", "give one of them"),
    ({"agent_config": {"output_type": int}}, "agent_config.output_type", "must be a JSON Schema"),
    (
        {
            "input": [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}],
            "agent_config": {"instructions": "c"},
        },
        "agent_config.instructions",
        "give one",
    ),
    ({"timeout": 0}, "timeout", "milliseconds above 0"),
    ({"timeout": "20s"}, "timeout", "milliseconds above 0"),
    ({"tags": 5}, "tags", "tags"),
    ({"metadata": {"a": calculate}}, "metadata.a", "no JSON value"),
    ({"deps": 7}, "deps", "an object or the dotted path of what the tools depend on, got 7"),
    ({"deps": {"a": float("inf")}}, "deps.a", "no number that JSON has"),
    ({"_assertions": [{"type": "contain"}]}, "_assertions[0].type", 'did you mean "contains"'),
    ({"turns": ["a"]}, "input", "turns"),
]


@pytest.mark.parametrize(("changes", "field", "message"), CASE_MISTAKES)
def test_case_with_a_mistake__refused(changes, field, message):
    found = wrong(**changes)
    assert message in found[field], found


# What the published JSON Schema of cases does not see.
SAYING_NOTHING: list[tuple[dict[str, Any], str, str]] = [
    ({"eval_type": "schema", "expected": {"schema": {}}}, "expected.schema", "says nothing"),
    ({"eval_type": "schema", "expected": {"schema": {"title": "x"}}}, "expected.schema", "says nothing"),
    (
        {"eval_type": "schema", "expected": {"schema": {}, "required_fields": ["name"]}},
        "expected.schema",
        "says nothing",
    ),
    (
        {"eval_type": "schema", "expected": {"required_fields": ["a"]}, "eval_config": {"allow_extra_fields": False}},
        "eval_config.allow_extra_fields",
        "needs a schema that tells its fields",
    ),
    (
        {
            "eval_type": "schema",
            "expected": {"schema": {"type": "object"}},
            "eval_config": {"allow_extra_fields": False},
        },
        "eval_config.allow_extra_fields",
        "needs a schema that tells its fields",
    ),
    ({"eval_type": "tool_usage", "expected": {"min_tool_calls": 0}}, "expected.min_tool_calls", "says nothing"),
]


@pytest.mark.parametrize(("changes", "field", "message"), SAYING_NOTHING)
def test_case_whose_check_every_output_meets__refused(changes, field, message):
    assert message in wrong(**changes)[field]


def test_cases_with_one_id__refused():
    assert "unique" in problems({"test_cases": [CASE, CASE]})[1, "id"]


def test_mistakes__are_all_told_at_once_in_the_order_of_the_cases():
    data = {"parallelism": 0, "test_cases": [{**CASE, "inptu": 1}, "case", {**CASE, "id": "b", "eval_type": "x"}]}
    assert list(problems(data)) == [(None, "parallelism"), (0, "inptu"), (1, "(item)"), (2, "eval_type")]


def test_class_that_cannot_be_made_or_called_with_three__refused():
    class NeedsMore:
        def __init__(self, more: str) -> None: ...

        def evaluate(self, actual, expected, config): ...

    class TakesOne:
        def evaluate(self, actual): ...

    for evaluator, message in ((NeedsMore, "cannot be made without arguments"), (TakesOne, "must take actual")):
        found = wrong(eval_type="custom", eval_config={"evaluator": evaluator})
        assert message in found["eval_config.evaluator"]


def test_function_that_is_called_with_other_arguments__refused():
    def needs(more: str) -> None: ...

    known = {"shop.needs": needs, "shop.nothing": lambda: None}
    data = {"setup": "shop.needs", "teardown": "shop.nothing", "test_cases": [{**CASE, "deps": "shop.needs"}]}
    assert problems(data, imports=known.__getitem__) == {
        (None, "setup"): "must be the dotted path of a callable without arguments, and its parameters are "
        "(more: 'str') -> 'None'",
        (None, "teardown"): "must be the dotted path of a callable that takes what setup returned, and its parameters "
        "are ()",
        (0, "deps"): "\"shop.needs\" is called without arguments, and its parameters are (more: 'str') -> 'None'",
    }


@pytest.mark.parametrize(
    ("keys", "changes", "field"),
    [
        ({"setup": "shop.lacking"}, {}, "setup"),
        ({"teardown": "shop.lacking"}, {}, "teardown"),
        ({}, {"eval_type": "schema", "expected": "shop.lacking"}, "expected"),
        ({}, {"eval_type": "schema", "expected": {"schema": "shop.lacking"}}, "expected.schema"),
        (
            {},
            {"eval_type": "schema", "expected": {"schema": "shop.lacking", "required_fields": ["a"]}},
            "expected.schema",
        ),
        (
            {},
            {"eval_type": "custom", "eval_config": {"evaluator": "shop.lacking"}, "reference": "hello"},
            "eval_config.evaluator",
        ),
        ({}, {"tools": ["shop.lacking"]}, "tools[0]"),
        ({}, {"agent_config": {"tools": ["shop.lacking"]}}, "agent_config.tools[0]"),
        ({}, {"agent_config": {"output_type": "shop.lacking"}}, "agent_config.output_type"),
        ({}, {"deps": "shop.lacking"}, "deps"),
    ],
)
def test_dotted_path_that_names_none__refused_where_it_stands(keys, changes, field):
    data = {**keys, "test_cases": [{**CASE, **changes}]}
    found = problems(data, imports=lambda path: None)
    assert {path: "names None" in message for (_, path), message in found.items()} == {field: True}
