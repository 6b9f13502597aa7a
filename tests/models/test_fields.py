"""Whatever a model says ends as a stored value, the same on every kind of database."""

from __future__ import annotations

import math
from typing import Any

import pytest
from django.db import connections
from django.db.models import F
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neuron_evals.core.jsonable import clean_json, clean_text
from neuron_evals.models import EvalRunItem
from neuron_evals.models.sizes import cut_json, cut_text
from tests.models.rows import item, make_agent, make_run, store

HARD = st.text(st.characters() | st.sampled_from("\x00\ud800\udfff\x1f🍣é\\'\"%\n"), max_size=40)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | HARD | st.binary(max_size=10),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(HARD, inner, max_size=5),
    max_leaves=25,
)
LONG = {
    "text": "long " * 4_000_000,
    "surrogates": "\ud83c" * 200_000,
    "quotes": "\\\"'" * 400_000,
    "list": ["\x00"] * 60_000,
    "messages": [{"role": "user", "content": "🍣" * 20_000}] * 30,
    "keys": {f"{number}" * 1_000: number for number in range(2_000)},
}


def deep(levels: int) -> object:
    value: object = "bottom"
    for _ in range(levels):
        value = [value]
    return value


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=VALUES, text=HARD, number=st.floats())
def test_anything__stored__is_its_cleaned_value(using, value, text, number):
    run = make_run(using)
    store(
        run, item(run, 0, input={"value": value}, output=value, output_text=text, error=text, score=number, cost=number)
    )
    row = run.items.get()
    assert row.output == clean_json(value)
    assert row.input == clean_json({"value": value})
    assert (row.output_text, row.error) == (clean_text(text), clean_text(text))
    finite = number if math.isfinite(number) else None
    assert row.score == row.cost == (None if finite is None else pytest.approx(finite))


@pytest.mark.parametrize("kind", LONG)
def test_megabytes__in_every_column_of_a_result__are_stored_cut(using, kind):
    run = make_run(using)
    value, text = LONG[kind], str(LONG[kind])
    columns: dict[str, Any] = {
        "input": value,
        "output": value,
        "output_text": text,
        "trajectory": value,
        "checks": value,
        "error": text,
    }
    store(run, *(item(run, index, **columns) for index in range(2)))
    for row in run.items.in_dataset_order():
        assert row.output == row.trajectory == cut_json(value)[0]
        assert row.output_text == row.error == cut_text(text)[0]


@pytest.mark.parametrize("levels", [29, 31, 32, 200, 5_000])
def test_depth__beyond_what_mariadb_takes__is_cut(using, levels):
    run = make_run(using)
    store(run, item(run, 0, output=deep(levels)))
    assert run.items.get().output == clean_json(deep(levels))


def test_every_way_to_write__cleans(using):
    run = make_run(using)
    bad = {"text": "a\x00b\ud800", "nan": math.nan}
    good = {"text": "a\u2400b\ufffd", "nan": None}
    items = EvalRunItem.objects.using(using)
    made = items.create(
        run=run, index=0, item_id="a", item_key="0" * 64, status="error", output=bad, error="\x00", score=math.inf
    )
    items.bulk_create([item(run, 1, output=bad, error="\ud800")])
    made.refresh_from_db()
    assert (made.output, made.error, made.score) == (good, "\u2400", None)
    assert (items.get(index=1).output, items.get(index=1).error) == (good, "\ufffd")
    items.update(output=[math.inf], output_text="\x00", score=math.nan)
    assert set(items.values_list("output_text", "score")) == {("\u2400", None)}
    rows = list(items.all())
    for row in rows:
        row.output = bad
    items.bulk_update(rows, ["output"])
    assert [row.output for row in items.all()] == [good, good]


def test_filter__by_what_cannot_be_stored__finds_what_was_stored(using):
    agent = make_agent(using, slug="a", model="a\x00\ud800")
    agents = type(agent).objects.using(using)
    assert agents.get(model="a\x00\ud800").model == "a\u2400\ufffd"
    assert not agents.filter(description="\x00").exists()


def test_expression__for_a_clean_column__passes(using):
    run = make_run(using)
    store(run, item(run, 0, output_text="said", score=0.5))
    run.items.update(error=F("output_text"), score=F("score") + 0.25)
    row = run.items.get()
    assert (row.error, row.score) == ("said", 0.75)


def test_number_that_json_has_not__in_an_old_row__reads_as_unknown(using):
    if connections[using].vendor == "mysql":
        return  # cannot hold one
    run = make_run(using)
    store(run, item(run, 0, score=0.5))
    infinity = "9e999" if connections[using].vendor == "sqlite" else "'Infinity'"
    with connections[using].cursor() as cursor:
        cursor.execute(f"UPDATE neuron_evals_evalrunitem SET score = {infinity}")  # noqa: S608  (constants)
    assert run.items.get().score is None
    assert list(run.items.values_list("score", flat=True)) == [None]


@pytest.mark.parametrize(
    "number", [1e15, 1e16, -4.621837047087049e16, 9.3e18, 1e19, -1e300, 1.7976931348623157e308, 1e-300, 0.1, 2**63 - 1]
)
def test_number__with_many_digits__is_the_same_number_of_the_same_size(using, number):
    run = make_run(using)
    store(run, item(run, 0, output={"numbers": [number]}, output_text="9" * 30))
    row = run.items.get()
    assert row.output == {"numbers": [number]}
    store(run, item(run, 1, output=row.output))
    assert run.items.get(index=1).output == {"numbers": [number]}


def test_digits_in_a_text__stay_text(using):
    run = make_run(using)
    value = {"9" * 30: ["9" * 30, "1e+16", 10**30]}
    store(run, item(run, 0, output=value))
    assert run.items.get().output == {"9" * 30: ["9" * 30, "1e+16", str(10**30)]}
