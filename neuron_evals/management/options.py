"""The options that commands which run evaluations share, and what they mean."""

from __future__ import annotations

import argparse
import itertools
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, NoReturn

from django.core.management.base import CommandError

from neuron_evals import container
from neuron_evals.core.bounds import MAX_REPEATS, MAX_RETRIES
from neuron_evals.core.nearest import nearest
from neuron_evals.core.printable import printable
from neuron_evals.core.report import Gate
from neuron_evals.core.report.gate import NOTHING_JUDGED
from neuron_evals.core.results import full_name
from neuron_evals.core.runner import Limits, Selection
from neuron_evals.core.runner.crew import KINDS
from neuron_evals.core.tracebacks import describe_error

if TYPE_CHECKING:
    from django.core.management.base import CommandParser

    from neuron_evals.core.caches import Cache
    from neuron_evals.core.runner import EvaluatorRunner

HIGHEST: Final = 2**31 - 1
"""The largest whole number of an option: every database and every loop can count so far."""


def add_run_options(parser: CommandParser) -> None:
    """Add the options of a run to a command."""
    group = parser.add_argument_group("run options")
    group.add_argument(
        "--concurrency", type=whole_number(1), metavar="N", help="items in flight at most (default: RUNNER.CONCURRENCY)"
    )
    group.add_argument(
        "--workers",
        choices=KINDS[1:],
        help="kind of worker (default: inline for one item at a time; else async where `run` is, else threads)",
    )
    group.add_argument(
        "--tag", type=tags, action="append", default=[], metavar="T,..", help="run items with one of these tags"
    )
    group.add_argument(
        "--exclude-tag", type=tags, action="append", default=[], metavar="T,..", help="leave items with these out"
    )
    group.add_argument("--filter", type=filled, metavar="TEXT", help="run items with TEXT in id, name or evaluator")
    group.add_argument("--limit", type=whole_number(1), metavar="N", help="run at most N items of each evaluator")
    group.add_argument("--repeat", type=whole_number(1, MAX_REPEATS), metavar="N", help="execute each item N times")
    group.add_argument("--timeout", type=seconds, metavar="S", help="seconds one execution of an item may take")
    group.add_argument(
        "--retries",
        type=whole_number(0, MAX_RETRIES),
        metavar="N",
        help="try again N times after an infrastructure error",
    )
    cached = group.add_mutually_exclusive_group()
    cached.add_argument(
        "--cache", action="store_true", help="take outputs that cannot have changed from the cache (setting CACHE)"
    )
    cached.add_argument("--fresh", action="store_true", help="run everything, and store the outputs in the cache")
    group.add_argument("--fail-fast", action="store_true", help="stop after the first item that fails or breaks")
    group.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="NAME[=PATH]",
        help="where the report goes, such as json=results.json; repeatable; replaces the setting OUTPUTS",
    )
    group.add_argument("--min-success-rate", type=fraction, metavar="R", help="good enough from this rate, 0 to 1")
    group.add_argument(
        "--max-error-rate", type=fraction, default=0.0, metavar="R", help="good enough up to this share of errors"
    )


def one_line_errors(parser: CommandParser) -> None:
    """Have wrong usage said in one line, without the long usage text before it."""

    def error(message: str) -> NoReturn:
        if parser.called_from_command_line:
            parser.exit(NOTHING_JUDGED, f"{parser.prog}: {message}\n")
        msg = f"Error: {message}"
        raise CommandError(msg, returncode=NOTHING_JUDGED)

    parse = parser.parse_known_args

    def parse_known_args(args: Any = None, namespace: Any = None) -> Any:
        if wrong := _unknown_option(parser, sys.argv[1:] if args is None else args):
            parser.error(wrong)
        return parse(args, namespace)

    # Django builds the parser itself and has no place to name another class.
    parser.error = error  # type: ignore[method-assign]
    parser.parse_known_args = parse_known_args  # type: ignore[method-assign]


def _unknown_option(parser: CommandParser, arguments: Sequence[object]) -> str:
    """Return what is wrong with the first option that there is not; empty when there is each.

    argparse says so last, and takes what follows such an option for something else before. Where verbs have options
    of their own, their parser says it.
    """
    known = parser._option_string_actions  # noqa: SLF001  (it has no public name)
    if any(isinstance(action, argparse._SubParsersAction) for action in parser._actions):  # noqa: SLF001  (as above)
        return ""
    for argument in itertools.takewhile(lambda each: each != "--", map(str, arguments)):
        name = argument.partition("=")[0]
        if name.startswith("--") and " " not in name and not any(option.startswith(name) for option in known):
            # Without the dashes, in which all are alike.
            near = nearest(name[2:], (option[2:] for option in known if option.startswith("--")))
            meant = "" if near is None else f'did you mean "--{near}"? '
            return printable(f"there is no option {name}; {meant}--help lists them")
    return ""


def selection(options: Mapping[str, Any]) -> Selection:
    """Return which items the options ask for."""
    return Selection(
        tags=_names(options["tag"]),
        exclude_tags=_names(options["exclude_tag"]),
        text=options["filter"] or "",
        limit=options["limit"],
    )


def limits(options: Mapping[str, Any]) -> Limits:
    """Return what the options say of time limits, repeats and retries."""
    return Limits(options["timeout"], options["repeat"], options["retries"])


def with_cache(runner: EvaluatorRunner, options: Mapping[str, Any]) -> EvaluatorRunner:
    """Return the runner as the options want it: with the cache that the settings name, or as it is.

    Raises:
        ConfigurationError: The cache cannot be built.
    """
    if not (options["cache"] or options["fresh"]):
        return runner
    return runner.with_cache(container.make_cache(), refresh=options["fresh"])


def cache_problems(cache: Cache | None) -> list[str]:
    """Return what would keep outputs from being cached, a line each; a cache of a project may break when asked."""
    if cache is None:
        return []
    try:
        return [printable(problem) for problem in cache.problems()]
    except Exception as exc:
        return [printable(f"{full_name(type(cache))}: {describe_error(exc)}")]


def gate(options: Mapping[str, Any], usual: float | None = None) -> Gate:
    """Return what the options ask a report to reach.

    Args:
        options: The options.
        usual: The lowest success rate that is good enough where the options do not say it.
    """
    said = options["min_success_rate"]
    return Gate(usual if said is None else said, options["max_error_rate"])


def told(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a run that were given, as a stored run keeps them."""
    given = {name: options[name] for name in _TOLD if options[name]}
    return {name: sorted(_names(value)) if name.endswith("tag") else value for name, value in given.items()}


def run_values(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a run as `RunOptions` takes them; `None` for what was not given."""
    names = ("concurrency", "workers", "model", *_TOLD)
    return {name: sorted(_names(options[name])) if name.endswith("tag") else options[name] for name in names}


def whole_number(lowest: int, highest: int = HIGHEST) -> Callable[[str], int]:
    """Return an argparse type: a whole number from `lowest` to `highest`."""
    bounded = highest < HIGHEST
    valid = f"from {lowest} to {highest:,}" if bounded else f"from {lowest} up"

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = lowest - 1
        if number < lowest or (bounded and number > highest):
            msg = f"{text!r} is no whole number {valid}"
            raise argparse.ArgumentTypeError(msg)
        if number > highest:
            msg = f"{text!r} is too large; the largest is {highest}"
            raise argparse.ArgumentTypeError(msg)
        return number

    return parse


def seconds(text: str) -> float:
    """Return an argparse value: a number of seconds above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        msg = f"{text!r} is no number of seconds above 0"
        raise argparse.ArgumentTypeError(msg)
    return number


def age(text: str) -> timedelta:
    """Return an argparse value: a length of time, as a number with m, h, d or w."""
    found = re.fullmatch(r"([0-9]{1,6})([mhdw])", text)
    if found is None:
        msg = f"{text!r} is no age, such as 90m, 12h, 30d or 4w"
        raise argparse.ArgumentTypeError(msg)
    return timedelta(seconds=int(found[1]) * _AGES[found[2]])


def fraction(text: str) -> float:
    """Return an argparse value: a fraction from 0 to 1."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        msg = f"{text!r} is no fraction from 0 to 1, such as 0.95"
        raise argparse.ArgumentTypeError(msg)
    return number


def filled(text: str) -> str:
    """Return an argparse value: any text but an empty one, which is what an unset variable of a shell leaves."""
    if not text:
        msg = "expected a text, got an empty one"
        raise argparse.ArgumentTypeError(msg)
    return text


def tags(text: str) -> str:
    """Return an argparse value: tags with commas between them, at least one."""
    if not _names([text]):
        msg = f"{text!r} names no tag"
        raise argparse.ArgumentTypeError(msg)
    return text


def _names(texts: Sequence[str]) -> frozenset[str]:
    return frozenset(name for text in texts for part in text.split(",") if (name := part.strip()))


_AGES = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}

_TOLD = (
    "tag",
    "exclude_tag",
    "filter",
    "limit",
    "repeat",
    "timeout",
    "retries",
    "cache",
    "fresh",
    "fail_fast",
    "min_success_rate",
    "max_error_rate",
)
