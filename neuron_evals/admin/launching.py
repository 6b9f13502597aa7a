"""Runs that people start from pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.utils.translation import gettext

from neuron_evals.admin import texts
from neuron_evals.models import Trigger

if TYPE_CHECKING:
    from django.http import HttpRequest

    from neuron_evals.models import EvalRun, EvalSuite

_SHOWN = 20
_LONG = 1_000


def started_run(pages: Any, request: HttpRequest, suite: EvalSuite) -> EvalRun | None:
    """Make a run of a suite and hand it to the launcher; tell the person what became of it.

    Args:
        pages: The pages that say it.
        request: What asked for it.
        suite: The suite, which is run as it is stored.

    Returns:
        The run; `None` when there are problems, and nothing is stored then.
    """
    # Here, so that a start loads no engine.
    from neuron_evals.core.exceptions import ConfigurationError  # noqa: PLC0415
    from neuron_evals.runs import RunError, create_run, make_and_launch  # noqa: PLC0415

    try:
        # A launcher that cannot be used leaves no run that nobody will ever execute.
        using = suite._state.db  # noqa: SLF001  (Django's documented name)
        run = make_and_launch(lambda: create_run(suite, trigger=Trigger.ADMIN, user=request.user), using)
    except RunError as exc:
        _tell(pages, request, suite, list(exc.problems))
        return None
    except ConfigurationError as exc:
        _tell(pages, request, suite, [str(exc)])
        return None
    pages.log_change(request, suite, gettext("Started run %d.") % run.pk)
    if run.dispatch_error:
        text = gettext("Run %(run)d waits: the launcher could not be reached: %(error)s")
        pages.message_user(
            request, text % {"run": run.pk, "error": texts.one_line(run.dispatch_error, _LONG)}, messages.WARNING
        )
    else:
        text = gettext('Run %(run)d of suite "%(suite)s" was started.')
        pages.message_user(request, text % {"run": run.pk, "suite": suite}, messages.SUCCESS)
    return run


def _tell(pages: Any, request: HttpRequest, suite: EvalSuite, problems: list[str]) -> None:
    for problem in problems[:_SHOWN]:
        text = gettext('Suite "%(suite)s" was not run: %(problem)s')
        pages.message_user(request, text % {"suite": suite, "problem": texts.one_line(problem, _LONG)}, messages.ERROR)
    if len(problems) > _SHOWN:
        more = gettext("And %d more problems.") % (len(problems) - _SHOWN)
        pages.message_user(request, more, messages.ERROR)
