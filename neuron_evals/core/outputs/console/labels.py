"""How evaluators are called on the console."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from neuron_evals.core.results import short_name


class Labels:
    """The short class name of each evaluator; the full name where two share the short one."""

    def __init__(self, evaluator_classes: Iterable[str]) -> None:
        counts = Counter(_short(name) for name in dict.fromkeys(evaluator_classes))
        self._shared = {short for short, count in counts.items() if count > 1}

    def of(self, evaluator_class: str) -> str:
        """Return the label of an evaluator."""
        short = _short(evaluator_class)
        return evaluator_class if short in self._shared else short


def _short(name: str) -> str:
    # A file that could not be imported has its file name in the place of the class.
    return name if name.endswith(".py") or "/" in name else short_name(name)
