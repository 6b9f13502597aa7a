"""The formats of suite files: JSON and YAML hold a whole suite, JSON Lines and CSV its items."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from neuron_evals import conf
from neuron_evals.core.bounds import suite_size
from neuron_evals.core.datasets import CsvDataset, JsonLinesDataset
from neuron_evals.core.exceptions import ConfigurationError, DatasetError, DatasetProblem
from neuron_evals.core.suites import Problem, SuiteError, dataset_problems
from neuron_evals.core.suites.problems import ITEM
from neuron_evals.core.suites.values import parsed
from neuron_evals.core.suites.yaml_text import read_yaml, write_yaml
from neuron_evals.registries.assertions import assertion_types
from neuron_evals.transfer.csv_items import read_rows, written_rows
from neuron_evals.transfer.documents import checked_document

if TYPE_CHECKING:
    from pathlib import Path

    from neuron_evals.core.datasets.contract import Record

SUFFIXES: Mapping[str, str] = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".yaml": "yaml",
    ".yml": "yaml",
}
"""Formats by the ends of file names."""

FORMATS = ("json", "jsonl", "csv", "yaml")


def format_of(path: Path, given: str | None) -> str:
    """Return the format of a file: the one that is given, or what the end of its name says.

    Raises:
        ConfigurationError: Neither says it.
    """
    if given is not None:
        return given
    found = SUFFIXES.get(path.suffix.lower())
    if found is None:
        msg = f"{path}: its name does not tell the format; end it in {', '.join(SUFFIXES)}, or give --format"
        raise ConfigurationError(msg)
    return found


def read_file(path: Path, file_format: str, *, guard: bool = True) -> Any:
    """Return what a suite file holds, as plain data: the items, or an object with the items in it.

    Args:
        path: The file.
        file_format: One of `FORMATS`.
        guard: As for `read_rows`.

    Raises:
        SuiteError: The JSON cannot be read.
        DatasetError: The file cannot, with line and column.
    """
    _refuse_large(path)
    problems: list[DatasetProblem] = []
    if file_format == "csv":
        records = CsvDataset(path).read(problems.append)
        return _sound(read_rows(records, path.name, problems, guard=guard), problems, path.name)
    if file_format == "jsonl":
        return _sound(list(JsonLinesDataset(path).read(problems.append)), problems, path.name)
    text = _text(path)
    if file_format == "yaml":
        return read_yaml(text, path.name).value
    value, found = parsed(text)
    if found and value is not None:
        document, faults = checked_document(value)
        found += [*faults, *_item_problems(document["dataset"])]
    if found:
        raise SuiteError(found)
    return value


def written(document: Mapping[str, Any], file_format: str, *, guard: bool = True) -> str:
    """Return a document as the text of a file.

    Args:
        document: What `document_of` gives.
        file_format: One of `FORMATS`.
        guard: As for `written_rows`.
    """
    if file_format == "csv":
        return written_rows(document["dataset"], guard=guard)
    if file_format == "jsonl":
        return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in document["dataset"])
    if file_format == "yaml":
        return write_yaml(document)
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _sound(records: list[Record], problems: list[DatasetProblem], source: str) -> list[Any]:
    """Return the items of a file that could be read.

    Raises:
        DatasetError: Some could not; what is wrong with the others is listed too.
    """
    if not problems:
        return [record.item for record in records]
    unread = {problem.item for problem in problems}
    sound = {record.index: record for record in records if record.index not in unread}
    placed = [sound[index].item if index in sound else None for index in range(max(sound, default=-1) + 1)]
    problems += [
        DatasetProblem(problem.message, source, item=index, line=sound[index].line, field=_field(problem))
        for problem in _item_problems(placed)
        if (index := problem.item_index) in sound and index is not None
    ]
    raise DatasetError(sorted(problems, key=lambda problem: problem.line or 0))


def _field(problem: Problem) -> str | None:
    return None if problem.field == ITEM else problem.field


def _item_problems(items: Any) -> Sequence[Problem]:
    try:
        return dataset_problems(items, types=assertion_types())
    except conf.SettingsError:
        return ()  # said when items can be read


def _refuse_large(path: Path) -> None:
    most = suite_size().file_bytes
    try:
        size = path.stat().st_size
    except (OSError, ValueError) as exc:
        raise _unreadable(path, exc) from exc
    if size > most:
        problem = f"the file has {size:,} bytes, more than the {most:,} that a suite could fill (setting LIMITS)"
        raise DatasetError([DatasetProblem(problem, path.name)])


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as exc:
        line = exc.object[: exc.start].count(b"\n") + 1
        problem = f"the byte 0x{exc.object[exc.start]:02x} is no UTF-8; save the file as UTF-8"
        raise DatasetError([DatasetProblem(problem, path.name, line=line)]) from exc
    except OSError as exc:
        raise _unreadable(path, exc) from exc


def _unreadable(path: Path, exc: Exception) -> DatasetError:
    reason = (isinstance(exc, OSError) and exc.strerror) or str(exc)
    return DatasetError([DatasetProblem(f"cannot be read: {reason}", str(path))])
