"""The options that put canned replies in the place of the agent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuron_evals.core.exceptions import ConfigurationError, DatasetError
from neuron_evals.core.suites import SuiteError
from neuron_evals.management import options as run_options

if TYPE_CHECKING:
    from django.core.management.base import CommandParser

_FORMATS = ("json", "yaml")


def add_fake_options(parser: CommandParser) -> None:
    """Add the options to a command."""
    group = parser.add_argument_group("canned replies, in the place of the agent under test; judges stay real")
    group.add_argument("--fake", action="store_true", help="ask no agent and no tool; every reply is the same text")
    group.add_argument("--fake-reply", metavar="TEXT", help="the text; implies --fake")
    group.add_argument(
        "--fake-script",
        type=run_options.filled,
        metavar="FILE",
        help="JSON or YAML file with reply, tool_calls, and items for both by id or position; implies --fake",
    )


def fake_of(options: Mapping[str, Any]) -> Any:
    """Return what stands in for the agent, as `run_suite` takes it; `False` for nothing.

    Raises:
        ConfigurationError: The options do not go together, or the file cannot be read.
    """
    reply, script = options["fake_reply"], options["fake_script"]
    if script is None and reply is None:
        return options["fake"]
    if script is None:
        return reply
    said = _read(Path(script))
    if reply is None:
        return said
    if "reply" in said:
        msg = f'{script} has a "reply" of its own; leave --fake-reply out'
        raise ConfigurationError(msg)
    return {**said, "reply": reply}


def _read(path: Path) -> dict[str, Any]:
    from neuron_evals.transfer.formats import SUFFIXES, read_file  # noqa: PLC0415  (only where a file is named)

    known = SUFFIXES.get(path.suffix.lower())
    if known not in _FORMATS:
        msg = f"{path}: a script of canned replies is a JSON or YAML file"
        raise ConfigurationError(msg)
    try:
        said = read_file(path, known)
    except (DatasetError, SuiteError) as exc:
        # What a suite file has in its place is a dataset, and here it is none.
        msg = "; ".join(problem.message for problem in exc.problems) if isinstance(exc, SuiteError) else str(exc)
        raise ConfigurationError(msg if msg.startswith(str(path)) else f"{path}: {msg}") from exc
    if not isinstance(said, dict):
        msg = f'{path}: a script of canned replies is an object, such as {{"reply": "Hello!", "items": {{}}}}'
        raise ConfigurationError(msg)
    return said
