"""What the commands that read and write suite files share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.db import Error

from neuron_evals.core.exceptions import ConfigurationError, DatasetError, OutputError
from neuron_evals.core.suites import SuiteError
from neuron_evals.management.checked import CheckedCommand
from neuron_evals.management.refusals import database_refusal, refusal
from neuron_evals.transfer.importing import is_new, problems_of

if TYPE_CHECKING:
    from neuron_evals.transfer.files import SuiteFile

SHOWN_PROBLEMS = 50
"""How many problems of a file are listed."""


class RowsCommand(CheckedCommand):
    """A command that works on rows: exit status 2 for whatever keeps it from working."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run, and say in one message what keeps it from it."""
        try:
            return super().execute(*args, **options)
        except (ConfigurationError, ImproperlyConfigured, OutputError) as exc:
            raise refusal(str(exc)) from exc
        except Error as exc:
            raise refusal(database_refusal(exc)) from exc


@contextmanager
def problems_of_file(name: str) -> Iterator[None]:
    """Have everything that is wrong with a file said under its name.

    Args:
        name: The file, as the user gave it.

    Raises:
        CommandError: Something is.
    """
    try:
        yield
    except ValidationError as exc:
        raise refusal(_listed(name, problems_of(exc))) from exc
    except (SuiteError, DatasetError) as exc:
        problems = [_line(problem, exc) for problem in exc.problems]
        raise refusal(_listed(name, problems)) from exc
    except ImproperlyConfigured:
        raise
    except ConfigurationError as exc:
        msg = str(exc)
        raise refusal(msg if msg.startswith(name) else f"{name}: {msg}") from exc


def difference_of(file: SuiteFile) -> list[str]:
    """Return what differs between a file and the stored suite, as lines; empty when nothing does.

    Raises:
        CommandError: Something is wrong with the file, so that no row can be as it says.
    """
    suite = file.suite()
    if is_new(suite):
        return [f'{file.path}: there is no stored suite "{suite.slug}"']
    with problems_of_file(str(file.path)):
        lines = file.difference(suite)
    return [f'{file.path} and the stored suite "{suite.slug}" differ:', *lines] if lines else []


def _line(problem: Any, error: SuiteError | DatasetError) -> str:
    if isinstance(error, DatasetError):
        return str(problem)
    return str(problem.written(error.ids.get(problem.item_index)))


def _listed(name: str, problems: list[str]) -> str:
    more = len(problems) - SHOWN_PROBLEMS
    shown = [*problems[:SHOWN_PROBLEMS], *([f"and {more} more"] if more > 0 else [])]
    if len(shown) == 1:
        # Some say the file with the line.
        return shown[0] if shown[0].startswith(name) else f"{name}: {shown[0]}"
    counted = " (items are counted from 0)" if any(line.startswith("item ") for line in shown) else ""
    return "\n".join([f"{name}: {len(problems)} problems{counted}:", *(f"- {line}" for line in shown)])
