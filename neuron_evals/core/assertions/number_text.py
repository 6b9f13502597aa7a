"""Numbers as they are written: the last one of a text, and the exact value of a number of Python.

Reading is conservative: what could be read in two ways is not read, and the reason says so.
"""

from __future__ import annotations

import math
import re
import unicodedata
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

from neuron_evals.core.assertions.wording import shown

MAX_DIGITS = 1_000
"""Longest number that is read, in characters."""

# A blank that does not break a line groups digits, as in `1\u202f000`; any other white space ends a number.
_GROUPING_BLANK = re.compile(r"(?<=\d)[\u00a0\u2007\u2009\u202f](?=\d{3}(?!\d))")
# Not every colon and brace: `10:30`, `\frac{1}{2}` and `2^{10}` stay whole, and are then not read. Chinese and Japanese
# set no blanks around numbers; their words for tens and thousands stay with the number, which is then not read.
_BETWEEN = re.compile(
    r"""
    [\s=\u2248<>()\[\]|"\u201c\u201d\u201e\u00ab\u00bb;&!?\u2026\u2014]
    | (?<=[^\d\s]): | :(?=[^\d\s])
    | (?<![}^_])\{ | \}(?!\{)
    | (?![\u5341\u767e\u5343\u4e07\u842c\u4ebf\u5104\u5146])[\u3001-\u30ff\u3400-\u9fff\uff01\uff08\uff09\uff1a\uff1f]
    """,
    re.VERBOSE,
)
_DIGIT = re.compile(r"[\d\u00bc-\u00be\u2150-\u215e]")
_MARKUP_BEFORE = "\\*_`#~:,'\u2018\u2019"
_MARKUP_AFTER = "\\*_`~:,.'\u2018\u2019%\u00b0\uff0c"
_CURRENCY = "$€£¥₹₩₽¢"
_NUMBER = re.compile(
    r"(?P<sign>[+\-\u2212]?)(?P<whole>\d+|[1-9]\d{0,2}(?:,\d{3})+)?(?P<fraction>\.\d+)?(?P<exponent>[eE][+-]?\d{1,4})?"
)
_FRACTIONS = {chr(code) for code in (*range(0xBC, 0xBF), *range(0x2150, 0x215F))}
_LARGEST_DENOMINATOR = 10
_WITH_CURRENCY = re.compile(rf"[^\W\d_]*(?P<sign>[+\-\u2212]?)\\?[{_CURRENCY}](?P<number>.*)", re.DOTALL)


class NoNumber(Exception):  # noqa: N818  (never leaves the assertions: it becomes a failed result)
    """A text has no number, or its last one cannot be read; and why."""


def last_number(text: str) -> Fraction:
    """Return the last number of a text.

    A number stands alone: a word that begins with a letter, such as `v2` or `COVID-19`, is none. Read are digits with a
    sign, a decimal point, an exponent of up to four digits and commas between groups of three; a currency sign before
    or after, a percent sign after and Markdown around it are left out.

    Raises:
        NoNumber: There is none, or the last one is glued to something that could change what it says, such as `42abc`,
            `1,5`, `1/2`, `10:30`, `10-20` or `2**3`, or has more than 1,000 characters.
    """
    for word in reversed(_BETWEEN.split(_GROUPING_BLANK.sub("", text))):
        if word and _DIGIT.search(word) is not None:
            bare = _bare(word)
            if bare:
                return _read(bare)
    msg = f"there is no number in {shown(text)}"
    raise NoNumber(msg)


def only_number(text: str) -> Fraction:
    """Return the number that a text is.

    Raises:
        NoNumber: It is anything else.
    """
    return _read(text.strip())


def as_written(value: Any) -> Fraction | None:
    """Return the exact value of a finite number as Python writes it, so that 0.1 is one tenth.

    Returns:
        `None` for anything else; a bool is no number.
    """
    if isinstance(value, Decimal):
        return Fraction(value) if value.is_finite() and abs(value.adjusted()) <= 10 * MAX_DIGITS else None
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    number = float(value)
    return Fraction(repr(number)) if math.isfinite(number) else None


def _bare(word: str) -> str:
    """Return a word without what may stand around a number; empty when it is no number but a name."""
    bare = word.lstrip(_MARKUP_BEFORE).rstrip(_MARKUP_AFTER).rstrip(_CURRENCY).rstrip(_MARKUP_AFTER)
    found = _WITH_CURRENCY.fullmatch(bare)
    if found is not None:
        bare = found["sign"] + found["number"]
    return "" if bare[:1].isalpha() or _DIGIT.search(bare) is None else bare


def _read(word: str) -> Fraction:
    if len(word) > MAX_DIGITS:
        msg = f"the last number has more than {MAX_DIGITS:,} characters: {shown(word[:20])}…"
        raise NoNumber(msg)
    if word in _FRACTIONS:
        return Fraction(unicodedata.numeric(word)).limit_denominator(_LARGEST_DENOMINATOR)
    found = _NUMBER.fullmatch(word)
    if found is None or (found["whole"] is None and found["fraction"] is None):
        msg = f"the last number, {shown(word)}, does not stand alone or can be read in more than one way"
        raise NoNumber(msg)
    return Fraction(Decimal(word.replace(",", "").replace("\u2212", "-")))
