"""Run the tests: `python runtests.py [pytest arguments]`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest


def main(arguments: list[str]) -> int:
    """Hand `arguments`, or the whole suite, to pytest and return its exit status."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    return pytest.main(arguments or [str(Path(__file__).parent / "tests")])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
