"""What an item may say beside what the cases show, and that every problem is told at once."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neuron_evals import Problem, SuiteError, parse_suite
from neuron_evals.core.suites import dataset_problems
from neuron_evals.core.suites.items import KEYS

CONTAINS = {"type": "contains", "value": "9"}
VALID: dict[str, Any] = {"input": "hours?", "reference": "9"}


def fields(dataset: Any, **options: Any) -> list[tuple[int | None, str]]:
    return [(problem.item_index, problem.field) for problem in dataset_problems(dataset, **options)]


def messages(dataset: Any) -> str:
    return "\n".join(problem.written() for problem in dataset_problems(dataset))


def test_item_with_every_key__read_as_it_is():
    item = {
        "id": "hours",
        "name": "Hours",
        "description": "Opening hours",
        "input": "When?",
        "reference": "9",
        "tool": "lookup",
        "context": "9 to 5",
        "tags": ["smoke"],
        "timeout": 1.5,
        "repeats": 2,
        "metadata": {"owner": ["a"]},
        "_assertions": [CONTAINS],
    }
    (read,) = parse_suite([item]).items
    assert read.item == item
    assert [check.label for check in read.checks] == ["reference", "contains", "tool"]
    assert read.seen == {"input": "When?"}


def test_null__is_as_if_the_key_were_left_out():
    item = dict.fromkeys(KEYS) | VALID
    assert dataset_problems([item]) == ()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("input", None),
        ("input", "  \n"),
        ("input", True),
        ("reference", " "),
        ("tool", ""),
        ("context", 7),
        ("context", ""),
        ("id", ""),
        ("id", True),
        ("id", 1.5),
        ("id", ["a"]),
        ("name", 3),
        ("description", []),
        ("tags", 7),
        ("tags", ["a", ""]),
        ("tags", [1]),
        ("timeout", 0),
        ("timeout", -1),
        ("timeout", True),
        ("timeout", "5"),
        ("timeout", math.inf),
        ("timeout", math.nan),
        ("repeats", 0),
        ("repeats", 1.5),
        ("repeats", True),
        ("metadata", []),
        ("_assertions", {"type": "contains", "value": "9"}),
        ("_assertions", 9),
    ],
)
def test_key_with_a_wrong_value__named(key, value):
    assert (0, key) in fields([{**VALID, key: value}])


def test_assertions_that_are_no_objects__named_by_position():
    assert fields([{**VALID, "_assertions": [CONTAINS, "contains", None, 3, [CONTAINS]]}]) == [
        (0, "_assertions[1]"),
        (0, "_assertions[2]"),
        (0, "_assertions[3]"),
        (0, "_assertions[4]"),
    ]


@pytest.mark.parametrize("item", [None, "hi", 3, True, [VALID]])
def test_item_that_is_no_object__named_as_a_whole(item):
    assert fields([VALID, item]) == [(1, "(item)")]


@pytest.mark.parametrize("assertions", [[], None])
def test_item_with_an_empty_list_of_assertions_alone__has_nothing_to_check(assertions):
    assert fields([{"input": "q", "_assertions": assertions}]) == [(0, "(item)")]


def test_unknown_keys__each_named_with_the_nearest():
    said = messages([{**VALID, "refrence": "9", "_assertion": [], "zzz": 1}])
    assert 'item 0, refrence: there is no such key; did you mean "reference"?' in said
    assert 'item 0, _assertion: there is no such key; did you mean "_assertions"?' in said
    assert "item 0, zzz: there is no such key; known are input," in said


def test_ids_there_twice__named_at_the_later_item_with_the_earlier():
    dataset = [
        {**VALID, "id": "a"},
        {**VALID, "id": "b"},
        {**VALID, "id": "a"},
        {**VALID, "id": 1},
        {**VALID, "id": "1"},
    ]
    assert fields(dataset) == [(2, "id"), (4, "id")]
    assert "that of item 0 too" in messages(dataset)


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"input": "a\x00b"}, "input"),
        ({"metadata": {"a": ["x", "\ud800"]}}, "metadata.a[1]"),
        ({"metadata": {"a": math.nan}}, "metadata.a"),
        ({"metadata": {"a\x00": 1}}, "metadata"),
        ({"metadata": {"a": {1, 2}}}, "metadata.a"),
        ({"metadata": {1: 2}}, "metadata"),
        ({"_assertions": [{"type": "contains", "value": "\x00"}]}, "_assertions[0].value"),
        ({"_assertions": [{"type": "helpfulness", "threshold": math.inf}]}, "_assertions[0].threshold"),
    ],
)
def test_value_that_no_database_keeps__named_where_it_stands(value, field):
    assert (0, field) in fields([{**VALID, **value}])


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("key", ["metadata", "_assertions", "input"])
@pytest.mark.parametrize("depth", [29, 200, 100_000])
def test_nested_too_deeply__named_and_no_recursion_error(key, depth, as_text):
    nested: Any = "[" * depth + "]" * depth
    if as_text:
        found = fields(f'[{{"input": "q", "reference": "9", "{key}": {nested}}}]')
    else:
        value: Any = []
        for _ in range(depth - 1):
            value = [value]
        found = fields([{**VALID, key: value}])
    assert found
    assert all(index is None or path.startswith(key) for index, path in found)


def test_depth_that_databases_keep__accepted():
    value: Any = "x"
    for _ in range(28):
        value = {"a": value}
    assert dataset_problems([{**VALID, "metadata": value}]) == ()
    assert dataset_problems(json.dumps([{**VALID, "metadata": value}])) == ()
    assert fields([{**VALID, "metadata": {"a": value}}])[0][0] == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        "[",
        '[{"input": "a", "input": "b", "reference": "9"}]',
        '[{"input": "a", "reference": "9"}] x',
        '[{"input": "a", "reference": "9", "timeout": 1e999}]',
        "[NaN]",
        "\ufeff",
    ],
)
def test_text_that_is_no_json__a_problem_of_the_dataset(text):
    assert (None, "dataset") in fields(text)


def test_missing_judge_and_other_problems__in_the_order_of_the_items():
    judged = {"input": "q", "_assertions": [{"type": "helpfulness"}]}
    dataset = [judged, {**VALID, "tool": 7}, judged]
    assert fields(dataset, has_judge=False) == [(0, "_assertions[0].type"), (1, "tool"), (2, "_assertions[0].type")]
    assert fields(dataset, has_judge=True) == fields(dataset) == [(1, "tool")]


def test_syntax_error__line_and_column_are_told():
    assert "(line 2, column 16)" in messages('[\n {"input": "hi"; }\n]')


def test_text_with_nul__place_in_the_text_and_in_the_item_are_told():
    assert fields('[{"input": "ok", "reference": "9"}, {"input": "a\\u0000b", "reference": "9"}]') == [
        (None, "dataset"),
        (1, "input"),
    ]


@pytest.mark.parametrize("key", ["dataset", "items"])
def test_object_with_items__read_as_a_suite(key):
    suite = parse_suite(
        {
            "name": "Support",
            "description": "What support is asked",
            "agent": "support",
            "judge": "strict",
            "model": "m",
            "instructions": "Be brief.",
            "model_settings": {"temperature": 0, "seed": None},
            "timeout": 5,
            "retries": 0,
            "repeats": 2,
            "concurrency": 3,
            "tags": ["smoke", " smoke "],
            "metadata": {"a": 1},
            key: [VALID],
        }
    )
    assert (suite.name, suite.agent, suite.judge, suite.tags) == ("Support", "support", "strict", ("smoke",))
    assert suite.defaults.overrides == {"temperature": 0, "model": "m", "instructions": "Be brief."}
    defaults = suite.defaults
    assert (defaults.timeout, defaults.retries, defaults.repeats, defaults.concurrency) == (5, 0, 2, 3)
    assert (suite.metadata, suite.description, len(suite.items)) == ({"a": 1}, "What support is asked", 1)


def test_suite_with_mistakes_of_its_own__told_with_those_of_its_items():
    with pytest.raises(SuiteError) as refused:
        parse_suite(
            {
                "name": "a\nb",
                "retries": -1,
                "modell": "m",
                "model_settings": {"temperature": "hot", "top_k": 1},
                "items": [{"input": "q"}],
                "dataset": [{"input": "q"}],
            }
        )
    found = {problem.field: problem.item_index for problem in refused.value.problems}
    assert found == {
        "name": None,
        "retries": None,
        "modell": None,
        "model_settings.temperature": None,
        "model_settings.top_k": None,
        "items": None,
        "(item)": 0,
    }


def test_error__says_where_with_the_id_and_from_where_items_are_counted():
    with pytest.raises(SuiteError) as refused:
        parse_suite([VALID, {"id": "greeting", "input": "hi", "reference": 3}, {"input": "q"}])
    assert str(refused.value).splitlines() == [
        "2 problems (items are counted from 0):",
        '- item 1 (id "greeting"), reference: must be text, got 3',
        "- item 2: has nothing to check, so that it would pass whatever is said; give reference, tool or _assertions",
    ]
    index, field, message = refused.value.problems[0]
    assert (index, field, message) == Problem(1, "reference", "must be text, got 3")


def test_many_problems__all_are_in_the_error_and_the_text_ends():
    with pytest.raises(SuiteError) as refused:
        parse_suite([{"input": "q"}] * 300)
    assert len(refused.value.problems) == 300
    assert str(refused.value).endswith("and 250 more")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*KEYS, "type", "value", "values", "expected", "x"]), inner, max_size=5)
    ),
    max_leaves=15,
)
ASSERTION = st.dictionaries(
    st.sampled_from(
        ["value", "values", "pattern", "threshold", "assertion", "assertions", "expected", "schema", "min"]
    ),
    JSON,
    max_size=3,
).flatmap(
    lambda options: st.sampled_from(
        ["contains", "regex", "not", "all_of", "json_path", "matches_schema", "criteria"]
    ).map(lambda name: {**options, "type": name})
)


OF_CASES = {"expected", "eval_type", "eval_config", "agent_config", "deps"}
"""Keys by which a list is one of cases in the format of Nous.Eval."""


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.one_of(JSON, st.lists(st.fixed_dictionaries({"input": JSON, "_assertions": st.lists(ASSERTION, max_size=3)})))
)
def test_whatever_it_is__problems_or_a_suite_and_never_another_error(data):
    problems = dataset_problems(data)
    assert all(problem.message and problem.field for problem in problems)
    if isinstance(data, list) and not any(isinstance(item, dict) and OF_CASES & item.keys() for item in data):
        try:
            parse_suite(data)
        except SuiteError as exc:
            assert exc.problems == problems  # noqa: PT017  (either outcome is right)
        else:
            assert problems == ()
