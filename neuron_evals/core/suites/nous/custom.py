"""`custom`: an evaluator of the project's own, in the manner of Nous.Eval."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, cast

from neuron_evals.core.agents.bridging import call_plain, finish
from neuron_evals.core.checking import Assertion, View
from neuron_evals.core.exceptions import EvaluationError, InvalidInput
from neuron_evals.core.jsonable import clean_json
from neuron_evals.core.results import AssertionResult, Record
from neuron_evals.core.suites.calls import refused_call
from neuron_evals.core.suites.nous.reading import CONFIG, Reading
from neuron_evals.core.suites.shapes import Coded, described
from neuron_evals.core.suites.spec import AssertionSpec
from neuron_evals.core.suites.views import text_of

CUSTOM_KEY: Final = "evaluator"
EVALUATOR: Final = Coded("a class or object with evaluate(actual, expected, config)")
_PATH = f"{CONFIG}.{CUSTOM_KEY}"
_KEYS = ("score", "passed", "reason", "details")


@dataclass(frozen=True)
class CustomCheck(Assertion):
    """What an object with `evaluate(actual, expected, config)` says of an output.

    `actual` is a mapping with `output`, the text of the answer; `agent_result`, the conversation or `None`; and `deps`,
    what the case's agent depends on. It returns a mapping, or an object with such attributes: `score` from 0 to 1,
    `passed`, and where wanted `reason` and `details`. It may be `async def`.

    Args:
        evaluator: The object.
        expected: What the case expects.
        config: The case's `eval_config`, without the evaluator itself.
        deps: What the case's agent depends on.
    """

    accepts: ClassVar[View] = "record"

    evaluator: Any = field(repr=False)
    expected: Any = None
    config: Mapping[str, Any] = field(default_factory=dict)
    deps: Any = None

    @property
    def assertion_name(self) -> str:
        """Name of the evaluator's class."""
        return type(self.evaluator).__name__

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return what the evaluator says.

        Raises:
            InvalidInput: `actual` is no record.
            EvaluationError: What it returned is no result.
            Exception: Whatever it raises.
        """
        found = self.evaluator.evaluate(*self._arguments(actual))
        return self._result(finish(found) if inspect.isawaitable(found) else found)

    async def aevaluate(self, actual: Any) -> AssertionResult:
        """Do what `evaluate` does; a plain evaluator runs in a thread."""
        arguments = self._arguments(actual)
        if inspect.iscoroutinefunction(self.evaluator.evaluate):
            return self._result(await self.evaluator.evaluate(*arguments))
        found = await call_plain(self.evaluator.evaluate, *arguments)
        return self._result(await found if inspect.isawaitable(found) else found)

    def _arguments(self, actual: Any) -> tuple[dict[str, Any], Any, dict[str, Any]]:
        if not isinstance(actual, Record):
            msg = f"{self.assertion_name}: evaluates a Record, got {type(actual).__name__}"
            raise InvalidInput(msg)
        seen = {"output": text_of(actual.output), "agent_result": actual.trajectory, "deps": self.deps}
        return seen, self.expected, dict(self.config)

    def _result(self, found: Any) -> AssertionResult:
        said = found if isinstance(found, Mapping) else {key: getattr(found, key, None) for key in _KEYS}
        score, passed, reason, details = (cast("Any", said.get(key)) for key in _KEYS)
        if not isinstance(passed, bool):
            self._refuse("passed", "True or False", passed)
        if isinstance(score, bool) or not isinstance(score, int | float) or not _from_0_to_1(score):
            self._refuse("score", "a number from 0 to 1", score)
        if reason is not None and not isinstance(reason, str):
            self._refuse("reason", "text or None", reason)
        if details is not None and not isinstance(details, Mapping):
            self._refuse("details", "a mapping or None", details)
        context = clean_json(dict(details or {}))
        if passed:
            return AssertionResult.ok(float(score), message=reason or "", context=context)
        return AssertionResult.fail(float(score), reason or "the evaluator gave no reason", context)

    def _refuse(self, key: str, wanted: str, got: Any) -> None:
        msg = f"{self.assertion_name}.evaluate() must return {key} as {wanted}, got {got!r:.200}"
        raise EvaluationError(msg)


def read_custom(reading: Reading, config: Mapping[str, Any]) -> AssertionSpec | None:
    """Return the check of a case with `eval_type: custom`; what is wrong is noted."""
    given = config.get(CUSTOM_KEY)
    if given is None:
        reading.note(_PATH, f"is missing; there must be {EVALUATOR.noun}")
        return None
    if not reading.fits(EVALUATOR, given, _PATH):
        return None
    evaluator = _made(reading, reading.imported(given, _PATH))
    if evaluator is None:
        return None
    rest = {key: value for key, value in config.items() if key != CUSTOM_KEY}
    return AssertionSpec(
        CustomCheck, {"evaluator": evaluator, "expected": reading.expected, "config": rest}, _PATH, "custom"
    )


def _made(reading: Reading, found: Any) -> Any:
    """Return an evaluator, of a class one that is made without arguments; `None` when it is none, which is noted."""
    if found is None:
        return None
    name = getattr(found, "__qualname__", None) or described(found)
    if not callable(getattr(found, "evaluate", None)):
        reading.note(_PATH, f"must have a method evaluate(actual, expected, config); {name} has none")
        return None
    if isinstance(found, type):
        try:
            found = found()
        except Exception as exc:  # the class is the project's
            reading.note(_PATH, f"{name}() cannot be made without arguments: {type(exc).__name__}: {exc}")
            return None
    if parameters := refused_call(found.evaluate, {}, None, {}):
        reading.note(_PATH, f"{name}.evaluate must take actual, expected and config, got {parameters}")
        return None
    return found


def _from_0_to_1(score: float) -> bool:
    return math.isfinite(score) and 0 <= score <= 1
