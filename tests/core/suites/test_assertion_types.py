"""Every type of assertion by its name: the fields it takes, what it refuses, and how it is built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest

from neuron_evals import AssertionResult, FakeEmbeddings, Mode, StringAssertion, parse_suite
from neuron_evals.classifiers import Boolean, FakeClassifier, Score
from neuron_evals.core.assertions.registry import assertion_types
from neuron_evals.core.suites import Resources, dataset_problems

JUDGE = "a judge"
RESOURCES = Resources(lambda: lambda text: text, FakeClassifier, lambda: FakeEmbeddings({}))

VALID: dict[str, dict[str, Any]] = {
    "agent_judge": {"criteria": "polite", "threshold": 0, "reference": "", "examples": [{"output": "hi", "score": 1}]},
    "all_of": {"assertions": [{"type": "contains", "value": "a"}]},
    "any_of": {"assertions": [{"type": "contains", "value": "a"}, {"type": "not_empty"}]},
    "between": {"min": 1, "max": 2.5},
    "classifier_judge": {"criteria": "Is it polite?", "threshold": 0.5},
    "close_to": {"expected": 3, "abs_tol": 0.1, "rel_tol": 0},
    "contains": {"value": "a"},
    "contains_all": {"values": ["a", "b"]},
    "contains_any": {"values": ["a"]},
    "contains_json": {"expected": None, "schema": {"type": "object"}},
    "correctness": {"expected": "9 to 5", "votes": 3, "rule": "median"},
    "correctness_judge": {"expected": "9 to 5"},
    "criteria": {"criteria": "polite"},
    "equals": {"expected": ""},
    "exact_match": {"expected": True, "trim": False},
    "faithfulness": {"context": "9 to 5"},
    "faithfulness_judge": {"context": "9 to 5"},
    "fuzzy_match": {"expected": "a", "threshold": 0.5},
    "greater_than": {"threshold": 3},
    "helpfulness": {},
    "helpfulness_judge": {"threshold": 1},
    "is_valid_json": {},
    "json_equals": {"expected": {}},
    "json_path": {"path": "a.b[0]", "expected": None},
    "matches_regex": {"regex": "/a/i"},
    "matches_schema": {"schema": {"type": "object"}},
    "max_cost": {"limit": 0.5},
    "max_duration": {"seconds": 3},
    "max_tokens": {"limit": 100},
    "not": {"assertion": {"type": "regex", "pattern": "a+"}},
    "not_contains": {"keyword": "a"},
    "not_empty": {},
    "number_equals": {"expected": "0.1", "tolerance": 0.01},
    "one_of": {"options": ["a", 1, None]},
    "regex": {"pattern": "^a$"},
    "relevance": {"question": "when?"},
    "relevance_judge": {"question": "when?"},
    "rubric_judge": {"criteria": "tone", "scale": {"bad": 0, "good": 1}, "rubric": "how it sounds"},
    "string_contains": {"keyword": "a"},
    "string_contains_all": {"keywords": ["a"]},
    "string_contains_any": {"keywords": ["a"]},
    "string_distance": {"reference": "a", "max_distance": 3},
    "string_ends_with": {"suffix": "a"},
    "string_length_between": {"min": 0, "max": 3},
    "string_similarity": {"reference": "a", "threshold": 0.5},
    "string_starts_with": {"prefix": "a"},
    "task_completion_judge": {"goal": "a refund"},
    "tool_call_count": {"min": 1, "name": "refund"},
    "tool_usage": {"tools_called": ["refund"], "tool_args": {"refund": {"id": 1}}},
    "tool_was_approved": {"name": "refund"},
    "tool_was_called": {"name": "refund", "arguments": {"id": 1}, "nested": True},
    "tool_was_not_called": {"name": "refund", "executed_only": True},
    "tool_was_rejected": {"name": "refund"},
    "trajectory_matches": {"expected": ["a", {"name": "b", "arguments": {"id": 1}}], "mode": "in_order"},
    "weighted": {"assertion": {"type": "contains", "value": "a"}, "weight": 0},
}


def entry(name: str, options: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"input": "q", "_assertions": [{"type": name, **options}]}]


def problem_fields(name: str, options: dict[str, Any], **more: Any) -> list[str]:
    return [problem.field.removeprefix("_assertions[0]") for problem in dataset_problems(entry(name, options), **more)]


def built(name: str, options: dict[str, Any], **more: Any) -> Any:
    (item,) = parse_suite(entry(name, options), **more).items
    return item.checks[0].assertion.build(RESOURCES)


def test_every_type_has_an_example():
    assert VALID.keys() == assertion_types().keys()


@pytest.mark.parametrize("name", VALID)
def test_type__built_as_its_class_would_be(name):
    assertion = built(name, VALID[name])
    assert type(assertion) is assertion_types()[name]


@pytest.mark.parametrize("name", VALID)
def test_unknown_field__named(name):
    assert problem_fields(name, {**VALID[name], "nonsense": 1}) == [".nonsense"]


@pytest.mark.parametrize("name", [name for name in VALID if name not in {"not_empty", "is_valid_json"}])
def test_every_field_with_an_object_of_another_kind__refused_or_taken_by_the_class(name):
    """A wrong type is never lost: each field that is not open to any value refuses a list of lists of numbers."""
    for field in VALID[name]:
        fields = problem_fields(name, {**VALID[name], field: [[[1]]]})
        assert fields == [] or all(found.startswith(f".{field}") for found in fields), (field, fields)
        if field not in {"expected", "options"}:
            assert fields, field


@pytest.mark.parametrize(
    ("name", "options", "fields"),
    [
        ("contains", {"value": ""}, [".value"]),
        ("contains", {"value": None}, [".value"]),
        ("contains", {}, [".value"]),
        ("not_contains", {"keyword": ""}, [".keyword"]),
        ("contains_any", {"values": "9"}, [".values"]),
        ("contains_all", {"values": ["", 3]}, [".values[0]", ".values[1]"]),
        ("string_starts_with", {"prefix": ""}, [".prefix"]),
        ("string_ends_with", {"suffix": ""}, [".suffix"]),
        ("regex", {"pattern": ""}, [".pattern"]),
        ("regex", {"pattern": "//"}, [".pattern"]),
        ("regex", {"pattern": "/a/q"}, [".pattern"]),
        ("regex", {"pattern": "/a"}, [".pattern"]),
        ("regex", {"pattern": "("}, [".pattern"]),
        ("regex", {"pattern": "x" * 1001}, [".pattern"]),
        ("regex", {"pattern": "a", "regex": "b"}, [".regex"]),
        ("matches_regex", {}, [".pattern"]),
        ("helpfulness", {"threshold": -0.1}, [".threshold"]),
        ("helpfulness", {"threshold": 1.5, "votes": 0, "rule": "most"}, [".votes", ".rule", ".threshold"]),
        ("helpfulness", {"judge": "me"}, [".judge"]),
        ("criteria", {"criteria": "  "}, [".criteria"]),
        ("criteria", {"criteria": "c", "examples": "x"}, [".examples"]),
        ("criteria", {"criteria": "c", "examples": [{"output": "a", "score": 1, "more": 2}]}, [".examples[0].more"]),
        ("correctness", {"expected": ""}, [".expected"]),
        ("faithfulness", {"context": " "}, [".context"]),
        ("relevance", {"question": ""}, [".question"]),
        ("task_completion_judge", {}, [".goal"]),
        ("rubric_judge", {"criteria": "c", "scale": [5, 1]}, [".scale"]),
        ("one_of", {"options": []}, [".options"]),
        ("trajectory_matches", {"expected": [], "mode": "subset"}, [".expected"]),
        ("trajectory_matches", {"expected": [], "mode": "in_order"}, [".expected"]),
        ("trajectory_matches", {"expected": [""]}, [".expected[0]"]),
        ("trajectory_matches", {"expected": ["a"], "mode": "some"}, [".mode"]),
        ("trajectory_matches", {"expected": [{"tool": "a"}]}, [".expected[0]"]),
        ("tool_was_called", {"name": ""}, [".name"]),
        ("tool_call_count", {}, [""]),
        ("tool_call_count", {"min": 3, "max": 1}, [".min"]),
        ("tool_call_count", {"min": -1, "max": -1, "name": ""}, [".min", ".max", ".name"]),
        ("close_to", {"expected": 1, "abs_tol": -1, "rel_tol": -1}, [".abs_tol", ".rel_tol"]),
        ("tool_usage", {}, [""]),
        ("tool_usage", {"tools_called": []}, [""]),
        ("tool_usage", {"tools_called": [""]}, [".tools_called[0]"]),
        ("string_length_between", {"min": 5, "max": 1}, [".min"]),
        ("string_distance", {"reference": "a", "threshold": 0, "normalized": True}, [""]),
        ("fuzzy_match", {"expected": "a", "threshold": 0}, [""]),
        ("exact_match", {"expected": ["a"]}, [".expected"]),
        ("json_path", {"path": ""}, [".path"]),
        ("json_path", {"path": "a[b"}, [".path"]),
        ("matches_schema", {"schema": {"type": 7}}, [".schema"]),
        ("matches_schema", {"schema": {"$ref": "file:///etc/passwd"}}, [".schema"]),
        ("matches_schema", {"schema": "shop.Order"}, [".schema"]),
        ("max_duration", {"seconds": 0}, [".seconds"]),
        ("weighted", {"assertion": {"type": "contains", "value": "a"}, "weight": -1}, [".weight"]),
        ("weighted", {"assertion": {"type": "contains", "value": ""}, "weight": True}, [".assertion.value", ".weight"]),
        ("not", {"assertion": {"type": "contain", "value": "a"}}, [".assertion.type"]),
        ("not", {"assertion": "contains"}, [".assertion"]),
        ("all_of", {"assertions": []}, [".assertions"]),
        (
            "all_of",
            {"assertions": [{"type": "regex", "pattern": "("}, 3]},
            [".assertions[0].pattern", ".assertions[1]"],
        ),
        ("any_of", {"assertions": [{"type": "not", "assertion": {}}]}, [".assertions[0].assertion.type"]),
        ("classifier_judge", {"criteria": {}}, [".criteria"]),
        ("classifier_judge", {"criteria": {"instructions": "q", "levels": ["a"]}}, [".criteria.levels"]),
        ("classifier_judge", {"criteria": {"a": {"levels": ["a", "b"]}}}, [".criteria.a.instructions"]),
    ],
)
def test_options_that_mean_nothing__named_by_field(name, options, fields):
    assert problem_fields(name, options) == fields


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Contains", "contains"),
        ("contain", "contains"),
        ("correctnes", "correctness"),
        ("tool_called", "tool_was_called"),
    ],
)
def test_unknown_type__the_nearest_is_named_and_all_are_listed(name, hint):
    (problem,) = dataset_problems(entry(name, {}))
    assert problem.field == "_assertions[0].type"
    assert f'there is no type "{name}"; did you mean "{hint}"? the types are agent_judge,' in problem.message


@pytest.mark.parametrize("name", [None, 3, ["contains"], {"a": 1}, True])
def test_type_that_is_no_text__named(name):
    (problem,) = dataset_problems([{"input": "q", "_assertions": [{"type": name, "value": "9"}]}])
    assert problem.field == "_assertions[0].type"


@pytest.mark.parametrize("key", ["pattern", "regex"])
@pytest.mark.parametrize("name", ["regex", "matches_regex"])
def test_pattern_of_a_regex__by_both_names(name, key):
    assert built(name, {key: "/a/i"}).evaluate("A").passed


@pytest.mark.parametrize(
    ("name", "field", "key"),
    [
        ("correctness", "expected", "reference"),
        ("faithfulness", "context", "context"),
        ("relevance", "question", "input"),
    ],
)
@pytest.mark.parametrize("inside", [False, True])
def test_field_that_is_left_out__taken_from_the_item(name, field, key, inside):
    found = {"type": name}
    item = {
        "input": "q",
        key: "from the item",
        "_assertions": [{"type": "not", "assertion": found} if inside else found],
    }
    (read,) = parse_suite([item]).items
    assertion: Any = read.checks[-1].assertion.build(RESOURCES)
    assert getattr(assertion.assertion if inside else assertion, field) == "from the item"


def test_fallback_that_is_wrong_itself__said_once():
    problems = dataset_problems([{"input": "q", "reference": 7, "_assertions": [{"type": "correctness"}]}])
    assert [problem.field for problem in problems] == ["reference"]


def test_null__is_the_default_but_a_value_where_any_is_taken():
    assert built("helpfulness", {"threshold": None, "votes": None}).threshold == 0.7
    assert built("json_equals", {"expected": None}).evaluate("null").passed
    assert built("json_path", {"path": "a", "expected": None}).evaluate('{"a": null}').passed


def test_mode_of_a_trajectory__by_value_and_alias():
    assert built("trajectory_matches", {"expected": ["a"], "mode": "only"}).mode is Mode.SUPERSET


@pytest.mark.parametrize("mode", ["strict", "unordered", "superset"])
def test_no_calls_expected__means_something_but_in_subset(mode):
    assert problem_fields("trajectory_matches", {"expected": [], "mode": mode}) == []


@pytest.mark.parametrize(
    ("criteria", "asked"),
    [
        ("polite?", Boolean("polite?")),
        ({"instructions": "polite?"}, Boolean("polite?")),
        ({"instructions": "tone", "levels": ["bad", "good"]}, Score("tone", ("bad", "good"))),
        ({"tone": "polite?", "levels": "many?"}, {"tone": Boolean("polite?"), "levels": Boolean("many?")}),
    ],
)
def test_question_of_a_classifier__as_text_object_or_several_by_name(criteria, asked):
    assert built("classifier_judge", {"criteria": criteria}).criteria == asked


class Mood(Enum):
    GOOD = "good"
    BAD = "bad"


@dataclass(frozen=True)
class Sentiment(StringAssertion):
    """Passes when the text sounds right.

    Args:
        mood: How it should sound.
        words: What counts.
        judge: Who says so.
    """

    mood: Mood
    words: Sequence[str] = ()
    judge: Any = None

    def __post_init__(self) -> None:
        if len(self.words) > 2:
            raise ValueError("too many words")

    def evaluate_string(self, text: str) -> AssertionResult:
        return AssertionResult.ok(message=self.mood.name)


class Plain(StringAssertion):
    """No dataclass."""

    def __init__(self, word: str, times: int = 1) -> None:
        self.word = word
        self.times = times

    def evaluate_string(self, text: str) -> AssertionResult:
        return AssertionResult.ok() if text.count(self.word) >= self.times else AssertionResult.fail(0.0, "too few")


OWN: dict[str, Any] = {**assertion_types(), "sentiment": Sentiment, "plain": Plain}


def test_type_of_a_project__its_fields_are_its_own():
    assertion = built("sentiment", {"mood": "good", "words": ["a"]}, types=OWN)
    assert (assertion.mood, assertion.words) == (Mood.GOOD, ["a"])
    assert callable(assertion.judge)
    assert built("plain", {"word": "a", "times": 2}, types=OWN).evaluate("aa").passed
    assert built("not", {"assertion": {"type": "plain", "word": "a"}}, types=OWN).evaluate("b").passed


@pytest.mark.parametrize(
    ("name", "options", "fields"),
    [
        ("sentiment", {}, [".mood"]),
        ("sentiment", {"mood": "so-so", "words": [1], "tone": 1}, [".tone", ".mood", ".words[0]"]),
        ("sentiment", {"mood": "good", "words": ["a", "b", "c"]}, [""]),
        ("plain", {"word": 3, "times": "x"}, [".word", ".times"]),
        ("plain", {}, [".word"]),
    ],
)
def test_type_of_a_project__refuses_by_field(name, options, fields):
    assert problem_fields(name, options, types=OWN) == fields


def test_type_of_a_project_that_takes_a_judge__needs_one():
    data = entry("sentiment", {"mood": "good"})
    assert [problem.field for problem in dataset_problems(data, types=OWN, has_judge=False)] == ["_assertions[0].type"]


def test_judge_inside_another_assertion__is_needed_there():
    data = entry(
        "any_of", {"assertions": [{"type": "not_empty"}, {"type": "not", "assertion": {"type": "helpfulness"}}]}
    )
    (problem,) = dataset_problems(data, has_judge=False)
    assert problem.field == "_assertions[0].assertions[1].assertion.type"
