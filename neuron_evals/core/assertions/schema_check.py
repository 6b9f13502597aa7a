"""What makes a JSON Schema unusable, found when the assertion is built."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from neuron_evals.core.assertions.wording import shown, visible
from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.patterns import CompiledPattern, compile_pattern


@lru_cache(maxsize=1_000)
def compiled(pattern: str) -> CompiledPattern:
    """Return a pattern of a schema, which is always bare: a leading `/` stands for itself.

    Raises:
        InvalidArgument: It does not compile.
    """
    return compile_pattern(f"\\{pattern}" if pattern.startswith("/") else pattern)


def refuse_unusable(owner: str, validator_class: Any, schema: Any) -> None:
    """Refuse a schema that is malformed or could not be applied.

    Args:
        owner: Name of the assertion, for the error.
        validator_class: The class of `jsonschema` for its draft.
        schema: The schema, without `$schema`.

    Raises:
        InvalidArgument: It is not as its draft wants it; it has a `$schema` inside; a reference leads outside, or
            nowhere; a pattern does not compile; it combines `unevaluatedProperties` with `patternProperties`.
    """
    from jsonschema import FormatChecker, SchemaError  # noqa: PLC0415  (costs start-up time that most runs need not spend)

    keys = set(_keys(schema))
    if "$schema" in keys:
        msg = f"{owner}: schema has $schema inside; one draft holds for the whole, named at the top"
        raise InvalidArgument(msg)
    if {"unevaluatedProperties", "patternProperties"} <= keys:
        # jsonschema would search these patterns without a limit.
        msg = f"{owner}: schema has unevaluatedProperties and patternProperties, which do not work together here"
        raise InvalidArgument(msg)
    try:
        # Without formats: `regex` would be that of Python's `re`.
        validator_class.check_schema(schema, format_checker=FormatChecker(formats=()))
    except SchemaError as exc:
        place = "".join(f"[{shown(step) if isinstance(step, str) else step}]" for step in exc.absolute_path)
        msg = f"{owner}: schema{place} is not valid: {visible(exc.message)}"
        raise InvalidArgument(msg) from None
    _refuse_unreachable(owner, validator_class.ID_OF(validator_class.META_SCHEMA), schema)


def _keys(value: Any) -> Iterator[str]:
    """Yield the keys at any depth; `$schema` only where it names a draft."""
    if isinstance(value, dict):
        for key, member in value.items():
            if key != "$schema" or isinstance(member, str):
                yield key
            yield from _keys(member)
    elif isinstance(value, list):
        for member in value:
            yield from _keys(member)


def _refuse_unreachable(owner: str, dialect: str, schema: Any) -> None:
    """Refuse patterns and references that do not work, in the schema and in what it refers to."""
    from referencing import Registry  # noqa: PLC0415  (as above)
    from referencing.exceptions import Unresolvable  # noqa: PLC0415  (as above)
    from referencing.jsonschema import specification_with  # noqa: PLC0415  (as above)

    specification: Any = specification_with(dialect)
    root = specification.create_resource(schema)
    seen: set[int] = set()
    try:
        left: list[Any] = [(root, Registry().resolver_with_root(root))]
        while left:
            resource, resolver = left.pop()
            if id(resource.contents) in seen or not isinstance(resource.contents, dict):
                continue
            seen.add(id(resource.contents))
            _refuse_patterns(owner, resource.contents)
            left.extend((inner, resolver.in_subresource(inner)) for inner in resource.subresources())
            for reference in _references(resource.contents):
                found = resolver.lookup(reference)
                left.append((specification.create_resource(found.contents), found.resolver))
    except (Unresolvable, ValueError) as exc:
        if isinstance(exc, InvalidArgument):
            raise
        msg = f"{owner}: schema refers to what it does not hold, and nothing is fetched: {visible(str(exc))}"
        raise InvalidArgument(msg) from None


def _references(schema: dict[str, Any]) -> Iterator[str]:
    for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
        if isinstance(schema.get(keyword), str):
            yield schema[keyword]


def _refuse_patterns(owner: str, schema: dict[str, Any]) -> None:
    patterns = list(schema["patternProperties"]) if isinstance(schema.get("patternProperties"), dict) else []
    if isinstance(schema.get("pattern"), str):
        patterns.append(schema["pattern"])
    for pattern in patterns:
        try:
            compiled(pattern)
        except InvalidArgument as exc:
            msg = f"{owner}: schema: {exc}"
            raise InvalidArgument(msg) from None
