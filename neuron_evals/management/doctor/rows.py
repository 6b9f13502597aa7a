"""What is wrong with the database and with the rows in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any, Final

from django.db import connections, router
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Q

from neuron_evals import conf, container, runs
from neuron_evals.checks import check_databases
from neuron_evals.management.doctor.findings import Finding, asked
from neuron_evals.models import AgentDefinition, EvalRun, EvalSuite
from neuron_evals.models.clock import database_now
from neuron_evals.models.tables import table_problems

WAITING: Final = timedelta(minutes=5)
"""After how long a run that is queued, and that nobody has begun, is told."""

SHOWN: Final = 20
"""How many suites and runs are told at most."""


def row_findings() -> Iterator[Finding]:
    """Yield what is wrong with the database of our rows, then with the rows; nothing is changed."""
    using = router.db_for_write(EvalRun)
    where = f'database "{using}"'
    needed = _is_needed()
    missing = list(asked(where, lambda: table_problems(using), is_problem=needed))
    yield from missing
    if missing:
        return
    pending = list(asked(where, lambda: _pending(using)))
    yield from pending
    yield from (
        Finding(where, f"{found.msg}. {found.hint} ({found.id})", is_problem=False)
        for found in check_databases([using])
    )
    if not pending:
        yield from asked("suites", lambda: _of_suites(using))
        yield from _of_agents(using)
        yield from asked("runs", lambda: _of_runs(using), is_problem=False)


def _is_needed() -> bool:
    """Return whether the settings ask for tables; evaluators and suite files do without."""
    settings, _ = conf.parsed()
    return "database" in {settings.cache.backend, *(entry.backend for entry in settings.outputs)}


def _pending(using: str) -> Iterable[str]:
    executor = MigrationExecutor(connections[using])
    targets = [node for node in executor.loader.graph.leaf_nodes() if node[0] == "neuron_evals"]
    waiting = [
        migration.name for migration, _ in executor.migration_plan(targets) if migration.app_label == targets[0][0]
    ]
    if waiting:
        yield f"migrations wait: {', '.join(waiting)}; run `python manage.py migrate neuron_evals`"


def _of_suites(using: str) -> Iterator[str]:
    suites = EvalSuite.objects.using(using).active().order_by("slug")
    idle = suites.filter(Q(agent__is_active=False) | Q(judge__is_active=False))
    names = ("slug", "agent__is_active", "agent__slug", "judge__slug")
    for suite, active, agent, judge in idle.values_list(*names)[:SHOWN]:
        word, slug = ("judge", judge) if active else ("agent", agent)
        yield f'suite "{suite}": its {word} "{slug}" is inactive; activate it, or choose another'


def _of_agents(using: str) -> Iterator[Finding]:
    for row in AgentDefinition.objects.using(using).active().order_by("slug"):
        yield from asked(f'stored agent "{row.slug}"', lambda row=row: _of_agent(row))  # type: ignore[misc]


def _of_agent(row: Any) -> Iterable[str]:
    return container.build_agent(row).problems()


def _of_runs(using: str) -> Iterator[str]:
    lost = EvalRun.objects.using(using).lost(database_now(using)).order_by("pk").values_list("pk", flat=True)[:SHOWN]
    for number in lost:
        yield f"run {number} says it is running and nobody executes it; close it by `python manage.py eval_runs sweep`"
    for run in runs.waiting_runs(WAITING, using)[:SHOWN]:
        yield _waiting(run)


def _waiting(run: EvalRun) -> str:
    if not run.launcher:
        execute, cancel = (f"`python manage.py eval_runs {verb} {run.pk}`" for verb in ("execute", "cancel"))
        return f"run {run.pk} waits, and no launcher was to carry it; execute it by {execute}, or cancel it by {cancel}"
    why = f" ({run.dispatch_error})" if run.dispatch_error else ""
    again = "launch it again by `python manage.py eval_runs sweep --relaunch`"
    return f'run {run.pk} waits for the launcher "{run.launcher}"{why}; {again}'
