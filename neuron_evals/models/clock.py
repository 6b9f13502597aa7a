"""The time of the database, by which leases are given and expire.

Executors may run on many machines whose clocks differ by minutes; they share one database. So its clock alone says
whether a lease has expired. Times that are only shown, such as when a row was made, are Python's.
"""

from __future__ import annotations

from datetime import UTC, datetime

from django.db import connections
from django.utils import timezone

_QUERIES = {
    "sqlite": "SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')",
    "postgresql": "SELECT clock_timestamp() AT TIME ZONE 'UTC'",
    "mysql": "SELECT UTC_TIMESTAMP(6)",
}


def database_now(using: str) -> datetime:
    """Return the time of a database in the form that columns take: aware, or naive where `USE_TZ` is false.

    Args:
        using: Alias of the database. One that is neither SQLite, PostgreSQL nor MariaDB or MySQL has Python's time.
    """
    connection = connections[using]
    query = _QUERIES.get(connection.vendor)
    if query is None:
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(query)
        (value,) = cursor.fetchone()
    moment = (datetime.fromisoformat(value) if isinstance(value, str) else value).replace(tzinfo=UTC)
    return moment if timezone.is_aware(timezone.now()) else timezone.make_naive(moment, timezone.get_default_timezone())
