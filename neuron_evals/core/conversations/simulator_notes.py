"""What is odd about a message of a simulated user. It is noted, and decides nothing: a person looks at it.

Phrases are known in English only; what is repeated is found in every language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_SPEAKER = re.compile(r"\W{0,4}(assistant|agent|ai|bot|system|user|human|customer)\W{0,4}:", re.IGNORECASE)
_WORD = re.compile(r"[\w']+")
_OFFERS = (
    "as an ai",
    "as a language model",
    "can i assist you",
    "can i help you with",
    "feel free to ask",
    "how can i assist",
    "how can i help",
    "how may i assist",
    "how may i help",
    "is there anything else i can",
    "let me know if you need anything",
)
_FAREWELLS = (
    "bye",
    "goodbye",
    "have a good day",
    "have a great day",
    "have a nice day",
    "nothing else",
    "see you",
    "take care",
    "that is all",
    "that's all",
)
_THANKS = ("thank you", "thanks")
_FEW_WORDS = 8
_TELLING = 3
"""Fewer words than these are repeated by chance."""


def confusion(message: str, agent: str) -> list[str]:
    """Return how a message seems to be said by the wrong side.

    Args:
        message: The user's new message.
        agent: The last text of the agent; empty when it has said nothing.
    """
    notes = []
    plain = _plain(message)
    label = _SPEAKER.match(message)
    if label:
        notes.append(f'role confusion: the message begins with the label "{label[1]}:"')
    if plain == _plain(agent) and len(plain.split()) >= _TELLING:
        notes.append("role confusion: the message repeats the agent's last message")
    offer = next((phrase for phrase in _OFFERS if phrase in plain), None)
    if offer:
        notes.append(f'role confusion: the message speaks as an assistant does ("{offer}")')
    return notes


def persistence(message: str, earlier: Sequence[str]) -> list[str]:
    """Return how a message shows a user that should have stopped.

    Args:
        message: The user's new message; the conversation goes on after it.
        earlier: The user's messages before it.
    """
    notes = []
    said = [*map(_plain, earlier), _plain(message)]
    again = _run(said, lambda text: text == said[-1])
    if again > 1:
        notes.append(f"refusal to stop: the same message {again} times in a row")
    farewells = _run(said, _is_farewell)
    if farewells > 1:
        notes.append(f"refusal to stop: thanks or goodbye {farewells} times in a row")
    return notes


def _run(texts: Sequence[str], holds: Callable[[str], bool]) -> int:
    """Return for how many of the last texts something holds."""
    count = 0
    for text in reversed(texts):
        if not holds(text):
            break
        count += 1
    return count


def _is_farewell(plain: str) -> bool:
    """Return whether a text says goodbye, or thanks and nothing more."""
    if "?" in plain:
        return False
    words = f" {' '.join(_WORD.findall(plain))} "
    if any(f" {phrase} " in words for phrase in _FAREWELLS):
        return True
    short = len(words.split()) <= _FEW_WORDS and not any(char.isdigit() for char in words)
    return short and any(f" {phrase} " in words for phrase in _THANKS)


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("\u2019", "'").split())
