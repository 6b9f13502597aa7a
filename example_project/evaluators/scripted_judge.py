"""A judge without a model, so that the example needs none. A real one is an agent as well, and is used the same way."""

from __future__ import annotations

import json
import re

from neuron_evals import ModelRequest
from shop.scripted_model import ScriptedModel

ANSWER = re.compile(r"^Assistant: (.+)$", re.MULTILINE)
REJECTED = re.compile(r"^Tool call: .+ \[rejected: (.+)\]$", re.MULTILINE)


class ScriptedJudge(ScriptedModel):
    """Grades a conversation: no customer may be left with a question, or without the reason of a rejection."""

    model = "scripted judge"

    def decide(self, request: ModelRequest) -> str:
        transcript = request.messages[-1].content
        answers, rejections = ANSWER.findall(transcript), REJECTED.findall(transcript)
        if not answers or answers[-1].endswith("?"):
            return _grade(0.2, "The customer is left with a question.")
        if rejections and rejections[-1] not in "\n".join(answers):
            return _grade(0.4, "The customer was not told why the refund was rejected.")
        return _grade(1.0, "The customer knows what came of the request, and why.")


def _grade(score: float, reasoning: str) -> str:
    return json.dumps({"reasoning": reasoning, "score": score})
