"""The console driver: progress while a run goes on, then every failure and the figures."""

from __future__ import annotations

from neuron_evals.core.outputs.console.driver import ConsoleOutput

__all__ = ["ConsoleOutput"]
