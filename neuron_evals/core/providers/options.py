"""Options of what speaks HTTP: they come from settings, where nothing checks their types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from neuron_evals.core.exceptions import InvalidArgument

_BLANK = re.compile(r"[\s\x00-\x1f\x7f]")
_MAY_HOLD_A_SECRET = re.compile(r"[@?#]")

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FRAMING = frozenset({"content-length", "transfer-encoding"})
"""Headers that say where the body ends."""

_SECRET_WORD = re.compile(
    r"auth(?!ors?$)|cookie|credential|jwt|key(?!board)|pass(?:code|key|phrase|w|$)|pwd|secret|session|signature"
    r"|token(?!iz)|^(?:otp|pin|sid|sig)$"
)
"""What a word of a header's name holds when the value is a secret."""


class MoreHeaders:
    """Headers from the options; their values show in no `repr`.

    Args:
        values: The headers by their names.

    Raises:
        InvalidArgument: A name or a value is something that no header can carry, or says where the body ends.

    Attributes:
        values: The headers by their names in lower case.
    """

    def __init__(self, values: Mapping[Any, Any]) -> None:
        for name, value in values.items():
            if not all(isinstance(part, str) and part.isascii() and part.isprintable() for part in (name, value)):
                msg = f"headers: names and values are printable text, not so for {name!r}"
                raise InvalidArgument(msg)
            if not _HEADER_NAME.fullmatch(name) or name.lower() in _FRAMING:
                msg = f"headers: {name!r} is no name of a header that can be added"
                raise InvalidArgument(msg)
        self.values: dict[str, str] = {name.lower(): value for name, value in values.items()}

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values that may be keys, and what follows their scheme, such as `Bearer`."""
        found = [value for name, value in self.values.items() if _means_a_secret(name)]
        return (*found, *(value.rpartition(" ")[2] for value in found))


def _means_a_secret(header: str) -> bool:
    return any(_SECRET_WORD.search(word) for word in re.split(r"[^a-z0-9]+", header))


def check_limits(
    owner: str, timeout: Any, max_retries: Any, max_in_flight: Any = None, max_reply_bytes: Any = 1
) -> None:
    """Check the options that limit calls: they come from settings, where nothing checks their types.

    Raises:
        InvalidArgument: One is out of its range.
    """
    whole = {"max_retries": (max_retries, 0), "max_reply_bytes": (max_reply_bytes, 1)}
    if max_in_flight is not None:
        whole["max_in_flight"] = (max_in_flight, 1)
    for option, (value, least) in whole.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            msg = f"{owner}: {option} is a whole number, {least} or more, got {value!r}"
            raise InvalidArgument(msg)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
        msg = f"{owner}: timeout is above 0 seconds, got {timeout!r}"
        raise InvalidArgument(msg)


def check_mapping(owner: str, option: str, value: Any) -> None:
    """Check an option that is a mapping; what it is instead is not shown, as it may hold a secret.

    Raises:
        InvalidArgument: It is none.
    """
    if not isinstance(value, Mapping):
        msg = f"{owner}: {option} is a mapping, got {type(value).__name__}"
        raise InvalidArgument(msg)


def check_flag(owner: str, option: str, value: Any) -> None:
    """Check an option that is a boolean.

    Raises:
        InvalidArgument: It is none.
    """
    if not isinstance(value, bool):
        msg = f"{owner}: {option} is True or False, got {value!r}"
        raise InvalidArgument(msg)


def check_header_text(owner: str, option: str, value: Any) -> None:
    """Check an option that is sent as a header.

    Raises:
        InvalidArgument: No header can carry it.
    """
    if not isinstance(value, str) or not value or not value.isascii() or not value.isprintable():
        msg = f"{owner}: {option} is text that a header can carry, got {value!r}"
        raise InvalidArgument(msg)


def checked_url(url: Any, owner: str) -> str:
    """Return the address without a slash at its end.

    Raises:
        InvalidArgument: It is no http or https address, or holds a user, a query or a fragment.
    """
    written = url if isinstance(url, str) and not _BLANK.search(url) else ""
    try:
        parts = urlsplit(written)
        port_is_valid = parts.port is None or parts.port > 0
    except ValueError:
        parts, port_is_valid = urlsplit(""), False
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_valid:
        got = "one with a user, a query or a fragment" if _MAY_HOLD_A_SECRET.search(str(url)) else repr(url)
        msg = f"{owner}: base_url is an address such as https://host/v1, got {got}"
        raise InvalidArgument(msg)
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        msg = f"{owner}: base_url for {parts.hostname} has a user, a query or a fragment; give keys by api_key_env"
        raise InvalidArgument(msg)
    return written.rstrip("/")
