"""What is known while one case is read: the case, what may be imported, and what was found to be wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from neuron_evals.core.assertions.wording import shown
from neuron_evals.core.classifiers.fake import FakeClassifier
from neuron_evals.core.embeddings.fake import FakeEmbeddings
from neuron_evals.core.exceptions import ConfigurationError, InvalidArgument
from neuron_evals.core.suites.resources import Resources
from neuron_evals.core.suites.shapes import Fault, Keyed, Shape, described
from neuron_evals.core.suites.spec import AssertionSpec

if TYPE_CHECKING:
    from neuron_evals.core.checking import Assertion
    from neuron_evals.core.suites.imports import Imports

EXPECTED, CONFIG = "expected", "eval_config"

T = TypeVar("T")


def _unasked(text: str) -> str:
    """Stand in for a judge while options are checked; it is never asked."""
    return text


_STAND_INS = Resources(lambda: _unasked, FakeClassifier, lambda: FakeEmbeddings({}))


class Reading:
    """One case while it is read.

    Args:
        case: The case, as it was given.
        imports: What resolves dotted paths.

    Attributes:
        faults: What is wrong, with paths in the case.
    """

    def __init__(self, case: Mapping[str, Any], imports: Imports) -> None:
        self.case = case
        self.faults: list[Fault] = []
        self._imports = imports

    @property
    def expected(self) -> Any:
        """What the case expects."""
        return self.case.get(EXPECTED)

    @property
    def config(self) -> Mapping[str, Any]:
        """Its options for the evaluator; empty when there are none, or they are no object, which is noted elsewhere."""
        given = self.case.get(CONFIG)
        return given if isinstance(given, Mapping) else {}

    def note(self, path: str, message: str) -> None:
        """Note that something is wrong."""
        self.faults.append((path, message))

    def fits(self, shape: Shape, value: Any, path: str) -> bool:
        """Return whether a value has a shape; what is wrong with it is noted."""
        found = list(shape.faults(value, path))
        self.faults += found
        return not found

    def options(self, keys: Mapping[str, Shape]) -> dict[str, Any]:
        """Return the options for the evaluator, those that are given; what is wrong with them is noted."""
        self.fits(Keyed(keys), self.config, CONFIG)
        return {key: value for key, value in self.config.items() if value is not None and key in keys}

    def imported(self, value: Any, path: str) -> Any:
        """Return what a dotted path names, and anything else as it is.

        `None` when it cannot be had, which is noted. A path that names `None` is noted too: it would pass for a key
        that was left out, and the check or the setup behind it would be gone without a word.
        """
        if not isinstance(value, str):
            return value
        try:
            found = self._imports(value)
        except ConfigurationError as exc:
            self.note(path, str(exc))
            return None
        if found is None:
            self.note(path, f"{shown(value)} names None, and nothing that could be used")
        return found

    def assertion(self, cls: type[Assertion], options: Mapping[str, Any], name: str, **more: Any) -> AssertionSpec:
        """Return an assertion; what its class refuses is noted.

        Args:
            cls: The class.
            options: Its options.
            name: The `eval_type`.
            **more: Further fields of the `AssertionSpec`.
        """
        spec = AssertionSpec(cls, options, EXPECTED, name, **more)
        if self.faults:
            return spec
        try:
            spec.build(_STAND_INS)
        except InvalidArgument as exc:
            text = str(exc).removeprefix(f"{cls.__name__}: ")
            option = next((key for key in self.config if text.startswith((f"{key} ", f"{key}["))), None)
            self.note(EXPECTED if option is None else f"{CONFIG}.{option}", text)
        return spec

    def missing(self, noun: str) -> None:
        """Note that nothing is expected."""
        given = "is missing" if self.expected is None else f"is empty, {described(self.expected)}"
        self.note(EXPECTED, f"{given}, so that every output would pass; there must be {noun}")
