"""Stubs as data: the key `stubs` of a declarative item."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from neuron_evals.core.agents.stubs.agent import REST
from neuron_evals.core.agents.stubs.replies import REPLY_KEYS
from neuron_evals.core.agents.stubs.stub import Refused, Stub
from neuron_evals.core.agents.tools import NAME
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.nearest import did_you_mean

_Problem = tuple[str, str]

_FORMS: Final[Mapping[str, Callable[[Any], Stub]]] = {
    "result": Stub.result,
    "results": Stub.results,
    "error": Stub.fault,
    "replies": Stub.replies,
    "real": lambda _true: Stub.real(),
}
_RESTS: Final[Mapping[str, Callable[[], Stub]]] = {"refuse": Refused, "real": Stub.real}


def stub_problems(value: Any) -> list[_Problem]:
    """Return all that is wrong with the stubs of an item, as pairs of a field path and a message.

    Args:
        value: What the item has under `stubs`: a mapping from the name of a tool to a mapping with one of `result`,
            `results` (a list), `error` (text), `replies` (a list of mappings with `arguments`, and with `result` or
            `error`) and `real` (`true`). `"*"` is `"refuse"` or `"real"`: what becomes of calls of all other tools.

    Returns:
        The paths are those beneath `stubs`, such as `refund_order.replies[0].error`; empty for the whole.
    """
    return list(_problems(value))


def read_stubs(value: Any) -> dict[str, Stub]:
    """Return the stubs of an item, for `stub_tools`.

    Args:
        value: As for `stub_problems`.

    Raises:
        InvalidArgument: There are problems; all are named.
    """
    if problems := stub_problems(value):
        lines = [f"stubs.{path}: {message}" if path else f"stubs: {message}" for path, message in problems]
        raise InvalidArgument("; ".join(lines))
    return {name: _RESTS[form]() if name == REST else _read(form) for name, form in value.items()}


def _read(form: Mapping[str, Any]) -> Stub:
    ((kind, given),) = form.items()
    return _FORMS[kind](given)


def _problems(value: Any) -> Iterator[_Problem]:
    if not isinstance(value, Mapping):
        yield "", f"must be a mapping from tool to stub, got {_kind(value)}"
        return
    if not value:
        yield "", f'must not be empty; {{"{REST}": "refuse"}} refuses every call'
    for name, form in value.items():
        if name == REST:
            if not isinstance(form, str) or form not in _RESTS:
                yield REST, f'must be "refuse" or "real", got {_kind(form)}'
        elif not isinstance(name, str) or not NAME.fullmatch(name):
            yield str(name), "is no name of a tool: 1 to 64 letters, digits, _ and -"
        else:
            yield from _form_problems(name, form)


def _form_problems(name: str, form: Any) -> Iterator[_Problem]:
    if not isinstance(form, Mapping):
        yield name, f"must be a mapping with one of {', '.join(_FORMS)}, got {_kind(form)}"
        return
    unknown = list(_unknown_keys(name, form, tuple(_FORMS)))
    yield from unknown
    kinds = [kind for kind in _FORMS if kind in form]
    if len(kinds) > 1 or not (kinds or unknown):
        yield name, f"needs one of {', '.join(_FORMS)}; it has {' and '.join(kinds) or 'none'}"
    if "results" in form and not (isinstance(form["results"], list) and form["results"]):
        yield f"{name}.results", "must be a list with a value for each call"
    if "error" in form:
        yield from _error_problems(f"{name}.error", form["error"])
    if "replies" in form:
        yield from _replies_problems(f"{name}.replies", form["replies"])
    if "real" in form and form["real"] is not True:
        yield f"{name}.real", "must be true; leave the tool out to have its calls refused"


def _replies_problems(path: str, replies: Any) -> Iterator[_Problem]:
    if not isinstance(replies, list) or not replies:
        yield path, f"must be a list of mappings with {', '.join(REPLY_KEYS)}"
        return
    for position, reply in enumerate(replies):
        place = f"{path}[{position}]"
        if not isinstance(reply, Mapping):
            yield place, f"must be a mapping with {', '.join(REPLY_KEYS)}, got {_kind(reply)}"
            continue
        unknown = list(_unknown_keys(place, reply, REPLY_KEYS))
        yield from unknown
        if {"result", "error"} <= reply.keys() or not (unknown or "result" in reply or "error" in reply):
            yield place, "needs either result or error"
        if "error" in reply:
            yield from _error_problems(f"{place}.error", reply["error"])
        if "arguments" in reply and not isinstance(reply["arguments"], Mapping):
            yield f"{place}.arguments", f"must be a mapping, got {_kind(reply['arguments'])}"


def _error_problems(path: str, error: Any) -> Iterator[_Problem]:
    if not isinstance(error, str) or not error.strip():
        yield path, "must be text that is not blank"


def _unknown_keys(path: str, given: Mapping[Any, Any], known: tuple[str, ...]) -> Iterator[_Problem]:
    for key in given:
        if key not in known:
            yield f"{path}.{key}", f"is unknown; {did_you_mean(key, known)}the keys are {', '.join(known)}"


def _kind(value: Any) -> str:
    return repr(value) if isinstance(value, str | int | float | type(None)) else type(value).__name__
