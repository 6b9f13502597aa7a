"""What an assertion about JSON is given: text to read, or a value that JSON can hold.

One rule for all of them: any JSON value is JSON, a bare number, text or `null` too. What is valid and still cannot be
read as one value is no JSON here: a key twice in one object, a number too large for floating point, an integer of
thousands of digits, NUL, more than 30 levels.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any

from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.checking import answer_hint
from neuron_evals.core.exceptions import InvalidArgument, InvalidInput
from neuron_evals.core.jsonable import Unserialisable, dump_json
from neuron_evals.core.jsonable.reading import JsonFault, parse_document
from neuron_evals.core.jsonable.syntax import invalid_json, json_spans

_FENCE = re.compile(r"^ {0,3}(```+|~~~+)[^`\n]*$", re.MULTILINE)


class NotJson(Exception):  # noqa: N818  (never leaves the assertions: it becomes a failed result)
    """The value under test is no JSON, and why."""


def json_constant(owner: str, role: str, value: Any) -> Any:
    """Return a copy of an option in JSON types.

    Raises:
        InvalidArgument: It holds something that is no JSON value.
    """
    try:
        return parse_document(dump_json(value))
    except Unserialisable as exc:
        reason = str(exc).partition(";")[0]
    except JsonFault as exc:
        reason = exc.message
    msg = f"{owner}: {role} must be a JSON value (None, bool, number, text, list, dict with text keys): {reason}"
    raise InvalidArgument(msg)


def read_json(owner: str, actual: Any, *, fenced: bool = False) -> Any:
    """Return the JSON value of what is under test.

    Args:
        owner: Name of the assertion, for the error.
        actual: Text, which is read; else a value that JSON can hold, a dataclass or pydantic object.
        fenced: Text that is no JSON may hold exactly one fenced block, which is read instead.

    Raises:
        NotJson: It is no JSON.
        InvalidInput: It is an object of another type, or holds one.
    """
    if not isinstance(actual, str):
        return _held(owner, actual)
    try:
        return parse_document(actual)
    except JsonFault as fault:
        block = _fenced_block(actual) if fenced else None
        if block is None:
            raise NotJson(_problem(actual, fault)) from None
    try:
        return parse_document(block)
    except JsonFault as fault:
        msg = f"in the fenced block: {_problem(block, fault)}"
        raise NotJson(msg) from None


def json_in_text(text: str) -> Iterator[Any]:
    """Yield the value of the whole text when it is JSON, else each list and object that stands in it."""
    try:
        yield parse_document(text)
    except JsonFault:
        pass
    else:
        return
    for start, end in json_spans(text):
        try:
            yield parse_document(text[start:end])
        except JsonFault:
            continue  # valid, and refused for what it holds


def _held(owner: str, actual: Any) -> Any:
    value = actual
    if dataclasses.is_dataclass(actual) and not isinstance(actual, type):
        value = dataclasses.asdict(actual)
    elif callable(getattr(type(actual), "model_dump", None)):
        value = actual.model_dump(mode="json")
    try:
        return parse_document(dump_json(value))
    except JsonFault as fault:
        msg = f"not JSON: {fault.message}"
        raise NotJson(msg) from None
    except Unserialisable as exc:
        reason = str(exc).partition(";")[0]
        # What a lenient reader makes of a reply: NaN, lone surrogates, any depth.
        if isinstance(exc.__cause__, ValueError | RecursionError):
            msg = f"not JSON: it {reason}"
            raise NotJson(msg) from None
        msg = f"{owner} evaluates text or JSON values, got {type(actual).__name__}: it {reason}{answer_hint(actual)}"
        raise InvalidInput(msg) from None


def _problem(text: str, fault: JsonFault) -> str:
    problem = invalid_json(text)
    if problem is None:
        return f"the JSON cannot be read as one value: {fault.message}, in {shown(text)}"
    return f"not valid JSON: {problem}, in {shown(text)}"


def _fenced_block(text: str) -> str | None:
    """Return what stands in the only fenced block of a text; `None` when there is none, or more than one."""
    fences = list(_FENCE.finditer(text))
    if len(fences) != 2 or fences[0].group(1)[0] != fences[1].group(1)[0]:  # noqa: PLR2004  (it opens and closes)
        return None
    return text[fences[0].end() : fences[1].start()]
