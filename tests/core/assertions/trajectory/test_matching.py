from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.assertions import Not, TrajectoryMatches
from neuron_evals.core.assertions.trajectory import Mode, alignment
from neuron_evals.core.assertions.trajectory.expected import ExpectedCall
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from neuron_evals.core.messages import ToolCall
from neuron_evals.matchers import Number
from tests.core.assertions.trajectory.conversations import call, conversation, pending, rejected

ORDER = ["search", "refund", "mail"]


def wanted(name, **arguments):
    return {"name": name, "arguments": arguments}


@pytest.mark.parametrize(
    ("expected", "actual", "modes"),
    [
        # The modes in which these lists match: S strict, U unordered, B subset, P superset.
        (ORDER, ORDER, "SUBP"),
        ([*ORDER, "x"], ORDER, "P"),
        (["mail", "search"], ORDER, ""),
        (["mail", "search", "refund"], ORDER, "UP"),
        (["mail", "search", "other"], ORDER, ""),
        (["search", "mail"], ORDER, "B"),
        (["search", "refund"], ORDER, "B"),
        ([], [], "SUBP"),
        ([], ORDER, "B"),
        (["search"], [], "P"),
        (["search", "search"], ["search", "search"], "SUBP"),
        (["search"], ["search", "search"], "BP"),
        (["b", "a", "a"], ["a", "a", "b"], "UP"),
        (["a", "b", "b"], ["a", "a", "b"], "P"),
        (["a", "b"], ["a", "a", "b"], "BP"),
        (["refund", "search"], ["search", "refund", "search"], "BP"),
        (["search"] * 3, ["search", "refund", "search"], ""),
        (["refund", "refund"], ["search", "refund", "search"], ""),
        (["Search"], ["search"], ""),
        (["1", "1.0", "01"], ["01", "1", "1.0"], "UP"),
        (["login", "fetch"], ["login"], "P"),
    ],
)
@pytest.mark.parametrize("mode", Mode)
def test_names_match_as_the_mode_says(expected, actual, modes, mode):
    letter = {Mode.STRICT: "S", Mode.UNORDERED: "U", Mode.SUBSET: "B", Mode.SUPERSET: "P"}[mode]
    passed = letter in modes
    trajectory = conversation(*actual)
    result = TrajectoryMatches(expected, mode).evaluate(trajectory)
    assert (result.passed, result.score) == (passed, float(passed))
    assert bool(result.message) is not passed
    assert Not(TrajectoryMatches(expected, mode)).evaluate(trajectory).passed is not passed


def test_strict_is_the_default_and_calls_that_did_not_run_count():
    trajectory = conversation("search", rejected("refund"), pending("mail"))
    assert TrajectoryMatches(ORDER).evaluate(trajectory).passed
    assert TrajectoryMatches(["search"], executed_only=True).evaluate(trajectory).passed


@pytest.mark.parametrize(
    ("given_mode", "mode"),
    [
        ("strict", Mode.STRICT),
        ("unordered", Mode.UNORDERED),
        ("subset", Mode.SUBSET),
        ("superset", Mode.SUPERSET),
        ("in_order", Mode.SUBSET),
        ("only", Mode.SUPERSET),
        (Mode.IN_ORDER, Mode.SUBSET),
        (Mode.ONLY, Mode.SUPERSET),
    ],
)
def test_a_mode_is_known_by_its_value_and_its_other_name(given_mode, mode):
    assert TrajectoryMatches(["a"], given_mode).mode is mode


@pytest.mark.parametrize(
    ("expected", "actual", "passed"),
    [
        ([wanted("sql", q="SELECT 1", n=1)], [call("sql", n=1, q="SELECT 1")], True),
        ([wanted("sql", q="a", n=1)], [ToolCall("sql", '{"n": 1, "q": "a"}', result="ok")], True),  # type: ignore[arg-type]
        ([wanted("sql", q="x")], [call("sql", q="x", n=1)], True),
        ([wanted("sql", n=1)], [call("sql", n=1.0)], False),
        ([wanted("sql", n=Number(1))], [call("sql", n=1.0)], True),
        ([wanted("sql")], [call("sql", n=1)], True),
        ([{"name": "sql"}], [call("sql", n=1)], True),
        ([{"name": "sql", "arguments": None}], [call("sql", n=1)], True),
        ([{"name": "sql", "arguments": lambda given: given["n"] > 0}], [call("sql", n=1)], True),
        ([ToolCall("sql", {"n": 1}), "read"], [call("sql", n=1), call("read")], True),
        ([ToolCall("sql")], [call("sql", n=1)], True),
        ([wanted("pay", sum=3)], [], False),
    ],
)
def test_calls_may_be_expected_with_arguments(expected, actual, passed):
    for mode in (Mode.STRICT, Mode.UNORDERED, Mode.SUBSET):
        assert TrajectoryMatches(expected, mode).evaluate(conversation(*actual)).passed is passed


def test_objects_inside_arguments_may_have_more_keys_when_nested():
    trajectory = conversation(call("ship", to={"city": "Rome", "zip": "1"}))
    expected = [wanted("ship", to={"city": "Rome"})]
    assert not TrajectoryMatches(expected).evaluate(trajectory).passed
    assert TrajectoryMatches(expected, nested=True).evaluate(trajectory).passed


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        # Arguments are a subset in one direction only, in every mode.
        ([wanted("f", a=1)], [call("f", a=1, b=2)]),
        # The first expected call fits both, and must leave the first actual one to the second.
        ([wanted("f", a=1), wanted("f", a=1, b=2)], [call("f", a=1, b=2), call("f", a=1)]),
        (["f", wanted("f", q="b")], [call("f", q="b"), call("f", q="a")]),
        (
            ["f", wanted("f", a=1), wanted("f", a=1, b=1), wanted("f", a=1, b=1, c=1)],
            [call("f", a=1, b=1, c=1), call("f", a=1, b=1), call("f", a=1), call("f")],
        ),
    ],
)
def test_unordered_calls_match_when_any_assignment_does_whatever_the_order(expected, actual):
    for wanted_order, made in itertools.product(itertools.permutations(expected), itertools.permutations(actual)):
        result = TrajectoryMatches(wanted_order, Mode.UNORDERED).evaluate(conversation(*made))
        assert result.passed, result.message


def test_one_call_is_not_enough_for_two_expected_ones():
    twice = TrajectoryMatches([wanted("f", q="x")] * 2, Mode.UNORDERED)
    result = twice.evaluate(conversation(call("f", q="x")))
    assert (result.passed, result.score) == (False, 0.0)
    assert twice.evaluate(conversation(*[call("f", q="x")] * 2)).passed


calls = st.lists(st.sampled_from("ab"), max_size=5)
flags = st.lists(st.fixed_dictionaries({}, optional={"x": st.just(1), "y": st.just(1), "z": st.just(1)}), max_size=3)


@given(flags, flags)
def test_the_graded_score_of_an_unordered_match_is_that_of_the_best_of_all_assignments(expected, actual):
    def fit(arguments, made):
        return arguments.items() <= made.items()

    padded = [*actual, *[None] * len(expected)]
    best = max(
        sum(made is not None and fit(arguments, made) for arguments, made in zip(expected, order, strict=False))
        for order in itertools.permutations(padded, len(expected))
    )
    size = len(expected) + len(actual)
    trajectory = conversation(*[call("f", **made) for made in actual])
    result = TrajectoryMatches([wanted("f", **e) for e in expected], Mode.UNORDERED, graded=True).evaluate(trajectory)
    assert result.score == pytest.approx(2 * best / size if size else 1)
    assert result.passed is (best == len(expected) == len(actual))


def longest_common_subsequence(one, other):
    if not one or not other:
        return 0
    if one[0] == other[0]:
        return 1 + longest_common_subsequence(one[1:], other[1:])
    return max(longest_common_subsequence(one[1:], other), longest_common_subsequence(one, other[1:]))


@given(calls, calls, st.sampled_from([Mode.STRICT, Mode.SUBSET]))
def test_the_graded_score_of_an_ordered_match_is_that_of_the_longest_common_subsequence(expected, actual, mode):
    longest, size = longest_common_subsequence(expected, actual), len(expected) + len(actual)
    result = TrajectoryMatches(expected, mode, graded=True).evaluate(conversation(*actual))
    assert result.score == pytest.approx(2 * longest / size if size else 1)
    assert result.passed is (expected == actual if mode is Mode.STRICT else longest == len(expected))


@pytest.mark.parametrize(
    ("expected", "actual", "mode", "score", "passed"),
    [
        ([wanted("search", q="x")] * 2, [call("search", q="x")] * 2, Mode.UNORDERED, 1, True),
        ([wanted("search", q="x")] * 2, [call("search", q="x")], Mode.UNORDERED, 2 / 3, False),
        (["a"], ["a", "b"], Mode.SUBSET, 2 / 3, True),
        (["a"], ["a", "b", "a", "c"], Mode.SUPERSET, 0.5, False),
        (["a"], [], Mode.SUPERSET, 1, True),
        (["a"], [], Mode.STRICT, 0, False),
        ([], ["a"], Mode.STRICT, 0, False),
        ([], [], Mode.STRICT, 1, True),
    ],
)
def test_a_graded_score_says_how_near_the_calls_came(expected, actual, mode, score, passed):
    result = TrajectoryMatches(expected, mode, graded=True).evaluate(conversation(*actual))
    assert result.score == pytest.approx(score)
    assert result.passed is passed


@pytest.mark.parametrize(
    ("expected", "actual", "mode", "message"),
    [
        (["a"], ["a", "b"], Mode.STRICT, "strict: expected [a], got [a, b]: a, extra b"),
        (["a", "b", "c"], ["a", "c"], Mode.STRICT, "strict: expected [a, b, c], got [a, c]: a, missing b, c"),
        (["a"], [], Mode.STRICT, "strict: expected [a], got []: missing a"),
        (["b", "a"], ["a", "a"], Mode.UNORDERED, "unordered: expected [b, a], got [a, a]: missing b, a, extra a"),
        (["a", "c"], ["a", "b"], Mode.IN_ORDER, "subset: expected [a, c], got [a, b]: a, missing c, other b"),
        (["a"], ["a", "b"], Mode.ONLY, "superset: expected [a], got [a, b]: not allowed b({})"),
        (
            [wanted("pay", sum=3), "mail"],
            [call("search"), call("pay", sum=4), call("mail")],
            Mode.STRICT,
            'strict: expected [pay({"sum":3}), mail], got [search({}), pay({"sum":4}), mail({})]: '
            'extra search, pay({"sum":4}) instead of pay({"sum":3}), mail',
        ),
        (
            [wanted("pay", sum=3), wanted("pay", sum=1)],
            [call("pay", sum=1), call("pay", sum=4)],
            Mode.UNORDERED,
            'unordered: expected [pay({"sum":3}), pay({"sum":1})], got [pay({"sum":1}), pay({"sum":4})]: '
            'pay({"sum":4}) instead of pay({"sum":3}), pay({"sum":1})',
        ),
    ],
)
def test_a_failure_aligns_expected_and_actual_calls(expected, actual, mode, message):
    assert TrajectoryMatches(expected, mode).evaluate(conversation(*actual)).message == message


def test_the_alignment_is_kept_for_reports():
    result = TrajectoryMatches(["a", wanted("pay", sum=3)]).evaluate(conversation("a", "b", call("pay", sum=4)))
    assert result.context == {
        "mode": "strict",
        "expected": ["a", 'pay({"sum":3})'],
        "actual": ["a({})", "b({})", 'pay({"sum":4})'],
        "alignment": [
            {"expected": "a", "actual": "a({})", "fits": True},
            {"expected": None, "actual": "b({})", "fits": False},
            {"expected": 'pay({"sum":3})', "actual": 'pay({"sum":4})', "fits": False},
        ],
    }


def test_an_unwanted_match_says_so():
    message = Not(TrajectoryMatches(["a"])).evaluate(conversation("a")).message
    assert message == "strict: expected [a], got [a], and they should not match"


def test_long_lists_that_differ_at_one_place_are_aligned_and_shown_in_part():
    names = [f"tool_{number}" for number in range(5_000)]
    trajectory = conversation(*names)
    assert TrajectoryMatches(names).evaluate(trajectory).passed
    for expected in ([*names, "x"], ["x", *names], [*names[:100], "x", *names[100:]]):
        result = TrajectoryMatches(expected, graded=True).evaluate(trajectory)
        assert result.score == pytest.approx(10_000 / 10_001)
        assert len(result.message) < 1_500
        assert "and 4,981 more" in result.message
        assert sum(pair["fits"] for pair in result.context["alignment"]) == 5_000


@pytest.mark.parametrize(
    ("mode", "first"),
    [
        (Mode.STRICT, "the first 2 expected calls were made in order, then b({}) instead of c"),
        (Mode.SUBSET, "the first 3 expected calls were made in order, then missing d"),
    ],
)
def test_lists_that_are_too_long_to_align_fail_with_the_first_difference_and_say_what_was_left_out(mode, first):
    expected = ["a", "a", *["c", "d"] * 600]
    actual = conversation("a", "a", *["b", "c"] * 600)
    result = TrajectoryMatches(expected, mode).evaluate(actual)
    assert (result.passed, result.score, result.context["alignment"]) == (False, 0, None)
    left_out = "left out, because it would weigh more than 1,000,000 pairs of calls"
    assert result.message.endswith(f": {first} (the alignment was {left_out})")
    assert result.context["alignment_left_out"] == left_out
    assert (len(result.context["expected"]), len(result.context["actual"])) == (1_202, 1_202)
    graded = TrajectoryMatches(expected, mode, graded=True).evaluate(actual)
    assert not graded.passed
    assert graded.score == pytest.approx(2 * 602 / 2_404)


@given(calls, calls, st.sampled_from([Mode.STRICT, Mode.SUBSET]))
def test_the_grade_and_the_verdict_are_the_same_without_an_alignment(expected, actual, mode):
    assertion = TrajectoryMatches(expected, mode, graded=True)
    plain, trajectory = TrajectoryMatches(expected, mode), conversation(*actual)
    wanted, verdict = assertion.evaluate(trajectory), plain.evaluate(trajectory)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(alignment, "MOST_PAIRS", 0)
        found = assertion.evaluate(trajectory)
        assert (found.passed, found.score) == (wanted.passed, wanted.score)
        assert plain.evaluate(trajectory).passed == verdict.passed


@given(flags, flags)
def test_the_grade_of_calls_with_arguments_is_the_same_without_an_alignment(expected, actual):
    assertion = TrajectoryMatches([wanted("f", **arguments) for arguments in expected], graded=True)
    trajectory = conversation(*[call("f", **made) for made in actual])
    found = assertion.evaluate(trajectory)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(alignment, "MOST_PAIRS", 0)
        assert assertion.evaluate(trajectory).score == found.score


@pytest.mark.parametrize("mode", [Mode.STRICT, Mode.UNORDERED, Mode.SUBSET])
def test_long_lists_of_one_tool_that_are_alike_are_compared_once_a_call(mode):
    asked = 0

    def positive(value):
        nonlocal asked
        asked += 1
        return value > 0

    length = 3_000
    trajectory = conversation(*[call("f", n=number) for number in range(1, length + 1)])
    assert TrajectoryMatches([wanted("f", n=positive)] * length, mode).evaluate(trajectory).passed
    assert asked <= 2 * length


@pytest.fixture
def compared(monkeypatch):
    """A list that grows by one with each comparison of an expected call with an actual one."""
    made: list[None] = []
    fits = ExpectedCall.fits

    def counted(self, actual, *, nested):
        made.append(None)
        return fits(self, actual, nested=nested)

    monkeypatch.setattr(ExpectedCall, "fits", counted)
    return made


@pytest.mark.parametrize("mode", [Mode.UNORDERED, Mode.SUPERSET])
def test_long_lists_of_equal_calls_in_another_order_are_found_by_their_arguments(compared, mode):
    numbers = range(3_000)
    expected = [wanted("f", n=number) for number in numbers]
    trajectory = conversation(*[call("f", n=number) for number in reversed(numbers)])
    assert TrajectoryMatches(expected, mode).evaluate(trajectory).passed
    assert len(compared) <= 3 * len(numbers)


def test_many_expected_calls_that_none_fits_are_looked_for_once(compared):
    expected = [*[wanted("f", n=1)] * 300, "f"]
    trajectory = conversation(*[call("f", n=1)] * 100, *[call("f", n=2)] * 200)
    result = TrajectoryMatches(expected, Mode.UNORDERED, graded=True).evaluate(trajectory)
    assert not result.passed
    assert result.score == pytest.approx(2 * 101 / 601)
    assert len(compared) <= 2 * 300 * 300


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"expected": ["search", None]}, r"expected\[1\] must be a tool's name, a mapping .*, got NoneType"),
        ({"expected": ["search", 42]}, r"expected\[1\] must be a tool's name, .*, got int"),
        ({"expected": [{"tool": "a"}]}, r"expected\[0\] must be .*, got keys tool"),
        ({"expected": [{"name": "a", "args": {}}]}, r"expected\[0\] must be .*, got keys name, args"),
        ({"expected": [{"name": "a", "arguments": "x"}]}, r"expected\[0\]: arguments must be a mapping or a callable"),
        ({"expected": ["search", ""]}, r"expected\[1\]: name must be the name of a tool, got an empty text"),
        ({"expected": [{"name": ""}]}, r"expected\[0\]: name must be the name of a tool, got an empty text"),
        ({"expected": [ToolCall("")]}, r"expected\[0\]: name must be the name of a tool, got an empty text"),
        ({"expected": "search"}, "expected must be a list of tool names or calls, got str"),
        ({"expected": {"name": "search"}}, "expected must be a list of tool names or calls, got dict"),
        ({"expected": None}, "expected must be a list of tool names or calls, got NoneType"),
        ({"expected": [], "mode": "exact"}, "mode is one of strict, unordered, subset, superset, in_order, only, got"),
        ({"expected": [], "mode": None}, "mode is one of"),
        ({"expected": [], "graded": 1}, "graded must be True or False, got int"),
        ({"expected": [], "nested": "x"}, "nested must be True or False, got str"),
        ({"expected": [], "executed_only": None}, "executed_only must be True or False, got NoneType"),
    ],
)
def test_an_option_that_cannot_mean_anything_is_refused(options, problem):
    with pytest.raises(InvalidArgument, match=f"^TrajectoryMatches: {problem}"):
        TrajectoryMatches(**options)


@pytest.mark.parametrize("actual", ["a plain string", None, []])
def test_what_is_no_trajectory_is_an_error(actual):
    with pytest.raises(InvalidInput, match="TrajectoryMatches evaluates a Trajectory"):
        TrajectoryMatches(["x"]).evaluate(actual)


def test_nothing_expected_in_a_list_with_gaps_is_vacuous():
    assert [TrajectoryMatches([], mode).vacuous for mode in Mode] == [False, False, True, False]
    assert not TrajectoryMatches(["a"], Mode.SUBSET).vacuous


def test_a_list_that_is_changed_later_changes_nothing():
    expected = ["a"]
    assertion = TrajectoryMatches(expected)
    expected.append("b")
    assert assertion.evaluate(conversation("a")).passed
