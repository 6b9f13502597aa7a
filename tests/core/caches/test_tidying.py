"""What a cache in a folder holds, and how it lets go of it."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

from neuron_evals import FileCache
from neuron_evals.core.caches import CacheError, CacheStats

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def cache(tmp_path):
    """Four entries of 100 bytes, each a day older than the one before, and files that are none of ours."""
    cache = FileCache(tmp_path / "cache")
    for days, letter in enumerate("abcd"):
        cache.set(letter * 64, "x" * 100)
        aged(cache.path / f"{letter * 64}.json", days)
    (cache.path / "notes.json").write_text("mine")
    (cache.path / "sub").mkdir()
    return cache


def aged(file, days):
    moment = (NOW - timedelta(days=days)).timestamp()
    os.utime(file, (moment, moment))


def held(cache):
    return sorted(file.name[0] for file in cache.path.iterdir() if len(file.name) == 69)


def test_stats__counts_our_files_alone(cache):
    assert cache.stats() == CacheStats(4, 400, NOW - timedelta(days=3), NOW)


def test_folder_that_does_not_exist__holds_nothing(tmp_path):
    cache = FileCache(tmp_path / "none")
    assert cache.stats() == cache.clear() == CacheStats()
    assert not cache.path.exists()


def test_prune_by_age__removes_what_is_older_and_says_how_much(cache):
    removed = cache.prune(before=NOW - timedelta(days=1, hours=12))
    assert removed == CacheStats(2, 200, NOW - timedelta(days=3), NOW - timedelta(days=2))
    assert held(cache) == ["a", "b"]


@pytest.mark.parametrize(
    ("max_size", "left"), [(400, "abcd"), (399, "abc"), (250, "ab"), (200, "ab"), (99, ""), (0, "")]
)
def test_prune_by_size__removes_the_oldest_until_it_fits(cache, max_size, left):
    cache.prune(max_size=max_size)
    assert held(cache) == list(left)


def test_prune_by_both__whichever_removes_more(cache):
    cache.prune(before=NOW - timedelta(days=2, hours=12), max_size=100)
    assert held(cache) == ["a"]


def test_clear__removes_entries_and_what_killed_processes_left_and_nothing_else(cache):
    (cache.path / f".{'0' * 16}.tmp").write_text("half")
    (cache.path / f"{'e' * 64}.json").touch()
    assert cache.clear().entries == 6
    assert sorted(file.name for file in cache.path.iterdir()) == ["notes.json", "sub"]
    assert cache.get("a" * 64) is None


def test_place_that_is_a_file__error_names_it(tmp_path):
    (tmp_path / "file").touch()
    cache = FileCache(tmp_path / "file")
    for call in (cache.stats, cache.clear):
        with pytest.raises(CacheError, match=r'cannot read ".*file": Not a directory'):
            call()
