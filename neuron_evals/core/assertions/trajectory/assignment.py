"""Which expected call belongs to which actual one, whatever the orders: by the best assignment."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from neuron_evals.core.assertions.trajectory.alignment import Fits, Pair
from neuron_evals.core.jsonable import canonical_json

if TYPE_CHECKING:
    from neuron_evals.core.assertions.trajectory.expected import ExpectedCall
    from neuron_evals.core.messages import ToolCall


def assigned(expected: Sequence[ExpectedCall], actual: Sequence[ToolCall], fits: Fits) -> list[Pair]:
    """Return pairs in the order of `expected`, whatever the orders, with as many fitting ones as there can be.

    The number of fitting pairs is that of a maximum bipartite matching: an expected call that fits many actual ones
    takes none that another one needs. Memory grows with the lengths alone.
    """
    taken = _taken(expected, actual, fits)
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


def _taken(expected: Sequence[ExpectedCall], actual: Sequence[ToolCall], fits: Fits) -> dict[int, int]:
    """Return the position of an actual call for as many expected ones as can have one."""
    made: dict[str, list[int]] = defaultdict(list)
    for j, call in enumerate(actual):
        made[call.name].append(j)
    demanding: dict[str, list[int]] = defaultdict(list)
    easy: dict[str, list[int]] = defaultdict(list)
    for i, wanted in enumerate(expected):
        (easy if wanted.takes_any_arguments else demanding)[wanted.name].append(i)
    taken: dict[int, int] = {}
    for name, seekers in demanding.items():
        matching = _Matching(expected, actual, fits, made[name])
        for rank, seeker in enumerate(seekers):
            matching.place(seeker, rank)
        taken |= matching.chosen
    # Those that take any call of their tool are content with what the others leave.
    used = set(taken.values())
    for name, seekers in easy.items():
        taken |= zip(seekers, (j for j in made[name] if j not in used), strict=False)
    return taken


class _Matching:
    """A maximum matching of expected calls with actual ones of one tool, by augmenting paths, breadth first.

    Attributes:
        chosen: The actual call of each expected one that has one.
    """

    def __init__(
        self, expected: Sequence[ExpectedCall], actual: Sequence[ToolCall], fits: Fits, choices: Sequence[int]
    ) -> None:
        self.chosen: dict[int, int] = {}
        self._expected = expected
        self._actual = actual
        self._fits = fits
        self._choices = choices
        self._owner: dict[int, int] = {}
        self._open = dict.fromkeys(choices)
        self._equal: dict[str, list[int]] = defaultdict(list)
        for j in reversed(choices):
            self._equal[canonical_json(actual[j].arguments)].append(j)

    def place(self, seeker: int, rank: int) -> None:
        """Give an expected call an actual one, if there can be one for it too.

        Args:
            seeker: Its position.
            rank: How many of this tool were placed before it; long lists that are alike are matched by that alone.
        """
        near = [*self._choices[rank : rank + 1], *self._with_equal_arguments(seeker)]
        free = next((j for j in near if j not in self._owner and self._fit(seeker, j)), None)
        if free is not None:
            self.chosen[seeker], self._owner[free] = free, seeker
        else:
            self._augment(seeker)

    def _with_equal_arguments(self, seeker: int) -> list[int]:
        key = self._expected[seeker].arguments_key
        equal = [] if key is None else self._equal.get(key, [])
        while equal and equal[-1] in self._owner:
            equal.pop()
        return equal[-1:]

    def _fit(self, seeker: int, choice: int) -> bool:
        return self._fits(self._expected[seeker], self._actual[choice])

    def _augment(self, start: int) -> None:
        came_from: dict[int, int] = {}
        unseen = list(self._open)
        waiting = deque([start])
        while waiting:
            seeker = waiting.popleft()
            others = []
            for choice in unseen:
                if not self._fit(seeker, choice):
                    others.append(choice)
                    continue
                came_from[choice] = seeker
                if choice not in self._owner:
                    self._hand_over(choice, start, came_from)
                    return
                waiting.append(self._owner[choice])
            unseen = others
        # No later search can get anywhere through what this one has seen.
        for choice in came_from:
            del self._open[choice]

    def _hand_over(self, free: int, start: int, came_from: Mapping[int, int]) -> None:
        """Give each seeker on the path to `free` the choice it asked for."""
        choice: int | None = free
        while choice is not None:
            seeker = came_from[choice]
            previous = self.chosen.get(seeker)
            self.chosen[seeker], self._owner[choice] = choice, seeker
            choice = None if seeker == start else previous
