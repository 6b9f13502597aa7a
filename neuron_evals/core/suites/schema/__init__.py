"""The formats of suites as JSON Schemas, for editors: generated from what the validator reads by, published as files.

A schema knows the structure: keys, types, ranges. What it cannot know, such as whether a pattern compiles, or whether
an id is there twice, `parse_suite` finds.
"""

from __future__ import annotations

from neuron_evals.core.suites.schema.cases import cases_schema
from neuron_evals.core.suites.schema.items import suite_schema

__all__ = ["cases_schema", "suite_schema"]
