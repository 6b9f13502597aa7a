"""Django settings of the test suite."""

from __future__ import annotations

SECRET_KEY = "only for tests"  # noqa: S105  (protects nothing)
INSTALLED_APPS = ["django.contrib.contenttypes", "neuron_evals", "tests.testapp"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
USE_TZ = True
