"""Whatever an agent says ends as a stored item of a run that ends, on every kind of database."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from django.test import override_settings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neuron_evals import AgentReply, Message, ToolCall
from neuron_evals.core.jsonable import clean_json, clean_text
from neuron_evals.outputs import stored_results
from neuron_evals.runs import create_run, execute_run
from tests.outputs.test_anything import ANY_JSON, ANY_TEXT
from tests.runs.samples import SETTINGS, Agent, make_suite

ITEMS = 3
SHORT = 1_000
DEEP = 70
LONG = 20_000


class Saying(Agent):
    """Says and calls what a test has drawn."""

    drawn: ClassVar[dict[str, tuple[str, Any, int]]] = {}

    def chat(self, message: str | Message) -> AgentReply:
        asked = message if isinstance(message, str) else message.content
        text, value, depth = self.drawn[asked]
        value = nested(value, depth)
        said = Message("assistant", text)
        calls = [ToolCall(f"call {text[:50]}", {text[:50]: value}, result=value)]
        called = [Message("assistant", "", tool_calls=calls), Message("tool", "", tool_calls=calls)]
        self._history = (*self._history, Message("user", asked), *called, said)
        return AgentReply(text, said)


@pytest.fixture(autouse=True)
def _saying():
    with override_settings(NEURON_EVALS={**SETTINGS, "AGENTS": {"noting": f"{__name__}.Saying"}}):
        yield


def nested(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = [value]
    return value


TEXT = st.builds(str.__mul__, ANY_TEXT, st.sampled_from([1, 1, 1, LONG]))
SAID = st.tuples(TEXT, ANY_JSON, st.sampled_from([0, 0, DEEP]))


@given(said=st.lists(SAID, min_size=ITEMS, max_size=ITEMS), concurrency=st.sampled_from([1, 2]))
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_anything_said__is_stored_and_the_run_ends(committing, said, concurrency):
    Saying.drawn = {f"say {number}": each for number, each in enumerate(said)}
    dataset = [{"id": text, "input": text, "reference": "9"} for text in Saying.drawn]
    suite = make_suite(committing, dataset)

    run = execute_run(create_run(suite, options={"concurrency": concurrency}).pk, using=committing)

    assert (run.status in ("passed", "failed"), run.error, run.total_count, run.error_count) == (True, "", ITEMS, 0)
    results = {result.item_id: result for result in stored_results(run)}
    assert list(results) == list(Saying.drawn)
    for asked, (text, value, depth) in Saying.drawn.items():
        output, [call] = results[asked].output, results[asked].trajectory.tool_calls()
        # How much of what is long or deep stays depends on where in a row it stands.
        assert output == clean_text(text) if len(text) < SHORT else len(output) <= len(text)
        expected = call if depth or len(text) >= SHORT else ToolCall("", {text[:50]: value}, result=value)
        assert call.arguments == clean_json(expected.arguments)
        assert call.result == clean_json(expected.result)
