from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from neuron_evals.core.caches import CacheError, FileCache
from neuron_evals.core.exceptions import InvalidArgument
from tests.core.caches.behaviour import KEY


def test_set__one_file_named_by_the_key_and_nothing_else(tmp_path):
    FileCache(tmp_path / "cache").set(KEY, '{"output":"é"}')
    (file,) = (tmp_path / "cache").iterdir()
    assert file.name == f"{KEY}.json"
    assert file.read_text(encoding="utf-8") == '{"output":"é"}'


def test_get_and_problems__make_no_folder(tmp_path):
    cache = FileCache(tmp_path / "cache")
    assert (cache.get(KEY), cache.problems()) == (None, [])
    assert list(tmp_path.iterdir()) == []


def test_relative_path__is_that_of_the_working_directory_at_construction(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cache = FileCache(".neuron/cache")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    cache.set(KEY, "{}")
    assert (tmp_path / ".neuron" / "cache" / f"{KEY}.json").is_file()


def test_folder_removed_between_two_writes__is_made_again(tmp_path):
    cache = FileCache(tmp_path / "cache")
    cache.set(KEY, "one")
    (tmp_path / "cache" / f"{KEY}.json").unlink()
    (tmp_path / "cache").rmdir()
    assert cache.get(KEY) is None
    cache.set(KEY, "two")
    assert cache.get(KEY) == "two"


def test_files_follow_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        FileCache(tmp_path / "cache").set(KEY, "{}")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "cache" / f"{KEY}.json").stat().st_mode) == 0o640


def test_file_that_is_no_utf8__missing_and_replaced_by_the_next_write(tmp_path):
    (tmp_path / f"{KEY}.json").write_bytes(b"\xff\xfe\x00")
    cache = FileCache(tmp_path)
    assert cache.get(KEY) is None
    cache.set(KEY, "{}")
    assert cache.get(KEY) == "{}"


def test_link_in_place_of_an_entry__is_replaced_and_its_target_is_not_written_to(tmp_path):
    (tmp_path / "secret").write_text("keep me")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / f"{KEY}.json").symlink_to(tmp_path / "secret")
    FileCache(tmp_path / "cache").set(KEY, "{}")
    assert (tmp_path / "secret").read_text() == "keep me"
    assert not (tmp_path / "cache" / f"{KEY}.json").is_symlink()


def test_folder_in_place_of_an_entry__missing_and_an_error_when_written_that_leaves_nothing(tmp_path):
    (tmp_path / f"{KEY}.json").mkdir()
    cache = FileCache(tmp_path)
    assert cache.get(KEY) is None
    with pytest.raises(CacheError, match=r"cannot write to .*: Is a directory"):
        cache.set(KEY, "{}")
    assert [path.name for path in tmp_path.iterdir()] == [f"{KEY}.json"]


def test_failure_while_moving_into_place__the_old_entry_stays_and_nothing_else(tmp_path, monkeypatch):
    cache = FileCache(tmp_path)
    cache.set(KEY, "old")

    def full(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(CacheError, match="No space left on device"):
        cache.set(KEY, "new")
    assert cache.get(KEY) == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_text_that_is_no_utf8__is_an_error(tmp_path):
    with pytest.raises(CacheError, match="surrogates not allowed"):
        FileCache(tmp_path).set(KEY, "\ud800")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("a file", "Not a directory"),
        ("a file/cache/inner", "Not a directory"),
        ("dangling", "No such file or directory"),
        ("n" * 300, "File name too long"),
        ("nul\x00byte", "embedded null"),
    ],
)
def test_path_that_can_be_no_folder__is_one_problem_and_an_error_when_written_and_all_is_missing(
    tmp_path, name, reason
):
    (tmp_path / "a file").touch()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    before = sorted(tmp_path.iterdir())
    cache = FileCache(tmp_path / name)
    (problem,) = cache.problems()
    assert problem.startswith(f'the cache folder "{tmp_path / name}" cannot be written to: ')
    assert reason in problem
    assert cache.get(KEY) is None
    with pytest.raises(CacheError, match="cannot write to"):
        cache.set(KEY, "{}")
    assert sorted(tmp_path.iterdir()) == before


def test_folder_that_may_not_be_written_to__is_a_problem(tmp_path, monkeypatch):
    def refuse(*_args, **_options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    (problem,) = FileCache(tmp_path / "cache").problems()
    assert problem.endswith("cannot be written to: Permission denied")


@pytest.mark.parametrize("path", ["", None, 7, ["cache"]], ids=repr)
def test_what_is_no_path__is_refused(path):
    with pytest.raises(InvalidArgument, match="FileCache takes the path of a folder"):
        FileCache(path)


WRITER = """
import sys
from neuron_evals.core.caches import FileCache
cache = FileCache(sys.argv[1])
texts = {letter * 200_000 for letter in "abc"}
for _ in range(40):
    cache.set(sys.argv[2], sys.argv[3] * 200_000)
    assert cache.get(sys.argv[2]) in texts
"""


def test_several_processes_on_one_key__each_reads_whole_texts_only_and_nothing_is_left(tmp_path):
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), KEY, letter], cwd=Path(__file__).parents[3])
        for letter in "abc"
    ]
    assert [writer.wait(300) for writer in writers] == [0, 0, 0]
    assert [path.name for path in tmp_path.iterdir()] == [f"{KEY}.json"]
