"""`eval_cache` as a user sees it."""

from __future__ import annotations

import os
import time
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from neuron_evals import FileCache
from neuron_evals.caches import DatabaseCache
from neuron_evals.models import CachedOutput

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["file", "database"])
def cache(request, tmp_path, monkeypatch):
    """A cache with three entries of 1,000 bytes, one of them forty days old."""
    monkeypatch.chdir(tmp_path)
    made = FileCache(tmp_path / "outputs") if request.param == "file" else DatabaseCache()
    options = {"path": "outputs"} if request.param == "file" else {}
    for letter in "abc":
        made.set(letter * 64, "x" * 1_000)
    old = time.time() - 40 * 86_400
    if request.param == "file":
        os.utime(tmp_path / "outputs" / f"{'a' * 64}.json", (old, old))
    else:
        row = CachedOutput.objects.get(key="a" * 64)
        row.created_at = row.created_at.fromtimestamp(old, row.created_at.tzinfo)
        row.save()
    with override_settings(NEURON_EVALS={"CACHE": {"BACKEND": request.param, "OPTIONS": options}}):
        yield made


def run(*args: str) -> str:
    out = StringIO()
    call_command("eval_cache", *args, stdout=out)
    return out.getvalue()


def refused(*args: str) -> str:
    with pytest.raises(CommandError) as caught:
        run(*args)
    assert caught.value.returncode == 2
    return str(caught.value)


def test_stats__how_much_and_from_when(cache):
    lines = run("stats").splitlines()
    assert lines[:2] == ["Entries: 3", "Size: 3.0 KB"]
    assert [line.partition(":")[0] for line in lines[2:]] == ["Oldest", "Newest"]
    cache.clear()
    assert run("stats") == "Entries: 0\nSize: 0 B\n"


@pytest.mark.parametrize(
    ("args", "left"),
    [
        (("--older-than", "30d"), "bc"),
        (("--older-than", "6w"), "abc"),
        (("--max-size", "2KB"), "bc"),
        (("--max-size", "0"), ""),
        (("--older-than", "30d", "--max-size", "1000B"), "c"),
    ],
)
def test_prune__by_age_and_size(cache, args, left):
    gone = 3 - len(left)
    entries = "1 entry" if gone == 1 else f"{gone} entries"
    size = f"{gone}.0 KB" if gone else "0 B"
    assert run("prune", *args) == f"Removed {entries} ({size}).\n"
    held = {letter for letter in "abc" if cache.has(letter * 64)}
    assert len(held) == len(left)
    assert ("a" in held) == ("a" in left)


def test_clear__only_when_it_is_agreed_to(cache, monkeypatch):
    assert refused("clear") == "nothing was removed; give --yes to clear without being asked"
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: "n")
    refused("clear")
    assert cache.stats().entries == 3
    monkeypatch.setattr("builtins.input", lambda question: "y" if "all 3 entries (3.0 KB)" in question else "n")
    assert run("clear") == "Removed 3 entries (3.0 KB).\n"
    assert run("clear") == "Removed 0 entries (0 B).\n"


def test_clear__with_yes(cache):
    assert run("clear", "--yes") == "Removed 3 entries (3.0 KB).\n"
    assert cache.stats().entries == 0


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "required"),
        (("prun",), "invalid choice"),
        (("prune",), "say what is to go: --older-than AGE, --max-size SIZE, or both"),
        (("prune", "--older-than", "30"), "'30' is no age, such as 90m, 12h, 30d or 4w"),
        (("prune", "--older-than", "-3d"), "expected one argument"),
        (("prune", "--max-size", "lots"), "'lots' is no size, such as 800KB, 500MB or 2GB"),
        (("prune", "--older-than", "999999w"), "too long ago"),
    ],
)
def test_wrong_usage__one_line(args, said):
    told = refused(*args)
    assert said in told
    assert "\n" not in told


def test_cache_that_tells_nothing_of_itself__refused():
    with override_settings(NEURON_EVALS={"CACHE": "tests.testapp.caches.Plain"}):
        assert "tests.testapp.caches.Plain) tells nothing of what it holds" in refused("stats")


def test_cache_that_cannot_be_read__refused(tmp_path):
    (tmp_path / "file").touch()
    with override_settings(NEURON_EVALS={"CACHE": {"OPTIONS": {"path": tmp_path / "file"}}}):
        assert "Not a directory" in refused("stats")
