"""What a function's docstring tells a model: what it does, and what each parameter is."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

_SECTION = re.compile(r"^[A-Z]\w*( \w+)?:$")
_GOOGLE = re.compile(r"^(\*{0,2}\w+)(?: \([^)]*\))?: *(.*)$")
_FIELD = re.compile(r"^:param (?:\S+ )?(\w+): *(.*)$")


def described(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """Return the text before the first section of a docstring, and the descriptions of parameters.

    Parameters are read from a section `Args:` in Google's style, or from `:param name:` lines.

    Args:
        function: The function; without a docstring both are empty.
    """
    lines = (inspect.getdoc(function) or "").splitlines()
    end = next((index for index, line in enumerate(lines) if _SECTION.match(line) or line.startswith(":")), len(lines))
    return "\n".join(lines[:end]).strip(), _parameters(lines[end:])


def _parameters(lines: Iterable[str]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    name: str | None = None
    section, indent = "", 0
    for line in lines:
        text = line.strip()
        depth = len(line) - len(line.lstrip())
        if text and depth == 0:
            section, indent, name = text, 0, None
            match = _FIELD.match(text)
        elif section in ("Args:", "Arguments:", "Parameters:") and text and depth <= (indent or depth):
            indent = depth
            match = _GOOGLE.match(text)
        else:
            match = None
        if match:
            name = match[1].lstrip("*")
            found[name] = [match[2]]
        elif name is not None and text:
            found[name].append(text)
    return {name: " ".join(part for part in parts if part) for name, parts in found.items()}
