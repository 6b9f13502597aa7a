"""Writes the published schemas; run it when a type of assertion, a type of evaluator or a key has changed."""

from __future__ import annotations

from neuron_evals.core.suites.schema.files import published

for file, text in published().items():
    file.write_text(text, encoding="utf-8")
