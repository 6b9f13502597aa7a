"""What the suite files of tests name by dotted path."""

from __future__ import annotations

import os
from dataclasses import dataclass

from tests.testapp import agents

__all__ = ["agents", "os"]


class Mood:
    """An evaluator in the manner of Nous.Eval."""

    def evaluate(self, actual, expected, config):
        found = "glad" if "glad" in actual["output"] else "sad"
        passed = found == expected["mood"]
        return {
            "score": 1.0 if passed else 0.0,
            "passed": passed,
            "reason": None if passed else f"expected {expected['mood']}, got {found}",
            "details": {"mood": found, "strict": config.get("strict", False)},
        }


@dataclass
class Person:
    """A schema."""

    name: str
    age: int


def calculate(amount: float, percent: float) -> float:
    """Return a share of an amount."""
    return amount * percent / 100


def account() -> dict[str, str]:
    """Return what a case depends on."""
    return {"account": "acct_123"}


calls: list[object] = []


def begin() -> dict[str, str]:
    """Set a suite up."""
    calls.append("begin")
    return {"shop": "open"}


def broken() -> None:
    """Fail to set a suite up."""
    msg = "no database"
    raise RuntimeError(msg)


def end(value: object) -> None:
    """Tear it down."""
    calls.append(("end", value))


def _hidden() -> None:
    """Is not for suites."""
