"""JSON text: the form that is hashed, and the form that reports are written in."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from neuron_evals.core.jsonable.cleaning import clean_json
from neuron_evals.core.jsonable.roundtrip import Unserialisable, type_name


def canonical_json(value: object) -> str:
    """Return the one JSON text of `value`: cleaned, keys sorted, no spaces. It is what is hashed.

    Args:
        value: Anything; it is cleaned by `clean_json`.
    """
    return _CANONICAL.encode(clean_json(value))


def dump_json(value: Any, indent: int | None = None) -> str:
    """Return `value` as strict JSON text that can be written as UTF-8. It cleans nothing: use `clean_json` for that.

    Args:
        value: JSON values, as `clean_json` returns them.
        indent: Spaces per level; everything on one line by default.

    Raises:
        Unserialisable: `value` holds an object of another type, NaN or an infinity, a lone surrogate, or itself.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, default=_refuse)
        text.encode()
    except (TypeError, ValueError, RecursionError) as exc:
        if isinstance(exc, Unserialisable):
            raise
        msg = f"cannot be written as JSON: {exc}; clean_json() gives what can"
        raise Unserialisable(msg) from exc
    return text


def _refuse(value: object) -> NoReturn:
    msg = f"cannot be written as JSON: an object of type {type_name(value)}; clean_json() gives what can"
    raise Unserialisable(msg)


_CANONICAL = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
