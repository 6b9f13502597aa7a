from __future__ import annotations

import asyncio
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from neuron_evals.core.exceptions import InvalidArgument
from neuron_evals.core.messages import Usage
from neuron_evals.core.metrics import (
    Collected,
    ModelCall,
    collecting,
    record_metric,
    record_tool_errors,
    record_tools,
    record_usage,
    usage_kind,
)


def test_what_is_recorded_inside__is_collected_by_every_collector_around_it():
    record_usage(seconds=9)
    with collecting() as outer:
        record_usage(Usage(1, 2), Decimal("0.5"), "small", seconds=1)
        with collecting() as inner:
            record_tools(0.25)
            record_usage(seconds=2)
    record_usage(seconds=9)
    assert [call.seconds for call in outer.model_calls] == [1, 2]
    assert [call.seconds for call in inner.model_calls] == [2]
    assert (outer.tool_seconds(), inner.tool_seconds()) == (0.25, 0.25)
    assert outer.model_calls[0] == ModelCall("agent", 1, Usage(1, 2), Decimal("0.5"), "small")


def test_kinds__are_counted_apart_and_end_with_their_block():
    with collecting() as collected:
        record_usage(Usage(10, 1), Decimal(1), seconds=1)
        with usage_kind("judge"):
            record_usage(Usage(20, 2), Decimal(2), seconds=2)
            record_tools(0.5)
        record_tools(0.25)
    assert (collected.usage("agent").total, collected.usage("judge").total, collected.usage().total) == (11, 22, 33)
    assert (collected.cost("agent"), collected.cost("judge"), collected.cost()) == (Decimal(1), Decimal(2), Decimal(3))
    assert (collected.model_seconds("agent"), collected.model_seconds("judge")) == (1, 2)
    assert (collected.tool_seconds("agent"), collected.tool_seconds("judge")) == (0.25, 0.5)


@pytest.mark.parametrize(
    ("calls", "whole", "known"),
    [
        ([], (None, None), (None, None)),
        ([ModelCall("agent", 1, Usage(1, 2), Decimal(0))], (Usage(1, 2), Decimal(0)), (Usage(1, 2), Decimal(0))),
        ([ModelCall("agent", 1, model="small")], (Usage(), None), (Usage(), None)),
        (
            [
                ModelCall("agent", 1, Usage(1, 2), Decimal(3)),
                ModelCall("agent", 1, model="small"),
                ModelCall("agent", 1, Usage(4)),
            ],
            (Usage(requests=3), None),
            (Usage(5, 2, requests=3), Decimal(3)),
        ),
        # An agent that tells nothing may have called a model any number of times.
        ([ModelCall("agent", 1)], (None, None), (None, None)),
        (
            [ModelCall("agent", 1, Usage(1, 2), Decimal(3)), ModelCall("agent", 1)],
            (None, None),
            (Usage(1, 2), Decimal(3)),
        ),
    ],
)
def test_unknown__is_never_zero_and_what_is_known_beside_it_is_told_apart(calls, whole, known):
    collected = Collected(calls)
    assert (collected.usage(), collected.cost()) == whole
    assert (collected.known_usage(), collected.known_cost()) == known


def test_threads_in_a_copied_context__record_where_they_were_started():
    with collecting() as collected, usage_kind("simulator"):
        threads = [
            threading.Thread(target=contextvars.copy_context().run, args=(lambda: record_usage(seconds=1),))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [call.kind for call in collected.model_calls] == ["simulator"] * 8


def test_tasks__each_collect_their_own():
    async def item(number: int) -> list[float]:
        with collecting() as collected:
            for _ in range(3):
                await asyncio.sleep(0)
                record_usage(seconds=number)
        return [call.seconds for call in collected.model_calls]

    async def items() -> list[list[float]]:
        return await asyncio.gather(*map(item, range(4)))

    assert asyncio.run(items()) == [[number] * 3 for number in range(4)]


def test_steps__are_unknown_where_one_call_does_not_tell():
    with collecting() as collected:
        record_usage(Usage(1, 2, requests=3), seconds=1, first_token=0.5, attempts=2, tool_calls=1)
        with usage_kind("judge"):
            record_usage(seconds=1)
            record_tool_errors(1)
        record_tool_errors(2)
    assert (collected.iterations("agent"), collected.retries("agent"), collected.tool_calls("agent")) == (3, 1, 1)
    assert (collected.iterations("judge"), collected.retries("judge"), collected.tool_calls("judge")) == (None,) * 3
    assert (collected.iterations(), collected.retries(), collected.tool_calls()) == (None,) * 3
    assert (collected.first_token("agent"), collected.first_token("judge")) == (0.5, None)
    assert collected.tool_errors == ["judge", "agent", "agent"]
    assert (Collected().iterations(), Collected().first_token(), Collected().retries()) == (None,) * 3


@pytest.mark.parametrize(
    ("value", "recorded"),
    [
        (3, 3.0),
        (True, 1.0),
        (Decimal("0.5"), 0.5),
        (Fraction(1, 4), 0.25),
        (np.int64(3), 3.0),
        (np.float32(0.5), 0.5),
        (np.bool_(True), 1.0),
    ],
)
def test_record_metric__numbers_of_every_kind(value, recorded):
    with collecting() as collected:
        record_metric("found", value)
    assert collected.metrics == {"found": recorded}
    assert type(collected.metrics["found"]) is float


WRONG = [float("nan"), float("inf"), -1e301, None, "3", b"3", 10**400, Decimal("NaN"), np.array([1, 2]), 1j, object()]


@pytest.mark.parametrize("value", WRONG)
def test_record_metric__what_is_no_number__is_refused_in_an_item_and_nothing_outside(value):
    record_metric("found", value)
    with collecting(), pytest.raises(InvalidArgument, match="the value of 'found' must be a number"):
        record_metric("found", value)


@pytest.mark.parametrize("name", ["", " ", "x" * 101, 3, None])
def test_record_metric__wrong_name__is_refused_in_an_item_and_nothing_outside(name):
    record_metric(name, 1)
    with collecting(), pytest.raises(InvalidArgument, match="name must be text"):
        record_metric(name, 1)


def test_record_metric__own_threads__are_inside_by_a_copy_of_the_context():
    with collecting() as collected, ThreadPoolExecutor(1) as pool:
        pool.submit(record_metric, "outside", 1).result()
        pool.submit(copy_context().run, record_metric, "inside", 1).result()
    assert collected.metrics == {"inside": 1.0}
