"""`discover`: the evaluator classes in a folder."""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from neuron_evals.core.discovery.broken import BrokenFile
from neuron_evals.core.discovery.files import python_files
from neuron_evals.core.discovery.packages import BrokenPackage, answering_to, package_of
from neuron_evals.core.evaluators import BaseEvaluator
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.results import full_name

if TYPE_CHECKING:
    from types import ModuleType


@dataclass(frozen=True, slots=True)
class Discovery:
    """What a folder holds.

    Attributes:
        evaluators: The evaluator classes, sorted by their full names.
        broken: The files that could not be imported.
    """

    evaluators: tuple[type[BaseEvaluator], ...]
    broken: tuple[BrokenFile, ...]


def discover(path: str | os.PathLike[str]) -> Discovery:
    """Import every Python file under a folder, and return the evaluator classes that they define.

    A class counts when it is defined in one of the files, derives from `BaseEvaluator` and is not abstract.

    The folder needs no `__init__.py`; its files are imported as `<folder>.<file>`, so that `json.py` or `datasets/` in
    it shadows nothing, and may import one another as `from <folder>.shared import X` or `from .shared import X`. In a
    package, names begin at the topmost package, as in any other import. A folder whose name Python cannot write, or has
    for something else, gets a name of its own.

    A file that breaks does not hide the rest; a broken `__init__.py` stands for its whole folder. Hidden files and
    folders, `__pycache__` and virtual environments are left out.

    Args:
        path: The folder, relative to the working directory.

    Raises:
        ConfigurationError: There is no such folder.
    """
    folder = _existing_folder(path)
    broken: list[BrokenFile] = []
    files = python_files(folder, lambda entry, exc: broken.append(BrokenFile.of(entry, exc)))
    return _discovered(files, folder, broken)


def discover_file(file: Path, folder: Path) -> Discovery:
    """Import one Python file under a folder, and return the evaluator classes that it defines, as `discover` does.

    Args:
        file: The file; an absolute path.
        folder: The folder that `discover` would be given, in which or below which the file is.
    """
    return _discovered((file,), folder, [])


def _discovered(files: Iterable[Path], folder: Path, broken: list[BrokenFile]) -> Discovery:
    # Files may be newer than what the import system remembers of their folders.
    importlib.invalidate_caches()
    try:
        package = package_of(folder)
    except BrokenPackage as exc:
        return Discovery((), (BrokenFile.of(exc.init, exc.cause),))
    found: set[type[BaseEvaluator]] = set()
    with answering_to(folder.name, package):
        for file in files:
            if any(entry.path.name == "__init__.py" and entry.path.parent in file.parents for entry in broken):
                continue
            try:
                found.update(_evaluators_in(_imported(file, folder, package)))
            except (Exception, SystemExit) as exc:
                broken.append(BrokenFile.of(file, exc))
    return Discovery(tuple(sorted(found, key=full_name)), tuple(broken))


def _existing_folder(path: str | os.PathLike[str]) -> Path:
    folder = Path(os.path.abspath(path))  # noqa: PTH100  (`resolve` would replace links, whose names are meant)
    if folder.is_dir():
        return folder
    what = "a file, not a folder" if folder.exists() else "no such folder"
    msg = f"{os.fspath(path)}: {what} (from the working directory {Path.cwd()}); give a folder with evaluator files"
    raise ConfigurationError(msg)


def _imported(file: Path, folder: Path, package: str) -> ModuleType:
    """Return the module of a file under the folder of a package."""
    parts = file.relative_to(folder).with_suffix("").parts
    if any("." in part for part in parts):
        msg = f"{file.relative_to(folder)}: a name with a dot cannot be imported; rename it"
        raise ImportError(msg)
    name = ".".join((package, *(parts[:-1] if parts[-1] == "__init__" else parts)))
    module = importlib.import_module(name)
    origin = module.__file__ or "a folder"
    if os.path.realpath(origin) != os.path.realpath(file):
        msg = f"{name} is {origin}, which hides this file; rename one of them"
        raise ImportError(msg)
    return module


def _evaluators_in(module: ModuleType) -> list[type[BaseEvaluator]]:
    return [
        value
        for value in list(vars(module).values())
        if isinstance(value, type)
        and issubclass(value, BaseEvaluator)
        and value.__module__ == module.__name__
        and not inspect.isabstract(value)
    ]
