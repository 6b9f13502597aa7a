"""`MatchesSchema`: the form of a JSON value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from neuron_evals.core.assertions.json_input import NotJson, read_json
from neuron_evals.core.assertions.json_schema import Rule
from neuron_evals.core.assertions.options import require_bool
from neuron_evals.core.assertions.schemas import schema_rule
from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.checking import Assertion
from neuron_evals.core.results import AssertionResult

MAX_PROBLEMS = 5
"""How many problems a reason lists."""


@dataclass(frozen=True)
class MatchesSchema(Assertion):
    """Passes when the JSON value has the form that a schema wants.

    It takes text, which must be strict JSON, or a value that JSON can hold. Up to 5 problems are listed, each with its
    path.

    Args:
        schema: One of
            - a JSON Schema as a dict: draft 2020-12 unless `$schema` names draft 4, 6, 7 or 2019-09, at most 100,000
              characters and 30 levels. Nothing is fetched: references lead to places in the schema. Patterns are those
              of `MatchesRegex`, with its limits. `format` is not checked.
            - a pydantic model; the value is validated as JSON.
            - a dataclass: the fields by their annotations; its own code does not run.
            - a Django REST framework serializer, or a Django form; the value is given as `data`.
        fenced: Text that is no JSON may hold exactly one fenced block, which is read instead.

    Raises:
        InvalidArgument: `schema` is none of these or cannot be used.
    """

    schema: Any
    fenced: bool = False
    _rule: Rule = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rule", schema_rule(self.assertion_name, self.schema))
        require_bool(self.assertion_name, "fenced", self.fenced)

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return 1 when the value matches, else 0.

        Raises:
            InvalidInput: `actual` is neither text nor a value that JSON can hold, or the schema needs too much work.
            PatternTimeout: A pattern of the schema ran into its time limit.
        """
        try:
            value = read_json(self.assertion_name, actual, fenced=self.fenced)
        except NotJson as exc:
            return AssertionResult.fail(0.0, str(exc))
        problems = self._rule(value, MAX_PROBLEMS + 1)
        if not problems:
            return AssertionResult.ok()
        more = "; and more" if len(problems) > MAX_PROBLEMS else ""
        return AssertionResult.fail(0.0, "; ".join(problems[:MAX_PROBLEMS]) + more)

    def unwanted(self, actual: Any) -> str:
        """Return that the value matches."""
        return f"{shown(actual)} matches the schema, and it should not"
