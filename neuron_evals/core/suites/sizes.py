"""How large the items of a suite are, and whether that is too large."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from neuron_evals.core.bounds import suite_size
from neuron_evals.core.jsonable import clean_json

_INSTEAD = "Put a larger one into a file, with an evaluator in code."


def size_problems(items: Sequence[Any]) -> Iterator[str]:
    """Yield why items are too many or too large for a suite.

    Args:
        items: The items, as data.
    """
    most = suite_size()
    if len(items) > most.items:
        yield f"The dataset has {len(items):,} items; a suite holds at most {most.items:,}. {_INSTEAD}"
    size = len(json.dumps(clean_json(items), ensure_ascii=False).encode())
    if size > most.bytes:
        yield f"The dataset has {size:,} bytes as JSON; a suite holds at most {most.bytes:,}. {_INSTEAD}"
