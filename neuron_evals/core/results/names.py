"""Names of classes in reports."""

from __future__ import annotations


def short_name(dotted: str) -> str:
    """Return the last part of a dotted name; a file's name, and one of several words, stays whole."""
    return dotted if "/" in dotted or " " in dotted else dotted.rpartition(".")[2]


def full_name(cls: type) -> str:
    """Return the full dotted name of a class."""
    return f"{cls.__module__}.{cls.__qualname__}"
