"""The evaluator types of Nous.Eval: what each expects, its options, and the assertion that it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from neuron_evals.core.assertions import Contains, ExactMatch, FuzzyMatch, RubricJudge, ToolUsage
from neuron_evals.core.assertions.nous_contains import MODES
from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.judges.votes import RULES
from neuron_evals.core.nearest import did_you_mean
from neuron_evals.core.suites.nous.custom import CUSTOM_KEY, EVALUATOR, read_custom
from neuron_evals.core.suites.nous.reading import EXPECTED, Reading
from neuron_evals.core.suites.nous.structured import SCHEMA_CONFIG, SCHEMA_EXPECTED, read_schema
from neuron_evals.core.suites.shapes import (
    Anything,
    Choice,
    Either,
    Keyed,
    Listed,
    Mapped,
    Number,
    Shape,
    Text,
    Truth,
    described,
)
from neuron_evals.core.suites.spec import AssertionSpec

USUAL: Final = "contains"
"""The type of a case that names none."""

_TEXTS = Listed(Text(empty=False), least=1)
_SCALAR = Either((Text(), Number(), Truth()))
_CONTAINS = Either((Text(empty=False), _TEXTS, Keyed(dict.fromkeys(MODES, _TEXTS), filled=True)))
_TOOLS = Keyed(
    {
        "tools_called": _TEXTS,
        "tools_not_called": _TEXTS,
        "min_tool_calls": Number(0, whole=True),
        "max_tool_calls": Number(0, whole=True),
        "tool_args": Mapped(Mapped()),
        "output_contains": _TEXTS,
    },
    filled=True,
)
_JUDGED = {"criteria": Text(blank=False), "rubric": Text(blank=False), "reference_answer": Text(blank=False)}
_GRADED = Either((Text(blank=False), Keyed(_JUDGED)))

CRITERIA: Final = "Judge how good the answer is: whether it is correct, complete, clear, and answers what was asked."
"""What is graded when a case gives a rubric or a reference answer and no criteria."""

RUBRIC: Final = """5: excellent; correct, complete and clear
4: good; minor weaknesses
3: acceptable; answers in part, or with noticeable weaknesses
2: poor; serious mistakes or gaps
1: very poor; wrong, or no answer"""
"""What the grades from 1 to 5 mean when a case does not say it."""


@dataclass(frozen=True)
class EvalType:
    """One evaluator type.

    Attributes:
        expected: What may be expected.
        config: The keys of `eval_config`, with what each may be.
        read: Returns the assertion of a case whose `expected` fits; what is wrong is noted. `None` when there is none.
        open_config: Whether `eval_config` may have other keys.
        expects: Whether something must be expected.
        instead: Keys of `eval_config` that may say it instead.
        needs: Keys that `eval_config` must have.
    """

    expected: Shape
    config: Mapping[str, Shape]
    read: Callable[[Reading, Mapping[str, Any]], AssertionSpec | None]
    open_config: bool = False
    expects: bool = True
    instead: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


def read_eval_type(reading: Reading) -> tuple[str, AssertionSpec] | None:
    """Return the name of a case's evaluator type and its assertion; `None` when there is none, or it is wrong."""
    name = reading.case.get("eval_type")
    if name is None:
        if reading.expected is None and not reading.config:
            return None
        name = USUAL
    found = _named(reading, name)
    if found is None:
        return None
    options = reading.config if found.open_config else reading.options(found.config)
    if reading.expected is None and found.expects and not found.instead:
        reading.missing(f"what {name} compares with")
        return None
    if reading.expected is not None and not _fits(reading, found):
        return None
    spec = found.read(reading, options)
    return None if spec is None else (name, spec)


def _fits(reading: Reading, found: EvalType) -> bool:
    """Return whether what is expected has its shape; what is wrong with it is noted, and first that it is empty."""
    faults = list(found.expected.faults(reading.expected, EXPECTED))
    if faults and reading.expected in ("", [], {}):
        reading.missing(found.expected.noun)
    else:
        # YAML reads 42 and yes as what they are, where a text was meant.
        scalar = isinstance(reading.expected, bool | int | float) and found.expected in (_CONTAINS, _GRADED)
        hint = f'; for the text, write "{json.dumps(reading.expected)}"' if scalar else ""
        reading.faults += [(path, f"{message}{hint}") for path, message in faults]
    return not faults


def _named(reading: Reading, name: Any) -> EvalType | None:
    if not isinstance(name, str):
        reading.note("eval_type", f"must be one of {', '.join(EVAL_TYPES)}, got {described(name)}")
    elif name not in EVAL_TYPES:
        hint = did_you_mean(name, EVAL_TYPES)
        reading.note("eval_type", f"there is no eval_type {shown(name)}; {hint}there are {', '.join(EVAL_TYPES)}")
    else:
        return EVAL_TYPES[name]
    return None


def _exact(reading: Reading, options: Mapping[str, Any]) -> AssertionSpec:
    return reading.assertion(ExactMatch, {EXPECTED: reading.expected, **options}, "exact_match")


def _fuzzy(reading: Reading, options: Mapping[str, Any]) -> AssertionSpec:
    return reading.assertion(FuzzyMatch, {EXPECTED: reading.expected, **options}, "fuzzy_match")


def _contains(reading: Reading, options: Mapping[str, Any]) -> AssertionSpec:
    expected = reading.expected
    if isinstance(expected, Mapping):
        expected = {key: value for key, value in expected.items() if value is not None}
    return reading.assertion(Contains, {EXPECTED: expected, **options}, "contains")


def _tool_usage(reading: Reading, options: Mapping[str, Any]) -> AssertionSpec:
    asked = {key: value for key, value in reading.expected.items() if value is not None}
    if asked == {"min_tool_calls": 0}:
        reading.note(f"{EXPECTED}.min_tool_calls", "says nothing alone: at least 0 tools are called in every case")
    return reading.assertion(ToolUsage, {**asked, **options}, "tool_usage")


def _judge(reading: Reading, options: Mapping[str, Any]) -> AssertionSpec | None:
    expected = {} if reading.expected is None else reading.expected
    given = {"criteria": expected} if isinstance(expected, str) else expected
    asked = {key: given.get(key) or options.get(key) for key in _JUDGED}
    if not any(asked.values()):
        reading.missing(f"one of {', '.join(_JUDGED)}")
        return None
    rubric = asked["rubric"] or ("" if "scale" in options else RUBRIC)
    fields = {
        "criteria": asked["criteria"] or CRITERIA,
        "rubric": rubric,
        "reference": asked["reference_answer"],
        "question": asked_question(reading.case),
        "threshold": options.get("pass_threshold"),
        **{key: options.get(key) for key in ("scale", "votes", "rule")},
    }
    chosen = {key: value for key, value in fields.items() if value is not None}
    return reading.assertion(RubricJudge, chosen, "llm_judge", needs=("judge",), judge_model=options.get("judge_model"))


def asked_question(case: Mapping[str, Any]) -> str | None:
    """Return what the agent is asked, for its judge: the input, or the turns of the user one below the other."""
    said = case.get("input") if case.get("input") is not None else case.get("turns")
    parts = said if isinstance(said, list | tuple) else [said]
    texts = [part.get("content") if isinstance(part, Mapping) else part for part in parts]
    written = [text for text in texts if isinstance(text, str) and text.strip()]
    return "\n\n".join(written) or None


_FLAG = Truth()
EVAL_TYPES: Final[Mapping[str, EvalType]] = {
    "exact_match": EvalType(_SCALAR, {"trim": _FLAG, "case_insensitive": _FLAG, "normalize": _FLAG}, _exact),
    "fuzzy_match": EvalType(
        _SCALAR, {"threshold": Number(0, 1), "normalize": _FLAG, "case_insensitive": _FLAG}, _fuzzy
    ),
    "contains": EvalType(_CONTAINS, {"case_insensitive": _FLAG}, _contains),
    "tool_usage": EvalType(_TOOLS, {"check_args": _FLAG, "strict_order": _FLAG}, _tool_usage),
    "schema": EvalType(SCHEMA_EXPECTED, SCHEMA_CONFIG, read_schema),
    "llm_judge": EvalType(
        _GRADED,
        {
            "judge_model": Text(blank=False),
            "pass_threshold": Number(0, 1),
            "scale": Either((Listed(Number()), Mapped(Number()))),
            "votes": Number(1, whole=True),
            "rule": Choice(RULES),
            **_JUDGED,
        },
        _judge,
        instead=tuple(_JUDGED),
    ),
    "custom": EvalType(
        Anything(), {CUSTOM_KEY: EVALUATOR}, read_custom, open_config=True, expects=False, needs=(CUSTOM_KEY,)
    ),
}
"""The evaluator types by name."""
