from __future__ import annotations

import pytest

from neuron_evals.core.datasets.identity import item_key
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.runner import EvaluatorRunner, Limits, Selection
from neuron_evals.core.runner.listener import Listener
from tests.core.samples import Echo

ITEMS = [
    {"id": "hours", "input": "good", "tags": ["smoke", "hours"]},
    {"id": "refund", "input": "good", "tags": ["money"], "name": "Refund of a LARGE order"},
    {"id": "greeting", "input": "good"},
]


class Support(Echo):
    tags = ("support",)


@pytest.mark.parametrize(
    ("selection", "kept"),
    [
        ({}, ["hours", "refund", "greeting"]),
        ({"tags": {"smoke"}}, ["hours"]),
        ({"tags": {"smoke", "money"}}, ["hours", "refund"]),
        ({"tags": {"support"}}, ["hours", "refund", "greeting"]),
        ({"tags": {"support"}, "exclude_tags": {"money"}}, ["hours", "greeting"]),
        ({"exclude_tags": {"support"}}, []),
        ({"tags": {"Smoke"}}, []),
        ({"text": "HOUR"}, ["hours"]),
        ({"text": "large ORDER"}, ["refund"]),
        ({"text": "Support"}, ["hours", "refund", "greeting"]),
        ({"text": "zzz"}, []),
        ({"limit": 2}, ["hours", "refund"]),
        ({"limit": 1, "exclude_tags": {"smoke"}}, ["refund"]),
        ({"limit": 9}, ["hours", "refund", "greeting"]),
        ({"start": 1}, ["refund", "greeting"]),
        ({"stop": 2}, ["hours", "refund"]),
        ({"start": 1, "stop": 2}, ["refund"]),
        ({"start": 3}, []),
        ({"start": 1, "limit": 2}, ["refund"]),
        ({"keys": {item_key("refund"), item_key("other")}}, ["refund"]),
        ({"keys": frozenset()}, []),
        ({"start": 1, "exclude_tags": {"money"}}, ["greeting"]),
    ],
)
@pytest.mark.parametrize("concurrency", [1, 2])
def test_selection__which_items_run(selection, kept, concurrency):
    results = EvaluatorRunner().run(Support(ITEMS), concurrency, selection=Selection(**selection))

    assert [result.item_id for result in results.results] == kept
    assert results.error is None


def test_selection__positions_are_those_of_the_dataset():
    results = EvaluatorRunner().run(Support(ITEMS), selection=Selection(text="greeting"))

    assert [result.index for result in results.results] == [2]


def test_selection__item_carries_its_own_and_its_evaluators_tags():
    results = EvaluatorRunner().run(Support(ITEMS), selection=Selection(limit=1))

    assert results.results[0].tags == ("support", "smoke", "hours")


@pytest.mark.parametrize("limit", [0, -1])
def test_selection__limit_below_1__refused(limit):
    with pytest.raises(ConfigurationError, match="from 1 up"):
        Selection(limit=limit)


def test_selection__reads_as_the_options_that_ask_for_it():
    selection = Selection(frozenset({"b", "a"}), frozenset({"c"}), "zzz", 3)

    assert str(selection) == "--tag a,b --exclude-tag c --filter 'zzz' --limit 3"
    assert str(Selection()) == ""


@pytest.mark.parametrize(("start", "stop"), [(-1, None), (2, 2), (2, 1)])
def test_selection__positions_with_no_item_between_them__refused(start, stop):
    with pytest.raises(ConfigurationError, match="position"):
        Selection(start=start, stop=stop)


@pytest.mark.parametrize("concurrency", [1, 2])
def test_skip__executions_that_have_their_result__are_not_run(concurrency):
    skip = {(item_key("hours"), 0), (item_key("hours"), 1), (item_key("refund"), 1), (item_key("other"), 0)}

    results = EvaluatorRunner().run(Support(ITEMS), concurrency, limits=Limits(repeats=2), skip=skip)

    assert [(result.item_id, result.repeat) for result in results.results] == [
        ("refund", 0),
        ("greeting", 0),
        ("greeting", 1),
    ]


def test_skip__everything__leaves_the_evaluator_out():
    skip = {(item_key(name), 0) for name in ("hours", "refund", "greeting")}

    run = EvaluatorRunner().prepare_run([Support(ITEMS)], skip=skip)

    assert (run.plan.total, len(run.absent), run.evaluators) == (0, 1, [])


def test_skip__is_taken_from_the_planned_total():
    run = EvaluatorRunner().prepare_run([Support(ITEMS)], skip={(item_key("refund"), 0)})
    run.close()

    assert run.plan.total == 2


@pytest.mark.parametrize(
    ("selection", "left_out"),
    [({}, 0), ({"tags": frozenset({"smoke"})}, 2), ({"limit": 1}, 2), ({"start": 1, "stop": 3, "text": "refund"}, 1)],
)
def test_left_out__the_items_that_the_selection_leaves_out_of_its_part_of_the_dataset(selection, left_out):
    results = EvaluatorRunner().run(Support(ITEMS), selection=Selection(**selection))
    assert results.left_out == left_out
    assert results.total_count + left_out == (2 if "start" in selection else 3)


def test_left_out__of_a_dataset_that_is_read_once__is_unknown():
    def runs(**options):
        return EvaluatorRunner().run(Support(iter(ITEMS)), **options)

    assert (runs().left_out, runs(selection=Selection(limit=1)).left_out) == (0, None)


def test_report__tells_what_was_left_out_there_before_and_absent():
    run = EvaluatorRunner().prepare_run(
        [Support(ITEMS), Echo([{"id": "alone", "input": "good"}])],
        selection=Selection(tags=frozenset({"support"})),
        skip={(item_key("hours"), 0)},
    )
    report = run.execute(Listener())
    assert (report.total_count, report.left_out, report.resumed) == (2, 1, 1)
    assert [results.evaluator_class.rpartition(".")[2] for results in report.absent] == ["Echo"]
    assert report.selection == "--tag support"
