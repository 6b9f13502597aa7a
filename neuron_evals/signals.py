"""Django signals of a run, and the output driver that sends them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.dispatch import Signal

from neuron_evals.core.outputs.contract import OutputDriver

if TYPE_CHECKING:
    from neuron_evals.core.report import EvaluationReport
    from neuron_evals.core.results import ItemResult, Plan

run_started = Signal()
"""Sent with `plan` (a `Plan`) before the first item of a command runs."""

item_finished = Signal()
"""Sent with `result` (an `ItemResult`) as soon as an item ended, in the order of ending."""

run_finished = Signal()
"""Sent with `report` (an `EvaluationReport`) after the last item, also when the run stopped early."""

run_cancelled = Signal()
"""Sent with `run` (an `EvalRun`) by `EvalRun` after somebody's wish to cancel a stored run was committed. A queued run
is over then; of a running one the executors stop soon."""


class SignalListener(OutputDriver):
    """Sends the signals of a run; it is their sender.

    Receivers are called in the thread that called the runner, one after the other. What a receiver raises is logged by
    Django (`django.dispatch`) and changes nothing in the run.
    """

    def start(self, plan: Plan) -> None:
        """Send `run_started`."""
        run_started.send_robust(type(self), plan=plan)

    def finished(self, result: ItemResult) -> None:
        """Send `item_finished`."""
        item_finished.send_robust(type(self), result=result)

    def output(self, report: EvaluationReport) -> None:
        """Send `run_finished`."""
        run_finished.send_robust(type(self), report=report)
