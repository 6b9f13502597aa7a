"""`Contains`: texts or patterns in a text, with a score for how many were found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from neuron_evals.core.assertions.normalizing import lowered
from neuron_evals.core.assertions.options import require_bool, text_list
from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.checking import StringAssertion
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.patterns import CompiledPattern, compile_pattern
from neuron_evals.core.results import AssertionResult

Mode = Literal["contains", "contains_any", "regex"]
MODES: tuple[Mode, ...] = ("contains", "contains_any", "regex")
"""The keys of `expected`; the first that is there applies."""


@dataclass(frozen=True)
class Contains(StringAssertion):
    """Passes when the text contains what is expected.

    Source: `contains` of Nous.Eval; items written as data reach it by `eval_type: contains`, and `type: contains` is
    `StringContains`. Texts are literal, also inside words. Patterns are searched as by `MatchesRegex`, with its limits.

    Args:
        expected: A text, or a list of texts that must all be there; or a mapping with one of the keys `contains` (a
            list: all), `contains_any` (a list: at least one) and `regex` (a list of patterns: all). Where there are
            several of these keys, the first in this order applies. Of an empty list all are there, and none.
        case_insensitive: Compare in lower case; patterns ignore case.

    Raises:
        InvalidArgument: `expected` has another form, or a pattern does not compile.
    """

    expected: str | Sequence[str] | Mapping[str, Sequence[str]]
    case_insensitive: bool = True
    _mode: Mode = field(init=False, repr=False, compare=False)
    _wanted: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _patterns: Mapping[str, CompiledPattern] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_bool(self.assertion_name, "case_insensitive", self.case_insensitive)
        mode, wanted = self._read()
        patterns = {text: self._compiled(text) for text in wanted} if mode == "regex" else {}
        object.__setattr__(self, "_mode", mode)
        object.__setattr__(self, "_wanted", wanted)
        object.__setattr__(self, "_patterns", patterns)

    @property
    def vacuous(self) -> bool:
        """Whether there is nothing to find, or only what is in every text."""
        if self._mode == "contains_any":
            return not self._wanted or "" in self._wanted
        if self._mode == "regex":
            return all(pattern.is_everywhere for pattern in self._patterns.values())
        return not any(self._wanted)

    def evaluate_string(self, text: str) -> AssertionResult:
        """Return the share that was found; with `contains_any` 1 or 0.

        Raises:
            InvalidInput: A pattern would be searched in more than 100,000 characters.
            PatternTimeout: A search ran into its time limit.
        """
        finds = self._finder(text)
        matched = [wanted for wanted in self._wanted if finds(wanted)]
        missing = [wanted for wanted in self._wanted if wanted not in matched]
        context = {"mode": self._mode, "matched": matched, "missing": missing}
        if self._mode == "contains_any":
            if matched:
                return AssertionResult.ok(context=context)
            return AssertionResult.fail(0.0, f"{shown(text)} contains none of {_listed(missing)}", context)
        if not missing:
            return AssertionResult.ok(context=context)
        verb = "does not match" if self._mode == "regex" else "does not contain"
        message = f"{shown(text)} {verb} {_listed(missing)}"
        return AssertionResult.fail(len(matched) / len(self._wanted), message, context)

    def unwanted(self, actual: Any) -> str:
        """Return what was found."""
        finds = self._finder(actual)
        verb = "matches" if self._mode == "regex" else "contains"
        return f"{shown(actual)} {verb} {_listed([text for text in self._wanted if finds(text)])}, and it should not"

    def _read(self) -> tuple[Mode, tuple[str, ...]]:
        expected: Any = self.expected
        if isinstance(expected, str):
            return "contains", (expected,)
        if not isinstance(expected, Mapping):
            return "contains", text_list(self.assertion_name, "expected", expected)
        mode = next((mode for mode in MODES if mode in expected), None)
        unknown = [key for key in expected if key not in MODES]
        if mode is None or unknown:
            got = ", ".join(map(shown, unknown)) or "none"
            known = ", ".join(MODES)
            msg = f"{self.assertion_name}: expected is text, a list, or has one of the keys {known}; got {got}"
            raise InvalidArgument(msg)
        return mode, text_list(self.assertion_name, f"expected[{mode!r}]", expected[mode])

    def _compiled(self, pattern: str) -> CompiledPattern:
        try:
            return compile_pattern(pattern, ignore_case=self.case_insensitive)
        except InvalidArgument as exc:
            msg = f"{self.assertion_name}: {exc}"
            raise InvalidArgument(msg) from exc

    def _finder(self, text: str) -> Callable[[str], bool]:
        """Return what tells whether one of the texts or patterns is found."""
        if self._mode == "regex":
            return lambda pattern: self._patterns[pattern].found_in(text)
        if not self.case_insensitive:
            return lambda wanted: wanted in text
        low = lowered(text)
        return lambda wanted: lowered(wanted) in low


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(map(shown, texts)) or "nothing"
