"""Output drivers: what takes results as they come and the report at the end."""

from __future__ import annotations

from neuron_evals.core.outputs.console import ConsoleOutput
from neuron_evals.core.outputs.contract import OutputDriver
from neuron_evals.core.outputs.github import GitHubOutput
from neuron_evals.core.outputs.json import JsonOutput
from neuron_evals.core.outputs.junit import JUnitOutput
from neuron_evals.core.outputs.markdown import MarkdownOutput
from neuron_evals.core.outputs.pipeline import DriverError, OutputPipeline
from neuron_evals.core.outputs.render import render

__all__ = [
    "ConsoleOutput",
    "DriverError",
    "GitHubOutput",
    "JUnitOutput",
    "JsonOutput",
    "MarkdownOutput",
    "OutputDriver",
    "OutputPipeline",
    "render",
]
