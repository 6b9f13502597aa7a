"""What message formats have in common: mappings or objects of a client, and content made of parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

# Reasoning is no part of what was said.
_UNSAID: Final = {"thinking", "redacted_thinking", "reasoning"}
_TEXTS: Final = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_KINDS: Final = {"image_url": "image", "input_audio": "audio"}
_DATA_URL: Final = re.compile(r"data:([\w.+-]+/[\w.+-]+)")


def as_mapping(value: Any) -> Mapping[str, Any] | None:
    """Return a mapping as it is, an object of a client's library as its mapping, and `None` for anything else."""
    if isinstance(value, Mapping):
        return value
    # Looked up on the type: objects that invent attributes must not be taken for messages.
    dump = getattr(type(value), "model_dump", None)
    dumped = dump(value) if callable(dump) else None
    return dumped if isinstance(dumped, Mapping) else None


def id_of(value: Any) -> str | None:
    """Return the id of a call; `None` where there is none. A number is one too: some servers count their calls."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) and value != "" else None


def parts_of(content: Any) -> list[Mapping[str, Any]]:
    """Return the parts of a message's content; one text is one part, no content none."""
    if content is None:
        return []
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    parts = []
    for part in content if isinstance(content, Iterable) and not isinstance(content, Mapping) else [content]:
        mapping = {"type": "text", "text": part} if isinstance(part, str) else as_mapping(part)
        parts.append({"type": type(part).__name__} if mapping is None else mapping)
    return parts


def said(parts: Iterable[Mapping[str, Any]], glue: str = "\n") -> tuple[str, list[Mapping[str, Any]]]:
    """Return the text of parts, and a description of each part that is no text.

    Args:
        parts: Parts of a content.
        glue: What to put between two texts.
    """
    texts: list[str] = []
    attachments: list[Mapping[str, Any]] = []
    for part in parts:
        kind = str(part.get("type"))
        if kind in _TEXTS:
            texts.append(str(part.get(_TEXTS[kind]) or ""))
        elif kind not in _UNSAID:
            attachments.append(_attachment(kind, part))
    return glue.join(texts), attachments


def _attachment(kind: str, part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return type, name and media type of a part, as far as they are known; never its data."""
    held = as_mapping(part.get(kind)) or as_mapping(part.get("source")) or {}
    described = {
        "type": _KINDS.get(kind, kind),
        "name": part.get("title") or held.get("filename"),
        "media_type": held.get("media_type") or _media_type(held),
    }
    return {key: value for key, value in described.items() if isinstance(value, str) and value}


def _media_type(held: Mapping[str, Any]) -> str | None:
    if isinstance(held.get("format"), str):
        return f"audio/{held['format']}"
    found = _DATA_URL.match(str(held.get("url") or held.get("file_data") or ""))
    return found[1] if found else None
