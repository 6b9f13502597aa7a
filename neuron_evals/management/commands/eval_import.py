"""`manage.py eval_import`: suite files become stored suites; installs the judges that come with the package."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from django.core.management.base import CommandError
from django.db import transaction

from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.printable import printable
from neuron_evals.core.report.gate import FAILED
from neuron_evals.management import options as run_options
from neuron_evals.management.refusals import refusal
from neuron_evals.management.transfers import RowsCommand, difference_of, problems_of_file
from neuron_evals.transfer.files import SuiteFile, of_one_suite
from neuron_evals.transfer.formats import FORMATS
from neuron_evals.transfer.importing import Target
from neuron_evals.transfer.judges import install_judges

if TYPE_CHECKING:
    from django.core.management.base import CommandParser

Given = TypeVar("Given")
Made = TypeVar("Made")


class Command(RowsCommand):
    """Stores suite files, all of them or none."""

    help = "Store suite files (JSON, JSON Lines, CSV, YAML), and install the judges that come with the package."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the files, and what is said beside them."""
        run_options.one_line_errors(parser)
        filled = run_options.filled
        parser.add_argument("files", nargs="*", type=filled, metavar="FILE", help="suite files")
        parser.add_argument("--suite", type=filled, metavar="SLUG", help="the suite to store one file in")
        parser.add_argument("--name", type=filled, metavar="NAME", help="name of the suite, for one file")
        parser.add_argument("--agent", type=filled, metavar="AGENT", help="a name in AGENTS, or the slug of an agent")
        parser.add_argument("--judge", type=filled, metavar="AGENT", help="likewise, the agent that grades")
        parser.add_argument(
            "--format", choices=FORMATS, help="format of the files (default: by the ends of their names)"
        )
        parser.add_argument("--raw", action="store_true", help="leave a ' before a formula in the cells of CSV files")
        parser.add_argument(
            "--check", action="store_true", help="store nothing; show what differs, and end with 1 when something does"
        )
        parser.add_argument("--judge-templates", action="store_true", help="install the judges of the package")
        parser.add_argument("--provider", type=filled, metavar="NAME", help="which provider these judges ask")
        parser.add_argument("--model", type=filled, metavar="MODEL", help="which model (default: the provider's)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Install judges and store files, as asked."""
        del args
        _refuse_contradictions(options)
        target = Target(options["suite"], options["name"], options["agent"], options["judge"])
        refused: list[str] = []
        files = _each(lambda name: self._read(name, target, options), options["files"], refused)
        if options["check"]:
            _refuse(refused)
            self._check(files)
            return
        with transaction.atomic():
            if options["judge_templates"]:
                self._install(options["provider"], options["model"])
            told = _each(self._stored, files, refused)
            _refuse([*refused, *of_one_suite(files)])
        for line in told:
            self.stdout.write(printable(line))

    def _read(self, name: str, target: Target, options: Mapping[str, Any]) -> SuiteFile:
        with problems_of_file(name):
            return SuiteFile.read(Path(name), target, options["format"], guard=not options["raw"])

    def _check(self, files: list[SuiteFile]) -> None:
        refused: list[str] = []
        differences = [line for lines in _each(difference_of, files, refused) for line in lines]
        _refuse(refused)
        for line in differences:
            self.stdout.write(printable(line))
        if differences:
            sys.exit(FAILED)
        self.stdout.write("The stored suites are as the files say.")

    def _stored(self, file: SuiteFile) -> str:
        with problems_of_file(str(file.path)):
            suite = file.suite()
            what = file.store(suite)
        if suite.judge is None and suite.has_judge:
            self.stderr.write(
                printable(
                    f"{suite.slug}: judge_config is deprecated; define the judge as an agent, and name it as judge"
                )
            )
        items = "1 item" if suite.item_count == 1 else f"{suite.item_count} items"
        return f'{what} suite "{suite.slug}" ({items})'

    def _install(self, provider: str | None, model: str | None) -> None:
        for definition, created in install_judges(provider, model):
            self.stdout.write(printable(f'{"created" if created else "kept"} judge "{definition.slug}"'))


def _each(work: Callable[[Given], Made], given: Iterable[Given], refused: list[str]) -> list[Made]:
    """Return what is made of each; what is wrong with any of them is added to `refused`."""
    made = []
    for one in given:
        try:
            made.append(work(one))
        except CommandError as exc:
            refused.append(str(exc))
    return made


def _refuse(refused: Sequence[str]) -> None:
    """End the command with all that was refused.

    Raises:
        CommandError: Something was.
    """
    if refused:
        raise refusal("\n".join(refused))


def _refuse_contradictions(options: Mapping[str, Any]) -> None:
    """Refuse options that mean nothing together, before anything is read.

    Raises:
        ConfigurationError: There are some.
    """
    count = len(options["files"])
    if not count and not options["judge_templates"]:
        msg = "name a suite file, or give --judge-templates"
    elif options["check"] and options["judge_templates"]:
        msg = "--check compares files with suites; it goes not together with --judge-templates"
    elif count > 1 and (options["suite"] or options["name"]):
        msg = f"--suite and --name are for one file, got {count}"
    elif (options["provider"] or options["model"]) and not options["judge_templates"]:
        msg = "--provider and --model are for --judge-templates"
    else:
        return
    raise ConfigurationError(msg)
