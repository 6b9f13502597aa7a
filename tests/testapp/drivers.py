"""Output drivers that settings may name."""

from __future__ import annotations

from neuron_evals.core.outputs.contract import OutputDriver
from tests.testapp.mail import Agent  # noqa: TC001  (the container reads the annotation)


class Tally(OutputDriver):
    """An output driver with options of its own, and one thing that the container gives."""

    def __init__(self, agent: Agent, path: str = "tally.txt", *, verbose: bool = False) -> None:
        self.agent, self.path, self.verbose = agent, path, verbose


class Wrapping(OutputDriver):
    """An output driver that needs another with an option of the same name."""

    def __init__(self, inner: Tally, path: str = "wrapping.txt") -> None:
        self.inner, self.path = inner, path


class Quiet(OutputDriver):
    """An output driver without options."""


class Open(OutputDriver):
    """An output driver that takes any option."""

    def __init__(self, **options: object) -> None:
        self.options = options
