"""Results in the database: the output driver that stores them, and stored runs as reports."""

from __future__ import annotations

from neuron_evals.outputs.closing import close_run, give_back
from neuron_evals.outputs.driver import DatabaseOutput
from neuron_evals.outputs.reports import report_of, stored_keys, stored_results

__all__ = ["DatabaseOutput", "close_run", "give_back", "report_of", "stored_keys", "stored_results"]
