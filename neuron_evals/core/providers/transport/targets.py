"""Where calls go, and the one TLS context for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import httpcore
import httpx

if TYPE_CHECKING:
    import ssl


@dataclass(frozen=True, slots=True)
class Target:
    """A URL, taken apart.

    Attributes:
        url: The same, for httpcore.
        origin: What to connect to: scheme, host and port.
        authority: The `Host` header.
    """

    url: httpcore.URL
    origin: httpcore.Origin
    authority: bytes


@lru_cache
def target_of(url: str) -> Target:
    """Return where an http or https URL leads; a provider has one or two of them."""
    read = httpx.URL(url)
    taken = httpcore.URL(scheme=read.raw_scheme, host=read.raw_host, port=read.port, target=read.raw_path)
    return Target(taken, taken.origin, read.netloc)


def tls_for(origin: httpcore.Origin) -> ssl.SSLContext | None:
    """Return what encrypts a connection and has the host prove its name; `None` for plain http."""
    return _tls_context() if origin.scheme == b"https" else None


@cache
def _tls_context() -> ssl.SSLContext:
    # One for all connections: making it reads every certificate there is.
    return httpx.create_ssl_context(trust_env=False)
