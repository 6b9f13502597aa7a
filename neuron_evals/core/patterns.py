"""Regular expressions from outside, with limits; the only place that runs them.

A pattern comes from a dataset, a suite or an evaluator, the text from a model. The standard engine can need years for a
short text and cannot be stopped, so patterns run on the `regex` package: it behaves as `re` does, and takes a time
limit. What it accepts beyond `re` (approximate matching such as `(?:cat){e<=1}`, recursion) is accepted here too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Protocol

from neuron_evals.core.exceptions import InvalidArgument, InvalidInput, PatternTimeout

TIME_LIMIT = 0.5
"""Seconds of processor time that one search may take."""

MAX_PATTERN_LENGTH = 1_000
"""Longest pattern in characters."""

MAX_TEXT_LENGTH = 100_000
"""Longest text, in characters, in which a pattern is searched."""

MAX_EXPANSION = 200_000
"""Largest size of a pattern whose counted repeats are written out, in characters."""

FLAGS = "imsxu"
"""Flags of `/pattern/flags`; `u` is the default and changes nothing."""

_SHOWN_PATTERN = 100
_BACKWARDS = 0x400
"""The flag of `regex` that searches from the end."""
_SAME_FLAGS = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s", re.VERBOSE: "x", re.ASCII: "a"}

# In verbose mode blanks and comments may stand between the digits.
_COUNTED_REPEAT = re.compile(r"(\)?)\s*\{((?:\d|\s|#.*\n)+)(?:,(?:\d|\s|#.*\n)*)?\}")
# What may make a match depend on the text though it takes nothing of it: the end of the text or of a line, looking
# around, words, references, atomic and possessive groups, verbs, approximate matching, unusual flags.
_LOOKS_AT_TEXT = re.compile(r"\$|\\[bBmMZzGKLg\d]|\(\*|\(\?(?![imsxua]*[:)]|P<|<[A-Za-z_])|[*+?}]\+|\{(?![\d,\s]*\})")
_VERBOSE_COMMENT = re.compile(r"#.*\n")


class TextPattern(Protocol):
    """A pattern compiled from text, by `re` or by `regex`."""

    @property
    def pattern(self) -> str:
        """The pattern as it was written."""

    @property
    def flags(self) -> int:
        """The flags, as numbers of its engine."""


@dataclass(frozen=True, eq=False)
class CompiledPattern:
    """A pattern that can be searched for within limits; made by `compile_pattern`.

    Attributes:
        source: The pattern as it was written, `/` and flags included.
        body: The pattern without `/` and flags.
        time_limit: Seconds of processor time of the process that one search may take.
    """

    source: str
    body: str
    time_limit: float = TIME_LIMIT
    _engine: Any = field(kw_only=True, repr=False)

    @property
    def is_everywhere(self) -> bool:
        """Whether the pattern is found in every text, as `.*` and `a|` are; False where that cannot be told easily.

        What matches the empty text, and looks at nothing but the beginning, matches at the beginning of every text.
        """
        if _LOOKS_AT_TEXT.search(self.body) or self._engine.flags & _BACKWARDS:
            return False
        return self.found_in("")

    def found_in(self, text: str) -> bool:
        """Return whether the pattern matches anywhere in `text`.

        Raises:
            InvalidInput: `text` is longer than 100,000 characters.
            PatternTimeout: The search ran into the time limit.
        """
        if len(text) > MAX_TEXT_LENGTH:
            msg = f"a pattern is searched in at most {MAX_TEXT_LENGTH:,} characters, the text has {len(text):,}"
            raise InvalidInput(msg)
        try:
            # concurrent: other threads run on meanwhile, also when `text` is of a subclass of str.
            return self._engine.search(text, timeout=self.time_limit, concurrent=True) is not None
        except TimeoutError:
            msg = f"pattern {_shown(self.source)} ran into its time limit of {self.time_limit:g} s"
            raise PatternTimeout(msg) from None


def compile_pattern(
    pattern: str | TextPattern, time_limit: float = TIME_LIMIT, *, ignore_case: bool = False
) -> CompiledPattern:
    """Compile a pattern.

    Args:
        pattern: `/pattern/flags` with flags from `imsxu`; or a bare pattern, which does not begin with `/`; or a
            pattern compiled by `re` or `regex`, which keeps its flags.
        time_limit: Seconds of processor time of the process, above 0, that one search may take.
        ignore_case: Give a pattern that is text the flag `i`.

    Raises:
        InvalidArgument: The pattern is no text pattern, is longer than 1,000 characters, repeats too much, has an
            unknown flag, or does not compile.
    """
    if isinstance(pattern, str):
        body, flags = _split(pattern)
        if ignore_case:
            flags += "i"
        return CompiledPattern(pattern, body, time_limit, _engine=_compile(pattern, body, flags))
    import regex  # noqa: PLC0415  (costs start-up time that most runs need not spend)

    source = getattr(pattern, "pattern", None)
    if not isinstance(pattern, re.Pattern | regex.Pattern) or not isinstance(source, str):
        got = type(source if isinstance(source, bytes) else pattern).__name__
        msg = f"a regular expression is text or a pattern compiled from text, got {got}"
        raise InvalidArgument(msg)
    if isinstance(pattern, re.Pattern):
        flags = "".join(letter for flag, letter in _SAME_FLAGS.items() if pattern.flags & flag)
        return CompiledPattern(source, source, time_limit, _engine=_compile(source, source, flags))
    _refuse_long(source)
    return CompiledPattern(source, source, time_limit, _engine=pattern)


def _split(pattern: str) -> tuple[str, str]:
    """Return the body and the flags of a pattern written as text."""
    if not pattern.startswith("/"):
        return pattern, ""
    body, slash, flags = pattern[1:].rpartition("/")
    if not slash:
        msg = f"pattern {_shown(pattern)} begins with / and must end in / and flags from {FLAGS}"
        raise InvalidArgument(msg)
    unknown = "".join(dict.fromkeys(flag for flag in flags if flag not in FLAGS))
    if unknown:
        msg = f"pattern {_shown(pattern)} has unknown flags {unknown!r}; known flags are {', '.join(FLAGS)}"
        raise InvalidArgument(msg)
    return body, flags


def _compile(source: str, body: str, flags: str) -> Any:
    _refuse_long(source)
    if _expansion(body) > MAX_EXPANSION:
        msg = f"pattern {_shown(source)} repeats too much: its counted repeats make it longer than {MAX_EXPANSION:,}"
        raise InvalidArgument(msg)
    import regex  # noqa: PLC0415  (costs start-up time that most runs need not spend)

    letters = {"i": regex.I, "m": regex.M, "s": regex.S, "x": regex.X, "a": regex.A}
    combined: int = regex.VERSION0
    for letter in flags:
        combined |= letters.get(letter, 0)
    try:
        return regex.compile(body, combined)
    except RecursionError:
        reason = "it is nested too deeply"
    except Exception as exc:  # whatever the engine raises for a pattern speaks against the pattern
        reason = str(exc) or type(exc).__name__
    msg = f"pattern {_shown(source)} does not compile: {reason}"
    raise InvalidArgument(msg)


def _refuse_long(source: str) -> None:
    if len(source) > MAX_PATTERN_LENGTH:
        msg = f"a pattern has at most {MAX_PATTERN_LENGTH:,} characters, got {len(source):,}: {_shown(source)}"
        raise InvalidArgument(msg)


def _expansion(body: str) -> int:
    """Return an upper bound of the size of `body` with its counted repeats written out.

    The engine writes them out when it compiles: the 23 characters `((a{1000}){1000}){1000}` would take all memory.
    Repeats of single characters cannot nest, so the largest of them counts once; repeats of groups can, so all are
    multiplied. Where a comment may stand between a group and its count, every repeat counts as one of a group.
    """
    nested, single = 1, 1
    may_have_comments = "#" in body
    for after_group, written in _COUNTED_REPEAT.findall(body):
        digits = "".join(_VERBOSE_COMMENT.sub("", written).split())
        count = max(int(digits or 0), 1)
        if after_group or may_have_comments:
            nested *= count
        else:
            single = max(single, count)
    return len(body) * nested * single


def _shown(source: str) -> str:
    """Return a pattern for a message, on one line."""
    cut = source if len(source) <= _SHOWN_PATTERN else f"{source[:_SHOWN_PATTERN]}…"
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in cut)
