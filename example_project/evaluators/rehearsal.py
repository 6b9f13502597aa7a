"""Trying something on the real rows without keeping what it wrote."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction


@contextmanager
def rehearsal() -> Iterator[None]:
    """Undo what the block writes: no item sees the refunds of another, and the next run finds the same rows."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
