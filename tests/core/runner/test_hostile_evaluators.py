"""Evaluators that do what nobody should: the run ends, nothing is lost, and nothing passes by it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from neuron_evals.core.exceptions import EvaluationError
from neuron_evals.core.runner import EvaluatorRunner, Listener
from tests.core.samples import Echo, Says, inputs

ROOT = Path(__file__).parents[3]


def leave(*_):
    sys.exit(0)


def report_of(*evaluators, concurrency=1):
    return EvaluatorRunner().prepare_run(evaluators, concurrency).execute(Listener())


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("method", ["set_up", "get_dataset", "tear_down"])
def test_sys_exit_around_items__an_error_of_the_evaluator(method, concurrency):
    """Its status would be the command's: a pass that judged nothing."""
    leaving = type("Leaving", (Echo,), {method: leave})
    report = report_of(leaving(inputs("good")), Echo(inputs("good")), concurrency=concurrency)

    assert report.evaluators[0].error.startswith("SystemExit: 0")
    assert report.evaluators[1].passed_count == 1


@pytest.mark.parametrize("concurrency", [1, 4])
def test_sys_exit_in_a_generator_of_items__an_error_and_the_items_before_are_kept(concurrency):
    def items():
        yield {"input": "good"}
        sys.exit(0)

    report = report_of(Echo(items()), concurrency=concurrency)

    assert report.passed_count == 1
    assert report.evaluators[0].error.startswith("SystemExit: 0")


@pytest.mark.parametrize("kind", ["threads", "async"])
def test_keyboard_interrupt_raised_by_an_agent_in_a_worker__that_items_error(kind):
    class Raising(Echo):
        def run(self, item):
            if item["input"] == "stop":
                raise KeyboardInterrupt
            return item["input"]

    results = EvaluatorRunner().run(Raising(inputs("good", "stop", "good")), 2, workers=kind)

    assert [result.status for result in results.results] == ["passed", "error", "passed"]


def test_is_transient_that_breaks__the_error_is_told_all_the_same():
    class Confused(Echo):
        def run(self, item):
            raise ValueError("the first")

        def is_transient(self, exc):
            raise RuntimeError("the second")

    for concurrency in (1, 2):
        result = EvaluatorRunner().run(Confused(inputs("a")), concurrency).results[0]
        assert result.error.startswith("ValueError: the first")


def test_copy_that_is_no_copy__error_instead_of_shared_checks():
    class Shared(Echo):
        def __copy__(self):
            return self

    results = EvaluatorRunner().run(Shared(inputs("good", "good")), 2)

    assert results.error_count == 2
    assert "__copy__() must return a copy" in str(results.results[0].error)


async def awaited(self):
    """Would never be awaited."""


def yielding(self, *_):
    yield "never"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"set_up": awaited}, "set_up is an `async def`"),
        ({"tear_down": awaited}, "tear_down is an `async def`"),
        ({"get_dataset": awaited}, "get_dataset is an `async def`"),
        ({"run": yielding}, "run is a generator"),
        ({"evaluate": yielding}, "evaluate is a generator"),
        ({"set_up": yielding}, "set_up is a generator"),
        ({"tags": None}, "tags must be a tuple of texts"),
        ({"tags": 7}, "tags must be a tuple of texts"),
        ({"namespace": 7}, "namespace must be a text or None"),
        ({"timeout": "5"}, "timeout is a number of seconds above 0"),
        ({"repeats": 0}, "repeats is a whole number from 1 to 10,000"),
        ({"retries": -1}, "retries is a whole number from 0 to 1,000"),
    ],
)
def test_written_wrong__refused_before_it_is_set_up(fields, message):
    wrong = type("Wrong", (Echo,), fields)

    with pytest.raises(EvaluationError, match=message):
        EvaluatorRunner().run(wrong(inputs("good")))


def test_namespace_that_raises__an_error_of_that_evaluator():
    class Raising(Echo):
        @property
        def namespace(self):  # type: ignore[override]  # the mistake under test
            raise RuntimeError("no namespace")

    report = report_of(Raising(inputs("good")), Echo(inputs("good")))

    assert report.evaluators[0].error.startswith("RuntimeError: no namespace")
    assert report.passed_count == 1


def interrupted(code, signals, number=signal.SIGINT):
    """Run code, send it signals at each line it prints, and return its last line and status."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        for _ in range(signals):
            assert process.stdout.readline().startswith("now")
            process.send_signal(number)
        rest, _ = process.communicate(timeout=300)
    finally:
        process.kill()
        process.wait()
    return rest.strip(), process.returncode


def test_tear_down_that_hangs__a_signal_breaks_it_off_and_the_results_are_there():
    rest, status = interrupted(
        """
        import time
        from neuron_evals.core.runner import EvaluatorRunner
        from tests.core.samples import Echo, inputs

        class Hanging(Echo):
            def tear_down(self):
                print("now", flush=True)
                time.sleep(600)

        results = EvaluatorRunner().run(Hanging(inputs("good")))
        print(results.passed_count, results.error.split(" ")[0])
        """,
        1,
    )
    assert (rest, status) == ("1 KeyboardInterrupt", 0)


def test_agent_that_swallows_every_interruption__the_third_signal_ends_the_process():
    _, status = interrupted(
        """
        import time
        from neuron_evals.core.runner import EvaluatorRunner
        from tests.core.samples import Echo, inputs

        class Swallowing(Echo):
            def run(self, item):
                while True:
                    try:
                        print("now", flush=True)
                        time.sleep(600)
                    except BaseException:
                        pass

        EvaluatorRunner().run(Swallowing(inputs("good")))
        """,
        3,
    )
    assert status == 130


def test_working_directory_that_is_gone__errors_are_told_all_the_same(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    os.rmdir(gone)  # noqa: PTH106  (the folder is the working directory)

    class Breaking(Echo):
        def run(self, item):
            raise ValueError("lost")

        def evaluate(self, output, item):
            self.check(Says("good"), output)

    for concurrency in (1, 2):
        assert "ValueError: lost" in str(EvaluatorRunner().run(Breaking(inputs("a")), concurrency).results[0].error)
