"""Folders in which pytest runs once more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.plugin.running import Folder, install

if TYPE_CHECKING:
    from pathlib import Path

INI = """
[pytest]
addopts = --strict-markers --import-mode=importlib
filterwarnings = error
strict_config = true
"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """An empty folder whose pytest takes no warning and no unknown mark."""
    install(tmp_path / "site")
    (tmp_path / "project").mkdir()
    return Folder(tmp_path / "project", tmp_path / "site").write(pytest_ini=INI)
