"""The three kinds of databases, and processes on them."""

from __future__ import annotations

import pytest
from django.test import override_settings

from tests.killed_runs.processes import processes_on
from tests.models.conftest import _database, committing  # noqa: F401  (fixtures)
from tests.runs.samples import SETTINGS, Agent


@pytest.fixture(autouse=True)
def _agents():
    Agent.forget()
    with override_settings(NEURON_EVALS=SETTINGS):
        yield


@pytest.fixture
def processes(committing, tmp_path):  # noqa: F811  (a fixture)
    with processes_on(committing, tmp_path) as started:
        yield started
