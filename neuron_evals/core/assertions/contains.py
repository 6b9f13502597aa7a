"""Assertions about what a text contains, upper and lower case being the same by full Unicode case folding.

Nothing else is changed before comparing: no trimming, no white space collapsed, no Unicode normalisation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from neuron_evals.core.assertions.hidden_text import looks_alike
from neuron_evals.core.assertions.options import require_text, text_list
from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.checking import StringAssertion
from neuron_evals.core.results import AssertionResult


@dataclass(frozen=True)
class StringContains(StringAssertion):
    """Passes when the text contains `keyword` in any letter case.

    Args:
        keyword: What to look for; literal, not a pattern. An empty keyword is contained in every text.

    Raises:
        InvalidArgument: `keyword` is no text.
    """

    keyword: str

    def __post_init__(self) -> None:
        require_text(self.assertion_name, "keyword", self.keyword)

    @property
    def vacuous(self) -> bool:
        """Whether the keyword is empty."""
        return not self.keyword

    def evaluate_string(self, text: str) -> AssertionResult:
        """Return 1 when the keyword is contained, else 0."""
        if _contains(text, self.keyword):
            return AssertionResult.ok()
        hint = looks_alike(text, self.keyword, _contains)
        return AssertionResult.fail(0.0, f"{shown(text)} does not contain {shown(self.keyword)}{hint}")

    def unwanted(self, actual: Any) -> str:
        """Return that the keyword was found."""
        return _unwanted(actual, self.keyword)


@dataclass(frozen=True)
class StringContainsAll(StringAssertion):
    """Passes when the text contains every keyword in any letter case; there is no partial credit.

    Args:
        keywords: What to look for. An empty list passes every text.

    Raises:
        InvalidArgument: `keywords` is no list, or one of them is no text.
    """

    keywords: Sequence[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "keywords", text_list(self.assertion_name, "keywords", self.keywords))

    @property
    def vacuous(self) -> bool:
        """Whether there is no keyword that is not empty."""
        return not any(self.keywords)

    def evaluate_string(self, text: str) -> AssertionResult:
        """Return 1 when all keywords are contained, else 0."""
        missing = [keyword for keyword in self.keywords if not _contains(text, keyword)]
        if not missing:
            return AssertionResult.ok()
        message = f"{shown(text)} does not contain {_listed(missing)}{_first_hint(text, missing)}"
        return AssertionResult.fail(0.0, message)

    def unwanted(self, actual: Any) -> str:
        """Return that all keywords were found."""
        return f"{shown(actual)} contains all of {_listed(self.keywords)}, and it should not"


@dataclass(frozen=True)
class StringContainsAny(StringAssertion):
    """Passes when the text contains at least one keyword in any letter case.

    Args:
        keywords: What to look for. An empty list fails every text, an empty keyword passes every text.

    Raises:
        InvalidArgument: `keywords` is no list, or one of them is no text.
    """

    keywords: Sequence[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "keywords", text_list(self.assertion_name, "keywords", self.keywords))

    @property
    def vacuous(self) -> bool:
        """Whether there is no keyword, or an empty one."""
        return not self.keywords or "" in self.keywords

    def evaluate_string(self, text: str) -> AssertionResult:
        """Return 1 when a keyword is contained, else 0."""
        if any(_contains(text, keyword) for keyword in self.keywords):
            return AssertionResult.ok()
        message = f"{shown(text)} contains none of {_listed(self.keywords)}{_first_hint(text, self.keywords)}"
        return AssertionResult.fail(0.0, message)

    def unwanted(self, actual: Any) -> str:
        """Return which keywords were found."""
        found = [keyword for keyword in self.keywords if _contains(actual, keyword)]
        return f"{shown(actual)} contains {_listed(found)}, and it should not"


@dataclass(frozen=True)
class NotContains(StringAssertion):
    """Passes when the text does not contain `keyword` in any letter case.

    Args:
        keyword: What must be absent; literal, not a pattern. With an empty keyword no text passes.

    Raises:
        InvalidArgument: `keyword` is no text.
    """

    keyword: str

    def __post_init__(self) -> None:
        require_text(self.assertion_name, "keyword", self.keyword)

    @property
    def vacuous(self) -> bool:
        """Whether the keyword is empty."""
        return not self.keyword

    def evaluate_string(self, text: str) -> AssertionResult:
        """Return 1 when the keyword is absent, else 0."""
        if _contains(text, self.keyword):
            return AssertionResult.fail(0.0, _unwanted(text, self.keyword))
        return AssertionResult.ok()

    def unwanted(self, actual: Any) -> str:
        """Return that the keyword is missing."""
        return f"{shown(actual)} does not contain {shown(self.keyword)}, and it should"


def _contains(text: str, keyword: str) -> bool:
    return keyword.casefold() in text.casefold()


def _unwanted(actual: Any, keyword: str) -> str:
    return f"{shown(actual)} contains {shown(keyword)}, and it should not"


def _listed(keywords: Sequence[str]) -> str:
    return ", ".join(map(shown, keywords))


def _first_hint(text: str, keywords: Sequence[str]) -> str:
    """Return the clause of `looks_alike` for the first keyword that has one."""
    hints = (looks_alike(text, keyword, _contains, f"{shown(keyword)} differs") for keyword in keywords)
    return next(filter(None, hints), "")
