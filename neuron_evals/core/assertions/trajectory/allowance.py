"""Which actual calls are among the expected ones, however often and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from neuron_evals.core.assertions.trajectory.alignment import Fits, Pair
from neuron_evals.core.assertions.trajectory.expected import ANY_ARGUMENTS, ExpectedCall
from neuron_evals.core.jsonable import canonical_json

if TYPE_CHECKING:
    from neuron_evals.core.messages import ToolCall


def allowed(expected: Sequence[ExpectedCall], actual: Sequence[ToolCall], fits: Fits) -> list[Pair]:
    """Return a pair for each actual call, which fits when an expected one does."""
    by_name: dict[str, list[ExpectedCall]] = {}
    by_arguments: dict[tuple[str, str], ExpectedCall] = {}
    for wanted in expected:
        by_name.setdefault(wanted.name, []).append(wanted)
        if wanted.arguments_key is not None:
            by_arguments[wanted.name, wanted.arguments_key] = wanted

    def fitting(call: ToolCall) -> bool:
        # A call that is expected word for word, or with any arguments, is found at once in a long list.
        keys = (ANY_ARGUMENTS, canonical_json(call.arguments))
        near = [by_arguments[call.name, key] for key in keys if (call.name, key) in by_arguments]
        return any(fits(wanted, call) for wanted in chain(near, by_name.get(call.name, ())))

    return [Pair(None, call, fitting(call)) for call in actual]
