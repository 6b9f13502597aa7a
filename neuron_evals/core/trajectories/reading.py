"""Messages as others write them, read into ours: which format a list is in, and the reader for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.messages import Message
from neuron_evals.core.trajectories import anthropic, openai
from neuron_evals.core.trajectories.folding import Round
from neuron_evals.core.trajectories.parts import as_mapping, parts_of

_OWNER: Final = "Trajectory.from_messages"
_OURS: Final = "the form of Message objects"
_PLAIN: Final = "the form of plain mappings"
_OPENAI: Final = "OpenAI's format"
_ANTHROPIC: Final = "Anthropic's format"

_Reader = Callable[[Mapping[str, Any], Round], Iterator[Message]]
_READERS: Final[Mapping[str, _Reader]] = {_PLAIN: openai.read, _OPENAI: openai.read, _ANTHROPIC: anthropic.read}


def read_messages(given: Iterable[Any]) -> list[Message]:
    """Return messages of any known format as ours.

    Args:
        given: `Message` objects, or messages in OpenAI's or Anthropic's format.

    Raises:
        InvalidArgument: The list is in two formats, or an element is no message; the text names its position.
    """
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        msg = f"{_OWNER}: expected a list of messages, got {type(given).__name__}"
        raise InvalidArgument(msg)
    elements = [_element(element, position) for position, element in enumerate(given)]
    reader = _READERS.get(_format(elements))
    messages: list[Message] = []
    proposed = Round()
    for position, element in enumerate(elements):
        if isinstance(element, Message) or reader is None:
            messages.append(element)
            continue
        try:
            for message in reader(element, proposed):
                messages.append(message)
                if message.role != "tool":
                    proposed = Round(message.tool_calls)
        except InvalidArgument as exc:
            msg = f"{_OWNER}: messages[{position}]: {exc}"
            raise InvalidArgument(msg) from exc
    return messages


def _element(given: Any, position: int) -> Any:
    element = given if isinstance(given, Message) else as_mapping(given)
    if element is None:
        msg = f"{_OWNER}: messages[{position}] must be a Message or a mapping, got {type(given).__name__}"
        raise InvalidArgument(msg)
    return element


def _format(elements: Sequence[Message | Mapping[str, Any]]) -> str:
    """Return the one format of a list."""
    seen: dict[str, int] = {}
    for position, element in enumerate(elements):
        for mark in _marks(element):
            seen.setdefault(mark, position)
    if _OURS not in seen and len(seen) > 1:
        seen.pop(_PLAIN, None)  # plain texts are the same in OpenAI's format and in Anthropic's
    if len(seen) > 1:
        (first, before), (second, position) = sorted(seen.items(), key=itemgetter(1))[:2]
        msg = f"{_OWNER}: messages[{position}] is in {second}, messages[{before}] in {first}; a list is in one format"
        raise InvalidArgument(msg)
    return next(iter(seen), _OURS)


def _marks(element: Message | Mapping[str, Any]) -> list[str]:
    """Return the formats that a message shows signs of."""
    if isinstance(element, Message):
        return [_OURS]
    kinds = {str(part.get("type")) for part in parts_of(element.get("content"))}
    marks = [_OPENAI] if openai.recognises(element, kinds) else []
    if anthropic.recognises(kinds):
        marks.append(_ANTHROPIC)
    return marks or [_PLAIN]
