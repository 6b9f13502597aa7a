"""Values as JSON: total cleaning for storage and reports, and a strict round trip for caches and other processes."""

from __future__ import annotations

from neuron_evals.core.jsonable.cleaning import MAX_DEPTH, clean_json
from neuron_evals.core.jsonable.foreign import register_view
from neuron_evals.core.jsonable.roundtrip import Undecodable, Unserialisable, decode, encode, register_type
from neuron_evals.core.jsonable.text import clean_text
from neuron_evals.core.jsonable.writing import canonical_json, dump_json

__all__ = [
    "MAX_DEPTH",
    "Undecodable",
    "Unserialisable",
    "canonical_json",
    "clean_json",
    "clean_text",
    "decode",
    "dump_json",
    "encode",
    "register_type",
    "register_view",
]
