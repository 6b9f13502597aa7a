"""The JSON Schema of suites in the format of Nous.Eval, from the shapes of their keys and of evaluator types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from neuron_evals.core.suites.nous.eval_types import EVAL_TYPES, USUAL, EvalType
from neuron_evals.core.suites.nous.keys import CASES, OWN_KEYS, SUITE_KEYS
from neuron_evals.core.suites.nous.messages import INPUT
from neuron_evals.core.suites.nous.reading import CONFIG, EXPECTED
from neuron_evals.core.suites.schema.assertions import assertion_definitions
from neuron_evals.core.suites.schema.items import ABOUT, DRAFT, described, given_assertions, item_properties, opened
from neuron_evals.core.suites.shapes import Keyed, given, nullable

if TYPE_CHECKING:
    from neuron_evals.core.checking import Assertion

VERSION = 1
"""Number of the published schema; a change that refuses what was valid before raises it."""

_TYPE = "eval_type"
_ABOUT: Mapping[str, str] = {
    **ABOUT,
    "id": "Identity of the case across runs, unique in the suite.",
    "input": "What is said to the agent: text, or a list of messages of which the user's comes last.",
    EXPECTED: "What the answer is compared with; what it may be depends on `eval_type`.",
    _TYPE: f"How it is compared; `{USUAL}` when left out.",
    CONFIG: "Options of that type.",
    "deps": "What the agent's tools depend on.",
    "tools": "Tools of the agent by dotted path, in the place of its own.",
    "agent_config": "What is changed of the agent for this case.",
    "timeout": "Milliseconds the case may take.",
}
_ABOUT_SUITES: Mapping[str, str] = {
    "name": "Name in reports; that of the file when left out.",
    "description": "For people.",
    CASES: "The cases, at least one.",
    "default_model": "Model of cases that name none, `provider:model`.",
    "default_instructions": "Instructions of the agent, likewise.",
    "default_timeout": "Milliseconds a case may take that does not say it; 30000 when left out.",
    "parallelism": "How many cases are in flight at most.",
    "retry_failed": "How often a case is tried again that broke or was answered wrong; the first answer counts.",
    "setup": "Called before the first case; what it returns is handed to the cases.",
    "teardown": "Called after the last case with what `setup` returned.",
    "metadata": "Values of your own; nothing looks at them.",
    "agent": "Name of the agent, for a run that is given none.",
    "judge": "Name of the judge, likewise.",
    "tags": "Tags of every case.",
    "repeats": "How often each case is executed.",
}


def cases_schema(types: Mapping[str, type[Assertion]] | None = None) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a suite: a list of cases, or an object that holds one.

    Args:
        types: Assertion classes by type name, for `_assertions`; those that come with the package by default.
    """
    return {
        "$schema": DRAFT,
        "$id": f"urn:neuron-evals:suite-cases:{VERSION}",
        "title": "Suite of neuron_evals",
        "description": f"Cases in the format of Nous.Eval: an object with the list under `{CASES}`, or the list alone.",
        "if": {"type": "object"},
        "then": {"$ref": "#/$defs/suite"},
        "else": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/case"}},
        "$defs": {
            "suite": _suite(),
            "case": _case(),
            **{f"eval_type:{name}": _eval_type(found) for name, found in EVAL_TYPES.items()},
            **assertion_definitions(types),
        },
    }


def _suite() -> dict[str, Any]:
    properties = {key: nullable(shape.schema()) for key, shape in SUITE_KEYS.items()}
    known = {"allOf": [{"$ref": "#/$defs/case"}, given("id")]}
    return {
        "type": "object",
        "properties": described({**properties, CASES: {"type": "array", "minItems": 1, "items": known}}, _ABOUT_SUITES),
        "required": [CASES],
        "additionalProperties": False,
    }


def _case() -> dict[str, Any]:
    own = {key: shape.schema() for key, shape in OWN_KEYS.items()}
    own["input"] = INPUT.schema()
    properties = {**item_properties(), **{key: nullable(schema) for key, schema in own.items()}}
    properties[_TYPE] = {"enum": [*EVAL_TYPES, None]}
    return {
        "type": "object",
        "properties": described(properties, _ABOUT),
        "additionalProperties": False,
        "allOf": [
            opened(),
            {"anyOf": [*(given(key) for key in (EXPECTED, _TYPE, "reference", "tool")), given_assertions()]},
            *_by_type(),
        ],
    }


def _by_type() -> Iterator[dict[str, Any]]:
    """Yield what leads by the type to its schema, so that an editor offers its keys alone."""
    for name in EVAL_TYPES:
        yield {"if": given(_TYPE, {"const": name}), "then": {"$ref": f"#/$defs/eval_type:{name}"}}
    asked = {"anyOf": [given(EXPECTED), given(CONFIG, {"type": "object", "minProperties": 1})]}
    untyped = {"not": given(_TYPE)}
    yield {"if": {"allOf": [untyped, asked]}, "then": {"$ref": f"#/$defs/eval_type:{USUAL}"}}


def _eval_type(found: EvalType) -> dict[str, Any]:
    config = Keyed(found.config, found.needs).schema()
    if found.open_config:
        del config["additionalProperties"]
    conditions = [given(CONFIG)] if found.needs else []
    if found.instead:
        empty = {"type": "object", "not": {"anyOf": [given(key) for key in found.instead]}}
        within = given(EXPECTED, {"not": {"anyOf": [{"type": "null"}, empty]}})
        conditions.append({"anyOf": [within, *(given(CONFIG, given(key)) for key in found.instead)]})
    elif found.expects:
        conditions.append(given(EXPECTED))
    properties = {EXPECTED: nullable(found.expected.schema()), CONFIG: nullable(config)}
    return {"properties": properties, "allOf": conditions}
