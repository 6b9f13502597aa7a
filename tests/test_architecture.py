"""The import contracts of `pyproject.toml`, so that a breach shows in the tests too."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def lint_imports(tree: Path) -> subprocess.CompletedProcess[str]:
    command = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    return subprocess.run(
        [sys.executable, "-c", command], cwd=tree, env=environment, check=False, capture_output=True, text=True
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "neuron_evals", tmp_path / "neuron_evals", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_contracts_hold():
    result = lint_imports(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("module", "breach", "contract"),
    [
        ("core/exceptions.py", "from neuron_evals.core import results", "The engine's layers import downwards"),
        ("core/results/names.py", "def late():\n    import django.db", "The engine knows no Django"),
        ("core/checking.py", "from neuron_evals.conf import anything", "The app's layers import downwards"),
        ("core/results/names.py", "import httpcore", "A third party with one place is imported there only"),
        ("core/results/names.py", "import httpx", "A third party with one place is imported there only"),
        ("core/results/names.py", "import rich.console", "A third party with one place is imported there only"),
        ("stray.py", "", "The app's layers import downwards"),
        ("core/stray.py", "", "The engine's layers import downwards"),
    ],
)
def test_contracts__broken_in_a_copy__fail_and_name_the_contract(
    tree: Path, module: str, breach: str, contract: str
) -> None:
    (tree / "neuron_evals" / "conf").mkdir(exist_ok=True)
    (tree / "neuron_evals" / "conf" / "__init__.py").touch()
    target = tree / "neuron_evals" / module
    target.write_text((target.read_text() if target.exists() else "") + f"\n{breach}\n")
    result = lint_imports(tree)
    assert result.returncode == 1, result.stdout + result.stderr
    assert any(contract in line and "BROKEN" in line for line in result.stdout.splitlines()), result.stdout


def test_settings__read_outside_conf__refused_by_the_linter() -> None:
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["lint"]
    assert "TID" in lint["select"]
    assert "django.conf.settings" in lint["flake8-tidy-imports"]["banned-api"]
    assert [name for name, rules in lint["per-file-ignores"].items() if "TID251" in rules] == [
        "neuron_evals/conf/__init__.py"
    ]


def test_settings__read_by_no_other_module() -> None:
    readers = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "neuron_evals").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        and node.module == "django.conf"
        and any(name.name == "settings" for name in node.names)
    }
    assert readers <= {"neuron_evals/conf/__init__.py"}
