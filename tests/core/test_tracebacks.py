from __future__ import annotations

import os
import sys

import pytest

from neuron_evals.core.tracebacks import describe_error, format_traceback


def broken() -> RuntimeError:
    try:
        raise RuntimeError("no answer")
    except RuntimeError as exc:
        return exc


@pytest.fixture
def removed_folder(tmp_path, monkeypatch):
    """A working directory that is gone: an agent that worked in a temporary folder may leave this behind."""
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with pytest.raises(FileNotFoundError):
        os.getcwd()  # noqa: PTH109  (what the test is about)


@pytest.mark.usefixtures("removed_folder")
def test_error__working_directory_gone__is_described_all_the_same():
    exc = broken()
    assert describe_error(exc).startswith("RuntimeError: no answer (")
    assert format_traceback(exc).endswith("RuntimeError: no answer")


def test_error__odd_entries_in_the_import_path__is_described_all_the_same(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, None, b"lib"])
    assert describe_error(broken()).startswith("RuntimeError: no answer (")
