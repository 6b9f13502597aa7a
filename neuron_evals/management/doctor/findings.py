"""One thing that is wrong, or could be better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from neuron_evals.core.tracebacks import describe_error


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or could be better.

    Attributes:
        where: What it is about, such as `provider "local"`.
        message: What is wrong, and what would be right.
        is_problem: Whether something cannot work; else it is advice.
    """

    where: str
    message: str
    is_problem: bool = True


def asked(where: str, questions: Callable[[], Iterable[str]], *, is_problem: bool = True) -> Iterator[Finding]:
    """Yield a finding for each answer; that nothing can be asked is one too.

    Args:
        where: What is asked about.
        questions: Returns what is wrong, a line each.
        is_problem: Whether something cannot work then.
    """
    try:
        for line in questions():
            yield Finding(where, line, is_problem)
    except (Exception, SystemExit) as exc:
        # Whatever a part of the project raises is what there is to say of it.
        yield Finding(where, str(exc) or describe_error(exc), is_problem)
