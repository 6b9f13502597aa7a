from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from neuron_evals.core.exceptions import OutputError
from neuron_evals.core.outputs.files import file_problems, write_file


def failing():
    yield "half of it"
    msg = "cannot be made into text"
    raise LookupError(msg)


@pytest.mark.parametrize("old", [None, "old"])
def test_a_file_is_made_or_replaced_and_nothing_else_is_left(tmp_path, old):
    path = tmp_path / "results.json"
    if old is not None:
        path.write_text(old)
    write_file(path, ["é", "\n", "🚀"])
    assert path.read_bytes() == "é\n🚀".encode()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("old", [None, "old"])
def test_a_failure_on_the_way_leaves_what_was_there(tmp_path, old):
    path = tmp_path / "results.json"
    if old is not None:
        path.write_text(old)
    with pytest.raises(LookupError):
        write_file(path, failing())
    assert [each.read_text() for each in tmp_path.iterdir()] == ([] if old is None else [old])


def test_text_that_is_no_utf8_leaves_what_was_there(tmp_path):
    path = tmp_path / "results.json"
    path.write_text("old")
    with pytest.raises(OutputError, match=r"cannot write .*surrogates not allowed"):
        write_file(path, ["new", "\ud800"])
    assert [each.read_text() for each in tmp_path.iterdir()] == ["old"]


def test_a_new_file_gets_the_permissions_of_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "results.json", ["x"])
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "results.json").stat().st_mode) == 0o640


def test_an_existing_file_keeps_its_permissions(tmp_path):
    path = tmp_path / "results.json"
    path.write_text("old")
    path.chmod(0o604)
    write_file(path, ["new"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_a_link_stays_and_its_target_is_replaced(tmp_path):
    (tmp_path / "kept").mkdir()
    target, link = tmp_path / "kept" / "real.json", tmp_path / "link.json"
    target.write_text("old")
    link.symlink_to(target)
    write_file(link, ["new"])
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert list((tmp_path / "kept").iterdir()) == [target]


def test_whoever_reads_the_old_file_reads_all_of_it(tmp_path):
    path = tmp_path / "results.json"
    path.write_text("old")
    with path.open() as reader:
        write_file(path, ["new and longer"])
        assert reader.read() == "old"


def test_a_device_is_written_to_and_stays_one():
    write_file(Path(os.devnull), ["x"])
    assert Path(os.devnull).is_char_device()
    assert file_problems(Path(os.devnull)) == []


def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read = []
    reader = threading.Thread(target=lambda: read.append(path.read_text()), daemon=True)
    reader.start()
    write_file(path, ["one ", "two"])
    reader.join(60)
    assert read == ["one two"]
    assert path.is_fifo()


@pytest.mark.parametrize("name", ["results.json", "é 🚀.json", "n" * 250])
def test_a_path_that_can_be_written_has_no_problem_and_asking_leaves_nothing(tmp_path, name):
    assert file_problems(tmp_path / name) == []
    assert list(tmp_path.iterdir()) == []
    write_file(tmp_path / name, ["x"])


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "is a directory; give a file"),
        ("missing/results.json", "does not exist"),
        ("a file/results.json", "is not a directory"),
        ("n" * 300, "File name too long"),
        ("nul\x00byte", "embedded null"),
    ],
)
def test_a_path_that_cannot_be_written_is_one_problem_and_an_error_when_written(tmp_path, name, problem):
    (tmp_path / "a file").touch()
    before = sorted(tmp_path.iterdir())
    (found,) = file_problems(tmp_path / name)
    assert problem in found
    assert str(tmp_path) in found
    with pytest.raises(OutputError, match="cannot write"):
        write_file(tmp_path / name, ["x"])
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("target", ["folder", "file"])
def test_what_the_user_may_not_write_is_a_problem(tmp_path, monkeypatch, target):
    path = tmp_path / "results.json"
    if target == "file":
        path.touch()
        monkeypatch.setattr(os, "access", lambda *_: False)
        assert file_problems(path) == [f'"{path}" is read-only']
        return

    def refuse(*_args, **_options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    assert file_problems(path) == [f'"{path}" cannot be written: Permission denied']
