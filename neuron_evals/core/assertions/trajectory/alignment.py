"""Which expected call belongs to which actual one, in their orders."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from neuron_evals.core.assertions.trajectory.expected import ExpectedCall
from neuron_evals.core.messages import ToolCall

Fits = Callable[[ExpectedCall, ToolCall], bool]

MOST_PAIRS: Final = 1_000_000
"""How many pairs of an expected and an actual call an alignment may weigh; beyond it there is none."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One line of an alignment.

    Attributes:
        expected: The expected call; `None` for an actual one that was not expected.
        actual: The actual call; `None` for an expected one that was not made.
        fits: Whether the two fit; where both are there and do not, they are calls of one tool.
    """

    expected: ExpectedCall | None
    actual: ToolCall | None
    fits: bool = False


def aligned(expected: Sequence[ExpectedCall], actual: Sequence[ToolCall], fits: Fits) -> list[Pair] | None:
    """Return both lists side by side in their orders, with as many fitting pairs as there can be.

    Among those alignments it is one with the most pairs of calls of one tool. Between the calls that fit from the start
    and those that fit up to the end, it takes time and memory in proportion to the product of the lengths.

    Returns:
        The pairs; `None` when that product is above `MOST_PAIRS`.
    """
    start, end = fitting_ends(expected, actual, fits)
    wanted, made = expected[start : len(expected) - end], actual[start : len(actual) - end]
    if len(wanted) * len(made) > MOST_PAIRS:
        return None
    first = zip(expected[:start], actual[:start], strict=True)
    last = zip(expected[len(expected) - end :], actual[len(actual) - end :], strict=True)
    return [
        *(Pair(call, other, fits=True) for call, other in first),
        *_best_pairs(wanted, made, fits),
        *(Pair(call, other, fits=True) for call, other in last),
    ]


def fitting_ends(expected: Sequence[ExpectedCall], actual: Sequence[ToolCall], fits: Fits) -> tuple[int, int]:
    """Return how many calls fit from the start on, and how many of the others up to the end.

    A best alignment pairs these: whatever else an end was paired with counts no more than one pair.
    """
    shorter = min(len(expected), len(actual))
    start = end = 0
    while start < shorter and fits(expected[start], actual[start]):
        start += 1
    while end < shorter - start and fits(expected[-1 - end], actual[-1 - end]):
        end += 1
    return start, end


def found_in_order(expected: Sequence[ExpectedCall], actual: Sequence[ToolCall], fits: Fits) -> int:
    """Return how many expected calls from the start on come in their order, others in between."""
    found = 0
    for call in actual:
        if found < len(expected) and fits(expected[found], call):
            found += 1
    return found


def longest_common(expected: Sequence[ExpectedCall], actual: Sequence[ToolCall], fits: Fits) -> int:
    """Return how many pairs fit in the best alignment, in memory that grows with the lengths alone.

    Each bit is an actual call (Hyyro, "Bit-parallel LCS-length computation revisited", 2004).
    """
    start, end = fitting_ends(expected, actual, fits)
    made = actual[start : len(actual) - end]
    places: dict[str, int] = {}
    for place, call in enumerate(made):
        places[call.name] = places.get(call.name, 0) | 1 << place
    every = unused = (1 << len(made)) - 1
    for wanted in expected[start : len(expected) - end]:
        fitting = places.get(wanted.name, 0)
        if not wanted.takes_any_arguments:
            fitting = sum(1 << place for place, call in enumerate(made) if fits(wanted, call))
        hits = unused & fitting
        unused = (unused + hits | unused - hits) & every
    return start + end + len(made) - unused.bit_count()


def _best_pairs(expected: Sequence[ExpectedCall], actual: Sequence[ToolCall], fits: Fits) -> list[Pair]:
    # A fit outweighs all pairs of calls that merely have one tool.
    heavy = min(len(expected), len(actual)) + 1
    weights = [array("q", (_weight(wanted, call, fits, heavy) for call in actual)) for wanted in expected]
    best = _best_sums(weights, len(actual))
    pairs = []
    i = j = 0
    while i < len(expected) and j < len(actual):
        weight = weights[i][j]
        if weight and best[i][j] == best[i + 1][j + 1] + weight:
            pairs.append(Pair(expected[i], actual[j], weight == heavy))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            pairs.append(Pair(expected[i], None))
            i += 1
        else:
            pairs.append(Pair(None, actual[j]))
            j += 1
    pairs += [Pair(wanted, None) for wanted in expected[i:]]
    return pairs + [Pair(None, call) for call in actual[j:]]


def _weight(wanted: ExpectedCall, call: ToolCall, fits: Fits, heavy: int) -> int:
    if wanted.name != call.name:
        return 0
    return heavy if fits(wanted, call) else 1


def _best_sums(weights: Sequence[Sequence[int]], columns: int) -> list[array[int]]:
    """Return for each cell the greatest sum of weights on a way from it to the end, no row or column used twice."""
    best = [array("q", [0] * (columns + 1))]
    for row in reversed(weights):
        below = best[-1]
        sums = [0]
        for j in range(columns - 1, -1, -1):
            paired = below[j + 1] + row[j] if row[j] else 0
            sums.append(max(paired, below[j], sums[-1]))
        best.append(array("q", sums[::-1]))
    return best[::-1]
