"""`manage.py make_evaluator`: write an evaluator to begin with."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from neuron_evals.management.lasting import LastingCommand

_TEMPLATE = Path(__file__).parent.parent / "evaluator_template.py"
_EXAMPLE = "evaluators.support.SupportEvaluator"


class Command(LastingCommand):
    """Writes a file with an evaluator that runs and passes as it is; never touches a file that exists."""

    help = "Write an evaluator to begin with, under the working directory."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the evaluator's name."""
        parser.add_argument("name", help=f"Dotted name of the class, such as {_EXAMPLE}.")

    def handle(self, *, name: str, **_: Any) -> None:
        """Write the file, and say how to run it."""
        *modules, class_name = _parts(name)
        path = Path(*modules).with_suffix(".py")
        folder = path.parent.as_posix()
        _refuse_taken(path, modules)
        text = _TEMPLATE.read_text(encoding="utf-8")
        text = text.replace("ExampleEvaluator", class_name).replace("<folder>", folder)
        try:
            _write(path, text)
        except OSError as exc:
            msg = f"{path} cannot be written: {exc.strerror or exc}"
            raise _refused(msg) from exc
        self.stdout.write(f"Wrote {path}. Run it with: python manage.py evaluations {folder}")


def _parts(name: str) -> list[str]:
    """Return the modules and the class of a dotted name; a class alone gets its own module in `evaluators`."""
    parts = name.split(".")
    for part in parts:
        if not part.isascii() or not part.isidentifier() or iskeyword(part):
            msg = f'"{name}" is no dotted name of a class: "{part}" is no Python name; give one such as {_EXAMPLE}'
            raise _refused(msg)
    if re.search(rf"^(from|import) .*\b{parts[-1]}\b", _TEMPLATE.read_text(encoding="utf-8"), re.MULTILINE):
        msg = (
            f'"{parts[-1]}" is a name that the evaluator imports; choose another one for the class, such as {_EXAMPLE}'
        )
        raise _refused(msg)
    if len(parts) == 1:
        return ["evaluators", _snake_case(name), name]
    return parts


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _refuse_taken(path: Path, modules: list[str]) -> None:
    if os.path.lexists(path):
        msg = f"{path} exists and stays as it is; choose another module, or add the class to the file yourself"
        raise _refused(msg)
    if len(modules) == 1 and find_spec(modules[0]) is not None:
        msg = (
            f'{path} would hide the module "{modules[0]}" that exists already; choose another name, such as {_EXAMPLE}'
        )
        raise _refused(msg)


def _write(path: Path, text: str) -> None:
    """Write a new file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _refused(message: str) -> CommandError:
    return CommandError(message, returncode=2)
