"""Settings for the type checker alone: those of the tests, and the models of the example project."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.settings import *  # noqa: F403  (the same settings)
from tests.settings import INSTALLED_APPS as OF_TESTS

sys.path.append(str(Path(__file__).parents[2] / "example_project"))
INSTALLED_APPS = [*OF_TESTS, "shop"]
