"""The app: what `django.setup()` loads because of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.apps import apps
from django.test import override_settings

from neuron_evals import ConfigurationError, run_case

ROOT = Path(__file__).parent.parent

HEAVY = (
    "django_rq",
    "httpcore",
    "httpx",
    "jsonschema",
    "numpy",
    "rapidfuzz",
    "redis",
    "regex",
    "rest_framework",
    "rich",
    "rq",
)

SCRIPT = f"""
import sys
import django
from django.conf import settings

settings.configure(INSTALLED_APPS=["neuron_evals"])
django.setup()
print(*sorted(set(sys.modules) & set({HEAVY})), *sorted(m for m in sys.modules if m.startswith("neuron_evals")))
"""


def test_setup__loads_nothing_heavy_and_little_of_the_app():
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, check=True, capture_output=True, text=True)
    loaded = result.stdout.split()
    assert "neuron_evals.models.runs" in loaded
    # The rows need no more of the engine than how values become JSON, and what a name is.
    assert [name for name in loaded if not name.startswith(("neuron_evals.core.jsonable", "neuron_evals.models"))] == [
        "neuron_evals",
        "neuron_evals.apps",
        "neuron_evals.checks",
        "neuron_evals.conf",
        "neuron_evals.conf.errors",
        "neuron_evals.conf.reading",
        "neuron_evals.conf.suite_defaults",
        "neuron_evals.conf.values",
        "neuron_evals.core",
        "neuron_evals.core.bounds",
        "neuron_evals.core.exceptions",
        "neuron_evals.core.naming",
        "neuron_evals.core.nearest",
        "neuron_evals.core.printable",
    ]


def test_app__named_and_labelled_for_good():
    config = apps.get_app_config("neuron_evals")
    assert (config.name, config.default_auto_field) == ("neuron_evals", "django.db.models.BigAutoField")
    assert str(config.verbose_name) == "Agent evaluations"


@pytest.mark.django_db
def test_agent_of_the_settings__may_be_given_by_name():
    with override_settings(NEURON_EVALS={"AGENTS": {"echo": "tests.testapp.agents.echo"}}):
        assert run_case({"input": "9?", "reference": "9"}, agent="echo").passed
        with pytest.raises(ConfigurationError, match='there is no agent "ecko"'):
            run_case({"input": "9?", "reference": "9"}, agent="ecko")
