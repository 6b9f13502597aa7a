"""System checks of settings and databases. Their numbers are permanent; see `docs/reference/system-checks.md`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from django.core.checks import CheckMessage, Error, Warning  # noqa: A004  (Django's name)
from django.db import Error as DatabaseError
from django.db import connections, router

from neuron_evals import conf


def check_settings(**_: Any) -> list[CheckMessage]:
    """Return an error for each thing that is wrong with `NEURON_EVALS`; never raise, whatever its modules do."""
    settings, problems = conf.parsed()
    problems += _unresolvable(settings)
    return [Error(problem.message, hint=problem.hint, id=f"neuron_evals.{problem.code}") for problem in problems]


def check_databases(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Return a warning for each thing about a database with our tables that results may fail to be stored by.

    Args:
        databases: Aliases of the databases that may be asked; none by default, as `manage.py check` without
            `--database`.
    """
    found: list[CheckMessage] = []
    for alias in databases or ():
        connection: Any = connections[alias]
        if not router.allow_migrate(alias, "neuron_evals"):
            continue
        try:
            found += {"sqlite": _sqlite_warnings, "mysql": _mysql_warnings}.get(connection.vendor, _none)(connection)
        except DatabaseError:
            continue  # one that cannot be asked is no matter of ours; Django's own checks say so
    return found


def _none(connection: Any) -> list[CheckMessage]:
    del connection
    return []


def _sqlite_warnings(connection: Any) -> list[CheckMessage]:
    if connection.is_in_memory_db():
        return []
    found: list[CheckMessage] = []
    mode = (connection.settings_dict.get("OPTIONS") or {}).get("transaction_mode") or "DEFERRED"
    if str(mode).upper() not in ("IMMEDIATE", "EXCLUSIVE"):
        found.append(
            Warning(
                f'DATABASES["{connection.alias}"]: SQLite begins transactions as {mode}, so that one of two writers '
                'fails with "database is locked" instead of waiting',
                hint='Set "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 20}.',
                id="neuron_evals.W001",
            )
        )
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode")
        (journal,) = cursor.fetchone()
    if journal != "wal":
        found.append(
            Warning(
                f'DATABASES["{connection.alias}"]: SQLite keeps no write-ahead log, so that readers and the one who '
                "stores results wait for each other",
                hint='Set "OPTIONS": {"init_command": "PRAGMA journal_mode=WAL"}.',
                id="neuron_evals.W002",
            )
        )
    return found


def _mysql_warnings(connection: Any) -> list[CheckMessage]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT @@character_set_database, @@character_set_connection")
        sets = cursor.fetchone()
    if all(name == "utf8mb4" for name in sets):
        return []
    return [
        Warning(
            f'DATABASES["{connection.alias}"]: the character sets of database and connection are {" and ".join(sets)}, '
            "which do not have every character, such as emoji",
            hint="Convert the database (ALTER DATABASE ... CHARACTER SET utf8mb4) and its tables, "
            'and set "OPTIONS": {"charset": "utf8mb4"}.',
            id="neuron_evals.W003",
        )
    ]


def _unresolvable(settings: conf.Settings) -> list[conf.Problem]:
    problems: list[conf.Problem] = []
    for resolve in _resolutions(settings):
        try:
            resolve()
        except conf.SettingsError as error:
            problems.extend(error.problems)
    return problems


def _resolutions(settings: conf.Settings) -> Iterator[Callable[[], object]]:
    """Yield, for each name in the settings, what resolves it."""
    from neuron_evals.container import (  # noqa: PLC0415  (start-up without checks stays short)
        building,
        drivers,
        injection,
        runners,
    )
    from neuron_evals.registries import assertions  # noqa: PLC0415  (as above)

    yield from _resolutions_of_agents(settings)
    for name, path in settings.assertions.items():
        yield partial(assertions.assertion_type, name, path)
    for wanted, target in settings.bindings.items():
        yield partial(injection.resolved_binding, wanted, target)
    yield partial(building.container, settings.container)
    yield partial(runners.hook, "BEFORE_CHILD", settings.runner.before_child)
    yield partial(runners.hook, "AFTER_CHILD", settings.runner.after_child)
    for index, entry in enumerate(settings.outputs):
        yield partial(drivers.driver_class, entry, drivers.output_place(index))
    if settings.cache != conf.CacheEntry():
        from neuron_evals.container import caches  # noqa: PLC0415  (only a project that names a cache pays for it)

        yield partial(caches.cache_class, settings.cache)
    if settings.suite_defaults.model is not None:
        from neuron_evals.container import defaults  # noqa: PLC0415  (as above)

        yield partial(defaults.refuse_unknown_provider, settings.suite_defaults.model, settings.providers)
    if settings.launcher != conf.LauncherEntry():
        from neuron_evals.container import launchers  # noqa: PLC0415  (as above)

        yield partial(launchers.launcher_class, settings.launcher)


def _resolutions_of_agents(settings: conf.Settings) -> Iterator[Callable[[], object]]:
    if not (settings.providers or settings.agents or settings.tools):
        return
    from neuron_evals.container import coded  # noqa: PLC0415  (only a project with agents pays for them)
    from neuron_evals.registries import providers, tools  # noqa: PLC0415  (as above)

    for alias, entry in settings.providers.items():
        yield partial(providers.refuse_invalid_options, entry, alias)
    for name, path in settings.agents.items():
        yield partial(coded.agent_target, name, path)
    for name, path in settings.tools.items():
        yield partial(tools.named_tool, name, path)
