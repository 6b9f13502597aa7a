"""Settings of the example shop: one SQLite file, no network, no keys."""

from __future__ import annotations

import os
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent

SECRET_KEY = "example-project-only"  # noqa: S105  (the example serves no pages and signs nothing)

INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "neuron_evals", "shop"]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.environ.get("SHOP_DATABASE", BASE_DIR / "db.sqlite3"),
        # Items that write take turns instead of meeting a locked database halfway through a transaction.
        # With a write-ahead log, whoever reads results does not wait for who stores them.
        "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 20, "init_command": "PRAGMA journal_mode=WAL"},
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

USE_TZ = True
TIME_ZONE = "Europe/Dublin"

NEURON_EVALS = {
    # Suites name their agents, and data names no code.
    "AGENTS": {"support": "shop.agents.SupportAgent"},
    # Whether an order may still be returned depends on the day; evaluations always run on the same one.
    "BINDINGS": {"shop.clock.Clock": "shop.clock.FixedClock"},
}
