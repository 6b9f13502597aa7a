"""Reading one case: its checks, what is said to the agent, and what it changes of the agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from neuron_evals.core.agents import Tool, as_tool
from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.checking import Assertion
from neuron_evals.core.exceptions import ConfigurationError, InvalidArgument
from neuron_evals.core.suites.assertions import AssertionReader
from neuron_evals.core.suites.calls import Made, refused_call
from neuron_evals.core.suites.imports import Imports
from neuron_evals.core.suites.items import ASSERTIONS, item_checks
from neuron_evals.core.suites.nous.eval_types import read_eval_type
from neuron_evals.core.suites.nous.keys import CASE_KEYS
from neuron_evals.core.suites.nous.messages import Said, message_faults, read_messages
from neuron_evals.core.suites.nous.plainness import with_names
from neuron_evals.core.suites.nous.reading import Reading
from neuron_evals.core.suites.output_types import output_schema
from neuron_evals.core.suites.problems import ITEM
from neuron_evals.core.suites.shapes import Fault, Keyed, described
from neuron_evals.core.suites.spec import CheckSpec, ItemSpec
from neuron_evals.core.suites.talking import OPENERS, seen, talking_faults
from neuron_evals.core.suites.values import plain, value_faults

_SHAPE = Keyed(CASE_KEYS)
_AGENT = "agent_config"
_NOTHING = (
    f"has nothing to check, so that it would pass whatever is said; give expected, reference, tool or {ASSERTIONS}"
)


@dataclass(frozen=True)
class CaseReader:
    """Reads the cases of a suite.

    Args:
        types: Assertion classes by type name, for `_assertions`.
        imports: What resolves dotted paths.
        needs_id: Whether each case must have an `id`.
    """

    types: Mapping[str, type[Assertion]]
    imports: Imports
    needs_id: bool

    def read(self, index: int, case: Any, faults: dict[str, str]) -> ItemSpec | None:
        """Return a case as an item; what is wrong with it is put into `faults`, the first fault of each field."""
        if not isinstance(case, Mapping):
            faults[ITEM] = f'must be an object such as {{"input": "...", "expected": "..."}}, got {described(case)}'
            return None
        view = with_names(case)
        unstorable = list(value_faults(view, "", 1))
        for path, message in [*unstorable, *self._faults(view)]:
            faults.setdefault(path or ITEM, message)
        if unstorable:
            return None
        view = plain(view)
        reading = Reading(case, self.imports)
        item = _Case(reading, _said(view))
        checks = tuple(self._checks(view, reading))
        overrides, output_type = item.overrides(), item.output_type()
        for path, message in reading.faults:
            faults.setdefault(path, message)
        if not checks and not faults:
            faults[ITEM] = _NOTHING
        if faults:
            return None
        shown = _shown(view)
        return ItemSpec(index, shown, checks, item.seen(shown), overrides, item.said.opening, output_type)

    def _faults(self, case: Mapping[str, Any]) -> Iterator[Fault]:
        yield from _SHAPE.faults(case, "")
        if self.needs_id and case.get("id") in (None, ""):
            yield "id", "is required: text that is unique in the suite, by which the case is known across runs"
        opened = any(case.get(key) is not None for key in OPENERS)
        if case.get("input") is not None:
            yield from message_faults(case["input"])
        elif not opened:
            yield "input", "is required: what is said to the agent, text or a list of messages"
        talked = {**case, "input": _text(case.get("input"))} if case.get("input") is not None else case
        yield from talking_faults(talked)

    def _checks(self, case: Mapping[str, Any], reading: Reading) -> Iterator[CheckSpec]:
        found = read_eval_type(reading)
        if found is not None:
            yield CheckSpec(*found)
        reader = AssertionReader(self.types, {**case, "input": _text(case.get("input"))})
        yield from item_checks(case, reader)
        reading.faults += reader.faults


@dataclass
class _Case:
    """What a case says of the agent."""

    reading: Reading
    said: Said
    config: Mapping[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        given = self.reading.case.get(_AGENT)
        self.config = given if isinstance(given, Mapping) else {}

    def overrides(self) -> dict[str, Any]:
        """Return what the case changes of the agent, as `fresh()` takes it."""
        settings = self.config.get("model_settings")
        changes = {**settings} if isinstance(settings, Mapping) else {}
        changes |= {key: self.config.get(key) for key in ("model", "instructions")}
        if self.said.instructions is not None:
            if changes["instructions"] is not None:
                self.reading.note(f"{_AGENT}.instructions", "say the same as the system messages of input; give one")
            changes["instructions"] = self.said.instructions
        changes |= {"tools": self._tools(), "deps": self._deps()}
        return {key: value for key, value in changes.items() if value is not None}

    def output_type(self) -> Mapping[str, Any] | None:
        """Return the JSON Schema of the answers that the agent is asked for."""
        path = f"{_AGENT}.output_type"
        given = self.reading.imported(self.config.get("output_type"), path)
        if given is None:
            return None
        try:
            return output_schema(given)
        except InvalidArgument as exc:
            self.reading.note(path, str(exc))
            return None

    def seen(self, shown: Mapping[str, Any]) -> dict[str, Any]:
        """Return what of the case shapes the agent's answer."""
        known = seen(shown)
        if "input" in known:
            known["input"] = self.said.text
        return known

    def _tools(self) -> list[Tool] | None:
        own, within = self.reading.case.get("tools"), self.config.get("tools")
        if own is not None and within is not None:
            self.reading.note("tools", f'means the same as "{_AGENT}.tools"; give one of them')
        given, path = (own, "tools") if own is not None else (within, f"{_AGENT}.tools")
        if not isinstance(given, list | tuple):  # said where all keys are looked at
            return None
        tools: dict[str, Tool] = {}
        for position, each in enumerate(given):
            tool = self._tool(each, f"{path}[{position}]")
            if tool is not None and tools.setdefault(tool.name, tool) is not tool:
                self.reading.note(f"{path}[{position}]", f'there is a tool "{tool.name}" already')
        return list(tools.values())

    def _tool(self, given: Any, path: str) -> Tool | None:
        found = self.reading.imported(given, path)
        if found is None:
            return None
        try:
            return as_tool(found, path)
        except (ConfigurationError, InvalidArgument) as exc:
            self.reading.note(path, str(exc).removeprefix(f"{path}: "))
            return None

    def _deps(self) -> Any:
        """Return what the case's agent depends on, or what makes it when the case runs; `{}` is nothing."""
        given = self.reading.case.get("deps")
        found = self.reading.imported(given, "deps")
        if found is None or found == {}:
            return None
        if not isinstance(given, str) or not callable(found):
            return found
        if parameters := refused_call(found):
            self.reading.note(
                "deps", f"{shown(given)} is called without arguments, and its parameters are {parameters}"
            )
        return Made(found)


def _said(case: Mapping[str, Any]) -> Said:
    given = case.get("input")
    return Said("", (), None) if given is None or any(message_faults(given)) else read_messages(given)


def _text(given: Any) -> Any:
    """Return what the user says of an `input`; anything that is none as it is."""
    if isinstance(given, str):
        return given
    return "?" if any(message_faults(given)) else read_messages(given).text


def _shown(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return a case as the runner and reports see it: without nulls, and with its timeout in seconds."""
    shown = {key: value for key, value in case.items() if value is not None}
    if "timeout" in shown:
        shown["timeout"] = shown["timeout"] / 1000
    return shown
