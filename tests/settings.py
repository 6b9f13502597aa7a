"""Django settings of the test suite."""

from __future__ import annotations

import os

from tests.servers import database

SECRET_KEY = "only for tests"  # noqa: S105  (protects nothing)
USE_TZ = True
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "neuron_evals"]

# The database under the ordinary tests: sqlite, postgresql or mariadb.
DATABASES = {"default": database(os.environ.get("NEURON_EVALS_TEST_DB", "sqlite"))}
