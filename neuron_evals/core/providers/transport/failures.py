"""Error answers, in the forms that providers give them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from neuron_evals.core.jsonable import clean_text
from neuron_evals.core.providers.errors import TRANSIENT, ErrorKind, ProviderError
from neuron_evals.core.providers.keys import redact
from neuron_evals.core.providers.transport.retry import REPEATED_STATUSES

_LONGEST_TEXT = 500

_KINDS: tuple[tuple[str, ErrorKind], ...] = (
    ("rate_limit", "rate_limit"),
    ("overloaded", "server"),
    ("timeout", "server"),
    ("api_error", "server"),
    ("server_error", "server"),
    ("auth", "auth"),
    ("permission", "auth"),
    ("invalid_request", "bad_request"),
    ("not_found", "bad_request"),
)
"""Parts of the providers' own words for errors, and what they mean."""

_LASTING = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Words of a 429 that no waiting mends."""

_SERVER_ERRORS = 500


def error_of_status(
    status: int, body: bytes, data: Mapping[str, Any] | None, retry_after: float | None = None
) -> ProviderError:
    """Return the error that an answer with a status other than 200 stands for.

    Args:
        status: The status.
        body: The body, without secrets.
        data: The same as a JSON object; `None` when it is none.
        retry_after: Seconds that it asks to wait.
    """
    message, code = _message_and_code(data)
    text = f"HTTP {status}" + (f" ({code})" if code else "")
    said = message or shown(body)
    return ProviderError(
        f"{text}: {said}" if said else text,
        kind=_kind_of_status(status),
        status=status,
        code=code,
        retry_after=retry_after,
        transient=(status in REPEATED_STATUSES or status >= _SERVER_ERRORS) and code not in _LASTING,
    )


def error_in_body(data: Mapping[str, Any], status: int) -> ProviderError | None:
    """Return the error that the body of a successful answer, or a part of a stream, stands for; `None` for a reply."""
    if not data.get("error"):
        return None
    message, code = _message_and_code(data)
    if code.isascii() and code.isdigit():
        kind = _kind_of_status(int(code))
    else:
        kind = next((kind for part, kind in _KINDS if part in code), "bad_reply")
    text = f"answered with an error ({code})" if code else "answered with an error"
    said = message or shown(json.dumps(data["error"]))
    transient = kind in TRANSIENT and code not in _LASTING
    return ProviderError(f"{text}: {said}", kind=kind, status=status, code=code, transient=transient)


def shown(text: str | bytes) -> str:
    """Return text from outside for a message: one line, of bounded length, without secrets."""
    if isinstance(text, bytes):
        text = text[: 4 * _LONGEST_TEXT].decode(errors="replace")
    # Redacted before it is cut: half a key would pass unnoticed.
    return clean_text(redact(" ".join(text.split())), limit=_LONGEST_TEXT)


def _kind_of_status(status: int) -> ErrorKind:
    if status in (401, 403):
        return "auth"
    if status in (425, 429):
        return "rate_limit"
    if status in (408, 409) or status >= _SERVER_ERRORS:
        return "server"
    return "bad_request" if status >= 400 else "bad_reply"  # noqa: PLR2004  (the first of the client's errors)


def _message_and_code(data: object) -> tuple[str, str]:
    """Return the provider's message and its word for the error; empty texts where there is none."""
    error = data.get("error") if isinstance(data, dict) else None
    source = error if isinstance(error, dict) else data
    if isinstance(error, str):
        return shown(error), ""
    if not isinstance(source, dict):
        return "", ""
    message = next((source[key] for key in ("message", "detail") if isinstance(source.get(key), str)), "")
    # OpenAI's code says more than its type, such as `insufficient_quota` or `unsupported_parameter`.
    codes = (source.get(key) for key in ("code", "type"))
    code = next((str(part) for part in codes if isinstance(part, str | int) and part), "")
    return shown(message), shown(code)
