"""How the tables came to be."""

from __future__ import annotations
