"""What takes part in the cases of `cases.json`: their suites, and agents and judges that say what a case says."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

from neuron_evals import Agent, BaseAgent, FakeProvider, ToolCall

CASES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))
REFUSED = [case for case in CASES if "problems" in case]
ACCEPTED = [case for case in CASES if "statuses" in case]


def titles(cases: list[dict[str, Any]]) -> list[str]:
    return [case["title"] for case in cases]


def statuses_of(case: dict[str, Any]) -> list[str]:
    return [case["statuses"][0]] * case["statuses"][1] if "statuses_times" in case else list(case["statuses"])


def suite_of(case: dict[str, Any]) -> Any:
    if "repeat" in case:
        item, count = case["repeat"]
        return [item] * count
    return case["suite"] if "suite" in case else case["text"]


class Replies:
    """An agent that answers, or raises, as the case says for each item in turn."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.errors = case.get("errors", {})
        self.replies = case.get("replies", "OK")
        if "reply_times" in case:
            text, times, end = case["reply_times"]
            self.replies = text * times + end
        self.calls = itertools.count()

    def __call__(self, text: str) -> str:
        position = next(self.calls)
        error = self.errors if isinstance(self.errors, str) else self.errors.get(str(position))
        if error is not None:
            raise RuntimeError(error)
        return self.replies if isinstance(self.replies, str) else self.replies[position]


def agent_of(case: dict[str, Any]) -> Any:
    if "calls" not in case:
        return Replies(case)
    calls, count = case["calls"], len(case["suite"])
    by_item = calls if isinstance(calls, dict) else {str(position): calls for position in range(count)}
    said: list[Any] = []
    for position in range(count):
        names = by_item.get(str(position), [])
        said += [[ToolCall(name) for name in names]] if names else []
        said.append(case.get("replies", "OK"))
    return Agent(FakeProvider(*said))


class Grader:
    """A provider's replies for the judge of a case."""

    def __init__(self, grades: Any) -> None:
        endless = not isinstance(grades, list)
        self.grades = itertools.repeat(grades) if endless else iter(grades)

    def provider(self, count: int) -> FakeProvider:
        replies = (self._reply(grade) for grade in itertools.islice(self.grades, count))
        return FakeProvider(*replies, model="grader")

    @staticmethod
    def _reply(grade: Any) -> Any:
        if isinstance(grade, dict):
            return RuntimeError(grade["raises"]) if "raises" in grade else grade["says"]
        return {"reasoning": "because", "score": grade}


def judge_of(case: dict[str, Any]) -> tuple[BaseAgent | None, FakeProvider | None]:
    if "judge" not in case:
        return None, None
    provider = Grader(case["judge"]).provider(20)
    return Agent(provider), provider


def judge_was_asked_as_it_should(case: dict[str, Any], provider: FakeProvider) -> None:
    """Refuse what was asked of the judge of a case where the case says something else of it."""
    prompts = ["\n".join(message.content for message in request.messages) for request in provider.requests]
    if "judge_calls" in case:
        assert provider.call_count == case["judge_calls"]
    if "messages_of_judge_calls" in case:
        assert [len(request.messages) for request in provider.requests] == case["messages_of_judge_calls"]
    assert all(any(text in prompt for prompt in prompts) for text in case.get("prompts_have", []))
    assert not any(text in prompt for prompt in prompts for text in case.get("prompts_lack", []))
