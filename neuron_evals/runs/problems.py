"""What keeps a run from being made or executed."""

from __future__ import annotations

from collections.abc import Iterable

from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.suites import SuiteError

SHOWN_PROBLEMS = 50
"""How many problems the text of a `RunError` lists."""


class RunError(ConfigurationError):
    """A run that cannot be made, executed or changed as it was asked for. Nothing was spent, and nothing stored.

    Attributes:
        problems: Everything that was found, a line each.
    """

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(_listed(self.problems))


def lines_of(exc: Exception) -> list[str]:
    """Return what an error says, a line for each problem that it lists.

    Args:
        exc: An error of a suite, of the settings or of another part of a run.
    """
    if isinstance(exc, SuiteError):
        return [problem.written(_id(exc, problem.item_index)) for problem in exc.problems]
    if isinstance(exc, RunError):
        return list(exc.problems)
    return [str(exc)]


def _id(exc: SuiteError, index: int | None) -> str | None:
    return None if index is None else exc.ids.get(index)


def _listed(problems: tuple[str, ...]) -> str:
    if len(problems) == 1:
        return problems[0]
    shown = [f"- {problem}" for problem in problems[:SHOWN_PROBLEMS]]
    if len(problems) > SHOWN_PROBLEMS:
        shown.append(f"and {len(problems) - SHOWN_PROBLEMS} more")
    return "\n".join([f"{len(problems)} problems:", *shown])
