"""Whatever a model could produce ends as a stored item, and the run goes on."""

from __future__ import annotations

import random
import string

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neuron_evals import Message, ToolCall, Trajectory
from neuron_evals.core.jsonable import clean_json, clean_text
from neuron_evals.core.results import Check, Status, Verdict
from neuron_evals.models import EvalRunItem
from neuron_evals.outputs import stored_results
from neuron_evals.outputs.storing import Store
from tests.models.rows import make_run
from tests.outputs.running import NAME, Scripted, leased, result, stored

ANY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=50) | st.sampled_from(
    ["\x00", "a\x00b", "\ud800", "\udfff\ud800", "\u202e", "🍣\ufe0f", "\r\n", "'; --", "\\u0000", "NaN", "\x1b[31m"]
)
NUMBERS = st.floats(allow_nan=True, allow_infinity=True) | st.integers() | st.integers(-(2**200), 2**200)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | ANY_TEXT | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(text=ANY_TEXT, value=ANY_JSON, score=st.none() | st.floats(-1e300, 1e300), length=st.integers(0, 60))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_any_text_and_json__is_stored_as_it_is_cleaned(using, text, value, score, length):
    deep = value
    for _ in range(length):
        deep = [deep]
    trajectory = Trajectory(
        [Message("assistant", text, tool_calls=[ToolCall(text, {"argument": deep})]), Message("user", text)]
    )
    given_result = result(
        item_id=text or "empty",
        status=Status.FAILED,
        input={"id": text, text: value},
        output=deep,
        error=text,
        traceback=text,
        tags=(text,),
        checks=(Check(text, text, Verdict.FAILED, score, text, {text: deep}, NAME, 1),),
        trajectory=trajectory,
    )
    run = make_run(using, source=NAME)
    store = Store(leased(run))
    store.store([given_result])
    assert store.refused == 0
    [back] = stored_results(run)
    assert (back.output, back.input) == (clean_json(deep), clean_json(given_result.input))
    assert back.trajectory.messages()[1].content == clean_text(text)
    assert back.checks[0].score == score
    assert back.tags == (clean_text(text),)
    row = EvalRunItem.objects.using(using).get(run=run)
    assert row.trajectory == clean_json(row.trajectory)


def noise(size):
    return "".join(random.Random(1).choices(string.ascii_letters + "\x00\ud800é🍣\n", k=size))  # noqa: S311


MEGABYTE = noise(1_000_000)


@pytest.mark.parametrize(
    "output",
    [
        MEGABYTE * 20,
        {"text": [MEGABYTE * 5] * 4},
        {MEGABYTE: 1, "rows": list(range(300_000))},
        float("nan"),
        {"loss": float("nan"), "tool": [{"result": "a\x00b"}]},
        object(),
    ],
    ids=["20 MB of text", "20 MB of JSON", "a long key", "NaN", "NaN and NUL inside", "an object"],
)
def test_run_with_such_an_output__ends_with_every_item(committing, output):
    _, driver = stored(committing, Giving(output))
    [run] = driver.runs
    assert (run.status, run.passed_count, run.failed_count, run.error_count) == ("failed", 2, 1, 0)
    row = run.items.get(item_id="2")
    assert len(row.output_text) <= 256_000
    if isinstance(output, dict) and "loss" in output:
        assert row.output == {"loss": None, "tool": [{"result": "a\u2400b"}]}


class Giving(Scripted):
    """Gives one output that is not a right one."""

    def __init__(self, output):
        super().__init__([{"id": number} for number in (1, 2, 3)])
        self.output = output

    def run(self, item):
        return self.output if item["id"] == 2 else "yes"


def test_id_and_input_of_8000_random_characters__are_stored(committing):
    text = noise(8_000).replace("\x00", "0").replace("\ud800", "d")
    _, driver = stored(committing, Scripted([{"id": text, "input": text, "output": "yes"}]))
    row = driver.runs[0].items.get()
    assert (row.item_id, row.input["input"], len(row.item_key)) == (text, text, 64)


def test_error_of_9000_random_characters__is_stored(committing):
    def during(item):
        raise RuntimeError(noise(9_000))

    _, driver = stored(committing, Scripted([{"id": 1}], during))
    assert driver.runs[0].items.get().error.startswith("RuntimeError: ")
