"""Replies: what a call gets that has certain arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from neuron_evals.core.agents.errors import ToolFault
from neuron_evals.core.exceptions import EvaluationError, InvalidArgument
from neuron_evals.core.jsonable import clean_json
from neuron_evals.core.matchers import Constraint, fits, require_constraint
from neuron_evals.core.tracebacks import describe_error

REPLY_KEYS = ("arguments", "result", "error")


@dataclass(frozen=True)
class Reply:
    """What a call gets that has certain arguments.

    Attributes:
        arguments: What the arguments must be; `None` wants nothing.
        result: What is returned, as JSON.
        error: What it fails with instead; `None` when it does not.
    """

    arguments: Constraint | None = None
    result: Any = None
    error: str | Exception | None = None

    def fits(self, arguments: Mapping[str, Any]) -> bool:
        """Return whether the reply is for a call with these arguments.

        Raises:
            EvaluationError: A predicate broke: that is no failure of the tool, which the model might be told.
        """
        try:
            return fits(self.arguments, arguments)
        except Exception as exc:
            msg = f"a stub's predicate broke on the arguments: {describe_error(exc)}"
            raise EvaluationError(msg) from exc

    def give(self) -> Any:
        """Return the result, a new object each time, or raise the error."""
        if self.error is None:
            return clean_json(self.result)
        if isinstance(self.error, str):
            raise ToolFault(self.error)
        # Each raise would add its frames to those of the one before.
        raise self.error.with_traceback(None)


def require_error(owner: str, value: Any) -> None:
    """Refuse what no tool fails with.

    Raises:
        InvalidArgument: It is neither text nor an exception, or blank.
    """
    if not isinstance(value, str | Exception):
        msg = f'{owner} must be text, or an exception such as TimeoutError("..."), got {type(value).__name__}'
        raise InvalidArgument(msg)
    if isinstance(value, str) and not value.strip():
        msg = f"{owner} must not be blank"
        raise InvalidArgument(msg)


def as_replies(owner: str, given: Any) -> tuple[Reply, ...]:
    """Return replies that were written as mappings.

    Raises:
        InvalidArgument: It is no list, an empty one, or an element is no reply.
    """
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        msg = f"{owner} must be a list of mappings, got {type(given).__name__}"
        raise InvalidArgument(msg)
    replies = tuple(_reply(f"{owner}[{position}]", value) for position, value in enumerate(given))
    if not replies:
        msg = f"{owner} must not be empty"
        raise InvalidArgument(msg)
    return replies


def _reply(place: str, given: Any) -> Reply:
    keys = ", ".join(REPLY_KEYS)
    if not isinstance(given, Mapping):
        msg = f"{place} must be a mapping with {keys}, got {type(given).__name__}"
        raise InvalidArgument(msg)
    if unknown := [key for key in given if key not in REPLY_KEYS]:
        msg = f"{place}: {unknown[0]!r} is unknown; the keys are {keys}"
        raise InvalidArgument(msg)
    if ("result" in given) == ("error" in given):
        msg = f"{place} needs either result or error"
        raise InvalidArgument(msg)
    if "error" in given:
        require_error(f"{place}: error", given["error"])
    if given.get("arguments") is not None:
        require_constraint(place, "arguments", given["arguments"])
    return Reply(given.get("arguments"), clean_json(given.get("result")), given.get("error"))
