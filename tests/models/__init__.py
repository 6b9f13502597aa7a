"""Tests of the rows."""

from __future__ import annotations
