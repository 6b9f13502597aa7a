"""Tools made of typed functions: the schema a model is told, and the arguments it may write."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NotRequired, Optional, TypedDict

import pytest

from neuron_evals.core.agents.arguments import BadArguments
from neuron_evals.core.agents.tools import Tool, as_tools
from neuron_evals.core.exceptions import ConfigurationError, InvalidArgument


class Size(enum.Enum):
    SMALL = "s"
    LARGE = "l"


@dataclass
class Line:
    sku: str
    count: int = 1
    notes: list[str] = field(default_factory=list)


@dataclass
class Positive:
    number: int

    def __post_init__(self) -> None:
        if self.number <= 0:
            raise ValueError("number must be above 0")


class Address(TypedDict):
    street: str
    floor: NotRequired[int]


@dataclass
class Tree:
    children: list[Tree]


def tool_of(annotation: Any) -> Tool:
    def function(value):
        return value

    function.__annotations__["value"] = annotation
    return Tool.from_function(function)


TEXT, WHOLE, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}


def an_object(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, TEXT),
        (int, WHOLE),
        (float, NUMBER),
        (bool, {"type": "boolean"}),
        (None, {"type": "null"}),
        (Any, {}),
        (list, {"type": "array"}),
        (list[int], {"type": "array", "items": WHOLE}),
        (dict, {"type": "object"}),
        (dict[str, float], {"type": "object", "additionalProperties": NUMBER}),
        (Literal["a", 1], {"enum": ["a", 1]}),
        (Size, {"enum": ["s", "l"]}),
        (Optional[str], {"anyOf": [TEXT, {"type": "null"}]}),  # noqa: UP045  (the old form is supported)
        (int | str, {"anyOf": [WHOLE, TEXT]}),
        (Annotated[int, "how many"], {"type": "integer", "description": "how many"}),
        (
            Line,
            an_object(["sku"], sku=TEXT, count=WHOLE, notes={"type": "array", "items": TEXT}),
        ),
        (Address, an_object(["street"], street=TEXT, floor=WHOLE)),
    ],
)
def test_annotation__has_a_schema(annotation, schema):
    assert tool_of(annotation).parameters == an_object(["value"], value=schema)


@pytest.mark.parametrize(
    ("annotation", "why"),
    [
        (complex, "complex has no JSON schema here"),
        (dict[int, str], r"dict\[int, str\] has no JSON schema here"),
        (list[set[int]], r"set\[int\] has no JSON schema"),
        (Tree, "Tree holds itself"),
        (Literal[b"x"], "has no JSON schema"),
    ],
)
def test_annotation_without_a_schema__refused_naming_the_parameter(annotation, why):
    with pytest.raises(ConfigurationError, match=f'function: parameter "value": .*{why}'):
        tool_of(annotation)


@pytest.mark.parametrize(
    ("annotation", "given", "value"),
    [
        (int, 3, 3),
        (int, 3.0, 3),
        (float, 3, 3.0),
        (bool, False, False),
        (None, None, None),
        (Any, {"a": [1]}, {"a": [1]}),
        (list, [1, "a"], [1, "a"]),
        (list[float], [1, 2.5], [1.0, 2.5]),
        (dict[str, int], {"a": 1}, {"a": 1}),
        (Literal["a", 1], 1, 1),
        (Size, "l", Size.LARGE),
        (str | None, None, None),
        (int | str, "3", "3"),
        (Annotated[int, "how many"], 3, 3),
        (Line, {"sku": "a", "notes": ["b"]}, Line("a", 1, ["b"])),
        (list[Line], [{"sku": "a", "count": 2}], [Line("a", 2)]),
        (Address, {"street": "a"}, {"street": "a"}),
    ],
)
def test_argument__becomes_what_the_function_takes(annotation, given, value):
    read = tool_of(annotation).arguments({"value": given})["value"]
    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(
    ("annotation", "given", "fault"),
    [
        (int, "3", "value must be a whole number, got text"),
        (int, 3.5, "value must be a whole number, got a number"),
        (int, True, "value must be a whole number, got true or false"),
        (float, 10**400, "value must be a number, got a whole number"),
        (str, 3, "value must be text, got a whole number"),
        (str, None, "value must be text, got null"),
        (bool, 1, "value must be true or false, got a whole number"),
        (list[int], [1, "a"], "value[1] must be a whole number, got text"),
        (list[int], {"a": 1}, "value must be a list, got an object"),
        (dict[str, int], {"a": "b"}, "value.a must be a whole number, got text"),
        (dict[str, int], "{}", "value must be an object, got text"),
        (Literal["a", 1], True, 'value must be one of ["a",1], got true'),
        (Size, "m", 'value must be one of ["s","l"], got "m"'),
        (str | None, 3, "value must be text, got a whole number"),
        (int | bool, "a", "value must be a whole number, got text or value must be true or false, got text"),
        (Line, {"count": 1}, "value.sku is missing"),
        (Line, {"sku": "a", "size": 1}, "value.size is not known; the names are sku, count, notes"),
        (Line, "a", "value must be an object, got text"),
        (Positive, {"number": 0}, "value: number must be above 0"),
        (Address, {"floor": "a"}, "value.street is missing; value.floor must be a whole number, got text"),
    ],
)
def test_argument_that_does_not_fit__named_with_its_path(annotation, given, fault):
    with pytest.raises(BadArguments) as caught:
        tool_of(annotation).arguments({"value": given})
    assert str(caught.value) == fault


def refund(order: str, amount: float = 10, *, express: bool = False) -> str:
    """Pay money back.

    It cannot be undone.

    Args:
        order (str): Number of the order,
            without the hash.
        amount: Euros.

    Returns:
        express: no parameter of this name.
    """
    return f"{order} {amount} {express}"


def test_function__name_docstring_and_defaults__become_the_tool():
    tool = Tool.from_function(refund)
    assert (tool.name, tool.description) == ("refund", "Pay money back.\n\nIt cannot be undone.")
    assert tool.parameters == an_object(
        ["order"],
        order={"type": "string", "description": "Number of the order, without the hash."},
        amount={"type": "number", "description": "Euros."},
        express={"type": "boolean"},
    )
    assert tool.arguments({"order": "1"}) == {"order": "1"}
    assert (tool.spec.name, tool.spec.parameters) == ("refund", tool.parameters)


def test_docstring__with_param_lines__describes_parameters():
    def find(text: str, most: int = 3) -> None:
        """Find it.

        :param text: What to look for,
            in any case.
        :param int most: At most so many.
        """

    properties = Tool.from_function(find).parameters["properties"]
    assert properties["text"]["description"] == "What to look for, in any case."
    assert properties["most"]["description"] == "At most so many."


class Shop:
    def find(self, text: str) -> str:
        return text

    def __call__(self, text: str) -> str:
        return text


@pytest.mark.parametrize(
    "function",
    [Shop().find, Shop(), functools.partial(refund, amount=1)],
)
def test_methods_and_callable_objects__make_tools_under_a_given_name(function):
    tool = Tool.from_function(function, name="given", description="d")
    assert (tool.name, tool.description) == ("given", "d")
    assert tool.parameters["required"] == (["order"] if isinstance(function, functools.partial) else ["text"])


def unannotated(value):
    pass


def collecting(*values: int) -> None:
    pass


def unresolved(value: Nowhere) -> None:  # type: ignore[name-defined]  # noqa: F821  (it cannot be found)
    pass


@pytest.mark.parametrize(
    ("tools", "why"),
    [
        ([unannotated], r'tools\[0\]: unannotated: parameter "value" has no annotation'),
        ([collecting], r'tools\[0\]: collecting: parameter "values" cannot be given by name'),
        ([unresolved], r"tools\[0\]: unresolved: its annotations cannot be evaluated \(name 'Nowhere'"),
        ([lambda: 1], r"tools\[0\]: Tool: name must be 1 to 64 letters"),
        ([refund, refund], r'tools\[1\]: there is a tool "refund" already'),
        (["refund"], r"tools\[0\]: must be a Tool or a typed function, got str"),
        ([Shop], r"tools\[0\]: must be a Tool or a typed function, got Shop"),
    ],
)
def test_what_makes_no_tool__refused_with_its_place(tools, why):
    with pytest.raises(ConfigurationError, match=why):
        as_tools(tools)


@pytest.mark.parametrize(
    ("name", "parameters", "function", "approval", "why"),
    [
        ("a b", {"type": "object"}, print, False, "name must be 1 to 64"),
        ("a" * 65, {"type": "object"}, print, False, "name must be 1 to 64"),
        ("a", {"type": "array"}, print, False, '"type": "object"'),
        ("a", {"type": "object"}, "print", False, "function must be callable, got str"),
        ("a", {"type": "object"}, print, "always", "approval must be True, False or a callable, got 'always'"),
    ],
)
def test_tool__options_that_mean_nothing__refused(name, parameters, function, approval, why):
    with pytest.raises(InvalidArgument, match=why):
        Tool(name, "", parameters, function, approval=approval)


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({}, "order is missing"),
        ({"order": "1", "size": 2}, "size is not known; the names are order, amount"),
    ],
)
def test_tool_with_a_schema_of_its_own__arguments_are_held_against_it(given, fault):
    schema = an_object(["order"], order=TEXT, amount=NUMBER)
    with pytest.raises(BadArguments, match=fault):
        Tool("refund", "", schema, refund).arguments(given)


def test_tool_with_an_open_schema__arguments_the_function_does_not_take__are_bad_arguments():
    with pytest.raises(BadArguments, match="size"):
        Tool("refund", "", {"type": "object"}, refund).arguments({"order": "1", "size": 2})


@pytest.mark.parametrize(
    ("approval", "reason"),
    [
        (False, None),
        (True, ""),
        (lambda arguments: arguments["amount"] > 100, None),
        (lambda arguments: arguments["amount"] > 10, ""),
        (lambda arguments: "too much" if arguments["amount"] > 10 else False, "too much"),
    ],
)
def test_approval__says_whether_and_why(approval: bool | Callable[..., Any], reason):
    assert Tool.from_function(refund, approval=approval).reason_to_ask({"amount": 50}) == reason
