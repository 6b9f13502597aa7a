"""What day it is for the shop."""

from __future__ import annotations

from datetime import date

from django.utils import timezone


class Clock:
    """The real day."""

    def today(self) -> date:
        return timezone.localdate()


class FixedClock(Clock):
    """The day for which the expectations in the datasets were written: a Monday."""

    def today(self) -> date:
        return date(2026, 11, 30)
