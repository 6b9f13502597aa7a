"""What stands in for the agent of a suite when it is run without it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents import FakeAgent, FakeScript
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.jsonable import clean_text
from neuron_evals.core.messages import ToolCall
from neuron_evals.core.suites.shapes import Anything, Choice, Either, Keyed, Listed, Mapped, Text

if TYPE_CHECKING:
    from neuron_evals.core.suites.spec import SuiteSpec

_SHOWN_KEY = 80
_CALL = Either(
    (
        Text(blank=False),
        Keyed(
            {"name": Text(blank=False), "arguments": Mapped(), "result": Anything(), "error": Text(blank=False)},
            ("name",),
        ),
    )
)
_SCRIPT = {"reply": Either((Text(), Listed(Text(), least=1))), "tool_calls": Listed(_CALL)}
_SHAPE = Either((Text(), Choice((True,)), Keyed({**_SCRIPT, "items": Mapped(Keyed(_SCRIPT))})))


def as_fake(value: Any) -> FakeAgent:
    """Return the agent with canned replies that a value asks for.

    Args:
        value: `True` for the usual reply; text, for that reply; a `FakeAgent`; or a mapping with `reply` (a text, or
            one for each turn), `tool_calls` (names of tools, or objects with `name`, `arguments` and `result` or
            `error`), and `items`, which has both for single items by id or by position counted from 0.

    Raises:
        ConfigurationError: It is none of these.
    """
    if isinstance(value, FakeAgent):
        return value
    faults = list(_SHAPE.faults(value, "fake"))
    if isinstance(value, Mapping):
        faults = list(_SHAPE.shapes[-1].faults(value, "fake"))
    if faults:
        raise ConfigurationError("; ".join(f"{path} {message}" for path, message in faults))
    if isinstance(value, str):
        return FakeAgent(FakeScript(value))
    if value is True:
        return FakeAgent()
    items = {key: _script(script) for key, script in (value.get("items") or {}).items()}
    return FakeAgent(_script(value), items)


def unmatched_scripts(fake: FakeAgent, specs: Iterable[SuiteSpec]) -> list[str]:
    """Return what is wrong with scripts for single items: those that no item would ever use, a line each.

    Args:
        fake: The agent with canned replies.
        specs: The suites that it is run with.
    """
    suites = list(specs)
    ids = {str(item.item["id"]) for spec in suites for item in spec.items if item.item.get("id") is not None}
    most = max((len(spec.items) for spec in suites), default=0)
    keys = [key for key in fake.items if key not in ids and not (key.isdecimal() and int(key) < most)]
    return [f'fake.items: no item has the id or the position "{clean_text(key, _SHOWN_KEY)}"' for key in keys]


def _script(value: Mapping[str, Any]) -> FakeScript:
    calls = [call if isinstance(call, str) else ToolCall(**call) for call in value.get("tool_calls") or ()]
    reply = value.get("reply")
    return FakeScript(tool_calls=calls) if reply is None else FakeScript(reply, calls)
