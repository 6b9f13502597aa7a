"""Builds what the settings name: evaluators and what their constructors want."""

from __future__ import annotations

from neuron_evals.container.building import build
from neuron_evals.container.injection import make

__all__ = ["build", "make"]
