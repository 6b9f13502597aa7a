from __future__ import annotations

import threading

import pytest

from neuron_evals.core.exceptions import StopRun
from neuron_evals.core.runner import BrokenEvaluator, EvaluatorRunner, Listener, Selection
from tests.core.samples import Echo, inputs


class First(Echo):
    pass


class Second(Echo):
    namespace = "billing"


class Noting(Listener):
    def __init__(self):
        self.calls = []

    def start(self, plan):
        self.calls.append(("start", plan.total))

    def finished(self, result):
        self.calls.append(("finished", result.output))

    def item(self, result):
        self.calls.append(("item", result.output))

    def output(self, report):
        self.calls.append(("output", report.total_count))


def execute(evaluators, listener=None, selection=None, **options):
    run = EvaluatorRunner().prepare_run(evaluators, selection=selection or Selection())
    return run.execute(listener or Listener(), **options)


def test_execute__listener_hears_plan_results_and_report():
    listener = Noting()

    execute([First(inputs("good a")), Second(inputs("good b"))], listener)

    assert listener.calls == [
        ("start", 2),
        ("finished", "good a"),
        ("item", "good a"),
        ("finished", "good b"),
        ("item", "good b"),
        ("output", 2),
    ]


def test_plan__says_what_will_run():
    run = EvaluatorRunner().prepare_run(
        [First(inputs("a", "b")), BrokenEvaluator("evaluators/x.py", "SyntaxError"), Second(inputs("c"))], 4
    )

    assert run.plan.total == 3
    assert (run.plan.concurrency, run.plan.workers) == (4, "threads")
    assert [planned.total for planned in run.plan.evaluators] == [2, None, 1]
    assert run.plan.evaluators[1].error == "SyntaxError"
    assert run.plan.evaluators[2].namespace == "billing"
    run.close()


def test_plan__a_generator_cannot_tell__total_unknown():
    run = EvaluatorRunner().prepare_run([First(inputs("a")), Second(iter(inputs("b")))])

    assert run.plan.total is None
    run.close()


def test_execute__broken_evaluators__reported_and_the_rest_runs():
    class BadSetUp(Echo):
        def set_up(self):
            raise ConnectionError("no provider")

    report = execute(
        [BadSetUp(inputs("a")), BrokenEvaluator("evaluators/x.py", "boom"), First([]), Second(inputs("good"))]
    )

    assert report.passed_count == report.total_count == 1
    errors = [results.error for results in report.broken_evaluators]
    assert errors[0].startswith("ConnectionError: no provider")
    assert errors[1] == "boom"
    assert "empty" in errors[2]
    assert report.evaluators[3].namespace == "billing"


def test_prepare__every_evaluator_before_the_first_item():
    calls = []

    class Noted(Echo):
        def set_up(self):
            calls.append("set_up")

        def run(self, item):
            calls.append("run")
            return "good"

        def tear_down(self):
            calls.append("tear_down")

    execute([Noted(inputs("a")), Noted(inputs("b"))])

    assert calls == ["set_up", "set_up", "run", "tear_down", "run", "tear_down"]


def test_prepare__interrupted__what_was_set_up_is_torn_down():
    calls = []

    class Ready(Echo):
        def tear_down(self):
            calls.append("tear_down")

    class Interrupted(Echo):
        def set_up(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        EvaluatorRunner().prepare_run([Ready(inputs("a")), Ready(inputs("a")), Interrupted(inputs("a"))])
    assert calls == ["tear_down", "tear_down"]


def test_close__every_evaluator_is_torn_down_also_when_one_breaks():
    calls = []

    class Broken(Echo):
        def tear_down(self):
            calls.append("broken")
            raise OSError("no")

    class Ready(Echo):
        def tear_down(self):
            calls.append("ready")

    run = EvaluatorRunner().prepare_run([Ready(inputs("a")), Broken(inputs("a")), Ready(inputs("a"))])
    with pytest.raises(OSError, match="no"):
        run.close()
    assert calls == ["ready", "broken", "ready"]


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("moment", ["start", "finished", "item"])
def test_stop_run__from_a_listener__report_is_given_and_nothing_is_lost(moment, concurrency):
    stopping = threading.Event()

    class Stopping(Noting):
        pass

    def stop(self, _):
        stopping.set()
        raise StopRun("the budget is spent")

    class BehindTheFirst(First):
        def run(self, item):
            if item["input"] != "good 0":
                assert stopping.wait(60)
            return item["input"]

    setattr(Stopping, moment, stop)
    items = inputs(*(f"good {number}" for number in range(50)))
    run = EvaluatorRunner().prepare_run([BehindTheFirst(items), Second(inputs("good"))], concurrency)
    report = run.execute(Stopping())

    assert report.stopped == "the budget is spent"
    assert not report.interrupted
    assert report.total_count == 51
    assert report.cancelled_count >= 51 - 1 - 8 * concurrency
    assert report.evaluators[1].cancelled_count == 1


def test_execute__fail_fast__later_evaluators_are_cancelled():
    report = execute([First(inputs("bad")), Second(inputs("good", "good"))], fail_fast=True)

    assert (report.failed_count, report.cancelled_count) == (1, 2)
    assert report.stopped == "fail-fast"


def test_execute__selection_leaves_nothing_in_one__it_is_left_out_and_torn_down():
    calls = []

    class Unused(First):
        def tear_down(self):
            calls.append("tear_down")

    selection = Selection(text="Second")
    run = EvaluatorRunner().prepare_run([Unused(inputs("good")), Second(inputs("good"))], selection=selection)

    assert calls == ["tear_down"]
    assert len(run.absent) == 1
    assert [results.total_count for results in run.execute(Listener()).evaluators] == [1]


def test_execute__generator_filtered_to_nothing__no_error():
    report = execute([First(iter(inputs("good"))), Second(inputs("good"))], selection=Selection(text="Second"))

    assert report.broken_evaluators == ()
    assert report.total_count == 1


def test_report__times():
    report = execute([First(inputs("good"))])

    assert report.started_at.utcoffset().total_seconds() == 0
    assert report.started_at <= report.finished_at
    assert report.duration >= report.evaluators[0].duration >= report.results[0].execution_time
