"""The signals of a run, and who sends them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from neuron_evals import BaseEvaluator, EvaluatorRunner, StopRun, StringContains
from neuron_evals.core.outputs import OutputPipeline
from neuron_evals.signals import SignalListener, item_finished, run_finished, run_started

if TYPE_CHECKING:
    from django.dispatch import Signal

SIGNALS = {"run_started": run_started, "item_finished": item_finished, "run_finished": run_finished}


class Support(BaseEvaluator):
    def get_dataset(self) -> Iterable[Mapping[str, Any]]:
        return [{"id": "a", "input": "9 to 5"}, {"id": "b", "input": "closed"}]

    def run(self, item: Any) -> str:
        return str(item["input"])

    def evaluate(self, output: str, item: Any) -> None:
        self.check(StringContains("9"), output)


@pytest.fixture
def connect():
    """Connect receivers, and disconnect them again."""
    connected: list[tuple[Signal, Any, Any]] = []

    def add(signal: Signal, receiver: Any, sender: Any = None) -> None:
        signal.connect(receiver, sender=sender, weak=False)
        connected.append((signal, receiver, sender))

    yield add
    for signal, receiver, sender in connected:
        signal.disconnect(receiver, sender=sender)


def run() -> OutputPipeline:
    pipeline = OutputPipeline([SignalListener()])
    assert pipeline.problems() == []
    EvaluatorRunner().prepare_run([Support()], concurrency=2).execute(pipeline)
    pipeline.close()
    return pipeline


def test_a_run__sends_its_plan_each_result_and_its_report(connect: Any) -> None:
    seen: list[Any] = []

    def note(sender: Any, signal: Any, **given: Any) -> None:
        seen.append((sender, next(name for name, each in SIGNALS.items() if each is signal), given))

    for signal in SIGNALS.values():
        connect(signal, note)
    run()
    names = [name for _, name, _ in seen]
    assert names == ["run_started", "item_finished", "item_finished", "run_finished"]
    assert {sender for sender, _, _ in seen} == {SignalListener}
    first, *items, last = [given for _, _, given in seen]
    assert [list(given) for given in (first, *items, last)] == [["plan"], ["result"], ["result"], ["report"]]
    assert first["plan"].total == 2
    assert {given["result"].item_id: given["result"].status for given in items} == {"a": "passed", "b": "failed"}
    assert (last["report"].passed_count, last["report"].failed_count) == (1, 1)


@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize("error", [RuntimeError("no room"), StopRun("enough")])
def test_a_receiver_that_raises__is_logged_and_the_run_and_other_receivers_go_on(
    connect: Any, caplog: pytest.LogCaptureFixture, name: str, error: Exception
) -> None:
    seen: list[str] = []

    def fail(**given: Any) -> None:
        raise error

    def note(signal: Any, **given: Any) -> None:
        seen.append(next(name for name, each in SIGNALS.items() if each is signal))

    connect(SIGNALS[name], fail)
    for signal in SIGNALS.values():
        connect(signal, note)
    pipeline = run()
    assert pipeline.errors == []
    assert seen == ["run_started", "item_finished", "item_finished", "run_finished"]
    assert {(record.name, record.levelname) for record in caplog.records} == {("django.dispatch", "ERROR")}
    assert [record.exc_info and record.exc_info[1] for record in caplog.records] == [error] * (
        2 if name == "item_finished" else 1
    )


def test_receivers_of_another_sender__hear_nothing(connect: Any) -> None:
    seen: list[Any] = []

    def note(**given: Any) -> None:
        seen.append(given)

    connect(run_finished, note, sender=Support)
    run()
    assert seen == []


def test_the_listener__needs_no_results_and_draws_nothing() -> None:
    listener = SignalListener()
    assert (listener.needs_results, listener.live, listener.destination) == (False, False, None)
