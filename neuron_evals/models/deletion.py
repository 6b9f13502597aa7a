"""Refusals to delete that say what to do instead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db.models import ProtectedError


@contextmanager
def explained_refusal(instead: str) -> Iterator[None]:
    """Say, when rows are not deleted because others need them, what to do instead.

    Args:
        instead: A sentence for people.

    Raises:
        ProtectedError: Other rows need what was to be deleted; its message names how many of what kind.
    """
    try:
        yield
    except ProtectedError as exc:
        counts: dict[str, int] = {}
        for needing in exc.protected_objects:
            kind = str(needing._meta.verbose_name)  # noqa: SLF001  (Django's documented name)
            counts[kind] = counts.get(kind, 0) + 1
        needed = " and ".join(f"{count} of the kind {kind}" for kind, count in counts.items())
        msg = f"Not deleted, because other rows need it: {needed}. {instead}"
        raise ProtectedError(msg, exc.protected_objects) from exc
