"""`schema`: structured output, checked by a class or JSON Schema, with fields that must be there or have a value."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from neuron_evals.core.assertions.equality import equal
from neuron_evals.core.assertions.json_input import NotJson, read_json
from neuron_evals.core.assertions.schema import MAX_PROBLEMS, MatchesSchema
from neuron_evals.core.assertions.wording import shown_json, visible
from neuron_evals.core.checking import Assertion
from neuron_evals.core.results import AssertionResult
from neuron_evals.core.suites.nous.reading import CONFIG, EXPECTED, Reading
from neuron_evals.core.suites.shapes import Coded, Either, Keyed, Listed, Mapped, Shape, Text, Truth

if TYPE_CHECKING:
    from neuron_evals.core.suites.spec import AssertionSpec

_NOTES: Final = frozenset(
    {"$comment", "$defs", "$id", "$schema", "default", "definitions", "description", "examples", "title"}
)
"""Keys of a JSON Schema that ask for nothing."""

SCHEMA_CONFIG: Final[Mapping[str, Shape]] = {"validate_changeset": Truth(), "allow_extra_fields": Truth()}
_SCHEMA = Coded("a dataclass, pydantic model, serializer or form")
SCHEMA_EXPECTED: Final = Either(
    (
        _SCHEMA,
        Keyed(
            {
                "schema": Either((_SCHEMA, Mapped())),
                "required_fields": Listed(Text(empty=False), least=1),
                "field_values": Mapped(),
            },
            filled=True,
        ),
    )
)


@dataclass(frozen=True)
class StructuredOutput(Assertion):
    """Passes when an output is a JSON object that a schema takes, with the fields that are asked for.

    Args:
        schema: As for `MatchesSchema`; `None` for none.
        required_fields: Fields that must be there and be neither null nor empty text.
        field_values: Fields with the values that they must have.
        validate_changeset: Whether the schema is asked at all, and not only which fields it has.
        allow_extra_fields: Whether fields are allowed, and passed over, that the schema does not have.

    Raises:
        InvalidArgument: No rule can be made of the schema.
    """

    schema: Any = None
    required_fields: Sequence[str] = ()
    field_values: Mapping[str, Any] = field(default_factory=dict)
    validate_changeset: bool = True
    allow_extra_fields: bool = True
    _rule: MatchesSchema | None = field(init=False, repr=False, compare=False)
    _known: frozenset[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rule", None if self.schema is None else MatchesSchema(self.schema))
        object.__setattr__(self, "_known", None if self.schema is None else fields_of(self.schema))

    def evaluate(self, actual: Any) -> AssertionResult:
        """Return 1 when the output is as it should be, else 0.

        Raises:
            InvalidInput: `actual` is neither text nor a value that JSON can hold.
            PatternTimeout: A pattern of the schema ran into its time limit.
        """
        try:
            value = read_json(self.assertion_name, actual, fenced=False)
        except NotJson as exc:
            return AssertionResult.fail(0.0, str(exc))
        if not isinstance(value, dict):
            return AssertionResult.fail(0.0, f"the output is {shown_json(value)}, and no JSON object")
        problems = list(self._problems(value))
        if not problems:
            return AssertionResult.ok()
        more = "; and more" if len(problems) > MAX_PROBLEMS else ""
        return AssertionResult.fail(0.0, "; ".join(problems[:MAX_PROBLEMS]) + more)

    def _problems(self, value: dict[str, Any]) -> Iterator[str]:
        extra = [] if self._known is None else [name for name in value if name not in self._known]
        if extra and not self.allow_extra_fields:
            yield f"fields that the schema does not have: {', '.join(map(visible, extra))}"
        own = {name: member for name, member in value.items() if name not in extra}
        if self._rule is not None and self.validate_changeset:
            found = self._rule.evaluate(own)
            if not found.passed:
                yield found.message
        for name in self.required_fields:
            if own.get(name) in (None, ""):
                yield f"{visible(name)} is required, and {'missing' if name not in own else 'empty'}"
        for name, wanted in self.field_values.items():
            if name not in own:
                yield f"{visible(name)} must be {shown_json(wanted)}, and is missing"
            elif not equal(own[name], wanted):
                yield f"{visible(name)} must be {shown_json(wanted)}, got {shown_json(own[name])}"


def read_schema(reading: Reading, options: Mapping[str, Any]) -> AssertionSpec | None:
    """Return the check of a case with `eval_type: schema`, whose `expected` fits; what is wrong is noted."""
    expected = reading.expected
    if not isinstance(expected, Mapping):
        asked: dict[str, Any] = {"schema": reading.imported(expected, EXPECTED)}
    else:
        asked = {key: value for key, value in expected.items() if value is not None}
        if "schema" in asked:
            asked["schema"] = reading.imported(asked["schema"], f"{EXPECTED}.schema")
    schema = asked.get("schema")
    if isinstance(schema, Mapping) and schema.keys() <= _NOTES:
        path = EXPECTED if not isinstance(expected, Mapping) else f"{EXPECTED}.schema"
        reading.note(path, "says nothing: every JSON object has this form")
    if options.get("allow_extra_fields") is False and (schema is None or fields_of(schema) is None):
        reading.note(f"{CONFIG}.allow_extra_fields", "needs a schema that tells its fields, to know the others by")
    nothing = not asked.get("required_fields") and not asked.get("field_values")
    if nothing and ("schema" not in asked or options.get("validate_changeset") is False):
        reading.missing("a schema that is asked, required_fields or field_values")
    return reading.assertion(StructuredOutput, {**asked, **options}, "schema")


def fields_of(schema: Any) -> frozenset[str] | None:
    """Return the names that the fields of a schema have in data; `None` when they are not told."""
    if isinstance(schema, Mapping):
        names = schema.get("properties")
        return frozenset(names) if isinstance(names, Mapping) else None
    if dataclasses.is_dataclass(schema):
        return frozenset(each.name for each in dataclasses.fields(schema) if each.init)
    model = getattr(schema, "model_fields", None)
    if isinstance(model, Mapping):
        return frozenset(name for key, info in model.items() for name in _names(key, info))
    declared = getattr(schema, "base_fields", None)
    if declared is None and not hasattr(schema, "Meta"):  # a serializer of a model has more fields than it declares
        declared = getattr(schema, "_declared_fields", None)
    return frozenset(declared) if isinstance(declared, Mapping) else None


def _names(key: str, info: Any) -> Iterator[str]:
    """Yield the names of a pydantic model's field: its own, and its aliases that are text."""
    aliases = (getattr(info, "alias", None), getattr(info, "validation_alias", None))
    yield key
    yield from (alias for alias in aliases if isinstance(alias, str))
