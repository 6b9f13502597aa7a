"""The cache of run outputs in the project's database."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from django.core.exceptions import ImproperlyConfigured
from django.db import Error, connections, router, transaction
from django.db.models import Count, Max, Min, Sum
from django.utils import timezone

from neuron_evals.core.agents.bridging import plain_caller
from neuron_evals.core.caches import CacheError, CacheStats, TidyCache
from neuron_evals.core.caches.contract import checked_key
from neuron_evals.core.caches.pruning import Entry, chosen
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.models import CachedOutput
from neuron_evals.models.cache import LONGEST_EVALUATOR
from neuron_evals.models.contention import despite_contention
from neuron_evals.models.tables import explained, table_problems
from neuron_evals.registries.dotted import described

T = TypeVar("T")

_UNUSABLE = "the cache in the database cannot be used"
_BATCH = 500
_REPLACED = ("evaluator", "item_id", "payload", "size", "created_at")
# What databases and their drivers refuse, texts with NUL among it; a project without a database.
_REFUSALS = (Error, ValueError, ImproperlyConfigured)


class DatabaseCache(TidyCache):
    """Keeps entries as `CachedOutput` rows, so that all machines that share the database share them.

    An entry is written by one statement that inserts or replaces, so that two that fill it at once do not meet. A
    database that refuses one is no reason to stop: it is a `CacheError`, which reports show.

    Args:
        using: Alias of the database; the one that the project's routers choose by default.

    Raises:
        InvalidArgument: The settings have no database of that name.
    """

    def __init__(self, using: str | None = None) -> None:
        if using is not None and using not in connections.databases:
            known = ", ".join(connections.databases)
            msg = f"DatabaseCache: DATABASES has no {using!r}; it has {known}"
            raise InvalidArgument(msg)
        self._using = using

    def get(self, key: str) -> str | None:
        """Return the text that was set for a key; `None` when there is none, or when it cannot be read."""
        rows = CachedOutput.objects.using(self._alias()).filter(key=checked_key(key))
        try:
            with transaction.atomic(self._alias()):
                text: str | None = rows.values_list("payload", flat=True).first()
        except _REFUSALS:
            return None
        return text

    def set(self, key: str, text: str) -> None:
        """Keep a text for a key.

        Raises:
            CacheError: The database refuses it.
        """
        self.keep(key, text, evaluator="", item_id="")

    def keep(self, key: str, text: str, *, evaluator: str, item_id: str) -> None:
        """Keep a text for a key, with the evaluator and the item that it came from.

        Raises:
            CacheError: The database refuses it.
        """
        row = CachedOutput(key=checked_key(key), evaluator=evaluator[:LONGEST_EVALUATOR], item_id=item_id, payload=text)
        try:
            row.size = len(text.encode())
            self._insert_or_replace(row)
        except _REFUSALS as exc:
            msg = f"the database cannot keep an output: {described(exc)}"
            raise CacheError(msg) from exc

    async def aget(self, key: str) -> str | None:
        """Do what `get` does, in a thread."""
        return await _in_thread(self.get, key)

    async def akeep(self, key: str, text: str, *, evaluator: str, item_id: str) -> None:
        """Do what `keep` does, in a thread."""
        await _in_thread(lambda: self.keep(key, text, evaluator=evaluator, item_id=item_id))

    def problems(self) -> list[str]:
        """Return why the table cannot be written to."""
        try:
            return [f"{_UNUSABLE}: {problem}" for problem in table_problems(self._alias(), [CachedOutput])]
        except _REFUSALS as exc:
            return [f"{_UNUSABLE}: {described(exc)}"]

    def stats(self) -> CacheStats:
        """Return how much the table holds.

        Raises:
            CacheError: It cannot be read.
        """
        rows = CachedOutput.objects.using(self._alias())
        try:
            found = rows.aggregate(n=Count("pk"), size=Sum("size"), oldest=Min("created_at"), newest=Max("created_at"))
        except _REFUSALS as exc:
            raise self._unusable(exc) from exc
        return CacheStats(found["n"], found["size"] or 0, found["oldest"], found["newest"])

    def prune(self, *, before: datetime | None = None, max_size: int | None = None) -> CacheStats:
        """Remove entries, some hundred at a time.

        Raises:
            CacheError: They cannot be removed; some may be.
        """
        try:
            removed = chosen(self._entries(), None if before is None else _stored_form(before), max_size)
            for start in range(0, len(removed), _BATCH):
                keys = [entry.name for entry in removed[start : start + _BATCH]]
                CachedOutput.objects.using(self._alias()).filter(pk__in=keys).delete()
        except _REFUSALS as exc:
            raise self._unusable(exc) from exc
        moments = [entry.stored for entry in removed]
        size = sum(entry.size for entry in removed)
        return CacheStats(len(removed), size, min(moments, default=None), max(moments, default=None))

    def _unusable(self, exc: Exception) -> CacheError:
        why = explained(exc, self._alias(), [CachedOutput]) if isinstance(exc, Error) else described(exc)
        return CacheError(f"{_UNUSABLE}: {why}")

    def _insert_or_replace(self, row: CachedOutput) -> None:
        alias = self._alias()
        connection = connections[alias]
        targets = ["key"] if connection.features.supports_update_conflicts_with_target else None

        def write() -> None:
            with transaction.atomic(alias):
                CachedOutput.objects.using(alias).bulk_create(
                    [row], update_conflicts=True, update_fields=_REPLACED, unique_fields=targets
                )

        # Two that write beside each other may end in a deadlock of MariaDB, which one of them has to repeat.
        despite_contention(alias, write)

    def _entries(self) -> Iterator[Entry[int]]:
        rows = CachedOutput.objects.using(self._alias()).values_list("pk", "size", "created_at")
        for row in rows.iterator(chunk_size=5_000):
            yield Entry(*row)

    def _alias(self) -> str:
        return self._using or router.db_for_write(CachedOutput)


def _stored_form(moment: datetime) -> datetime:
    """Return a moment as columns give it: naive where `USE_TZ` is false."""
    if timezone.is_aware(timezone.now()):
        return moment
    return timezone.make_naive(moment.astimezone(UTC), timezone.get_default_timezone())


async def _in_thread(function: Callable[..., T], *args: Any) -> T:
    """Call a function that makes queries off the running event loop, in a thread whose connections somebody closes."""
    in_thread: Callable[..., Awaitable[Any]] | None = plain_caller()
    if in_thread is None:
        in_thread = sync_to_async(function)  # in the thread that the item has for its queries
        result: T = await in_thread(*args)
    else:
        result = await in_thread(function, *args)
    return result
