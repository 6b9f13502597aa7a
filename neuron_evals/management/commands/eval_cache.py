"""`manage.py eval_cache`: what the cache of run outputs holds, and letting go of it."""

from __future__ import annotations

import argparse
import re
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from neuron_evals import container
from neuron_evals.core.caches import CacheError, CacheStats, TidyCache
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.printable import printable
from neuron_evals.core.results import full_name
from neuron_evals.management import options as run_options
from neuron_evals.management.transfers import RowsCommand

if TYPE_CHECKING:
    from django.core.management.base import CommandParser

_SIZES = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}


class Command(RowsCommand):
    """Works on the cache that the setting `CACHE` names."""

    help = "Show, prune or clear the cache of run outputs."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the three verbs."""
        run_options.one_line_errors(parser)
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="stats|prune|clear")
        verbs.add_parser("stats", help="say how much it holds")
        prune = verbs.add_parser("prune", help="remove what is old, or the oldest of what is too much")
        prune.add_argument("--older-than", type=_ago, metavar="AGE", help="remove entries older than this, such as 30d")
        prune.add_argument("--max-size", type=_size, metavar="SIZE", help="then the oldest beyond this, such as 500MB")
        clear = verbs.add_parser("clear", help="remove everything")
        clear.add_argument("--yes", action="store_true", help="do not ask")
        for verb in (prune, clear):
            run_options.one_line_errors(verb)

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what the verb says."""
        del args
        cache = container.make_cache()
        if not isinstance(cache, TidyCache):
            msg = f"the cache of the setting CACHE ({full_name(type(cache))}) tells nothing of what it holds"
            raise ConfigurationError(msg)
        try:
            getattr(self, f"_{options['verb']}")(cache, options)
        except CacheError as exc:
            raise ConfigurationError(str(exc)) from exc

    def _stats(self, cache: TidyCache, options: dict[str, Any]) -> None:
        del options
        stats = cache.stats()
        self.stdout.write(f"Entries: {stats.entries}")
        self.stdout.write(f"Size: {_written_size(stats.size)}")
        if stats.oldest is not None and stats.newest is not None:
            self.stdout.write(f"Oldest: {stats.oldest:%Y-%m-%d %H:%M}")
            self.stdout.write(f"Newest: {stats.newest:%Y-%m-%d %H:%M}")

    def _prune(self, cache: TidyCache, options: dict[str, Any]) -> None:
        before, size = options["older_than"], options["max_size"]
        if before is None and size is None:
            msg = "say what is to go: --older-than AGE, --max-size SIZE, or both"
            raise ConfigurationError(msg)
        self._tell(cache.prune(before=before, max_size=size))

    def _clear(self, cache: TidyCache, options: dict[str, Any]) -> None:
        stats = cache.stats()
        if stats.entries and not options["yes"] and not self._agreed(stats):
            msg = "nothing was removed; give --yes to clear without being asked"
            raise ConfigurationError(msg)
        self._tell(cache.clear())

    def _agreed(self, stats: CacheStats) -> bool:
        if not sys.stdin.isatty():
            return False
        return input(f"Remove all {stats.entries} entries ({_written_size(stats.size)})? [y/N] ").strip().lower() == "y"

    def _tell(self, removed: CacheStats) -> None:
        entries = "1 entry" if removed.entries == 1 else f"{removed.entries} entries"
        self.stdout.write(printable(f"Removed {entries} ({_written_size(removed.size)})."))


def _ago(text: str) -> datetime:
    """Return an argparse value: the moment that lies back a length of time."""
    try:
        return datetime.now(UTC) - run_options.age(text)
    except OverflowError:
        msg = f"{text!r} is too long ago"
        raise argparse.ArgumentTypeError(msg) from None


def _size(text: str) -> int:
    """Return an argparse value: a number with B, KB, MB or GB."""
    found = re.fullmatch(r"([0-9]{1,15})([KMG]?B)?", text.upper())
    if found is None:
        msg = f"{text!r} is no size, such as 800KB, 500MB or 2GB"
        raise argparse.ArgumentTypeError(msg)
    return int(found[1]) * _SIZES[found[2] or "B"]


def _written_size(size: int) -> str:
    unit = next((unit for unit in reversed(_SIZES) if size >= _SIZES[unit]), "B")
    return f"{size} B" if unit == "B" else f"{size / _SIZES[unit]:.1f} {unit}"
