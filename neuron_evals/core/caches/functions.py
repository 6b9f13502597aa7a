"""What a Python function says, and which attributes of its first parameter it uses."""

from __future__ import annotations

import ast
import dis
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType, MethodType
from typing import Any


@dataclass(frozen=True, slots=True)
class Code:
    """What a function says.

    Attributes:
        text: The same text for the same code in every process: its source without comments and formatting. Docstrings
            stay, as tools show theirs to models. Where there is no source, what it was compiled to.
        names: The attributes it uses through its first parameter; every name it uses where there is no source.
        inherited: The attributes it uses through `super()`.
        bound: Those of `names` that it sets or deletes.
    """

    text: str
    names: frozenset[str]
    inherited: frozenset[str]
    bound: frozenset[str]


def code_of(function: FunctionType, class_name: str) -> Code:
    """Return what a function says.

    Args:
        function: The function.
        class_name: Name of the class it is defined in, which private names (`__name`) begin with.
    """
    statement = _statement(function.__code__)
    return _compiled(function) if statement is None else _written(statement, class_name)


def functions_of(value: Any) -> Iterator[FunctionType]:
    """Yield the Python functions behind a function, method, property or decorated function, each once.

    A decorated function is what the decorator made of it, the functions that this encloses, and what it wraps.
    """
    seen: set[int] = set()
    pending = [value]
    while pending:
        part = pending.pop(0)
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, FunctionType):
            yield part
        pending += _behind(part)


def _behind(part: Any) -> list[Any]:
    if isinstance(part, FunctionType):
        return [*_enclosed(part), getattr(part, "__wrapped__", None)]
    if isinstance(part, MethodType | classmethod | staticmethod):
        return [part.__func__]
    if isinstance(part, property):
        return [part.fget, part.fset, part.fdel]
    # Cached properties and partial methods, functions with a cache. Objects that invent attributes are left alone.
    return [inspect.getattr_static(part, name, None) for name in ("func", "__wrapped__")]


def _enclosed(function: FunctionType) -> Iterator[FunctionType]:
    for cell in function.__closure__ or ():
        try:
            content = cell.cell_contents
        except ValueError:  # not filled yet
            continue
        if isinstance(content, FunctionType):
            yield content


def _statement(code: CodeType) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Return the definition in the source; `None` when it cannot be found for certain."""
    try:
        source = inspect.getsource(code)
        # Not dedented: that would change texts of several lines.
        (statement,) = ast.parse(f"if True:\n{source}" if source[:1].isspace() else source).body
    except (OSError, TypeError, ValueError, SyntaxError):
        return None
    if isinstance(statement, ast.If):
        (statement,) = statement.body
    # The line of a lambda may hold several; a file that was changed since it was imported, another function.
    if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) or statement.name != code.co_name:
        return None
    return statement


def _written(statement: ast.FunctionDef | ast.AsyncFunctionDef, class_name: str) -> Code:
    parameters = [*statement.args.posonlyargs, *statement.args.args]
    first = parameters[0].arg if parameters else None
    names, inherited, bound = set(), set(), set()
    for node in ast.walk(statement):
        if not isinstance(node, ast.Attribute):
            continue
        name = _mangled(node.attr, class_name)
        if isinstance(node.value, ast.Name) and node.value.id == first:
            names.add(name)
            if not isinstance(node.ctx, ast.Load):
                bound.add(name)
        elif _is_super(node.value):
            inherited.add(name)
    return Code(ast.unparse(statement), frozenset(names), frozenset(inherited), frozenset(bound))


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _mangled(name: str, class_name: str) -> str:
    return f"_{class_name.lstrip('_')}{name}" if name.startswith("__") and not name.endswith("__") else name


def _compiled(function: FunctionType) -> Code:
    names: set[str] = set()
    bound: set[str] = set()
    for part in _all_code(function.__code__):
        names.update(part.co_names)
        bound.update(step.argval for step in dis.get_instructions(part) if step.opname in {"STORE_ATTR", "DELETE_ATTR"})
    inherited = names if "super" in names else ()
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    # The `repr` of other objects may differ in each process.
    plain = [value for value in defaults if value is None or isinstance(value, str | bytes | int | float)]
    text = repr((_parts(function.__code__), plain))
    return Code(text, frozenset(names), frozenset(inherited), frozenset(bound))


def _all_code(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _all_code(constant)


def _parts(constant: Any) -> Any:
    """Return compiled code, or one of its constants, as values whose `repr` is the same in every process."""
    if isinstance(constant, CodeType):
        count = constant.co_argcount + constant.co_kwonlyargcount
        return (
            constant.co_code,
            constant.co_exceptiontable,
            (constant.co_flags, constant.co_posonlyargcount, constant.co_argcount, constant.co_kwonlyargcount),
            (constant.co_names, constant.co_freevars, constant.co_varnames[:count]),
            _each(constant.co_consts),
        )
    if isinstance(constant, tuple):
        return _each(constant)
    if isinstance(constant, frozenset):
        return ("frozenset", sorted(map(repr, _each(constant))))
    return constant


def _each(constants: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(map(_parts, constants))
