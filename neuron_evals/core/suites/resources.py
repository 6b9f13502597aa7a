"""What items need and data cannot hold: a judge, a classifier, embeddings, what plays users."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from neuron_evals.core.agents import BaseAgent, agent_of_model, as_agent
from neuron_evals.core.exceptions import ConfigurationError

JUDGE = "judge"
NAMES = (JUDGE, "classifier", "embeddings")
"""The fields of assertions that a run fills in."""

SIMULATOR = "simulator"
"""What plays the users of items that have one."""

Make = Callable[[], Any]


class Resources:
    """What a run gives to the items of a suite. Each is made when it is first needed, once.

    Args:
        judge: Returns the agent that grades, or several in a list; `None` when there is none.
        classifier: Returns the classifier, likewise.
        embeddings: Returns the embeddings, likewise.
        simulator: Returns what plays simulated users, an agent or a provider, likewise.
        judge_is_given: Whether the judge is one that the run was given, so that it goes before those that items name.

    Attributes:
        judge_is_given: Likewise.
    """

    def __init__(
        self,
        judge: Make | None = None,
        classifier: Make | None = None,
        embeddings: Make | None = None,
        simulator: Make | None = None,
        *,
        judge_is_given: bool = True,
    ) -> None:
        self.judge_is_given = judge_is_given and judge is not None
        makers = zip((*NAMES, SIMULATOR), (judge, classifier, embeddings, simulator), strict=True)
        self._makers: Mapping[str, Make] = {name: make for name, make in makers if make is not None}
        self._made: dict[str, Any] = {}
        self._lock = threading.Lock()

    def __contains__(self, name: str) -> bool:
        """Return whether there is one of that name."""
        return name in self._makers

    def get(self, name: str) -> Any:
        """Return the one of that name.

        Raises:
            ConfigurationError: There is none.
            Exception: Whatever making it raises.
        """
        if name not in self._makers:
            msg = f"an item needs a {name}, and none was given"
            raise ConfigurationError(msg)
        return self._once(name, self._makers[name])

    def player(self, name: str) -> BaseAgent:
        """Return the agent of a name that an item wants to play its user.

        Raises:
            ConfigurationError: There is none.
        """
        agent: BaseAgent = self._once(f"{SIMULATOR} {name}", lambda: as_agent(name))
        return agent

    def model(self, name: str) -> BaseAgent:
        """Return an agent around the model of a name such as `local:qwen3`.

        Raises:
            ConfigurationError: There is none.
        """
        agent: BaseAgent = self._once(f"model {name}", lambda: agent_of_model(name))
        return agent

    def _once(self, name: str, make: Make) -> Any:
        with self._lock:
            if name not in self._made:
                self._made[name] = make()
            return self._made[name]
