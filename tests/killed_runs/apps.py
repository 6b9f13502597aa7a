"""Puts the phases into the processes that the tests start."""

from __future__ import annotations

from django.apps import AppConfig


class KilledRunsConfig(AppConfig):
    name = "tests.killed_runs"

    def ready(self):
        from tests.killed_runs import phases  # noqa: PLC0415  (needs the models)

        phases.install()
