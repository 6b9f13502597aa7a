"""Evaluators from source text, as a developer edits it."""

from __future__ import annotations

import sys
from itertools import count
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from neuron_evals.core.evaluators import BaseEvaluator

SOURCE = """
from neuron_evals.core.evaluators import BaseEvaluator


class Base(BaseEvaluator):
    def get_dataset(self):
        return []

    def evaluate(self, output, item):
        raise NotImplementedError
"""


class Edited:
    """Loads source as one module, each time from a file of its own, and gives an evaluator from it."""

    name = "edited_evaluators"

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.monkeypatch = monkeypatch
        self.numbers = count()

    def load(self, source: str, cls: str = "Support") -> BaseEvaluator:
        """Return an evaluator of a class in the source, which may derive from `Base`."""
        path = self.folder / f"{next(self.numbers)}.py"
        path.write_text(SOURCE + source, encoding="utf-8")
        return self._evaluator(path, cls)

    def load_without_source(self, source: str, cls: str = "Support") -> BaseEvaluator:
        """Do the same where the source cannot be found again."""
        path = self.folder / f"{next(self.numbers)}.py"
        path.write_text(SOURCE + source, encoding="utf-8")
        evaluator = self._evaluator(path, cls)
        path.unlink()
        return evaluator

    def _evaluator(self, path: Path, cls: str) -> BaseEvaluator:
        module = ModuleType(self.name)
        module.__file__ = str(path)
        self.monkeypatch.setitem(sys.modules, self.name, module)
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), vars(module))  # noqa: S102  (our own text)
        made: Any = getattr(module, cls)
        evaluator: BaseEvaluator = made()
        return evaluator
