"""The keys of suites and cases in the format of Nous.Eval, and what each may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from neuron_evals.core.bounds import MAX_CONCURRENCY, MAX_REPEATS, MAX_RETRIES
from neuron_evals.core.suites.items import KEYS as ITEM_KEYS
from neuron_evals.core.suites.shapes import Anything, Coded, Either, Keyed, Listed, Mapped, Number, Shape, Text
from neuron_evals.core.suites.studio import MODEL_SETTINGS

CASES: Final = "test_cases"
"""Key of a suite under which its cases stand."""

USUAL_TIMEOUT: Final = 30.0
"""Seconds a case may take when nobody says it."""

_WRITTEN = Text(blank=False)
_MILLISECONDS = Number(0, above=True, unit="milliseconds")

SUITE_KEYS: Final[Mapping[str, Shape]] = {
    "name": _WRITTEN,
    "description": Text(),
    CASES: Anything(),
    "default_model": _WRITTEN,
    "default_instructions": Text(),
    "default_timeout": _MILLISECONDS,
    "parallelism": Number(1, MAX_CONCURRENCY, whole=True),
    "retry_failed": Number(0, MAX_RETRIES, whole=True),
    "setup": Coded("a callable without arguments"),
    "teardown": Coded("a callable that takes what setup returned"),
    "metadata": Mapped(),
    "agent": _WRITTEN,
    "judge": _WRITTEN,
    "tags": Listed(_WRITTEN),
    "repeats": Number(1, MAX_REPEATS, whole=True),
}
"""The keys of a suite: those of the document, and `agent`, `judge`, `tags` and `repeats` as in Studio's format."""

TOOLS: Final = Listed(Coded("a tool"))
"""Tools of the agent."""

AGENT_KEYS: Final[Mapping[str, Shape]] = {
    "model": _WRITTEN,
    "instructions": Text(),
    "model_settings": MODEL_SETTINGS,
    "tools": TOOLS,
    "output_type": Either((Coded("a dataclass or pydantic model"), Mapped())),
}
"""The keys of `agent_config`."""

OWN_KEYS: Final[Mapping[str, Shape]] = {
    "input": Anything(),
    "expected": Anything(),
    "eval_type": Anything(),
    "eval_config": Mapped(),
    "deps": Either((Mapped(), Coded("what the tools depend on"))),
    "tools": TOOLS,
    "agent_config": Keyed(AGENT_KEYS),
    "timeout": _MILLISECONDS,
}
"""The keys of a case that Studio's items have not, or have otherwise."""

CASE_KEYS: Final[Mapping[str, Shape]] = {**ITEM_KEYS, **OWN_KEYS}
"""The keys of a case: those of the document, and those of Studio's items."""

TELLING_SUITE: Final = frozenset({CASES, "default_model", "default_instructions", "default_timeout", "parallelism"})
"""Keys that tell that a suite is in this format."""

TELLING_CASE: Final = frozenset({"eval_type", "eval_config", "agent_config", "expected", "deps"})
"""Keys that tell that an item is a case."""
