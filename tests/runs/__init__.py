"""Tests of the run service."""

from __future__ import annotations
