"""`MatchesRegex`: a regular expression, run with limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.checking import StringAssertion
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.patterns import CompiledPattern, TextPattern, compile_pattern
from neuron_evals.core.results import AssertionResult


@dataclass(frozen=True)
class MatchesRegex(StringAssertion):
    """Passes when the pattern matches anywhere in the text.

    The search is limited to 0.5 seconds of processor time and to texts of 100,000 characters; beyond, the check is an
    error.

    Args:
        regex: `/pattern/flags` with flags from `imsxu`; or a bare pattern, which does not begin with `/`; or a pattern
            compiled by `re` or `regex`. At most 1,000 characters. An empty pattern matches every text.

    Raises:
        InvalidArgument: The pattern does not compile, is too long, or has an unknown flag.
    """

    regex: str | TextPattern
    _pattern: CompiledPattern = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            compiled = compile_pattern(self.regex)
        except InvalidArgument as exc:
            msg = f"{self.assertion_name}: {exc}"
            raise InvalidArgument(msg) from exc
        object.__setattr__(self, "_pattern", compiled)

    @property
    def vacuous(self) -> bool:
        """Whether the pattern is found in every text, such as an empty one and `.*`."""
        return self._pattern.is_everywhere

    def evaluate_string(self, text: str) -> AssertionResult:
        """Return 1 when the pattern was found, else 0.

        Raises:
            InvalidInput: The text is longer than 100,000 characters.
            PatternTimeout: The search ran into its time limit.
        """
        if self._pattern.found_in(text):
            return AssertionResult.ok()
        return AssertionResult.fail(0.0, f"{shown(text)} does not match {self._pattern.source}")

    def unwanted(self, actual: Any) -> str:
        """Return that the pattern was found."""
        return f"{shown(actual)} matches {self._pattern.source}, and it should not"
