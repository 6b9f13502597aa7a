"""Seconds that `django.setup()` takes with the contributed apps and those named: django_setup.py [APP...]."""

from __future__ import annotations

import json
import sys
import time

import django
from django.conf import settings  # noqa: TID251  (a process of its own, configured here)

settings.configure(
    INSTALLED_APPS=[
        "django.contrib.admin",
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django.contrib.messages",
        "django.contrib.staticfiles",
        *sys.argv[1:],
    ],
)
started = time.perf_counter()
django.setup()
print(json.dumps({"seconds": time.perf_counter() - started}))
