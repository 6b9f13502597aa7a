"""Handing a run to the launcher that the settings name."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from django.db import router, transaction

from neuron_evals import conf
from neuron_evals.container import make_launcher
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.models import EvalRun
from neuron_evals.models.contention import despite_contention
from neuron_evals.registries.dotted import described
from neuron_evals.runs.problems import RunError

if TYPE_CHECKING:
    from neuron_evals.launchers import Launcher

_log = logging.getLogger(__name__)


def launch_run(run: EvalRun) -> EvalRun:
    """Have a queued run executed by what the setting `LAUNCHER` names, after the transaction around it is committed.

    When the launcher cannot be reached the run stays queued, and its `dispatch_error` says why; launch it again then.

    Args:
        run: The run.

    Returns:
        The run.

    Raises:
        RunError: The launcher cannot be used at all: its settings are wrong, or what it needs is not installed.
    """
    launcher = _usable_launcher()
    _note_launcher(run)
    transaction.on_commit(lambda: _hand_over(run, launcher), using=run.database)
    return run


def make_and_launch(make: Callable[[], EvalRun], using: str | None = None) -> EvalRun:
    """Make a run, or resume one, and launch it; where the launcher cannot be used, do neither.

    Args:
        make: Makes or resumes the run, such as `lambda: resume_run(run)`. It is called again where the database had it
            give way to others and undid what it did.
        using: Alias of the database of the run; by default the one that routers name.

    Returns:
        The run, as `launch_run` returns it.

    Raises:
        RunError: As `launch_run`, and what `make` raises; nothing is stored then.
    """
    launcher = _usable_launcher()
    using = using or router.db_for_write(EvalRun)
    run = despite_contention(using, partial(_made, make, using))
    transaction.on_commit(lambda: _hand_over(run, launcher), using=using)
    return run


def _usable_launcher() -> Launcher:
    try:
        launcher = make_launcher()
    except ConfigurationError as exc:
        raise RunError([str(exc)]) from exc
    if problems := launcher.problems():
        raise RunError(problems)
    return launcher


def _made(make: Callable[[], EvalRun], using: str) -> EvalRun:
    with transaction.atomic(using):
        run = make()
        _note_launcher(run)
    return run


def _note_launcher(run: EvalRun) -> None:
    run.launcher = conf.read().launcher.backend
    run.save(using=run.database, update_fields=["launcher"])


def _hand_over(run: EvalRun, launcher: Launcher) -> None:
    error = ""
    try:
        launcher.launch(run.pk)
    except Exception as exc:  # whatever the queue or the system says: the run is there, and can be launched again
        _log.warning("run %s could not be launched: %s", run.pk, type(exc).__name__)
        error = described(exc)
    if error != run.dispatch_error:
        run.dispatch_error = error
        run.save(using=run.database, update_fields=["dispatch_error"])
