"""What the runner tells while it runs: the contract on which output drivers stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neuron_evals.core.report import EvaluationReport
    from neuron_evals.core.results import ItemResult, Plan


class Listener:
    """Receives a run as it happens, in the thread that called the runner. The base class does nothing.

    `StopRun` raised by a listener stops the run; any other exception is the listener's own fault and is its owner's to
    catch.
    """

    def start(self, plan: Plan) -> None:
        """Take what will be run; called once, before the first item."""

    def finished(self, result: ItemResult) -> None:
        """Take a result as soon as its item ended, in the order of ending."""

    def item(self, result: ItemResult) -> None:
        """Take a result in dataset order."""

    def output(self, report: EvaluationReport) -> None:
        """Take the report; called once, after the last item, also when the run stopped early."""
