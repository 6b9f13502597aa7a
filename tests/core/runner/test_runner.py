from __future__ import annotations

import threading

import pytest

from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.exceptions import ConfigurationError, DatasetError, EvaluationError
from neuron_evals.core.results import Status
from neuron_evals.core.runner import EvaluatorRunner, Listener, Selection, scheduling
from tests.core.samples import Echo, Says, inputs, numbered

CREWS = [1, 4, 32]
GENERATOR = object()


def outline(results):
    """Everything of the results but the times."""
    return [
        (r.evaluator_class, r.index, r.item_id, r.status, r.input, r.output, r.error, r.checks, r.tags, r.score)
        for r in results.results
    ]


class Mixed(Echo):
    """Passes, fails, breaks, prints, and returns what cannot be written as JSON."""

    tags = ("mixed",)

    def run(self, item):
        number = int(item["input"].split()[1])
        if number % 7 == 3:
            raise RuntimeError(f"item {number} is broken")
        if number % 7 == 4:
            print("noise", number)  # noqa: T201  (an agent that prints)
        return f"{item['input']} done"

    def evaluate(self, output, item):
        self.check(Says("good"), output)
        self.check(Says("done"), output, label="end")


@pytest.mark.parametrize("concurrency", CREWS)
def test_run__any_number_of_threads__the_report_of_inline(concurrency, capsys):
    inline = EvaluatorRunner().run(Mixed(numbered(200)))
    threads = EvaluatorRunner().run(Mixed(numbered(200)), concurrency, workers="threads")

    assert outline(threads) == outline(inline)
    assert threads.tally.statuses == inline.tally.statuses
    assert threads.score_statistics == inline.score_statistics
    assert [result.index for result in threads.results] == list(range(200))


@pytest.mark.parametrize("concurrency", CREWS)
def test_run__first_evaluator_result_breaks__the_others_keep_theirs(concurrency):
    class FirstBreaks(Echo):
        def run(self, item):
            if item["input"] == "a":
                raise RuntimeError("raises")
            return "good"

    results = EvaluatorRunner().run(FirstBreaks(inputs("a", "b", "c")), concurrency)

    assert [result.status for result in results.results] == ["error", "passed", "passed"]


def test_run__items_finish_out_of_order__results_in_dataset_order():
    second_is_done = threading.Event()

    class Reversed(Echo):
        def run(self, item):
            if item["input"] == "good first":
                assert second_is_done.wait(60)
            else:
                second_is_done.set()
            return item["input"]

    finished, taken = [], []

    class Noting(Listener):
        def finished(self, result):
            finished.append(result.output)

        def item(self, result):
            taken.append(result.output)

    EvaluatorRunner().run(Reversed(inputs("good first", "good second")), 2, listener=Noting())

    assert finished == ["good second", "good first"]
    assert taken == ["good first", "good second"]


def test_run__an_item_waits__others_go_on_up_to_the_window_and_no_further(monkeypatch):
    monkeypatch.setattr(scheduling, "WINDOW", 10)
    release = threading.Event()
    ran = []

    class Held(Echo):
        def run(self, item):
            if item["input"] == "good 0":
                assert release.wait(60)
            else:
                ran.append(item["input"])
                if len(ran) == 9:
                    release.set()
            return item["input"]

    results = EvaluatorRunner().run(Held(inputs(*(f"good {n}" for n in range(40)))), 3)

    assert results.passed_count == 40


def test_run__32_threads__at_most_that_many_items_in_flight_and_never_one_per_item():
    lock, now, most, names = threading.Lock(), [0], [0], set()

    class Counting(Echo):
        def run(self, item):
            with lock:
                now[0] += 1
                most[0] = max(most[0], now[0])
                names.add(threading.current_thread().name)
            with lock:
                now[0] -= 1
            return "good"

    EvaluatorRunner().run(Counting(inputs(*["x"] * 300)), 4)

    assert most[0] <= 4
    assert len(names) <= 4


def test_run__threads_are_gone_and_parted_after_it():
    parted = []
    before = set(threading.enumerate())

    EvaluatorRunner(after_worker=lambda: parted.append(threading.current_thread().name)).run(Echo(numbered(50)), 4)

    assert set(threading.enumerate()) <= before
    assert len(parted) == len(set(parted)) == 4


def test_run__hooks__around_items_in_threads_and_never_inline():
    calls = []
    runner = EvaluatorRunner(before_child=lambda: calls.append("before"), after_child=lambda: calls.append("after"))

    runner.run(Echo(inputs("good", "good")), 1)
    assert calls == []

    runner.run(Echo(inputs("good", "good")), 2)
    assert sorted(calls) == ["after", "after", "before", "before"]


def test_run__threads_daemons__an_abandoned_item_cannot_hold_the_process():
    seen = []

    class Looking(Echo):
        def run(self, item):
            seen.append(threading.current_thread().daemon)
            return "good"

    EvaluatorRunner().run(Looking(inputs("a")), 1, workers="threads")

    assert seen == [True]


@pytest.mark.parametrize("concurrency", [1, 4])
def test_run__set_up_once_and_tear_down_always(concurrency):
    calls = []

    class Ready(Echo):
        def set_up(self):
            calls.append("set_up")
            self.answer = "good"

        def tear_down(self):
            calls.append("tear_down")

        def run(self, item):
            calls.append("run")
            return self.answer

    EvaluatorRunner().run(Ready(inputs("a", "b", "c")), concurrency)

    assert calls == ["set_up", "run", "run", "run", "tear_down"]


def test_run__set_up_breaks__raised_and_torn_down():
    calls = []

    class Broken(Echo):
        def set_up(self):
            raise ConnectionError("no provider")

        def tear_down(self):
            calls.append("tear_down")

    with pytest.raises(ConnectionError, match="no provider"):
        EvaluatorRunner().run(Broken(inputs("a")))
    assert calls == ["tear_down"]


def test_run__tear_down_breaks__results_are_kept_with_the_error():
    class Broken(Echo):
        def tear_down(self):
            raise OSError("cannot clean up")

    results = EvaluatorRunner().run(Broken(inputs("good")))

    assert results.passed_count == 1
    assert results.error.startswith("OSError: cannot clean up")
    assert results.has_failures


@pytest.mark.parametrize("items", [[], (), GENERATOR])
def test_run__empty_dataset__never_a_success(items):
    if items is GENERATOR:
        results = EvaluatorRunner().run(Echo(iter(())))
        assert "empty" in str(results.error)
        assert results.success_rate is None
    else:
        with pytest.raises(DatasetError, match="empty"):
            EvaluatorRunner().run(Echo(items))


@pytest.mark.parametrize("concurrency", [1, 4])
def test_run__generator_breaks_midway__what_came_before_is_kept(concurrency):
    def items():
        yield {"input": "good 1"}
        yield {"input": "good 2"}
        raise OSError("the file is gone")

    results = EvaluatorRunner().run(Echo(items()), concurrency)

    assert results.passed_count == 2
    assert results.error.startswith("OSError: the file is gone")


@pytest.mark.parametrize("concurrency", [1, 4])
def test_run__generator__read_only_a_few_ahead(concurrency):
    read = []

    def items():
        for number in range(1000):
            read.append(number)
            yield {"input": f"good {number}"}

    stop = StopToken()

    class StopsAtTheFirst(Echo):
        def run(self, item):
            stop.set("enough")
            return "good"

    results = EvaluatorRunner().run(StopsAtTheFirst(items()), concurrency, stop=stop)

    assert len(read) <= 8 * concurrency + 1
    assert results.total_count == len(read)


def test_run__generator_with_limit__never_reads_behind_it():
    def items():
        yield {"input": "good 1"}
        yield {"input": "good 2"}
        raise AssertionError("nobody asked for a third")

    results = EvaluatorRunner().run(Echo(items()), selection=Selection(limit=2))

    assert (results.passed_count, results.error) == (2, None)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_run__fail_fast__stops_and_names_what_did_not_run(concurrency):
    failed = threading.Event()

    class BehindTheFailure(Echo):
        def run(self, item):
            if item["input"] == "good behind":
                assert failed.wait(60)
            return item["input"]

    class Noting(Listener):
        def finished(self, result):
            if result.status is Status.FAILED:
                failed.set()

    items = inputs("good", "bad", *["good behind"] * 98)
    results = EvaluatorRunner().run(BehindTheFailure(items), concurrency, fail_fast=True, listener=Noting())

    assert results.total_count == 100
    assert results.failed_count == 1
    assert results.cancelled_count >= 100 - 2 - 8 * concurrency
    assert [result.index for result in results.results] == list(range(100))
    assert results.success_rate == results.passed_count / (results.passed_count + 1)


def test_run__fail_fast_in_threads__items_in_flight_are_waited_for():
    started, release = threading.Event(), threading.Event()

    class Slow(Echo):
        def run(self, item):
            if item["input"] == "slow good":
                started.set()
                assert release.wait(60)
            else:
                assert started.wait(60)
                release.set()
            return item["input"]

    results = EvaluatorRunner().run(Slow(inputs("slow good", "bad")), 2, fail_fast=True)

    assert [result.status for result in results.results] == ["passed", "failed"]


def test_run__stopped_and_abandoned__items_in_flight_are_cancelled_and_the_late_result_is_dropped():
    stop, release = StopToken(), threading.Event()

    class Hung(Echo):
        def run(self, item):
            if item["input"] == "hung":
                stop.set("interrupted", abandon=True)
                release.wait(60)
            return "good"

    results = EvaluatorRunner().run(Hung(inputs("good", "hung", "good 3", "good 4")), 2, stop=stop)
    release.set()

    statuses = [result.status for result in results.results]
    assert len(statuses) == 4
    assert statuses[1] is Status.CANCELLED
    assert results.passed_count + results.cancelled_count == 4


def test_run__keyboard_interrupt_inline__item_cancelled_and_the_rest_named():
    class Interrupted(Echo):
        def run(self, item):
            if item["input"] == "stop":
                raise KeyboardInterrupt
            return "good"

    results = EvaluatorRunner().run(Interrupted(inputs("good", "stop", "good", "good")))

    assert [result.status for result in results.results] == ["passed", "cancelled", "cancelled", "cancelled"]


def test_stream__yields_in_order_and_tears_down():
    calls = []

    class Torn(Echo):
        def tear_down(self):
            calls.append("tear_down")

    results = [result.item_id for result in EvaluatorRunner().stream(Torn(numbered(20)), 4)]

    assert results == [f"item-{n}" for n in range(20)]
    assert calls == ["tear_down"]


def test_stream__closed_before_its_first_result__tears_down():
    calls = []

    class Torn(Echo):
        def tear_down(self):
            calls.append("tear_down")

    EvaluatorRunner().stream(Torn(numbered(3))).close()

    assert calls == ["tear_down"]


@pytest.mark.parametrize("concurrency", [1, 4])
def test_stream__closed_early__tears_down_and_runs_no_more(concurrency):
    calls = []
    first_is_out = threading.Event()

    class Torn(Echo):
        def run(self, item):
            calls.append("run")
            assert item["id"] == "item-0" or first_is_out.wait(60)
            return "good"

        def tear_down(self):
            calls.append("tear_down")

    stream = EvaluatorRunner().stream(Torn(numbered(1000)), concurrency)
    next(stream)
    first_is_out.set()
    stream.close()

    assert "tear_down" in calls
    assert calls.count("run") <= 1 + 9 * concurrency


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"concurrency": 0}, "concurrency is a number of items from 1 up, got 0"),
        ({"concurrency": -3}, "got -3"),
        ({"concurrency": "4"}, "got '4'"),
        ({"concurrency": True}, "got True"),
        ({"concurrency": 2.0}, "got 2.0"),
        ({"workers": "fibers"}, "workers is one of inline, threads, async, processes, got 'fibers'"),
        ({"workers": "inline", "concurrency": 2}, "inline workers run one item at a time"),
    ],
)
def test_run__bad_option__refused_before_set_up(options, message):
    class Untouched(Echo):
        def set_up(self):
            raise AssertionError("set up although an option is wrong")

    with pytest.raises(ConfigurationError, match=message):
        EvaluatorRunner().run(Untouched(inputs("a")), **options)


@pytest.mark.parametrize("tags", ["smoke", (1, 2)])
def test_run__tags_that_are_no_texts__refused(tags):
    evaluator = type("Tagged", (Echo,), {"tags": tags})(inputs("good"))

    with pytest.raises(EvaluationError, match="must be a tuple of texts"):
        EvaluatorRunner().run(evaluator)


def test_run__problems_of_a_list__all_reported_before_the_first_item():
    class Untouched(Echo):
        def run(self, item):
            raise AssertionError("ran although the dataset is broken")

    with pytest.raises(DatasetError) as caught:
        EvaluatorRunner().run(Untouched([{"input": "a"}, "text", 7, {"input": "b"}]))

    assert [problem.item for problem in caught.value.problems] == [1, 2]


def test_run__endless_problems__shortened_with_their_number():
    with pytest.raises(DatasetError) as caught:
        EvaluatorRunner().run(Echo(["x"] * 500))

    assert len(caught.value.problems) == 21
    assert "480 more" in str(caught.value)
