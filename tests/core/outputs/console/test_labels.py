from __future__ import annotations

import pytest

from neuron_evals.core.outputs.console.labels import Labels


@pytest.mark.parametrize(
    ("classes", "labels"),
    [
        (["shop.evals.Support"], ["Support"]),
        (["shop.evals.Support", "shop.evals.Support"], ["Support", "Support"]),
        (["a.Support", "b.Support", "a.Refunds"], ["a.Support", "b.Support", "Refunds"]),
        (["evals/broken.py", "broken.py", "evals.Support"], ["evals/broken.py", "broken.py", "Support"]),
        (["tests.test_a.test_it.<locals>.Echo"], ["Echo"]),
    ],
)
def test_an_evaluator_has_its_short_name_unless_two_share_it(classes, labels):
    names = Labels(classes)
    assert [names.of(name) for name in classes] == labels


def test_an_evaluator_nobody_announced_has_its_short_name():
    assert Labels(()).of("shop.evals.Support") == "Support"
