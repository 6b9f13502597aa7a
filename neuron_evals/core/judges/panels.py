"""The judgements of one output as they come: what each judge said, and which gave no grade."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from neuron_evals.core.exceptions import ConfigurationError, JudgeError, StopRun
from neuron_evals.core.judges.judging import Judgement
from neuron_evals.core.messages import Usage
from neuron_evals.core.metrics import total_cost
from neuron_evals.core.tracebacks import class_and_message

if TYPE_CHECKING:
    from neuron_evals.core.agents import BaseAgent
    from neuron_evals.core.judges.votes import Vote


class Panel:
    """The judgements of one output, in the order in which they are asked for.

    A judge that gives no grade does not keep the others from being asked: what they say helps to see why. A judge that
    cannot be reached does, because there is no verdict without it, and the item may be tried again.

    Args:
        asked: How many judgements are wanted.
        described: What the judges are asked, for the context of the check.

    Attributes:
        judgements: Those that came so far.
    """

    def __init__(self, asked: int, described: Mapping[str, Any]) -> None:
        self.judgements: list[Judgement] = []
        self._asked = asked
        self._described = described

    @contextmanager
    def asking(self, judge: BaseAgent) -> Iterator[None]:
        """Keep what was said so far when the block, which has `judge` asked once, breaks.

        Raises:
            JudgeError: The block broke and there were judgements before; it comes from what the block raised.
            Exception: What the block raised, when there were none.
        """
        try:
            yield
        except (ConfigurationError, StopRun):
            raise
        except Exception as exc:
            if not self.judgements:
                raise
            text = class_and_message(exc)
            self.judgements.append(Judgement(None, judge=judge.name, error=text))
            msg = f"judgement {len(self.judgements)} of {self._asked} broke: {text}"
            raise JudgeError(msg, self._said()) from exc

    def scores(self) -> list[float]:
        """Return the scores of all.

        Raises:
            JudgeError: A judge gave no grade; what all of them said is in its context.
        """
        errors = [judgement.error for judgement in self.judgements if judgement.score is None]
        if not errors:
            return [judgement.score for judgement in self.judgements if judgement.score is not None]
        problems = "; ".join(errors)
        which = f"{len(errors)} of {self._asked} judgements without a grade: " if self._asked > 1 else ""
        raise JudgeError(which + problems, self._said())

    def context(self, found: Vote, reasons: str) -> dict[str, Any]:
        """Return what a check should carry.

        Args:
            found: What the judgements say together.
            reasons: Their reasonings in one text.
        """
        joint = {
            "score": found.score,
            "reasoning": reasons,
            "passing": found.passing,
            "spread": {"lowest": found.lowest, "highest": found.highest, "deviation": found.deviation},
        }
        return self._said() | (joint if self._asked > 1 else {})

    def _said(self) -> dict[str, Any]:
        """Return all that was asked and said; of several judgements usage, cost and time are the sums."""
        if self._asked == 1:
            return {**self._described, **self.judgements[0].details()}
        used = [judgement.usage for judgement in self.judgements if judgement.usage is not None]
        cost = total_cost(judgement.cost for judgement in self.judgements)
        return {
            **self._described,
            "usage": asdict(Usage.sum(used)) if len(used) == len(self.judgements) else None,
            "cost": None if cost is None else float(cost),
            "seconds": sum(judgement.seconds for judgement in self.judgements),
            "judgements": [judgement.details() for judgement in self.judgements],
        }
