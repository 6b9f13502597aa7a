"""Settings of the processes that the tests start: the database of the test, and an agent that notes its calls."""

from __future__ import annotations

import json
import os

from tests.servers import _use_pymysql
from tests.settings import INSTALLED_APPS as _APPS
from tests.settings import SECRET_KEY, USE_TZ

__all__ = ["DATABASES", "INSTALLED_APPS", "NEURON_EVALS", "SECRET_KEY", "USE_TZ"]

_use_pymysql()
INSTALLED_APPS = [*_APPS, "tests.killed_runs"]
DATABASES = {"default": json.loads(os.environ["TEST_DATABASE"])}
NEURON_EVALS = {"AGENTS": {"noting": "tests.killed_runs.phases.Agent"}}
