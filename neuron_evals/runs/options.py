"""The options of a run, as a stored run keeps them: those of the command line, by the same names."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from neuron_evals.conf import did_you_mean
from neuron_evals.core.bounds import MAX_REPEATS, MAX_RETRIES
from neuron_evals.core.report import Gate
from neuron_evals.core.runner import Limits, Selection
from neuron_evals.core.runner.crew import KINDS, WorkerKind
from neuron_evals.runs.problems import RunError

PARTS = ("failed", "error")
"""Of which items a rerun can be, by their status; see `only`."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run goes. What is unset is left to the suite or the evaluator, then to the settings.

    Attributes:
        concurrency: How many items are in flight at most, from 1.
        workers: Kind of worker: `inline`, `threads`, `async` or `processes`.
        tag: Run the items with one of these tags; all when empty.
        exclude_tag: Leave the items with one of these out.
        filter: Run the items with this text in id, name or evaluator.
        limit: Run at most so many items, from 1.
        repeat: Execute each item so often, 1 to `MAX_REPEATS`.
        timeout: Seconds one execution may take, above 0.
        retries: How often an execution is tried again after an infrastructure error, 0 to `MAX_RETRIES`.
        cache: Take outputs that cannot have changed from the cache.
        fresh: Take nothing from the cache, and store what comes out.
        fail_fast: Stop after the first item that fails or breaks.
        min_success_rate: Lowest success rate that is good enough, 0 to 1.
        max_error_rate: Largest share of errors that is good enough, 0 to 1.
        model: Name of the agent's model, with a provider's name and a colon before it or without.
        fake: Canned replies in place of the agent, as `run_suite` takes them; `False` for the agent.
        only: Of a rerun, the items of the parent that are run again: those that `failed`, or that ended in an `error`.
    """

    concurrency: int | None = None
    workers: WorkerKind | None = None
    tag: tuple[str, ...] = ()
    exclude_tag: tuple[str, ...] = ()
    filter: str = ""
    limit: int | None = None
    repeat: int | None = None
    timeout: float | None = None
    retries: int | None = None
    cache: bool = False
    fresh: bool = False
    fail_fast: bool = False
    min_success_rate: float | None = None
    max_error_rate: float = 0.0
    model: str | None = None
    fake: Any = False
    only: str | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Return the options in a mapping. `None` is as if the option was not given.

        Raises:
            RunError: There is no such option, or its value is out of range; it lists all problems.
        """
        said = {name: value for name, value in given.items() if value is not None}
        if problems := list(_problems(said)):
            raise RunError(problems)
        values: dict[str, Any] = {name: tuple(value) if name in _NAMES else value for name, value in said.items()}
        return cls(**values)

    def told(self) -> dict[str, Any]:
        """Return the options that were given, as JSON values."""
        values = {option.name: (getattr(self, option.name), option.default) for option in fields(self)}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, (value, default) in values.items()
            if value != default
        }

    def selection(self) -> Selection:
        """Return which items run."""
        return Selection(frozenset(self.tag), frozenset(self.exclude_tag), self.filter, self.limit)

    def limits(self) -> Limits:
        """Return what the run says of time limits, repeats and retries."""
        return Limits(self.timeout, self.repeat, self.retries)

    def gate(self, min_success_rate: float | None = None) -> Gate:
        """Return what the results must reach.

        Args:
            min_success_rate: What the suite says, for a run that does not say it.
        """
        said = self.min_success_rate
        return Gate(min_success_rate if said is None else said, self.max_error_rate)


def _problems(said: Mapping[str, Any]) -> Iterator[str]:
    known = [option.name for option in fields(RunOptions)]
    for name, value in said.items():
        if name not in _RULES:
            near = did_you_mean(str(name), known)
            yield f'there is no option "{name}". {near} The options are {", ".join(known)}.'.replace("  ", " ")
            continue
        holds, valid = _RULES[name]
        if not holds(value):
            yield f"{name} is {valid}, got {value!r}"
    if said.get("cache") is True and said.get("fresh") is True:
        yield "cache and fresh cannot both be asked for"


def _is_count(lowest: int, highest: float = math.inf) -> Any:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_rate(value: Any) -> bool:
    return _is_number(value) and 0 <= value <= 1


def _is_duration(value: Any) -> bool:
    return _is_number(value) and 0 < value < math.inf


def _are_names(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(name, str) and name.strip() for name in value)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


_NAMES = ("tag", "exclude_tag")
_COUNT = (_is_count(1), "a whole number from 1 up")
_FLAG, _RATE = (_is_flag, "true or false"), (_is_rate, "a fraction from 0 to 1")
_TAGS = (_are_names, "a list of tags, none of them blank")

_RULES: dict[str, tuple[Any, str]] = {
    "concurrency": _COUNT,
    "workers": (lambda value: value in KINDS, f"one of {', '.join(KINDS)}"),
    "tag": _TAGS,
    "exclude_tag": _TAGS,
    "filter": (lambda value: isinstance(value, str), "text"),
    "limit": _COUNT,
    "repeat": (_is_count(1, MAX_REPEATS), f"a whole number from 1 to {MAX_REPEATS:,}"),
    "timeout": (_is_duration, "a number of seconds above 0"),
    "retries": (_is_count(0, MAX_RETRIES), f"a whole number from 0 to {MAX_RETRIES:,}"),
    "cache": _FLAG,
    "fresh": _FLAG,
    "fail_fast": _FLAG,
    "min_success_rate": _RATE,
    "max_error_rate": _RATE,
    "model": (_is_name, "the name of a model"),
    "fake": (lambda value: isinstance(value, bool | str | Mapping), "true, a reply, or an object with canned replies"),
    "only": (lambda value: value in PARTS, f"one of {', '.join(PARTS)}"),
}
