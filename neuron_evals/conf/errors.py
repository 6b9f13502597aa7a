"""What is wrong with settings, and how it is said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured

from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.nearest import nearest


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a setting, or with a command-line option that stands in for one.

    Attributes:
        code: Number of the system check, such as `"E001"`.
        message: Where, and what was wrong.
        hint: What would be valid.
    """

    code: str
    message: str
    hint: str

    def __str__(self) -> str:
        """Return the problem as one line."""
        return f"{self.message}. {self.hint}"


class SettingsError(ImproperlyConfigured, ConfigurationError):
    """The settings cannot be used.

    Attributes:
        problems: Everything that was found to be wrong.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(" ".join(str(problem) for problem in self.problems))


def did_you_mean(given: str, valid: Iterable[str]) -> str:
    """Return a sentence that names the valid name nearest to `given`, whatever its case; empty when none is near."""
    near = nearest(given, valid)
    return "" if near is None else f'Did you mean "{near}"?'
