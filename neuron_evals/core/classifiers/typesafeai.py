"""The classifiers of TypeSafeAI."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from neuron_evals.core.classifiers.answers import ClassificationResult
from neuron_evals.core.classifiers.contract import BaseClassifier, ClassificationRequest
from neuron_evals.core.classifiers.definitions import Boolean, Choice, Definition, Score
from neuron_evals.core.exceptions import ClassifierError, InvalidArgument
from neuron_evals.core.jsonable import clean_json
from neuron_evals.core.providers.endpoint import JsonEndpoint

URL = "https://api.typesafe.ai/v1/systemone"
MAX_OPTIONS = 255
MAX_LEVELS = 10

_TYPES: Mapping[type[Any], str] = {Boolean: "noul", Score: "score", Choice: "choice"}


class TypeSafeAI(BaseClassifier):
    """Asks TypeSafeAI; all questions of a request go in one call.

    Args:
        api_key: The key, or a callable that returns it.
        model: Name of the model; not blank.
        api_key_env: Name of the environment variable that holds the key; used when `api_key` is not given.
        url: The address.
        timeout: Seconds that a call may take in all, retries and waiting included.
        max_retries: How often a failed call is repeated: after 408, 409, 425, 429, 5xx and connection errors.

    Raises:
        InvalidArgument: The model or a key given as text is blank, no key is named, or the address is none.
    """

    def __init__(  # noqa: PLR0913  (what decides a call)
        self,
        api_key: str | Callable[[], str] | None = None,
        model: str = "jev-latest",
        *,
        api_key_env: str | None = None,
        url: str = URL,
        timeout: float = 60.0,
        max_retries: int = 4,
    ) -> None:
        named: Any = model
        if not isinstance(named, str) or not named.strip():
            msg = f"TypeSafeAI: model is the name of a model, not blank, got {named!r}"
            raise InvalidArgument(msg)
        if (isinstance(api_key, str) and not api_key.strip()) or (api_key is None and not api_key_env):
            msg = "TypeSafeAI: api_key must not be blank; or name the variable that holds it by api_key_env"
            raise InvalidArgument(msg)
        self.model = model
        self._endpoint = JsonEndpoint(
            f"TypeSafeAI {model}",
            url,
            api_key=api_key,
            api_key_env=api_key_env,
            timeout=timeout,
            max_retries=max_retries,
        )

    def classify(self, request: ClassificationRequest) -> ClassificationResult:
        """Return an answer to each question.

        Raises:
            InvalidArgument: A question has more options or levels than the service takes; nothing was sent.
            ProviderError: There is no reply.
            ClassifierError: The reply does not answer the questions; its beginning is in the error's context.
        """
        return _result(request, self._endpoint.post(self._body(request)))

    async def aclassify(self, request: ClassificationRequest) -> ClassificationResult:
        """Return an answer to each question; like `classify`, for async code."""
        return _result(request, await self._endpoint.apost(self._body(request)))

    def problems(self) -> list[str]:
        """Return what would make every call fail, such as a key that is not set, a line each."""
        return self._endpoint.problems()

    def close(self) -> None:
        """Close the connections that no call uses. The classifier can be used again."""
        self._endpoint.close()

    async def aclose(self) -> None:
        """Close the connections of the running event loop that no call uses."""
        await self._endpoint.aclose()

    def _body(self, request: ClassificationRequest) -> dict[str, Any]:
        questions = {name: _question(name, definition) for name, definition in request.questions.items()}
        return {"model": self.model, "state": clean_json(request.input), "questions": questions}


def _question(name: str, definition: Definition) -> dict[str, Any]:
    question: dict[str, Any] = {"type": _TYPES[type(definition)], "instructions": definition.instructions}
    if isinstance(definition, Choice):
        _require_most(name, "options", len(definition.options), MAX_OPTIONS)
        question["criteria"] = dict(definition.options)
    elif isinstance(definition, Score):
        _require_most(name, "levels", len(definition.levels), MAX_LEVELS)
        question["criteria"] = list(definition.levels)
    return question


def _require_most(name: str, role: str, count: int, most: int) -> None:
    if count > most:
        msg = f"TypeSafeAI: the question {name!r} has {count} {role}; the service takes up to {most}"
        raise InvalidArgument(msg)


def _result(request: ClassificationRequest, data: Mapping[str, Any]) -> ClassificationResult:
    answers = data.get("answers")
    context = {"reply": clean_json(data)}
    if not isinstance(answers, Mapping):
        msg = 'TypeSafeAI: the reply has no "answers" by question'
        raise ClassifierError(msg, context)
    given = {}
    for name, answer in answers.items():
        definition = request.questions.get(name)
        kind = answer.get("type") if isinstance(answer, Mapping) else None
        if definition is not None and kind != _TYPES[type(definition)]:
            msg = f"TypeSafeAI: the answer to {name!r} has the type {kind!r}, asked was {_TYPES[type(definition)]!r}"
            raise ClassifierError(msg, context)
        given[name] = answer.get("noul" if kind == "noul" else "probabilities") if isinstance(answer, Mapping) else None
    try:
        return ClassificationResult(request.questions, given)
    except ClassifierError as exc:
        msg = f"TypeSafeAI: {exc}"
        raise ClassifierError(msg, context) from None
