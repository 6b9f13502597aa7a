"""`manage.py eval_doctor`: the settings in effect, and what to fix."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals import conf
from neuron_evals.core.printable import printable
from neuron_evals.core.report.gate import FAILED
from neuron_evals.management import options as run_options
from neuron_evals.management.doctor import Finding, Secrets, effective_settings, row_findings, setting_findings
from neuron_evals.management.lasting import LastingCommand

if TYPE_CHECKING:
    from django.core.management.base import CommandParser


class Command(LastingCommand):
    """Says how the app is set up, and what keeps it from working. It changes nothing and asks no model."""

    help = "Show the settings in effect, and what is wrong with them, with the database and with what they name."
    # What they would say is what this command says.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the form of the report."""
        run_options.one_line_errors(parser)
        parser.add_argument("--format", choices=("text", "json"), default="text", help="form of what is printed")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look, report, and end with 1 when there is something to fix."""
        del args
        settings, _ = conf.parsed()
        secrets = Secrets(settings)
        found = [*setting_findings(), *row_findings()]
        shown = effective_settings(settings)
        said = {
            "problems": [_said(each, secrets) for each in found if each.is_problem],
            "advice": [_said(each, secrets) for each in found if not each.is_problem],
        }
        if options["format"] == "json":
            self.stdout.write(json.dumps({"settings": shown, **said}, indent=2))
        else:
            self.stdout.write("\n".join([*_setting_lines(shown), *_finding_lines(said)]))
        if said["problems"]:
            sys.exit(FAILED)


def _said(found: Finding, secrets: Secrets) -> dict[str, str]:
    return {"where": secrets.taken_out(found.where), "message": secrets.taken_out(found.message)}


def _setting_lines(shown: Mapping[str, Any]) -> Iterator[str]:
    yield f"Settings in effect ({conf.NAME}):"
    for name, value in shown.items():
        yield printable(f"  {name}: {json.dumps(value, ensure_ascii=False)}")


def _finding_lines(said: Mapping[str, list[dict[str, str]]]) -> Iterator[str]:
    for title, found in (("Problems", said["problems"]), ("Advice", said["advice"])):
        if found:
            yield ""
            yield f"{title}:"
            yield from (printable(f"  {each['where']}: {' '.join(each['message'].split())}") for each in found)
    if not said["problems"]:
        yield ""
        yield "No problems found."
