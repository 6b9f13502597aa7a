"""YAML 1.2 as the same plain data that JSON gives: no tags, no repeated keys, nothing that grows when it is read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import StringIO
from typing import Any, NoReturn

from neuron_evals.core.exceptions import DatasetError, DatasetProblem

Path = tuple[str | int, ...]
"""Where a value is: keys and positions from the top."""

LARGEST_NODES = 200_000
"""Most values in a document, those that aliases repeat counted each time."""

DEEPEST = 30
"""Most levels of lists and mappings in each other; MariaDB stores no deeper JSON."""

_NULL = re.compile(r"null|Null|NULL|~|")
_BOOL = re.compile(r"true|True|TRUE|false|False|FALSE")
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_LONGEST_NUMBER = 400
_NO_CHARACTER = re.compile(r"\\U(?!000|0010)[0-9A-Fa-f]{8}")
_OWN_TAGS = "tag:yaml.org,2002:"

# What a reader of YAML 1.1 takes for text too, however it is written.
_PLAIN_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_ /-]*[A-Za-z0-9_]|[A-Za-z_]")
_OLD_WORDS = frozenset({"y", "yes", "n", "no", "on", "off", "true", "false", "null"})
# Lines of printable characters, of which the first begins and the last ends without a space.
_HIDDEN = r"\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff"
_BLOCK_TEXT = re.compile(rf"(?=.*\n.)[^\s{_HIDDEN}][^{_HIDDEN}]*[^\s{_HIDDEN}]\n?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """What a YAML text holds.

    Attributes:
        value: Mappings, lists, text, whole and other numbers, booleans and `None`; keys are text as it is written.
        places: Line and column of each value, counted from 1, by its path.
    """

    value: Any
    places: Mapping[Path, tuple[int, int]]

    def place(self, path: Path) -> tuple[int, int] | None:
        """Return line and column of the value at `path`, or of the nearest one around it."""
        while path not in self.places and path:
            path = path[:-1]
        return self.places.get(path)


def read_yaml(text: str, source: str) -> YamlDocument:
    """Return what a YAML 1.2 text holds; plain scalars are read by the core schema, so `no` is text.

    Args:
        text: The text, one document.
        source: Name of the file, for errors.

    Raises:
        DatasetError: It is no YAML, or has a tag, a merge key, a repeated key, a key that is no scalar, a number that
            JSON has not, more than 200,000 values or more than 30 levels; the problem has line and column.
    """
    reading = _Reading(source)
    for event in _events(text, source):
        reading.take(event)
    return YamlDocument(reading.value, reading.places)


def write_yaml(value: Any) -> str:
    """Return plain data as YAML that readers of YAML 1.1 and 1.2 read alike, in block style, keys in their order."""
    from ruamel.yaml import YAML  # noqa: PLC0415  (imported where used, so that start-up stays short)

    writer = YAML()
    writer.allow_unicode = True
    writer.width = 1_000_000  # texts are not folded: a folded one changes when people edit it
    written = StringIO()
    writer.dump(_dressed(value), written)
    return written.getvalue().removesuffix("...\n")


def _events(text: str, source: str) -> Iterator[Any]:
    from ruamel.yaml import YAML  # noqa: PLC0415  (as above)
    from ruamel.yaml.error import MarkedYAMLError, YAMLError  # noqa: PLC0415
    from ruamel.yaml.reader import ReaderError  # noqa: PLC0415

    text = text.removeprefix("\ufeff")
    reached = 0
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            reached = event.end_mark.index
            yield event
    except ReaderError as exc:
        where = _position(text, exc.position)
        _refuse(source, f"no YAML: the character U+{exc.character:04X} is not allowed", *where)
    except MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        _refuse(source, f"no YAML: {_told(exc)}", *((mark.line + 1, mark.column + 1) if mark is not None else ()))
    except (YAMLError, ValueError, OverflowError, RecursionError) as exc:
        escape = _NO_CHARACTER.search(text, reached)
        if escape is None:
            _refuse(source, f"no YAML: {exc}")
        _refuse(source, f"no YAML: {escape[0]} is no character", *_position(text, escape.start()))


def _position(text: str, index: int) -> tuple[int, int]:
    """Return line and column of a character, counted from 1."""
    lines = text[:index].split("\n")
    return len(lines), len(lines[-1]) + 1


def _told(exc: Any) -> str:
    """Return what the reader says, and what it was about when that began elsewhere, such as a quote never closed."""
    begun, found = exc.context_mark, exc.problem_mark
    if exc.problem and exc.context and begun is not None and found is not None and begun.line != found.line:
        return f"{exc.problem} ({exc.context} that begins in line {begun.line + 1}, column {begun.column + 1})"
    return exc.problem or exc.context or "it cannot be read"


@dataclass(slots=True)
class _Open:
    """A mapping or list whose end has not come."""

    held: dict[str, Any] | list[Any]
    path: Path
    anchor: str | None
    first: int
    key: str | None = None


@dataclass(slots=True)
class _Reading:
    source: str
    value: Any = None
    places: dict[Path, tuple[int, int]] = field(default_factory=dict)
    _documents: int = 0
    _nodes: int = 0
    _open: list[_Open] = field(default_factory=list)
    _anchors: dict[str, tuple[Any, int] | None] = field(default_factory=dict)

    def take(self, event: Any) -> None:
        name = type(event).__name__
        if name == "DocumentStartEvent":
            self._documents += 1
            if self._documents > 1:
                self._refuse(event, "one document is read, and here another begins")
            if event.tags:
                self._refuse(event, "tags are not read")
        elif name in ("MappingStartEvent", "SequenceStartEvent"):
            self._begin(event, {} if name.startswith("M") else [])
        elif name in ("MappingEndEvent", "SequenceEndEvent"):
            closed = self._open.pop()
            if closed.anchor is not None:
                self._anchors[closed.anchor] = (closed.held, self._nodes - closed.first)
        elif name == "ScalarEvent":
            self._scalar(event)
        elif name == "AliasEvent":
            self._alias(event)

    def _begin(self, event: Any, held: dict[str, Any] | list[Any]) -> None:
        self._refuse_tag(event)
        if self._wants_key():
            self._refuse(event, "a key must be text, not a list or mapping")
        if len(self._open) >= DEEPEST:
            self._refuse(event, f"more than {DEEPEST} levels of lists and mappings in each other")
        first = self._nodes
        path = self._put(event, held, 1)
        if event.anchor is not None:
            self._anchors[event.anchor] = None  # until its end, so that it cannot hold itself
        self._open.append(_Open(held, path, event.anchor, first))

    def _scalar(self, event: Any) -> None:
        self._refuse_tag(event)
        if self._wants_key():
            self._key(event, event.value)
            return
        plain = event.style is None or event.style == ""
        value = self._resolved(event) if plain else event.value
        self._put(event, value, 1)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1)

    def _alias(self, event: Any) -> None:
        if event.anchor not in self._anchors:
            self._refuse(event, f"the alias *{event.anchor} has no anchor before it")
        known = self._anchors[event.anchor]
        if known is None:
            self._refuse(event, f"the alias *{event.anchor} stands inside what it repeats")
        value, nodes = known
        if self._wants_key():
            self._refuse(event, "a key must be text, not an alias")
        if len(self._open) + _depth(value) > DEEPEST:
            self._refuse(event, f"more than {DEEPEST} levels of lists and mappings in each other")
        self._count(event, nodes)
        self._put(event, _copied(value), 0)

    def _key(self, event: Any, key: str) -> None:
        top = self._open[-1]
        if key == "<<" and not event.style:
            self._refuse(event, "merge keys (<<) are not YAML 1.2; repeat what they would bring")
        if key in top.held:
            self._refuse(event, f"the key {key!r} stands twice in this mapping")
        top.key = key

    def _wants_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1].held, dict) and self._open[-1].key is None

    def _put(self, event: Any, value: Any, nodes: int) -> Path:
        self._count(event, nodes)
        path: Path = ()
        if not self._open:
            self.value = value
        else:
            top = self._open[-1]
            if isinstance(top.held, list):
                path = (*top.path, len(top.held))
                top.held.append(value)
            elif top.key is not None:
                path = (*top.path, top.key)
                top.held[top.key] = value
                top.key = None
        self.places[path] = (event.start_mark.line + 1, event.start_mark.column + 1)
        return path

    def _count(self, event: Any, nodes: int) -> None:
        self._nodes += nodes
        if self._nodes > LARGEST_NODES:
            self._refuse(event, f"more than {LARGEST_NODES:,} values, those that aliases repeat counted each time")

    def _resolved(self, event: Any) -> Any:
        """Return a plain scalar by the core schema of YAML 1.2."""
        text = event.value
        if _NULL.fullmatch(text):
            return None
        if _BOOL.fullmatch(text):
            return text.lower() == "true"
        if _NOT_FINITE.fullmatch(text):
            self._refuse(event, f"{text} is no finite number; quote it if text is meant")
        is_int = _INT.fullmatch(text)
        if not is_int and not _FLOAT.fullmatch(text):
            return text
        if len(text) > _LONGEST_NUMBER:
            self._refuse(event, f"a number of {len(text):,} characters; quote it if text is meant")
        number = int(text, 0 if text.startswith(("0o", "0x")) else 10) if is_int else float(text)
        if number in (float("inf"), float("-inf")):
            self._refuse(event, f"{text} is too large a number; quote it if text is meant")
        return number

    def _refuse_tag(self, event: Any) -> None:
        if event.tag is not None:
            tag = str(event.tag).replace(_OWN_TAGS, "!!", 1)
            self._refuse(event, f"tags are not read, here {tag}; leave it out, and quote what is to be text")

    def _refuse(self, event: Any, what: str) -> NoReturn:
        _refuse(self.source, what, event.start_mark.line + 1, event.start_mark.column + 1)


def _refuse(source: str, what: str, line: int | None = None, column: int | None = None) -> NoReturn:
    raise DatasetError([DatasetProblem(" ".join(what.split()), source, line=line, column=column)]) from None


def _depth(value: Any) -> int:
    """Return the levels of a value that was read, which are few."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if parts is None else 1 + max(map(_depth, parts), default=0)


def _copied(value: Any) -> Any:
    """Return a copy, so that what two places hold can be changed apart."""
    if isinstance(value, dict):
        return {key: _copied(part) for key, part in value.items()}
    return [_copied(part) for part in value] if isinstance(value, list) else value


def _dressed(value: Any) -> Any:
    """Return data with its texts in the style that says that they are text."""
    from ruamel.yaml.scalarstring import LiteralScalarString  # noqa: PLC0415  (as above)

    if isinstance(value, Mapping):
        return {_quoted(key): _dressed(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_dressed(part) for part in value]
    if not isinstance(value, str):
        return value
    return LiteralScalarString(value) if _BLOCK_TEXT.fullmatch(value) else _quoted(value)


def _quoted(text: str) -> str:
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString  # noqa: PLC0415  (as above)

    is_word = _PLAIN_WORD.fullmatch(text) and text.lower() not in _OLD_WORDS
    return text if is_word else DoubleQuotedScalarString(text)
