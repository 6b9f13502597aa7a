"""What assertions about other assertions share: they check their parts when built."""

from __future__ import annotations

from neuron_evals.core.checking import Assertion
from neuron_evals.core.exceptions import InvalidArgument


def require_assertion(owner: str, role: str, candidate: object) -> None:
    """Refuse what is no assertion.

    Raises:
        InvalidArgument: `candidate` is no assertion; a class of assertions is none.
    """
    if not isinstance(candidate, Assertion):
        what = f"the class {candidate.__name__}" if isinstance(candidate, type) else type(candidate).__name__
        msg = f"{owner}: {role} must be an assertion such as StringContains('9'), got {what}"
        raise InvalidArgument(msg)
