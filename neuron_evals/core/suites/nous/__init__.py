"""Suites in the format of Nous.Eval: cases with an `eval_type`, what is expected, and options for both."""

from __future__ import annotations

from neuron_evals.core.suites.nous.suite import is_nous, read_suite

__all__ = ["is_nous", "read_suite"]
