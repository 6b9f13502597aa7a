"""An item that broke is a row like any other, whatever it holds."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest

from neuron_evals.core.outputs import JsonOutput
from neuron_evals.core.runner import EvaluatorRunner, Listener
from tests.core.samples import Echo, inputs

STRANGE = {
    "numpy": ({"n": np.int64(3), "v": np.array([1, 2])}, {"n": 3, "v": [1, 2]}),
    "nan": ({"n": float("nan")}, {"n": None}),
    "set": ({1}, [1]),
    "object": (object(), "[builtins.object]"),
    "surrogate": ("a\ud800\x00", "a\ufffd\u2400"),
}


class Breaking(Echo):
    """Returns something strange, and then breaks."""

    def run(self, item):
        return STRANGE[item["input"]][0]

    def evaluate(self, output, item):
        raise ValueError(output)


@pytest.mark.parametrize("kind", ["inline", "threads", "async", "processes"])
def test_item_breaks_after_a_strange_output__a_row_with_that_output_as_json(kind):
    concurrency = 1 if kind == "inline" else 3
    report = EvaluatorRunner().prepare_run([Breaking(inputs(*STRANGE))], concurrency, workers=kind).execute(Listener())
    stream = io.StringIO()
    JsonOutput(stream=stream).output(report)
    rows = json.loads(stream.getvalue())["results"]

    assert [row["status"] for row in rows] == ["error"] * len(STRANGE)
    assert all(row["error"].startswith("ValueError: ") for row in rows)
    assert [row["output"] for row in rows] == [told for _, told in STRANGE.values()]
