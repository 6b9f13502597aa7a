"""The format of suites as a JSON Schema, for editors: generated from the classes, published as a file.

The schema knows the structure: keys, types, ranges. What it cannot know, such as whether a pattern compiles, or whether
an id is there twice, `parse_suite` finds.
"""

from __future__ import annotations

from neuron_evals.core.suites.schema.generating import VERSION, suite_schema

__all__ = ["VERSION", "suite_schema"]
