"""A fork per item: isolation, all cores, hard time limits.

The runner's process forks one forker for each evaluator, right after `set_up` and before any dataset is read. The
forker has no threads and stays small, so that a fork costs the same however large the runner's process becomes. It
forks a child for each item; a child executes the item, sends what it gave, and ends.
"""

from __future__ import annotations

from neuron_evals.core.runner.pools.processes.pool import ProcessPool, why_no_fork

__all__ = ["ProcessPool", "why_no_fork"]
