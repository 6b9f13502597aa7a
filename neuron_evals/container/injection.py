"""`make`: the default container. It fills the parameters of a constructor by their annotations."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, TypeVar, get_type_hints, is_typeddict

from neuron_evals import conf
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.results import full_name
from neuron_evals.registries.dotted import described, resolve

T = TypeVar("T")

_WAYS_OUT = "give the parameter a default, bind its class in BINDINGS, or name a CONTAINER of your own"


def make(cls: type[T]) -> T:
    """Build an object of a class, and everything that its constructor wants, each of them anew.

    A parameter gets an object of the class it is annotated with, built in the same way; the `BINDINGS` setting says
    what to build for a class instead. A parameter with a default keeps it, unless exactly its annotation is bound.
    Parameters that collect (`*args`, `**kwargs`) get nothing.

    Args:
        cls: The class.

    Returns:
        An object of `cls`, or of what `BINDINGS` says for it.

    Raises:
        ConfigurationError: A parameter cannot be filled, or a constructor raised; it names class and parameter.
        SettingsError: A dotted path in `BINDINGS` cannot be used.
    """
    made: T = Injector(resolved_bindings(conf.read().bindings)).make(cls)
    return made


def resolved_bindings(bindings: Mapping[str, str]) -> dict[type, Callable[..., object]]:
    """Return `BINDINGS` with what its dotted paths name.

    Raises:
        SettingsError: A path cannot be imported, or names something of the wrong kind.
    """
    return dict(resolved_binding(wanted, target) for wanted, target in bindings.items())


def resolved_binding(wanted: str, target: str) -> tuple[type, Callable[..., object]]:
    """Return one entry of `BINDINGS` with what its dotted paths name.

    Raises:
        SettingsError: A path cannot be imported, or names something of the wrong kind.
    """
    where = f'{conf.NAME}["BINDINGS"]'
    cls = resolve(wanted, where)
    if not isinstance(cls, type):
        message = f'{where}: the key "{wanted}" names no class'
        raise conf.SettingsError([conf.Problem("E004", message, "Name the class that parameters are annotated with.")])
    made_by = resolve(target, f'{where}["{wanted}"]')
    if not callable(made_by):
        message = f'{where}["{wanted}"]: "{target}" cannot be called'
        raise conf.SettingsError(
            [conf.Problem("E004", message, "Name the class to build, or a function that returns it.")]
        )
    return cls, made_by


class Injector:
    """Builds one object and what it needs.

    Args:
        bindings: Annotated classes, and the class or function that makes what they get.
        given: Values by parameter name, for the object itself but not for what it needs.
    """

    def __init__(
        self, bindings: Mapping[type, Callable[..., object]], given: Mapping[str, object] | None = None
    ) -> None:
        self._bindings = bindings
        self._given = given or {}
        self._path: list[str] = []

    def make(self, cls: Any) -> Any:
        """Build an object of a class."""
        target = self._bindings.get(cls, cls)
        name = _name(target)
        if name in self._path:
            msg = f"{' -> '.join([*self._path, name])}: these need each other; {_WAYS_OUT}"
            raise ConfigurationError(msg)
        self._refuse_abstract(target, name)
        self._path.append(name)
        positional, named = self._arguments(target)
        self._path.pop()
        try:
            return target(*positional, **named)
        except Exception as exc:
            msg = f"{name}: building it raised {described(exc)}{self._needed_by()}"
            raise ConfigurationError(msg) from exc

    def _refuse_abstract(self, target: Any, name: str) -> None:
        if isinstance(target, type) and (inspect.isabstract(target) or _is_protocol(target)):
            msg = (
                f"{name}: an abstract class cannot be built{self._needed_by()}; bind it in BINDINGS to a class that "
                "can be, or name a CONTAINER of your own"
            )
            raise ConfigurationError(msg)

    def _arguments(self, target: Any) -> tuple[tuple[object, ...], dict[str, object]]:
        """Return the arguments that `target` is to be called with."""
        function = _init(target) if isinstance(target, type) else target
        if function is object.__init__:
            return (), {}
        given = self._given if len(self._path) == 1 else {}
        try:
            signature = _signature(function, skip_self=isinstance(target, type))
        except ValueError:  # written in C, without a signature
            return (), {}
        bound = signature.bind_partial()
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_POSITIONAL:
                continue
            if parameter.kind is parameter.VAR_KEYWORD:
                bound.arguments[parameter.name] = {k: v for k, v in given.items() if k not in signature.parameters}
            elif parameter.name in given:
                bound.arguments[parameter.name] = given[parameter.name]
            else:
                annotation = self._annotation(function, parameter)
                if parameter.default is parameter.empty or self._is_bound(annotation):
                    bound.arguments[parameter.name] = self._value(annotation, parameter)
        return bound.args, bound.kwargs

    def _value(self, annotation: Any, parameter: inspect.Parameter) -> object:
        if self._is_bound(annotation) or _is_project_class(annotation):
            return self.make(annotation)
        if annotation is parameter.empty:
            why = "has no annotation that says what it takes"
        elif isinstance(annotation, type):
            why = f"takes {_name(annotation)}, and values of Python's own types are not made up"
        else:
            why = f"is annotated with {inspect.formatannotation(annotation)}, which names no single class"
        raise self._unfilled(parameter, why)

    def _annotation(self, function: Any, parameter: inspect.Parameter) -> Any:
        """Return a parameter's annotation, evaluated only where it matters: one that is left alone need not resolve."""
        text = parameter.annotation
        has_default = parameter.default is not parameter.empty
        if text is parameter.empty or (has_default and not self._bindings):
            return text
        holder = SimpleNamespace(__annotations__={parameter.name: text})
        try:
            return get_type_hints(holder, getattr(inspect.unwrap(function), "__globals__", {}))[parameter.name]
        except Exception as exc:
            if has_default and not any(cls.__name__ in str(text) for cls in self._bindings):
                return text
            why = f"has the annotation {text}, which cannot be resolved ({described(exc)}); import it at run time too"
            raise self._unfilled(parameter, why) from exc

    def _is_bound(self, annotation: Any) -> bool:
        return isinstance(annotation, type) and annotation in self._bindings

    def _unfilled(self, parameter: inspect.Parameter, why: str) -> ConfigurationError:
        name = self._path.pop()
        needed_by = self._needed_by()
        return ConfigurationError(f'{name}: parameter "{parameter.name}" {why}{needed_by}; {_WAYS_OUT}')

    def _needed_by(self) -> str:
        return f" (needed by {' -> '.join(self._path)})" if self._path else ""


def _init(cls: type) -> Callable[..., None]:
    init: Callable[..., None] = getattr(cls, "__init__")  # noqa: B009  (mypy takes the direct access for a mistake)
    return init


def _signature(function: Any, *, skip_self: bool) -> inspect.Signature:
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    return signature.replace(parameters=parameters[1:] if skip_self else parameters)


def _is_project_class(annotation: Any) -> bool:
    """Return whether an annotation is a class that can be built unasked: Python's own are values or need choices."""
    return (
        isinstance(annotation, type)
        and not is_typeddict(annotation)
        and annotation.__module__.partition(".")[0] not in sys.stdlib_module_names
    )


def _is_protocol(cls: type) -> bool:
    return bool(getattr(cls, "_is_protocol", False))


def _name(target: Any) -> str:
    if isinstance(target, type):
        return target.__qualname__ if target.__module__ == "builtins" else full_name(target)
    return f"{getattr(target, '__module__', '?')}.{getattr(target, '__qualname__', type(target).__name__)}"
