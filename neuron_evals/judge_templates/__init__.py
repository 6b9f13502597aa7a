"""Judges that come with the package, as data: agents whose instructions say how to grade, without a model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

KINDS = ("general", "correctness", "faithfulness", "relevance", "helpfulness", "task-completion")
"""What they grade, in the order in which they are listed."""


@dataclass(frozen=True, slots=True)
class JudgeTemplate:
    """A judge that can be installed.

    Attributes:
        slug: Slug of the agent definition that is made of it, such as `eval-judge-correctness`.
        name: Its name.
        description: What it grades, for people.
        instructions: The system prompt.
    """

    slug: str
    name: str
    description: str
    instructions: str


@cache
def judge_templates() -> tuple[JudgeTemplate, ...]:
    """Return the judges that come with the package."""
    return tuple(_read(f"eval-judge-{kind}") for kind in KINDS)


def _read(slug: str) -> JudgeTemplate:
    data = json.loads(Path(__file__).with_name(f"{slug}.json").read_text(encoding="utf-8"))
    return JudgeTemplate(slug, data["name"], data["description"], "\n".join(data["instructions"]))
