"""Launchers that start nothing."""

from __future__ import annotations

from typing import ClassVar

from neuron_evals.launchers import Launcher


class Noting(Launcher):
    """Notes what it was given."""

    launched: ClassVar[list[int]] = []

    def launch(self, run_id: int) -> None:
        self.launched.append(run_id)


class Unreachable(Launcher):
    """Is there, but takes nothing."""

    def launch(self, run_id: int) -> None:
        msg = f"<b>no</b> queue for {run_id}"
        raise ConnectionError(msg)


class Unusable(Launcher):
    """Cannot be used at all."""

    def problems(self) -> list[str]:
        return ["there is no queue"]

    def launch(self, run_id: int) -> None:
        raise AssertionError(run_id)
