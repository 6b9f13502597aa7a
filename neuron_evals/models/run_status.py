"""Where a run is, and what started it."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class RunStatus(models.TextChoices):
    """Where a run is."""

    QUEUED = "queued", _("Queued")
    RUNNING = "running", _("Running")
    PASSED = "passed", _("Passed")
    FAILED = "failed", _("Failed")
    ERROR = "error", _("Error")
    CANCELLED = "cancelled", _("Cancelled")


class Trigger(models.TextChoices):
    """What started a run."""

    COMMAND = "command", _("Command")
    ADMIN = "admin", _("Admin")
    API = "api", _("API")
    SCHEDULE = "schedule", _("Schedule")


ACTIVE = (RunStatus.QUEUED, RunStatus.RUNNING)
"""The statuses of a run that is not over."""

ENDED = (RunStatus.PASSED, RunStatus.FAILED, RunStatus.ERROR, RunStatus.CANCELLED)
"""The statuses of a run that is over."""
