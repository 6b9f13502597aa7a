"""The admin of the example: an agent and a suite by its forms, and a run that a process of its own carries."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.example import copied, load_rows, manage

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
import json, time
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from neuron_evals.models import AgentDefinition, EvalRun, EvalSuite

def page(name, *keys):
    return reverse(f"admin:neuron_evals_{name}", args=keys)

found = {}
client = Client(SERVER_NAME="127.0.0.1")
found["stranger"] = client.get(page("evalsuite_add")).status_code
client.force_login(get_user_model().objects.create_superuser("admin"))
client.post(page("agentdefinition_add"), {"name": "Support", "code": "support", "is_active": "on"})
dataset = json.dumps([
    {"id": "unknown", "input": "Where is order 1234?", "reference": "cannot find an order with the number 1234"},
    {"id": "wrong", "input": "Where is order 1234?", "reference": "on its way"},
])
form = {"name": "Orders", "agent": AgentDefinition.objects.get().pk, "dataset": dataset, "is_active": "on"}
client.post(page("evalsuite_add"), form)
found["went_to"] = client.post(page("evalsuite_run", EvalSuite.objects.get().pk)).url
deadline = time.monotonic() + 300
while not EvalRun.objects.get().is_over and time.monotonic() < deadline:
    time.sleep(0.2)
run = EvalRun.objects.get()
found["run"] = [run.pk, run.status, run.trigger, run.triggered_by.username, run.passed_count, run.failed_count]
found["page"] = client.get(page("evalrun_change", run.pk)).content.decode()
found["item"] = client.get(page("evalrunitem_change", run.items.get(item_id="wrong").pk)).content.decode()
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a superuser found who made an agent and a suite, pressed the button, and waited for the end."""
    example: Path = copied(tmp_path_factory.mktemp("clone"))
    load_rows(example)
    done = manage(example, "shell", "-c", SCRIPT)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def test_suite_written_and_run_in_the_admin__is_executed_by_a_process_of_its_own(found):
    number = found["run"][0]
    assert found["run"] == [number, "failed", "admin", "admin", 1, 1]
    assert found["went_to"] == f"/admin/neuron_evals/evalrun/{number}/change/"
    assert "2 of 2: 1 passed, 1 failed, 0 error" in found["page"]


def test_result_of_that_run__shows_what_the_agent_said_and_what_was_expected(found):
    assert "I cannot find an order with the number 1234. Please check your confirmation." in found["item"]
    assert "on its way" in found["item"]


def test_stranger__sees_the_login_alone(found):
    assert found["stranger"] == 302
