"""Writes the published schema; run it when a type of assertion or a key of items has changed."""

from __future__ import annotations

from neuron_evals.core.suites.schema.generating import FILE, schema_text

FILE.write_text(schema_text(), encoding="utf-8")
