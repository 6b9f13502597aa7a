"""A module that needs one that is not installed."""

from __future__ import annotations

import not_installed_anywhere  # type: ignore[import-not-found]  # noqa: F401
