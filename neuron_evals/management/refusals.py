"""What a command says when it cannot be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import apps
from django.core.management.base import CommandError
from django.db import router

from neuron_evals.core.printable import printable
from neuron_evals.core.report.gate import NOTHING_JUDGED
from neuron_evals.models import EvalRun
from neuron_evals.models.tables import explained

if TYPE_CHECKING:
    from django.db import Error


def refusal(message: str) -> CommandError:
    """Return the error that ends a command because nothing could be done; the message may hold any text."""
    return CommandError(printable(message, multiline=True), returncode=NOTHING_JUDGED)


def database_refusal(exc: Error) -> str:
    """Return what an error of the database of our rows means, in one line; of missing tables also how to make them."""
    using = router.db_for_write(EvalRun)
    ours = apps.get_app_config("neuron_evals").get_models()
    return explained(exc, using, [model for model in ours if router.db_for_write(model) == using])
