"""Commands that check the settings first, and tell wrong ones by their exit status."""

from __future__ import annotations

from typing import Any

from django.core.management.base import SystemCheckError

from neuron_evals.core.report.gate import NOTHING_JUDGED
from neuron_evals.management.lasting import LastingCommand


class CheckedCommand(LastingCommand):
    """A command with our own system checks: those of the whole project are not what it depends on."""

    requires_system_checks = ("neuron_evals",)

    def check(self, *args: Any, **kwargs: Any) -> None:
        """Check the settings; wrong ones end the command as wrong usage does."""
        # Django 6.1 would have all databases asked, which a command that needs none may not even reach.
        kwargs.setdefault("databases", [])
        try:
            super().check(*args, **kwargs)
        except SystemCheckError as exc:
            exc.returncode = NOTHING_JUDGED
            raise
