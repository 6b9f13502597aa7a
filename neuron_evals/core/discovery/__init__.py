"""Finding the evaluator classes in a folder, whether it is a package or not."""

from __future__ import annotations

from neuron_evals.core.discovery.broken import BrokenFile
from neuron_evals.core.discovery.discovering import Discovery, discover, discover_file

__all__ = ["BrokenFile", "Discovery", "discover", "discover_file"]
