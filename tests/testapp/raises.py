"""A module that cannot be imported."""

from __future__ import annotations

msg = "settings are not ready\nyet"
raise RuntimeError(msg)
