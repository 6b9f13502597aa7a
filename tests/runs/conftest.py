"""The three kinds of databases, and settings with an agent."""

from __future__ import annotations

import pytest
from django.test import override_settings

from tests.models.conftest import _database, committing, using  # noqa: F401  (fixtures)
from tests.runs.samples import SETTINGS, Agent


@pytest.fixture(autouse=True)
def _agents():
    Agent.forget()
    with override_settings(NEURON_EVALS=SETTINGS):
        yield
