"""Every kind of worker does what inline does, and survives what items do."""

from __future__ import annotations

import asyncio
import faulthandler
import os
import random
import signal
import sys
import threading
import time
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import pytest

from neuron_evals import Agent, FakeProvider, ToolCall
from neuron_evals.core.agents.callables import CallableAgent
from neuron_evals.core.cancellation import StopToken, current_deadline, current_stop
from neuron_evals.core.execution import Surroundings, Task
from neuron_evals.core.jsonable import clean_json
from neuron_evals.core.results import Status
from neuron_evals.core.runner import EvaluatorRunner, Limits, Listener, scheduling
from neuron_evals.core.runner.pools import processes
from neuron_evals.core.runner.pools import threads as thread_pool
from neuron_evals.core.runner.pools.contract import Hooks
from neuron_evals.core.runner.pools.loop import LoopPool
from neuron_evals.core.runner.pools.processes import why_no_fork
from tests.core.samples import Echo, Says, inputs, numbered
from tests.patience import under_shortest_limit, wait_until
from tests.processes import is_alive

KINDS = ["threads", "async", "processes"]
HANG = 300


RELEASE = threading.Event()
"""Ends what hangs, once its test is over."""


@pytest.fixture(autouse=True)
def _no_other_threads():
    """Process workers want a process without other threads: let those of a test end with it."""
    RELEASE.clear()
    yield
    RELEASE.set()
    for thread in threading.enumerate():
        if thread.name.startswith("neuron-evals"):
            thread.join(20)


@pytest.fixture
def forks(monkeypatch):
    """Skip nothing: these systems can fork, and idle threads that other tests left in this process do no harm."""
    if why_no_fork() is not None:
        monkeypatch.setattr(processes, "why_no_fork", lambda: None)


def outline(results):
    return [
        (r.index, r.repeat, r.item_id, r.status, r.input, r.output, r.error, r.checks, r.tags, r.score, r.attempts)
        for r in results.results
    ]


class Mixed(Echo):
    """Passes, fails, breaks, prints, exits, changes itself and its item, and uses many types."""

    tags = ("mixed",)

    def run(self, item):
        number = int(item["input"].split()[1])
        if number % 11 == 3:
            raise RuntimeError(f"item {number} is broken")
        if number % 11 == 4:
            print("noise", number)  # noqa: T201  (an agent that prints)
        if number % 11 == 5:
            sys.exit(0)
        self.items = "mine"
        text, item["input"] = item["input"], "changed"
        return {"text": f"{text} done", "parts": (1, {2}, b"3"), "none": None}

    def evaluate(self, output, item):
        self.check(Says("good"), item["input"])
        self.check(Says("done"), output["text"], label="end")


class AsyncMixed(Mixed):
    async def run(self, item):
        await asyncio.sleep(0)
        return super().run(item)


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("concurrency", [1, 4, 32])
@pytest.mark.parametrize("evaluator", [Mixed, AsyncMixed])
def test_any_kind_and_concurrency__the_report_of_inline(evaluator, kind, concurrency):
    items = numbered(66 if kind == "processes" else 200)
    inline = EvaluatorRunner().run(evaluator(items))
    workers = EvaluatorRunner().run(evaluator(items), concurrency, workers=kind)

    assert outline(workers) == outline(inline)
    assert workers.score_statistics == inline.score_statistics
    assert workers.tally.statuses == inline.tally.statuses


def test_async_run__loop_is_chosen_and_items_wait_together():
    arrived = []

    class Meeting(Echo):
        async def run(self, item):
            arrived.append(threading.current_thread().name)
            while len(arrived) < 20:  # noqa: ASYNC110  (an event would belong to another loop)
                await asyncio.sleep(0.001)
            return "good"

    results = EvaluatorRunner().run(Meeting(inputs(*["x"] * 20)), 20)

    assert results.passed_count == 20
    assert set(arrived) == {"neuron-evals-loop"}


def test_async_workers_under_a_running_loop():
    async def main():
        return EvaluatorRunner().run(AsyncMixed(numbered(20)), 4)

    assert asyncio.run(main()).total_count == 20


def test_async_workers__a_plain_evaluate_does_not_hold_the_loop():
    release = threading.Event()

    class Blocking(Echo):
        async def run(self, item):
            if item["input"] == "second good":
                release.set()
            return item["input"]

        def evaluate(self, output, item):
            if output == "first good":
                assert release.wait(60)
            self.check(Says("good"), output)

    assert EvaluatorRunner().run(Blocking(inputs("first good", "second good")), 2).passed_count == 2


def test_async_workers__plain_run_is_called_in_a_thread_with_the_limits_of_the_item():
    class Plain(Echo):
        def run(self, item):
            limited = current_deadline() is not None and current_stop() is not None
            return f"good {threading.current_thread().name} {limited}"

    results = EvaluatorRunner().run(Plain(inputs("a", "b")), 2, workers="async", limits=Limits(timeout=60))

    assert {result.output for result in results.results} == {"good neuron-evals-plain True"}


def test_async_workers__plain_tools_of_agents_run_at_the_same_time_in_threads_that_part():
    both = threading.Barrier(2, timeout=60)
    parted: set[str] = set()
    used: set[str] = set()

    def wait(number: int) -> str:
        both.wait()
        used.add(f"{threading.current_thread().name} {threading.get_ident()}")
        return str(number)

    class Talking(Echo):
        async def run(self, item):
            calls = [ToolCall(name="wait", arguments={"number": number}) for number in (1, 2)]
            await Agent(FakeProvider(calls, "good"), tools=[wait]).achat(item["input"])
            return "good"

    def part() -> None:
        parted.add(f"{threading.current_thread().name} {threading.get_ident()}")

    pool = LoopPool(1, Hooks(after_worker=part))
    pool.open(Surroundings())
    pool.start(1, Task(Talking(), 0, "a", {"input": "Go"}))
    done: list[Any] = []

    def is_done() -> bool:
        done.extend(pool.wait(None))
        return bool(done)

    wait_until(is_done)
    pool.close(abandon=False)
    ((_, executed),) = done

    assert executed.result.passed, executed.result.explain()
    assert len(used) == 2
    assert all(name.startswith("neuron-evals-plain") for name in used)
    assert parted == used


def test_async_workers__agent_awaited_by_plain_code_with_a_loop_of_its_own():
    class Nested(Echo):
        def run(self, item):
            return asyncio.run(CallableAgent(lambda text: f"good {text}").achat(item["input"])).text

    results = EvaluatorRunner().run(Nested(inputs("a", "b")), 2, workers="async", limits=Limits(timeout=60))

    assert [result.output for result in results.results] == ["good a", "good b"]


def crash():
    faulthandler.disable()  # the crash is meant, and needs no traceback
    os.kill(os.getpid(), signal.SIGSEGV)


@pytest.mark.usefixtures("forks")
class TestChildren:
    """What children of process workers do to themselves and others."""

    @pytest.mark.parametrize(
        ("deed", "error"),
        [
            (lambda: os._exit(3), "WorkerDied: its process ended with exit status 3 before the item did"),
            (lambda: os.kill(os.getpid(), signal.SIGKILL), "WorkerDied: its process was killed by SIGKILL"),
            (crash, "WorkerDied: its process was killed by SIGSEGV"),
            (lambda: os.kill(os.getpid(), signal.SIGTERM), "WorkerDied: its process was killed by SIGTERM"),
        ],
        ids=["exit", "kill", "crash", "terminate"],
    )
    def test_a_child_that_dies_is_that_items_error(self, deed, error):
        class Dying(Echo):
            def run(self, item):
                if item["input"] == "die":
                    deed()
                return item["input"]

        results = EvaluatorRunner().run(Dying(inputs("good", "die", "good", "good")), 2, workers="processes")

        assert [result.status for result in results.results] == ["passed", "error", "passed", "passed"]
        assert results.results[1].error.startswith(error)

    def test_everything_is_private_to_the_item(self):
        shared = []

        class Changing(Echo):
            def run(self, item):
                shared.append(item["input"])
                os.environ["NEURON_EVALS_LEAK"] = "yes"
                os.chdir("/")
                return f"good {len(shared)} {os.getpid() != parent}"

        parent = os.getpid()
        results = EvaluatorRunner().run(Changing(inputs("a", "b", "c")), 2, workers="processes")

        assert {result.output for result in results.results} == {"good 1 True"}
        assert shared == []
        assert "NEURON_EVALS_LEAK" not in os.environ

    def test_random_numbers_differ_between_items(self):
        class Rolling(Echo):
            def run(self, item):
                return f"good {random.random()}"  # noqa: S311  (not for secrets)

        results = EvaluatorRunner().run(Rolling(inputs("a", "b", "c")), 3, workers="processes")

        assert len({result.output for result in results.results}) == 3

    def test_what_cannot_be_written_becomes_its_type_wherever_it_stands(self):
        @dataclass(frozen=True)
        class Telling(Says):
            def evaluate_string(self, text):
                found = super().evaluate_string(text)
                return type(found)(found.passed, found.score, "told", {"seen": [object(), 1]})

        class Strange(Echo):
            def run(self, item):
                return {"exact": (1, {2}), "strange": [object(), "kept"], "thread": threading.current_thread()}

            def evaluate(self, output, item):
                self.check(Telling("good"), "good")

        result = EvaluatorRunner().run(Strange(inputs("a")), 1, workers="processes").results[0]

        assert result.status is Status.PASSED
        assert result.output == {
            "exact": (1, {2}),
            "strange": ["[builtins.object]", "kept"],
            "thread": "[threading._MainThread]",
        }
        assert result.checks[0].context == {"seen": ["[builtins.object]", 1]}

    @pytest.mark.parametrize("depth", [97, 300, 5000])
    def test_what_is_nested_too_deeply_is_cut_as_in_a_report(self, depth):
        class Deep(Echo):
            def run(self, item):
                nested = [object()]
                for _ in range(depth):
                    nested = [nested]
                return nested

            def evaluate(self, output, item):
                self.check(Says("good"), "good")

        result = EvaluatorRunner().run(Deep(inputs("a")), 1, workers="processes").results[0]

        assert (result.status, result.error) == (Status.PASSED, None)
        assert "cut: deeper than" in str(clean_json(result.output))

    def test_an_item_that_cannot_be_sent_is_an_error_that_says_so(self):
        items = [{"id": "a", "input": "good"}, {"id": "b", "input": "good", "order": object()}]
        results = EvaluatorRunner().run(Echo(items), 2, workers="processes")

        assert [result.status for result in results.results] == ["passed", "error"]
        assert results.results[1].error == (
            "process workers cannot have this item: an object of type builtins.object at ['order']; "
            "keep to plain values, or use threads"
        )

    def test_large_items_and_outputs_pass_through(self):
        class Large(Echo):
            def run(self, item):
                return item["input"] * 2

        text = "good " * 400_000
        results = EvaluatorRunner().run(Large(inputs(*[text] * 6)), 3, workers="processes")

        assert [len(result.output) for result in results.results] == [len(text) * 2] * 6

    def test_a_child_whose_own_child_holds_the_pipe_still_ends(self, hold):
        class Leaving(Echo):
            def run(self, item):
                if os.fork() == 0:
                    hold()
                if item["input"] == "die":
                    os._exit(4)
                return "good"

        results = EvaluatorRunner().run(
            Leaving(inputs("die", "good")), 2, workers="processes", limits=Limits(timeout=60)
        )

        assert [result.status for result in results.results] == ["error", "passed"]
        assert "exit status 4" in str(results.results[0].error)

    def test_an_item_that_closes_every_descriptor_and_hangs_is_ended_at_its_limit_and_holds_up_no_other(self):
        class Closing(Echo):
            def run(self, item):
                if item["input"] == "close":
                    os.closerange(3, 1024)
                    time.sleep(HANG)
                return item["input"]

        items = [{"input": "close", "timeout": 1}, *inputs("good", "good", "good")]
        started = time.monotonic()
        results = EvaluatorRunner().run(Closing(items), 2, workers="processes")

        assert [result.status for result in results.results] == ["error", "passed", "passed", "passed"]
        assert results.results[0].error == "TimeLimit: the item took longer than 1 s"
        assert time.monotonic() - started < HANG / 2

    def test_a_hook_that_breaks_as_a_child_ends_loses_no_result(self, capfd):
        def breaks():
            raise RuntimeError("cannot close")

        results = EvaluatorRunner(after_worker=breaks).run(Echo(inputs("good", "bad")), 2, workers="processes")

        assert [result.status for result in results.results] == ["passed", "failed"]
        assert "RuntimeError: cannot close" in capfd.readouterr().err

    def test_a_run_that_is_abandoned_keeps_the_results_of_every_child_that_ended(self, tmp_path):
        class Large(Echo):
            def run(self, item):
                if item["id"] == "item-3":
                    time.sleep(HANG)
                return item["input"] * 100_000

            def evaluate(self, output, item):
                self.check(Says("good"), output)
                (tmp_path / f"{os.getpid()}").touch()

        class Abandoning(Listener):
            def finished(self, result):
                if not stop.is_set():
                    wait_until(lambda: len(list(tmp_path.iterdir())) == 3)
                    wait_until(lambda: not any(is_alive(int(path.name)) for path in tmp_path.iterdir()))
                    stop.set("enough", abandon=True)

        stop = StopToken()
        items = [{"id": f"item-{n}", "input": "good"} for n in range(4)]
        results = EvaluatorRunner().run(Large(items), 4, workers="processes", listener=Abandoning(), stop=stop)

        assert [result.status for result in results.results] == ["passed", "passed", "passed", "cancelled"]

    def test_the_forker_dies__items_in_flight_are_errors_and_the_rest_runs(self, hold):
        class Killing(Echo):
            def run(self, item):
                if item["input"] == "kill":
                    os.kill(os.getppid(), signal.SIGKILL)
                    hold()
                return item["input"]

        results = EvaluatorRunner().run(
            Killing(inputs("good", "kill", *["good"] * 10)), 1, workers="processes", limits=Limits(timeout=60)
        )

        assert results.total_count == 12
        assert results.results[1].error == "WorkerDied: the process that forks process workers ended"
        assert results.results[-1].status is Status.PASSED

    def test_the_forker_dies__retries_run_what_was_lost(self, monkeypatch, tmp_path, hold):
        monkeypatch.setattr(scheduling, "FIRST_PAUSE", 0.0)
        killed = tmp_path / "killed"

        class Killing(Echo):
            def run(self, item):
                if item["input"] == "good 3" and not killed.exists():
                    killed.touch()
                    os.kill(os.getppid(), signal.SIGKILL)
                    hold()
                return item["input"]

        items = inputs(*(f"good {number}" for number in range(8)))
        results = EvaluatorRunner().run(Killing(items), 2, workers="processes", limits=Limits(timeout=60, retries=1))

        assert results.passed_count == 8
        assert results.results[3].attempts == 2

    def test_hooks__in_the_child_around_the_item_and_as_it_ends(self, tmp_path):
        log = tmp_path / "log"

        def note(text):
            with log.open("a") as file:
                file.write(f"{text} {os.getpid() != parent}\n")

        class Noted(Echo):
            def run(self, item):
                note("run")
                return "good"

        parent = os.getpid()
        runner = EvaluatorRunner(
            before_child=lambda: note("before"),
            after_child=lambda: note("after"),
            after_worker=lambda: note("worker"),
            after_fork=lambda: note("fork"),
        )
        runner.run(Noted(inputs("a")), 1, workers="processes")

        assert log.read_text().splitlines() == ["fork True", "before True", "run True", "after True", "worker True"]

    def test_set_up_once_and_tear_down_once_in_the_runners_process(self):
        calls = []

        class Ready(Echo):
            def set_up(self):
                calls.append("set_up")
                self.answer = "good"

            def tear_down(self):
                calls.append("tear_down")

            def get_dataset(self):
                return inputs(*[self.answer] * 3)

            def run(self, item):
                calls.append("run")
                return self.answer

        assert EvaluatorRunner().run(Ready(), 2, workers="processes").passed_count == 3
        assert calls == ["set_up", "tear_down"]

    def test_two_evaluators_at_once__each_forker_ends_with_its_run(self):
        run = EvaluatorRunner().prepare_run([Echo(numbered(5)), Echo(numbered(5))], 2, workers="processes")
        assert [type(one.opened.pool).__name__ for one in run.evaluators] == ["ProcessPool", "ProcessPool"]
        forkers = [one.opened.pool._forker for one in run.evaluators]
        run.close()
        for pid in forkers:
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)

    def test_other_threads__a_notice_and_threads_instead(self, monkeypatch):
        monkeypatch.setattr(processes, "why_no_fork", why_no_fork)
        release = threading.Event()
        other = threading.Thread(target=release.wait)
        other.start()
        try:
            run = EvaluatorRunner().prepare_run([Echo(inputs("good"))], 2, workers="processes")
            assert run.plan.workers == "threads"
            assert "no process workers here: this process has" in run.plan.notices[0]
            run.close()
        finally:
            release.set()
            other.join()


def test_many_threads__a_notice_names_the_kinds_that_do_not_starve():
    run = EvaluatorRunner().prepare_run([Echo(inputs("good"))], 51)
    assert "`async` or `processes`" in run.plan.notices[0]
    run.close()


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hook", ["before_child", "after_child"])
def test_a_hook_that_breaks_is_the_items_error(kind, hook):
    def broken():
        raise OSError("no database")

    hooks: dict[str, Any] = {hook: broken}
    results = EvaluatorRunner(**hooks).run(Echo(inputs("good", "good")), 2, workers=kind)

    assert [result.status for result in results.results] == ["error", "error"]
    assert all(result.error.startswith("OSError: no database") for result in results.results)


class AsyncEcho(Echo):
    async def run(self, item):
        return item["input"]


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize("kind", ["inline", *KINDS])
class TestAroundAsync:
    """What is around an item on an event loop, in every kind of worker."""

    def test_is_around_run_and_evaluate_of_each_item_alone(self, kind):
        inside: ContextVar[list[str]] = ContextVar("inside")

        @asynccontextmanager
        async def around():
            inside.set(["entered"])
            yield
            inside.get().append("left")

        class Noting(Echo):
            async def run(self, item):
                inside.get().append("run")
                await asyncio.sleep(0)
                return inside.get()

            async def evaluate(self, output, item):
                self.check(Says("entered run"), " ".join(inside.get()))

        concurrency = 1 if kind == "inline" else 3
        results = EvaluatorRunner(around_async=around).run(Noting(numbered(6)), concurrency, workers=kind)

        assert [result.reason for result in results.results if not result.passed] == []
        assert [result.output for result in results.results] == [["entered", "run", "left"]] * 6

    @pytest.mark.parametrize("place", ["before", "after"])
    def test_that_breaks_is_the_items_error(self, kind, place):
        @asynccontextmanager
        async def around():
            if place == "before":
                raise OSError("no database")
            yield
            raise OSError("no database")

        results = EvaluatorRunner(around_async=around).run(AsyncEcho(inputs("good", "good")), 1, workers=kind)

        assert all(result.error.startswith("OSError: no database") for result in results.results)
        assert results.error_count == 2


def test_async_workers__before_each_call_of_a_plain_method_in_its_thread():
    calls: list[tuple[str, int]] = []

    class Noting(Echo):
        def run(self, item):
            calls.append(("run", threading.get_ident()))
            return "good"

    def before():
        calls.append(("before", threading.get_ident()))

    assert EvaluatorRunner(before_call=before).run(Noting(inputs("a")), 1, workers="async").passed_count == 1
    (thread,) = {thread for _, thread in calls}
    assert [name for name, _ in calls] == ["before", "run", "before"]
    assert thread != threading.get_ident()


class Hanging(Echo):
    def run(self, item):
        if "hang" in item["input"]:
            RELEASE.wait(HANG)
        return item["input"]


class AsyncHanging(Echo):
    async def run(self, item):
        if "hang" in item["input"]:
            await asyncio.sleep(HANG)
        return item["input"]


def limited(evaluator, concurrency, kind):
    """Run under a limit that gives items time which do not hang."""
    return under_shortest_limit(
        lambda limit: EvaluatorRunner().run(evaluator, concurrency, workers=kind, limits=Limits(timeout=limit)),
        lambda results: not any("TimeLimit" in str(r.error) for r in results.results if "hang" not in r.input["input"]),
    )


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize(
    ("kind", "evaluator"),
    [("inline", Hanging), ("threads", Hanging), ("processes", Hanging), ("async", AsyncHanging), ("async", Hanging)],
    ids=["inline", "threads", "processes", "async", "async with a plain run"],
)
class TestTimeLimits:
    """A hung item is gone at its limit and harms no other."""

    def test_run_option(self, kind, evaluator):
        concurrency = 1 if kind == "inline" else 3
        items = inputs("good", "hang 1", "good", "hang 2", "good", "good")
        results, limit = limited(evaluator(items), concurrency, kind)

        assert [result.status for result in results.results] == [
            "passed",
            "error",
            "passed",
            "error",
            "passed",
            "passed",
        ]
        assert results.results[1].error == f"TimeLimit: the item took longer than {limit:g} s"
        assert results.results[1].execution_time >= limit
        assert results.duration < HANG / 2

    def test_item_goes_before_class_and_option_before_item(self, kind, evaluator):
        concurrency = 1 if kind == "inline" else 2
        slow = type("Slow", (evaluator,), {"timeout": HANG})
        items = [{"id": "a", "input": "hang", "timeout": 0.2}, {"id": "b", "input": "good", "timeout": 40}]
        by_item = EvaluatorRunner().run(slow(items), concurrency, workers=kind)
        by_run, _ = limited(slow(inputs("hang", "good")), concurrency, kind)

        assert [result.status for result in by_item.results] == ["error", "passed"]
        assert [result.status for result in by_run.results] == ["error", "passed"]


def test_async_item_that_swallows_its_cancellation__is_given_up():
    class Stubborn(Echo):
        async def run(self, item):
            if item["input"] == "stubborn":
                while not RELEASE.is_set():
                    with suppress(asyncio.CancelledError):
                        await asyncio.sleep(0.05)
            return item["input"]

    items = [{"input": "stubborn", "timeout": 0.2}, *inputs("good", "good")]
    results = EvaluatorRunner().run(Stubborn(items), 2, workers="async")

    assert [result.status for result in results.results] == ["error", "passed", "passed"]


def test_too_many_hung_threads__the_run_gives_up_and_names_the_rest(monkeypatch):
    monkeypatch.setattr(thread_pool, "LEFT_BEHIND_LIMIT", 3)
    release = threading.Event()

    class Stuck(Echo):
        def run(self, item):
            release.wait(HANG)
            return "good"

    run = EvaluatorRunner().prepare_run([Stuck(inputs(*"abcdefghij"))], 2, limits=Limits(timeout=0.1))
    report = run.execute(Listener())
    release.set()

    # The third and the fourth may be found together.
    assert report.stopped in {f"{count} items hang in threads that cannot be stopped" for count in (3, 4)}
    assert report.error_count >= 3
    assert report.error_count + report.cancelled_count + report.passed_count == 10
    assert report.cancelled_count > 0


@pytest.mark.parametrize("bad", [0, -1, "5", True, float("inf"), float("nan")])
def test_item_with_a_bad_limit__a_problem_of_the_dataset(bad):
    with pytest.raises(ValueError, match='field "timeout": timeout is a number of seconds above 0'):
        EvaluatorRunner().run(Echo([{"input": "good", "timeout": bad}]))


class Shaky(Echo):
    """Breaks as often as the item says, then answers."""

    retries = 3

    def set_up(self):
        self.tries = {}

    def run(self, item):
        count = self.tries[item["id"]] = self.tries.get(item["id"], 0) + 1
        if count <= item["breaks"]:
            raise ConnectionError(f"try {count}")
        return item["input"]


@pytest.fixture
def _no_pause(monkeypatch):
    monkeypatch.setattr(scheduling, "FIRST_PAUSE", 0.0)


@pytest.mark.usefixtures("_no_pause")
@pytest.mark.parametrize("concurrency", [1, 3])
class TestRetries:
    """Infrastructure errors are tried again, wrong answers only when that was asked for."""

    def test_attempts_are_recorded(self, concurrency):
        items = [
            {"id": "steady", "input": "good", "breaks": 0},
            {"id": "shaky", "input": "good", "breaks": 2},
            {"id": "broken", "input": "good", "breaks": 9},
        ]
        steady, shaky, broken = EvaluatorRunner().run(Shaky(items), concurrency).results

        assert (steady.status, steady.attempts, steady.other_attempts) == ("passed", 1, ())
        assert (shaky.status, shaky.attempts) == ("passed", 3)
        assert [attempt.status for attempt in shaky.other_attempts] == ["error", "error"]
        assert shaky.other_attempts[0].error.startswith("ConnectionError: try 1")
        assert (broken.status, broken.attempts) == ("error", 4)
        assert broken.error.startswith("ConnectionError: try 4")

    def test_option_goes_before_class(self, concurrency):
        items = [{"id": "shaky", "input": "good", "breaks": 1}]
        results = EvaluatorRunner().run(Shaky(items), concurrency, limits=Limits(retries=0))

        assert (results.error_count, results.results[0].attempts) == (1, 1)

    def test_an_error_that_is_not_infrastructure_is_not_tried_again(self, concurrency):
        class Wrong(Shaky):
            def run(self, item):
                raise KeyError("input")

        items = [{"id": "a", "input": "good", "breaks": 0}]
        assert EvaluatorRunner().run(Wrong(items), concurrency).results[0].attempts == 1

    def test_a_judge_that_breaks_by_infrastructure_is_tried_again(self, concurrency):
        class Judged(Shaky):
            def run(self, item):
                return item["input"]

            def evaluate(self, output, item):
                count = self.tries[item["id"]] = self.tries.get(item["id"], 0) + 1
                self.check(Unreachable() if count == 1 else Says("good"), output)

        items = [{"id": "a", "input": "good", "breaks": 0}]
        result = EvaluatorRunner().run(Judged(items), concurrency).results[0]

        assert (result.status, result.attempts) == ("passed", 2)

    def test_own_errors_by_is_transient(self, concurrency):
        class ClientError(Exception):
            pass

        class Own(Shaky):
            def run(self, item):
                try:
                    return super().run(item)
                except ConnectionError as exc:
                    raise ClientError(str(exc)) from None

            def is_transient(self, exc):
                return isinstance(exc, ClientError)

        items = [{"id": "a", "input": "good", "breaks": 1}]
        assert EvaluatorRunner().run(Own(items), concurrency).results[0].attempts == 2

    def test_a_wrong_answer__only_when_set_and_the_first_counts(self, concurrency):
        class Learning(Shaky):
            def run(self, item):
                count = self.tries[item["id"]] = self.tries.get(item["id"], 0) + 1
                return "good" if count > item["breaks"] else "bad"

        items = [{"id": "a", "input": "", "breaks": 1}]
        once = EvaluatorRunner().run(Learning(items), concurrency)
        again = EvaluatorRunner().run(type("Again", (Learning,), {"retry_failed": True})(items), concurrency)

        assert (once.failed_count, once.results[0].attempts) == (1, 1)
        assert (again.failed_count, again.results[0].attempts) == (1, 2)
        assert again.results[0].output == "bad"
        assert [(attempt.status, attempt.output) for attempt in again.results[0].other_attempts] == [("passed", "good")]
        assert again.success_rate == 0


@dataclass(frozen=True)
class Unreachable(Says):
    word: str = ""

    def evaluate_string(self, text):
        raise TimeoutError("the judge does not answer")


def test_stopped_while_a_try_waits__its_last_error_stands():
    stop = StopToken()

    class Stopping(Shaky):
        def run(self, item):
            if item["id"] == "b":
                stop.set("enough")
            return super().run(item)

    items = [{"id": "a", "input": "good", "breaks": 9}, {"id": "b", "input": "good", "breaks": 0}]
    results = EvaluatorRunner().run(Stopping(items), 1, stop=stop)

    assert results.results[0].error.startswith("ConnectionError")
    assert results.results[1].status is Status.PASSED


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize("kind", ["inline", *KINDS])
def test_repeats__adjacent_and_numbered_from_option_item_or_class(kind):
    concurrency = 1 if kind == "inline" else 4
    twice = type("Twice", (Echo,), {"repeats": 2})
    items = [{"id": "a", "input": "good"}, {"id": "b", "input": "good", "repeats": 3}]
    by_class = EvaluatorRunner().run(twice(items), concurrency, workers=kind)
    by_run = EvaluatorRunner().run(twice(items), concurrency, workers=kind, limits=Limits(repeats=1))

    assert [(r.item_id, r.repeat) for r in by_class.results] == [("a", 0), ("a", 1), ("b", 0), ("b", 1), ("b", 2)]
    assert [(r.item_id, r.repeat) for r in by_run.results] == [("a", 0), ("b", 0)]


def test_task__is_a_value():
    evaluator = Echo()
    assert Task(evaluator, 0, "a", {}) == Task(evaluator, 0, "a", {})
