"""What a customer wants: the intent, and the order, day or country that it is about."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from shop.vocabulary import COUNTRIES, FEASTS, MONTHS, RULES, WEEKDAYS, Intent

T = TypeVar("T")


@dataclass(frozen=True)
class Request:
    """A message as the agent understood it.

    `text` is the message in lower case without accents, `weekday` counts from Monday as 0, `day` is month and day.
    """

    intent: Intent
    text: str
    number: int | None = None
    weekday: int | None = None
    day: tuple[int, int] | None = None
    country: str | None = None


def understand(message: str) -> Request:
    """Return what a message asks for."""
    text = _plain(message)
    number = _number(text)
    return Request(_intent(text, number), text, number, _named(text, WEEKDAYS), _day(text), _named(text, COUNTRIES))


def _plain(message: str) -> str:
    parts = unicodedata.normalize("NFKD", message)
    bare = "".join(char for char in parts if not unicodedata.combining(char))
    return bare.casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def _intent(text: str, number: int | None) -> Intent:
    intent = next((intent for intent, pattern in RULES if re.search(pattern, text)), Intent.UNKNOWN)
    if intent is Intent.REFUND_QUESTION and number is None:
        return Intent.REFUND_POLICY  # "Can I return it?" without an order is about the rules.
    if intent in (Intent.GREETING, Intent.UNKNOWN) and number is not None:
        return Intent.STATUS
    return intent


def _number(text: str) -> int | None:
    without_years = re.sub(r"\b20\d\d\b", " ", text)
    found = re.search(r"(?<!\d)\d{4}(?!\d)", without_years)
    return int(found[0]) if found else None


def _day(text: str) -> tuple[int, int] | None:
    if found := re.search(r"\b20\d\d-(\d\d)-(\d\d)\b", text):
        return int(found[1]), int(found[2])
    month = "|".join(MONTHS)
    if found := re.search(rf"\b(\d\d?)(?:st|nd|rd|th)?(?: of)? ({month})\b", text):
        return MONTHS[found[2]], int(found[1])
    if found := re.search(rf"\b({month}) (\d\d?)\b", text):
        return MONTHS[found[1]], int(found[2])
    return _named(text, FEASTS)


def _named(text: str, names: Mapping[str, T]) -> T | None:
    """Return what the first name that stands in the text means; of two at one place, the longer."""
    found = [
        (match.start(), -match.end(), meaning)
        for name, meaning in names.items()
        if (match := re.search(rf"\b{name}\b", text)) is not None
    ]
    return min(found, key=lambda place: place[:2])[2] if found else None
