"""pytest in a folder of its own, in an environment that has the package installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Done:
    """How a run ended, and what it said."""

    status: int
    text: str

    def outcomes(self) -> dict[str, str]:
        """Return the outcome of each test by its id, of a run with `-v` or in several processes."""
        alone = re.findall(r"^(\S+::.+?) (PASSED|FAILED|SKIPPED|ERROR)\b", self.text, re.MULTILINE)
        shared = re.findall(r"^\[gw\d+\] .+?\] (PASSED|FAILED|SKIPPED|ERROR) (\S+::.+?) *$", self.text, re.MULTILINE)
        return {**dict(alone), **{name: outcome for outcome, name in shared}}


@dataclass(frozen=True)
class Folder:
    """A folder with tests.

    Attributes:
        path: The folder.
        site: Where the package is installed, as far as pytest can tell.
    """

    path: Path
    site: Path

    def write(self, **files: str) -> Folder:
        """Write files; `__` in a name stands for a slash, and the last `_` for the dot."""
        for name, text in files.items():
            file = self.path / ".".join(name.replace("__", "/").rsplit("_", 1))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return self

    def pytest(self, *arguments: str, installed: bool = True) -> Done:
        """Run pytest, with the tests in the order in which they stand."""
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:randomly",
            "-p",
            "no:hypothesispytest",
            "-p",
            "no:cacheprovider",
            *arguments,
        ]
        environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
        environment["PYTHONPATH"] = os.pathsep.join(map(str, [*([self.site] if installed else []), self.path, ROOT]))
        done = subprocess.run(
            command, cwd=self.path, env=environment, capture_output=True, text=True, check=False, timeout=300
        )
        return Done(done.returncode, done.stdout + done.stderr)


def install(site: Path) -> None:
    """Make the entry points of `pyproject.toml` known in a folder for packages."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    info = site / "neuron_evals_of_the_tests-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: neuron-evals-of-the-tests\nVersion: 1.0\n")
    lines = ["[pytest11]", *(f"{name} = {module}" for name, module in project["entry-points"]["pytest11"].items())]
    (info / "entry_points.txt").write_text("\n".join(lines))
