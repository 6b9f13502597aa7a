"""Which expected call belongs to which actual one: in order, or by the best assignment."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from neuron_evals.core.assertions.trajectory.expected import ExpectedCall
from neuron_evals.core.messages import ToolCall

Fits = Callable[[ExpectedCall, ToolCall], bool]


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


def aligned(expected: Sequence[ExpectedCall], actual: Sequence[ToolCall], fits: Fits) -> list[Pair]:
    """Return both lists side by side in their orders, with as many fitting pairs as there can be.

    Among those alignments it is one with the most pairs of calls of one tool. After the calls that fit from the start,
    it takes time and memory in proportion to the product of the lengths.
    """
    start = 0
    while start < min(len(expected), len(actual)) and fits(expected[start], actual[start]):
        start += 1
    pairs = [Pair(wanted, call, fits=True) for wanted, call in zip(expected[:start], actual[:start], strict=True)]
    expected, actual = expected[start:], actual[start:]
    # A fit outweighs all pairs of calls that merely have one tool.
    heavy = min(len(expected), len(actual)) + 1
    weights = [[_weight(wanted, call, fits, heavy) for call in actual] for wanted in expected]
    best = _best_sums(weights, len(actual))
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


def _best_sums(weights: Sequence[Sequence[int]], columns: int) -> list[list[int]]:
    """Return for each cell the greatest sum of weights on a way from it to the end, no row or column used twice."""
    best = [[0] * (columns + 1)]
    for row in reversed(weights):
        below = best[-1]
        sums = [0]
        for j in range(columns - 1, -1, -1):
            paired = below[j + 1] + row[j] if row[j] else 0
            sums.append(max(paired, below[j], sums[-1]))
        best.append(sums[::-1])
    return best[::-1]


def assigned(expected: Sequence[ExpectedCall], actual: Sequence[ToolCall], fits: Fits) -> list[Pair]:
    """Return pairs in the order of `expected`, whatever the orders, with as many fitting ones as there can be.

    The number of fitting pairs is that of a maximum bipartite matching: an expected call that fits many actual ones
    takes none that another one needs.
    """
    taken = _maximum_matching([[j for j, call in enumerate(actual) if fits(wanted, call)] for wanted in expected])
    used = set(taken.values())
    spare: dict[str, deque[int]] = {}
    for j, call in enumerate(actual):
        if j not in used:
            spare.setdefault(call.name, deque()).append(j)
    pairs = []
    for i, wanted in enumerate(expected):
        if i in taken:
            pairs.append(Pair(wanted, actual[taken[i]], fits=True))
        elif spare.get(wanted.name):
            pairs.append(Pair(wanted, actual[spare[wanted.name].popleft()]))
        else:
            pairs.append(Pair(wanted, None))
    left = sorted(j for indexes in spare.values() for j in indexes)
    return pairs + [Pair(None, actual[j]) for j in left]


def _maximum_matching(choices: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return a choice for as many as can have one, no two the same: by augmenting paths, breadth first."""
    chosen: dict[int, int] = {}
    owner: dict[int, int] = {}
    for start in range(len(choices)):
        came_from: dict[int, int] = {}
        waiting = deque([start])
        while waiting:
            seeker = waiting.popleft()
            fresh = [choice for choice in choices[seeker] if choice not in came_from]
            came_from.update(dict.fromkeys(fresh, seeker))
            free = next((choice for choice in fresh if choice not in owner), None)
            if free is not None:
                _hand_over(free, start, came_from, chosen, owner)
                break
            waiting.extend(owner[choice] for choice in fresh)
    return chosen


def _hand_over(free: int, start: int, came_from: dict[int, int], chosen: dict[int, int], owner: dict[int, int]) -> None:
    """Give each seeker on the path to `free` the choice it asked for."""
    choice: int | None = free
    while choice is not None:
        seeker = came_from[choice]
        previous = chosen.get(seeker)
        chosen[seeker], owner[choice] = choice, seeker
        choice = None if seeker == start else previous
