"""Builds what the settings name: evaluators, output drivers, the runner, the assertion types that items may use."""

from __future__ import annotations

from neuron_evals.container.assertions import assertion_types
from neuron_evals.container.building import build
from neuron_evals.container.drivers import output_drivers
from neuron_evals.container.injection import make
from neuron_evals.container.runners import make_runner

__all__ = ["assertion_types", "build", "make", "make_runner", "output_drivers"]
