"""Runs whose processes are killed: real processes, real signals, on every kind of database."""

from __future__ import annotations
