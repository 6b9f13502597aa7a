from __future__ import annotations

import pytest

from neuron_evals.core.providers.transport.targets import target_of, tls_for


@pytest.mark.parametrize(
    ("url", "origin", "authority", "path"),
    [
        ("http://127.0.0.1/v1", (b"http", b"127.0.0.1", 80), b"127.0.0.1", b"/v1"),
        ("https://host/v1", (b"https", b"host", 443), b"host", b"/v1"),
        ("https://host:443/v1", (b"https", b"host", 443), b"host", b"/v1"),
        ("https://host:8443/v1", (b"https", b"host", 8443), b"host:8443", b"/v1"),
        ("http://[::1]:8000/v1", (b"http", b"::1", 8000), b"[::1]:8000", b"/v1"),
        ("https://bücher.example/ä", (b"https", b"xn--bcher-kva.example", 443), b"xn--bcher-kva.example", b"/%C3%A4"),
    ],
)
def test_target__of_a_url(url, origin, authority, path):
    target = target_of(url)
    found = target.origin
    assert (found.scheme, found.host, found.port) == origin
    assert (target.authority, target.url.target) == (authority, path)
    assert (tls_for(found) is not None) is url.startswith("https")
