"""The modes of `TrajectoryMatches`."""

from __future__ import annotations

from enum import StrEnum
from typing import Any


class Mode(StrEnum):
    """How expected and actual calls are compared.

    The documents' words `subset` and `superset` are used the other way round by AgentEvals; the aliases say what is
    meant.
    """

    STRICT = "strict"
    """The same calls in the same order."""
    UNORDERED = "unordered"
    """The same calls in any order, each as often as expected."""
    SUBSET = "subset"
    """The expected calls in their order, others in between allowed."""
    SUPERSET = "superset"
    """No call beyond the expected ones; how often and in which order does not matter, none is needed."""
    IN_ORDER = SUBSET
    ONLY = SUPERSET

    @classmethod
    def _missing_(cls, value: Any) -> Mode | None:
        """Take the aliases as values too, so that data can use them."""
        return cls.__members__.get(value.upper()) if isinstance(value, str) else None
