"""Which files are evaluator files and suite files, and which tests they hold. Loaded with `--evals` only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from neuron_evals.core.datasets import ArrayDataset, as_dataset
from neuron_evals.core.discovery import discover_file
from neuron_evals.core.exceptions import DatasetError, DatasetProblem
from neuron_evals.core.experiments import evaluator_for
from neuron_evals.core.printable import printable
from neuron_evals.core.runner.limits import Limits, Resolver
from neuron_evals.core.runner.preparing import sound_entries
from neuron_evals.core.runner.selection import tags_of
from neuron_evals.core.suites import SuiteError, load_suite
from neuron_evals.core.suites.parsing import SUFFIXES
from neuron_evals.pytest_plugin import EVALUATORS, SUITES
from neuron_evals.pytest_plugin.building import assertion_types, built
from neuron_evals.pytest_plugin.items import EvaluationItem, EvaluatorItem, Planned

if TYPE_CHECKING:
    from neuron_evals.core.datasets import Dataset, Entry
    from neuron_evals.core.evaluators import BaseEvaluator

_UNTESTED = ("__init__.py", "conftest.py")


class Collecting:
    """Collects evaluator files and suite files.

    Args:
        config: The configuration of this run of pytest.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._root = config.rootpath
        self._evaluators: list[str] = config.getini(EVALUATORS)
        self._suites: list[str] = config.getini(SUITES)

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Return the node of a file that is one of ours."""
        if file_path.suffix == ".py":
            if file_path.name in _UNTESTED or file_path.name.startswith("."):
                return None
            folder = self._folder(file_path, self._evaluators)
            return None if folder is None else EvaluatorFile.from_parent(parent, path=file_path, folder=folder)
        if file_path.suffix.lower() not in SUFFIXES or file_path.name.startswith("."):
            return None
        # As a folder of suites is read elsewhere: what lies deeper, such as data, is no suite.
        if self._folder(file_path, self._suites) == file_path.parent or parent.session.isinitpath(file_path):
            return SuiteFile.from_parent(parent, path=file_path)
        return None

    def _folder(self, file: Path, patterns: list[str]) -> Path | None:
        """Return the outermost folder around a file that is named by a pattern."""
        base = self._root if file.is_relative_to(self._root) else Path(file.anchor)
        parts = file.relative_to(base).parts[:-1]
        for depth, name in enumerate(parts, start=1):
            path = "/".join(parts[:depth])
            if any(fnmatchcase(path if "/" in pattern else name, pattern.rstrip("/")) for pattern in patterns):
                return base.joinpath(*parts[:depth])
        return None


class EvaluatorFile(pytest.File):
    """A Python file with evaluator classes."""

    def __init__(self, *, folder: Path, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._folder = folder

    def collect(self) -> Iterator[pytest.Item]:
        """Yield a test for each item of each evaluator, in each repeat."""
        found = discover_file(self.path, self._folder)
        if found.broken:
            said = "\n".join(f"{file.error}\n{file.traceback}".rstrip() for file in found.broken)
            raise self.CollectError(printable(said, multiline=True))
        for cls in found.evaluators:
            yield from self._tests(cls)

    def _tests(self, cls: type[BaseEvaluator]) -> Iterator[pytest.Item]:
        for name, planned in _read(cls) or [(cls.__name__, Planned())]:
            yield EvaluatorItem.of(self, name, planned, cls)


class SuiteFile(pytest.File):
    """A file with a suite."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield a test for each item, in each repeat."""
        try:
            suite = load_suite(self.path, types=assertion_types())
        except SuiteError as exc:
            raise self.CollectError(printable(str(exc), multiline=True)) from None
        entries = _entries(ArrayDataset([item.item for item in suite.items]))
        # What it says of its items goes for any agent; which one it is, the fixtures of each test may say.
        shape = evaluator_for(
            suite, fake=True, judge=_nobody, classifier=_nobody, embeddings=_nobody, simulator=_nobody
        )
        for name, planned in _planned("suite", entries, shape):
            yield EvaluationItem.of(self, name, planned, suite)


def _nobody(text: str) -> str:
    """Stand in for what is not asked while tests are collected."""
    return text


def _read(cls: type[BaseEvaluator]) -> list[tuple[str, Planned]]:
    """Return the tests of an evaluator by name; none where its items cannot be known before it runs.

    `set_up` is not called, because no test is running yet: there is no database, and nothing may be paid for. So what
    breaks here may be right later, and where it is not, the test of the whole evaluator says why.
    """
    try:
        evaluator = built(cls)
        dataset = as_dataset(evaluator.get_dataset())
        return list(_planned(cls.__name__, _entries(dataset), evaluator)) if dataset.rereadable else []
    except (Exception, SystemExit):
        return []


def _entries(dataset: Dataset) -> list[Entry]:
    """Return the items of a dataset.

    Raises:
        DatasetError: It has problems, or is empty.
    """
    problems: list[DatasetProblem] = []
    entries = list(sound_entries(dataset, problems.append))
    if problems:
        raise DatasetError(problems)
    return entries


def _planned(name: str, entries: Iterable[Entry], evaluator: BaseEvaluator) -> Iterator[tuple[str, Planned]]:
    """Yield the name of each test with what it runs."""
    limits = Resolver(Limits(), evaluator)
    for entry in entries:
        _, repeats, _ = limits.of(entry.item)
        for repeat in range(repeats):
            of_several = f"-repeat{repeat + 1}" if repeats > 1 else ""
            yield f"{name}[{printable(entry.item_id)}{of_several}]", Planned(entry, repeat, tags_of(entry, evaluator))
