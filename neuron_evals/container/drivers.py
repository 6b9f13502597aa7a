"""Output drivers by name, from the `OUTPUTS` setting or from `--output`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from neuron_evals import conf
from neuron_evals.conf import OutputEntry, Problem, SettingsError
from neuron_evals.container.backed import built_with
from neuron_evals.core.outputs.contract import OutputDriver
from neuron_evals.registries.backends import Kind, constructor_options

DRIVERS: Mapping[str, str] = {
    "console": "neuron_evals.core.outputs.console.ConsoleOutput",
    "json": "neuron_evals.core.outputs.json.JsonOutput",
    "junit": "neuron_evals.core.outputs.junit.JUnitOutput",
    "markdown": "neuron_evals.core.outputs.markdown.MarkdownOutput",
    "github": "neuron_evals.core.outputs.github.GitHubOutput",
    "database": "neuron_evals.outputs.DatabaseOutput",
}
"""Names that stand for our own output drivers."""

_KIND = Kind("output driver", OutputDriver, DRIVERS)


def output_drivers(
    names: Sequence[str] | None = None,
    *,
    stdout: TextIO | None = None,
    stderr: TextIO | None = None,
    **context: object,
) -> list[OutputDriver]:
    """Build the output drivers that were asked for.

    Args:
        names: Texts of the form `NAME` or `NAME=PATH`, such as `"json=results.json"`, where the name may be a dotted
            path; they replace the `OUTPUTS` setting. `None` takes the setting.
        stdout: For drivers that write to a stream; standard output by default. When a driver that is not live writes to
            it, live ones, such as the console, write to `stderr`.
        stderr: Standard error by default.
        **context: What the caller knows, such as `verbosity=2`. A driver gets each of these that its constructor has a
            parameter for and its options do not set.

    Returns:
        The drivers in the order in which they were named.

    Raises:
        SettingsError: Names or options cannot be used; it lists all problems.
        ConfigurationError: A driver cannot be built.
    """
    chosen = _chosen(names)
    taken = any(_writes_to_stream(cls, options) and not cls.live for cls, options in chosen)
    built: list[OutputDriver] = []
    for cls, options in chosen:
        given = dict(context)
        if _writes_to_stream(cls, options):
            given["stream"] = (stderr or sys.stderr) if taken and cls.live else (stdout or sys.stdout)
        built.append(_built(cls, options, given))
    return built


def _chosen(names: Sequence[str] | None) -> list[tuple[type[OutputDriver], Mapping[str, Any]]]:
    """Return class and options of each driver that was asked for."""
    if names is None:
        entries = [(output_place(index), entry) for index, entry in enumerate(conf.read().outputs)]
    else:
        entries = [(f"--output {text}", _entry(text)) for text in names]
    chosen: list[tuple[type[OutputDriver], Mapping[str, Any]]] = []
    problems: list[Problem] = []
    for where, entry in entries:
        try:
            chosen.append((driver_class(entry, where), entry.options))
        except SettingsError as error:
            problems.extend(error.problems)
    if problems:
        raise SettingsError(problems)
    return chosen


def _writes_to_stream(cls: type[OutputDriver], options: Mapping[str, Any]) -> bool:
    """Return whether a driver takes a stream, and its options name neither that nor a file."""
    return "stream" in constructor_options(cls)[0] and not {"stream", "path"} & options.keys()


def output_place(index: int) -> str:
    """Return how messages name an entry of the `OUTPUTS` setting."""
    return f'{conf.NAME}["OUTPUTS"][{index}]'


def driver_class(entry: OutputEntry, where: str) -> type[OutputDriver]:
    """Return the class of an output driver, after its name and the names of its options were checked.

    Args:
        entry: Name and options.
        where: The setting or command-line option, for messages.

    Raises:
        SettingsError: The name is unknown or names no output driver, or an option is none of its constructor's.
    """
    return _KIND.named(entry.backend, entry.options, where)


def _entry(text: str) -> OutputEntry:
    name, has_path, path = text.partition("=")
    return OutputEntry(name, {"path": path} if has_path else {})


def _built(cls: type[OutputDriver], options: Mapping[str, Any], context: Mapping[str, object]) -> OutputDriver:
    known, _ = constructor_options(cls)
    given = {name: value for name, value in context.items() if name in known} | dict(options)
    return built_with(cls, given)
