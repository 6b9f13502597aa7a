"""What an evaluator declares by `cache_dependencies`: classes and files whose change makes its outputs old."""

from __future__ import annotations

import hashlib
import inspect
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from neuron_evals.core.exceptions import EvaluationError
from neuron_evals.core.results import full_name

Dependency: TypeAlias = "type | str | os.PathLike[str]"


class Declares(Protocol):
    """An evaluator, as far as its dependencies go."""

    def cache_dependencies(self) -> Iterable[Dependency]:
        """Return classes and paths of files."""

    def cache_input(self, item: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what the output for an item depends on."""


def dependency_digests(evaluator: Declares) -> list[str]:
    """Return the sha256 of the content of each file that an evaluator depends on, sorted.

    Raises:
        EvaluationError: A dependency is no class with a source file and no file that can be read; it names the
            dependency and the evaluator.
    """
    declared: object = evaluator.cache_dependencies()
    if isinstance(declared, type | str | os.PathLike) or not isinstance(declared, Iterable):
        msg = (
            f"{full_name(type(evaluator))}: cache_dependencies() returns a tuple of classes and paths of files, "
            f"got {_shown(declared)}"
        )
        raise EvaluationError(msg)
    return sorted(_digest(dependency, type(evaluator)) for dependency in declared)


def _digest(dependency: object, evaluator: type) -> str:
    try:
        return hashlib.sha256(_file(dependency, evaluator).read_bytes()).hexdigest()
    except (OSError, ValueError, TypeError) as exc:
        reason = (isinstance(exc, OSError) and exc.strerror) or str(exc)
        msg = f"{full_name(evaluator)}: cannot depend on {_shown(dependency)}: {reason}"
        raise EvaluationError(msg) from exc


def _file(dependency: object, evaluator: type) -> Path:
    """Return the file behind a dependency.

    Raises:
        TypeError: It can be none, or has none.
        ValueError: It is empty, or not regular.
    """
    if isinstance(dependency, type):
        return _source_file(dependency)
    if not isinstance(dependency, str | os.PathLike):
        msg = "a dependency is a class or the path of a file"
        raise TypeError(msg)
    text = os.fspath(dependency)
    if not isinstance(text, str) or not text.strip():
        msg = "the path is empty"
        raise ValueError(msg)
    path = Path(text)
    if not path.is_absolute():
        path = _source_file(evaluator).parent / path
    if path.exists() and not path.is_file():
        msg = f"{'a folder' if path.is_dir() else 'not a regular file'}, a dependency is one file: {path}"
        raise ValueError(msg)
    return path


def _source_file(cls: type) -> Path:
    try:
        file = inspect.getsourcefile(cls)
    except (TypeError, OSError):
        file = None
    if file is None:
        msg = f"the class {full_name(cls)} has no source file"
        raise TypeError(msg)
    return Path(file).absolute()


def _shown(value: object) -> str:
    if isinstance(value, type):
        return f"the class {full_name(value)}"
    return (
        repr(os.fspath(value))
        if isinstance(value, str | os.PathLike)
        else f"an object of type {full_name(type(value))}"
    )
