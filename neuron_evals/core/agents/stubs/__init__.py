"""Tool stubs: what answers in place of a tool, so that agents whose tools have effects can be run safely."""

from __future__ import annotations

from neuron_evals.core.agents.stubs.agent import StubbedAgent, stub_tools
from neuron_evals.core.agents.stubs.declared import read_stubs, stub_problems
from neuron_evals.core.agents.stubs.recorded import stubs_from
from neuron_evals.core.agents.stubs.stub import Stub

__all__ = ["Stub", "StubbedAgent", "read_stubs", "stub_problems", "stub_tools", "stubs_from"]
