"""pydantic-evals, in an environment of its own, for the same work in the same run."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@cache
def peer(folder: Path) -> str:
    """Return the Python of a fresh environment in `folder` that has pydantic-evals and httpx."""
    subprocess.run([sys.executable, "-m", "venv", str(folder / "peer")], check=True)
    python = str(folder / "peer" / "bin" / "python")
    install = [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "pydantic-evals", "httpx"]
    subprocess.run(install, check=True)
    return python
