"""Classes that settings name by a short name or a dotted path, with options for their constructors."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from neuron_evals import conf
from neuron_evals.conf import Problem, SettingsError
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.results import full_name
from neuron_evals.registries.dotted import resolve


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of thing that settings name.

    Attributes:
        word: What messages call it, such as `"output driver"`.
        base: The class that all of them derive from.
        names: Short name -> dotted path, of our own.
    """

    word: str
    base: type
    names: Mapping[str, str]

    def named(self, backend: str, options: Iterable[str], where: str) -> type:
        """Return a class, after its name and the names of its options were checked.

        Args:
            backend: The short name, or the dotted path.
            options: Names of the options that it is to be built with.
            where: The setting or command-line option, for messages.

        Raises:
            SettingsError: The name is unknown or names something else, or an option is none of its constructor's.
        """
        if backend not in self.names and not conf.is_dotted_path(backend):
            hint = (
                f"{conf.did_you_mean(backend, self.names)} Use {', '.join(self.names)}, or the dotted path of a class."
            )
            message = f'{where}: there is no {self.word} "{backend}"'
            raise SettingsError([Problem("E006", message, hint.lstrip())])
        cls = resolve(self.names.get(backend, backend), where)
        if not (isinstance(cls, type) and issubclass(cls, self.base)):
            message = f'{where}: "{backend}" is no {self.word}'
            hint = f"Name a class that derives from {full_name(self.base)}."
            raise SettingsError([Problem("E005", message, hint)])
        problems = self._unknown_options(cls, backend, options, where)
        if problems:
            raise SettingsError(problems)
        return cls

    def _unknown_options(self, cls: type, backend: str, given: Iterable[str], where: str) -> list[Problem]:
        options, takes_any = constructor_options(cls)
        if takes_any:
            return []
        hidden: frozenset[str] = getattr(cls, "from_caller", frozenset())
        options = [name for name in options if name not in hidden]
        valid = f"Its options are {', '.join(options)}." if options else "It has no options."
        return [
            Problem(
                "E007",
                f'{where}: the {self.word} "{backend}" has no option "{option}"',
                f"{conf.did_you_mean(option, options)} {valid}".lstrip(),
            )
            for option in given
            if option not in options
        ]


def constructor_options(cls: type) -> tuple[list[str], bool]:
    """Return the names of a constructor's parameters, and whether it takes any others too."""
    parameters = inspect.signature(cls).parameters.values()
    names = [item.name for item in parameters if item.kind in (item.POSITIONAL_OR_KEYWORD, item.KEYWORD_ONLY)]
    return names, any(item.kind is item.VAR_KEYWORD for item in parameters)


def refuse_unknown(word: str, setting: str, name: str, known: Iterable[str]) -> NoReturn:
    """Refuse a name that a setting does not have.

    Args:
        word: What the setting names, such as `"agent"`.
        setting: The setting.
        name: The name that was asked for.
        known: The names that it has.

    Raises:
        ConfigurationError: Always.
    """
    raise ConfigurationError(unknown(word, setting, name, known))


def unknown(word: str, setting: str, name: str, known: Iterable[str]) -> str:
    """Return what `refuse_unknown` says."""
    names = ", ".join(known)
    hint = f"{conf.did_you_mean(name, known)} The names are {names}." if names else "There are none."
    return f'there is no {word} "{name}" in {conf.NAME}["{setting}"]. {hint.lstrip()}'
