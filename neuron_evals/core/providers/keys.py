"""API keys: where they come from, and what keeps them out of every text."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable
from typing import Any

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.providers.errors import ProviderError

REDACTED = "[redacted]"

_VARIABLE = re.compile(r"[A-Za-z_]\w*", re.ASCII)

# Words in capitals, with digits at their ends at most; what else could be a name could be the key itself as well.
_USUAL_VARIABLE = re.compile(r"[A-Z]{1,20}\d{0,2}(?:_[A-Z]{0,20}\d{0,2})*")

_SHORTEST = 8
"""Shorter values are no secrets but placeholders, such as `none`; replacing them would spoil ordinary words."""

# After "Bearer" a word is a token only when it has a digit.
_LOOKS_SECRET = re.compile(
    r"\b(?:sk|pk|rk|gsk)-[\w-]{8,}|(?<=://)[^\s/@]+@|(?i:\b(?:bearer|basic)\s+)(?=\S*\d)[\w.~+/=-]{8,}"
)


class ApiKey:
    """A key that shows in no `repr`, and is read anew for each call.

    Args:
        value: The key, or a callable without parameters that returns it.
        env: Name of the environment variable that holds it; used when `value` is `None`.

    Raises:
        InvalidArgument: `env` can be no such name, or `value` is no key.
    """

    __slots__ = ("_env", "_read", "given")

    def __init__(self, value: str | Callable[[], str] | None = None, env: str | None = None) -> None:
        named: Any = env
        given: Any = value
        if named is not None and not (isinstance(named, str) and _VARIABLE.fullmatch(named)):
            # Not shown: it may be the key itself, given in the wrong place.
            msg = "api_key_env is the name of an environment variable; a key itself is given by api_key"
            raise InvalidArgument(msg)
        if given is not None and not isinstance(given, str) and not callable(given):
            msg = f"api_key is a key as text, or a callable that returns it, got {type(given).__name__}"
            raise InvalidArgument(msg)
        self.given = value is not None or env is not None
        self._env = env if value is None else None
        self._read: Callable[[], str | None]
        if callable(value):
            self._read = value
        elif value is not None:
            self._read = lambda: value
        else:
            self._read = lambda: os.environ.get(env) if env else None

    def __repr__(self) -> str:
        return f"ApiKey(env={self._env!r})" if self._env and _USUAL_VARIABLE.fullmatch(self._env) else "ApiKey(...)"

    def read(self) -> str | None:
        """Return the key; `None` when the provider needs none.

        Raises:
            ProviderError: The environment variable is not set, the callable failed, or no header can carry the key.
        """
        failure: str | None = None
        key: str | None = None
        try:
            key = self._read()
        except Exception as exc:  # the callable is the project's own: its text might hold what it read
            failure = f"the callable that gives the API key raised {type(exc).__name__}"
        if failure is None:
            failure = self._fault(key)
        if failure is not None:
            # Outside the handler, as a chained exception would bring its text along; and no key is left in the frame.
            key = None
            raise ProviderError(failure, kind="auth")
        return key.strip() if key else None

    def problem(self) -> str | None:
        """Return why no key can be had, as far as that shows without calling anything; else `None`."""
        return self._fault(os.environ.get(self._env)) if self._env else None

    def _fault(self, key: object) -> str | None:
        if self._env and not key:
            if _USUAL_VARIABLE.fullmatch(self._env):
                return f"the environment variable {self._env} is not set; it should hold the API key"
            return "the environment variable that api_key_env names is not set; a key itself is given by api_key"
        if key is None:
            return None
        if not isinstance(key, str):
            return f"an API key is text, got {type(key).__name__}"
        if not key.strip().isascii() or not key.strip().isprintable():
            return "the API key holds characters that no HTTP header can carry"
        return None


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Return `text` without the secrets, and without what looks like one."""
    for secret in secrets:
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, REDACTED)
    return _LOOKS_SECRET.sub(REDACTED, text)


def redact_json(data: Any, secrets: Iterable[str]) -> Any:
    """Return a JSON value without the secrets, also where the text it was read from had escapes in them."""
    written = json.dumps(data, ensure_ascii=False)
    # Keys are ASCII, so that this is the one form in which they can stand there.
    found = [
        escaped for secret in secrets if len(secret) >= _SHORTEST and (escaped := json.dumps(secret)[1:-1]) in written
    ]
    for escaped in found:
        written = written.replace(escaped, REDACTED)
    return json.loads(written) if found else data


def redact_bytes(data: bytes, secrets: Iterable[str]) -> bytes:
    """Return `data` without the secrets, plain or as JSON writes them: a server may echo what it was sent."""
    for secret in secrets:
        if len(secret) >= _SHORTEST:
            escaped = json.dumps(secret)[1:-1]
            for form in dict.fromkeys((secret, escaped, escaped.replace("/", "\\/"))):
                data = data.replace(form.encode(), REDACTED.encode())
    return data
