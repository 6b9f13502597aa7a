"""Suites in files: `load_suite` for one file, `load_suites` for a directory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuron_evals.core.bounds import suite_size
from neuron_evals.core.exceptions import DatasetError
from neuron_evals.core.printable import printable
from neuron_evals.core.suites.imports import Imports, project_imports
from neuron_evals.core.suites.nous.keys import CASES
from neuron_evals.core.suites.parsing import SUFFIXES, Types, parse_suite
from neuron_evals.core.suites.problems import DATASET, ITEM, Problem, SuiteError
from neuron_evals.core.suites.sizes import size_problems
from neuron_evals.core.suites.studio import HOLDERS
from neuron_evals.core.suites.values import parsed
from neuron_evals.core.suites.yaml_text import read_yaml

if TYPE_CHECKING:
    import os

    from neuron_evals.core.suites.spec import SuiteSpec
    from neuron_evals.core.suites.yaml_text import YamlDocument


FILE = "(file)"
"""Field of a problem that belongs to a file or directory as a whole."""

_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def load_suite(
    path: str | os.PathLike[str], *, imports: Imports | None = None, types: Types | None = None
) -> SuiteSpec:
    """Return the suite of a file, in whichever of the two formats it is.

    Args:
        path: A YAML file, `.yaml` or `.yml`, or a JSON file, `.json`, in UTF-8. Like a stored suite it has
            at most as many items, and these as many bytes, as `LIMITS` says; and the file five times these bytes.
        imports: Returns what a dotted path in the file names, or raises `ConfigurationError`. By default it is what the
            setting `SUITE_IMPORTS` allows, where Django is set up, and nothing elsewhere.
        types: Assertion classes by type name; those that come with the package by default.

    Returns:
        The suite, named after the file unless it names itself.

    Raises:
        SuiteError: It cannot be read, or something is wrong with it; all problems are listed, each with file and line.
    """
    file = Path(path)
    if file.is_dir():
        raise _file_error(file, "is a directory; load_suites, or the option --dir, reads the suites in one")
    if file.suffix.lower() not in SUFFIXES:
        raise _file_error(file, f"a suite's file ends in {', '.join(SUFFIXES)}")
    text = _text_of(file)
    allowed = project_imports() if imports is None else imports
    if file.suffix.lower() == ".json":
        data, wrong = parsed(text)
        if wrong and data is None:
            raise _unread(wrong, file)
        document = None
    else:
        document, wrong = _yaml(text, file), []
        data = document.value
    if data is None or isinstance(data, str):  # a text would be taken for JSON
        what = "is empty" if data is None else "holds a text"
        raise _file_error(
            file, f"{what}; there must be a list of items, or an object with {CASES} or {' or '.join(HOLDERS)}"
        )
    if too_large := next(_size_problems(data), ""):
        raise SuiteError([*wrong, Problem(None, DATASET, too_large)], places=[str(file)] * (len(wrong) + 1))
    try:
        suite = parse_suite(data, name=file.stem, types=types, imports=allowed)
    except SuiteError as exc:
        places = list(_places(exc, data, document or _as_yaml(text), str(file)))
        raise SuiteError([*wrong, *exc.problems], exc.ids, [str(file)] * len(wrong) + places) from None
    if wrong:
        raise _unread(wrong, file)
    return suite


def load_suites(
    directory: str | os.PathLike[str], *, imports: Imports | None = None, types: Types | None = None
) -> list[SuiteSpec]:
    """Return the suites of a directory, one for each file, in the order of the file names.

    Args:
        directory: The directory; those below are not looked into, and files whose names begin with a dot are no suites.
            Suites of one name have that of their file behind it.
        imports: As for `load_suite`.
        types: Likewise.

    Raises:
        SuiteError: There is no such directory, no suite in it, or something is wrong with one; all problems of all
            files are listed.
    """
    folder = Path(directory)
    if not folder.is_dir():
        hint = "; load_suite, or the option --file, reads one file" if folder.is_file() else ""
        raise _file_error(folder, f"there is no such directory{hint}")
    files = sorted(file for file in folder.iterdir() if _is_suite(file))
    if not files:
        raise _file_error(folder, f"there is no suite in it, which is a file that ends in {', '.join(SUFFIXES)}")
    suites: list[SuiteSpec] = []
    problems: list[Problem] = []
    places: list[str] = []
    for file in files:
        try:
            suites.append(load_suite(file, imports=imports, types=types))
        except SuiteError as exc:
            problems += exc.problems
            places += exc.places
    if problems:
        raise SuiteError(problems, places=places)
    shared = {name for name, count in Counter(suite.name for suite in suites).items() if count > 1}
    return [
        _told_apart(suite, file) if suite.name in shared else suite for suite, file in zip(suites, files, strict=True)
    ]


def _told_apart(suite: SuiteSpec, file: Path) -> SuiteSpec:
    """Return a suite with the name of its file behind its own, by which reports know it."""
    return replace(suite, name=printable(f"{suite.name} ({file.name})"))


def _is_suite(file: Path) -> bool:
    return file.suffix.lower() in SUFFIXES and not file.name.startswith(".") and file.is_file()


def _text_of(file: Path) -> str:
    most = suite_size().file_bytes
    try:
        with file.open("rb") as opened:
            content = opened.read(most + 1)
    except (OSError, ValueError) as exc:  # a name with NUL in it is no name to Python
        raise _file_error(file, f"cannot be read: {getattr(exc, 'strerror', None) or exc}") from exc
    if len(content) > most:
        raise _file_error(file, f"has more than {most:,} bytes; divide the suite into several")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise _file_error(file, f"is no text in UTF-8: byte {exc.start} cannot be read; save it as UTF-8") from exc


def _unread(problems: list[Problem], file: Path) -> SuiteError:
    return SuiteError(problems, places=[str(file)] * len(problems))


def _file_error(path: Path, message: str) -> SuiteError:
    return SuiteError([Problem(None, FILE, message)], places=[str(path)])


def _yaml(text: str, file: Path) -> YamlDocument:
    try:
        return read_yaml(text, str(file))
    except DatasetError as exc:
        problems = [Problem(None, FILE, problem.message) for problem in exc.problems]
        raise SuiteError(problems, places=[_place(str(file), problem) for problem in exc.problems]) from None


def _as_yaml(text: str) -> YamlDocument | None:
    """Return JSON read as YAML, which nearly all of it is, for the lines of its values."""
    try:
        return read_yaml(text, "")
    except DatasetError:
        return None


def _places(error: SuiteError, data: Any, document: YamlDocument | None, file: str) -> Iterator[str]:
    """Yield where the value of each problem stands."""
    holder = _holder(data)
    for problem in error.problems:
        path: list[str | int] = [] if problem.item_index is None else [*holder, problem.item_index]
        if problem.field not in (ITEM, DATASET):
            path += [int(step[1]) if step[1] else step[2] for step in _STEP.finditer(problem.field)]
        found = None if document is None else document.place(tuple(path))
        yield file if found is None else f"{file}, line {found[0]}, column {found[1]}"


def _holder(data: Any) -> tuple[str, ...]:
    """Return the way from the data of a file to its items."""
    return next(((key,) for key in (CASES, *HOLDERS) if isinstance(data, dict) and key in data), ())


def _size_problems(data: Any) -> Iterator[str]:
    items = data
    for key in _holder(data):
        items = items[key]
    return size_problems(items) if isinstance(items, list) else iter(())


def _place(file: str, problem: Any) -> str:
    if problem.line is None:
        return file
    return f"{file}, line {problem.line}, column {problem.column}"
