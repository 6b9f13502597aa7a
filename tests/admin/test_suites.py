"""Suites in the admin: every problem by item and field, nothing stored on a problem, and running them."""

from __future__ import annotations

import json

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.messages import get_messages
from django.test import override_settings
from django.urls import reverse

from neuron_evals.models import AgentDefinition, EvalRun, EvalSuite
from tests.admin.conftest import SETTINGS
from tests.admin.launchers import Noting
from tests.models.rows import make_agent, make_suite

pytestmark = pytest.mark.django_db
ADD = "admin:neuron_evals_evalsuite_add"
GOOD = [{"id": "hours", "input": "When?", "reference": "9"}]


def _form(dataset: object = GOOD, **fields: object) -> dict[str, object]:
    agent = AgentDefinition.objects.first() or make_agent("default")
    text = dataset if isinstance(dataset, str) else json.dumps(dataset)
    return {"name": "Smoke tests", "agent": agent.pk, "dataset": text, "is_active": "on", **fields}


def _errors(response) -> dict[str, list[str]]:
    return dict(response.context["adminform"].form.errors)


def _page(suite: EvalSuite, page: str = "change") -> str:
    return reverse(f"admin:neuron_evals_evalsuite_{page}", args=[suite.pk])


def _told(response) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]


def test_good_suite__is_stored_with_who_made_it(root):
    assert root.post(reverse(ADD), _form(repeats="3")).status_code == 302
    suite = EvalSuite.objects.get()
    assert (suite.slug, suite.dataset, suite.item_count, suite.repeats) == ("smoke-tests", GOOD, 1, 3)
    assert suite.created_by.username == "person-0"
    assert (suite.tags, suite.metadata, suite.judge_config) == ([], {}, {})


def test_items_with_problems__are_all_shown_by_item_and_field_and_nothing_is_stored(root):
    dataset = [
        GOOD[0],
        {"id": "odd", "input": "x", "_assertions": [{"type": "contians", "value": "9"}]},
        {"input": "y", "reference": "z", "timeout": -1},
        {"input": "z", "_assertions": [{"type": "correctness", "expected": "z"}]},
    ]
    response = root.post(reverse(ADD), _form(dataset))
    errors = "\n".join(_errors(response)["dataset"])
    assert 'item 1 (id "odd"), _assertions[0].type' in errors
    assert "item 2, timeout" in errors
    assert "item 3, _assertions[0]" in errors
    assert EvalSuite.objects.count() == 0


def test_problems_of_several_fields__are_shown_at_once(root):
    response = root.post(reverse(ADD), _form([], name="", min_success_rate="2", tags='["a", "a"]'))
    assert set(_errors(response)) == {"name", "dataset", "min_success_rate", "tags"}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('[\n {"input": x}\n]', "line 2, column 12"),
        ('[{"input": NaN}]', "line 1, column 12: NaN is not JSON"),
        ('[{"input": "x", "input": "y"}]', "is there twice"),
        ('[{"input": "\\u0000"}]', "NUL"),
        ('[{"input": "\\ud800"}]', "surrogate"),
        ("[" * 100_000, "line 1"),
        ("[] []", "more text follows"),
    ],
)
def test_text_that_is_no_json__is_refused_at_its_place_and_given_back_as_typed(text, place, root):
    response = root.post(reverse(ADD), _form(text))
    assert place in _errors(response)["dataset"][0]
    assert response.context["adminform"].form["dataset"].value() == text
    assert EvalSuite.objects.count() == 0


@pytest.mark.parametrize("text", ["", "null", '"text"', "{}"])
def test_dataset_that_is_no_list_or_empty__is_refused(text, root):
    assert "dataset" in _errors(root.post(reverse(ADD), _form(text)))


def test_field_of_json_left_empty__has_its_default(root):
    root.post(reverse(ADD), _form(tags="", metadata="null"))
    suite = EvalSuite.objects.get()
    assert (suite.tags, suite.metadata) == ([], {})


def test_stored_suite__keeps_its_slug_and_takes_no_bad_dataset(root):
    suite = make_suite("default", dataset=GOOD)
    assert 'name="slug"' not in root.get(_page(suite)).content.decode()
    response = root.post(_page(suite), _form([{"input": "x", "odd": 1}], name="Other"))
    assert "item 0, odd" in _errors(response)["dataset"][0]
    assert root.post(_page(suite), _form(name="Other", slug="other")).status_code == 302
    stored = EvalSuite.objects.get()
    assert (stored.name, stored.slug, stored.dataset) == ("Other", "smoke-tests", GOOD)


def test_suite_shown_and_saved_again__is_the_same(root):
    dataset = [
        {"id": "déjà", "input": "<b> & \u202e 1e22", "reference": "9", "metadata": {"large": 1e22, "small": 1.5}}
    ]
    suite = make_suite("default", dataset=dataset)
    text = root.get(_page(suite)).context["adminform"].form["dataset"].value()
    assert text.startswith('[\n  {\n    "id": "déjà"')
    assert root.post(_page(suite), _form(text)).status_code == 302
    again = EvalSuite.objects.get()
    assert (again.dataset, again.content_hash) == (suite.dataset, suite.content_hash)


def test_run__is_made_for_the_person_handed_over_and_logged(signed_in, django_capture_on_commit_callbacks):
    client = signed_in("view_evalsuite", "run_evalsuite", "view_evalrun")
    suite = make_suite("default", dataset=GOOD)
    with django_capture_on_commit_callbacks(execute=True):
        response = client.post(_page(suite, "run"))
    run = EvalRun.objects.get()
    assert response.url == reverse("admin:neuron_evals_evalrun_change", args=[run.pk])
    assert (run.suite, run.trigger, run.triggered_by.username) == (suite, "admin", "person-0")
    assert (run.status, run.planned_count, Noting.launched) == ("queued", 1, [run.pk])
    assert LogEntry.objects.get().get_change_message() == f"Started run {run.pk}."


def test_run__by_one_who_may_not_see_runs__goes_back_to_the_suite(signed_in):
    suite = make_suite("default", dataset=GOOD)
    response = signed_in("view_evalsuite", "run_evalsuite").post(_page(suite, "run"))
    assert response.url == _page(suite)


def test_suite_with_problems__is_not_run_and_each_problem_is_a_message(root):
    suite = make_suite("default", dataset=[{"input": "x", "reference": "9", "odd": 1}, {"input": "y"}], is_active=False)
    told = _told(root.post(_page(suite, "run")))
    assert len(told) == 3
    assert all(message.startswith('Suite "Smoke tests" was not run: ') for message in told)
    assert any("is inactive" in message for message in told)
    assert any("item 0, odd" in message for message in told)
    assert (EvalRun.objects.count(), Noting.launched, LogEntry.objects.count()) == (0, [], 0)


def test_many_problems__are_told_as_far_as_a_page_holds_them(root):
    suite = make_suite("default", dataset=[{"input": "x"}] * 40)
    told = _told(root.post(_page(suite, "run")))
    assert (len(told), told[-1]) == (21, "And 20 more problems.")


def test_launcher_that_cannot_be_used__leaves_no_run(root):
    suite = make_suite("default", dataset=GOOD)
    with override_settings(NEURON_EVALS={**SETTINGS, "LAUNCHER": "tests.admin.launchers.Unusable"}):
        told = _told(root.post(_page(suite, "run")))
    assert told == ['Suite "Smoke tests" was not run: there is no queue']
    assert EvalRun.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_launcher_that_takes_nothing__leaves_a_queued_run_that_says_why(root):
    suite = make_suite("default", dataset=GOOD)
    with override_settings(NEURON_EVALS={**SETTINGS, "LAUNCHER": "tests.admin.launchers.Unreachable"}):
        response = root.post(_page(suite, "run"), follow=True)
    run = EvalRun.objects.get()
    assert (run.status, "<b>no</b> queue" in run.dispatch_error) == ("queued", True)
    assert "the launcher could not be reached" in response.content.decode()
    assert "&lt;b&gt;no&lt;/b&gt; queue" in response.content.decode()


def test_settings_that_cannot_be_used__are_told_and_nothing_is_stored(root):
    suite = make_suite("default", dataset=GOOD)
    with override_settings(NEURON_EVALS={**SETTINGS, "LAUNCHER": "nowhere"}):
        (told,) = _told(root.post(_page(suite, "run")))
    assert "LAUNCHER" in told
    assert EvalRun.objects.count() == 0


def test_action__runs_each_of_the_selected_suites(root, django_capture_on_commit_callbacks):
    agent = make_agent("default")
    suites = [make_suite("default", name=name, agent=agent, dataset=GOOD) for name in ("one", "two", "three")]
    form = {"action": "run_selected", "_selected_action": [suites[0].pk, suites[2].pk]}
    with django_capture_on_commit_callbacks(execute=True):
        root.post(reverse("admin:neuron_evals_evalsuite_changelist"), form)
    assert [run.suite.name for run in EvalRun.objects.order_by("pk")] == ["one", "three"]
    assert Noting.launched == list(EvalRun.objects.order_by("pk").values_list("pk", flat=True))


def test_action__without_the_permission__is_not_offered_and_does_nothing(signed_in):
    client = signed_in("view_evalsuite", "change_evalsuite")
    suite = make_suite("default", dataset=GOOD)
    page = reverse("admin:neuron_evals_evalsuite_changelist")
    assert "run_selected" not in client.get(page).content.decode()
    client.post(page, {"action": "run_selected", "_selected_action": [suite.pk]})
    assert EvalRun.objects.count() == 0
    assert "Run as saved" not in client.get(_page(suite)).content.decode()


def test_suite_with_runs__is_not_deleted_and_the_page_says_how_many_there_are(root):
    suite = make_suite("default", dataset=GOOD)
    for _ in range(3):
        EvalRun.objects.enqueue(suite=suite)
    response = root.get(_page(suite, "delete"))
    assert response.context["protected"] == ["3 runs"]
    root.post(_page(suite, "delete"), {"post": "yes"})
    assert EvalSuite.objects.count() == 1


def test_suite_that_is_not_there__cannot_be_run(root):
    assert root.post(reverse("admin:neuron_evals_evalsuite_run", args=[99])).status_code == 404
    assert root.post(reverse("admin:neuron_evals_evalsuite_run", args=["x"])).status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"dataset": "[{"}, {"dataset"}),
        ({"dataset": "[{", "name": "", "metadata": "["}, {"dataset", "name", "metadata"}),
        ({"judge": "999", "dataset": [{"input": "x", "_assertions": [{"type": "helpfulness"}]}]}, {"judge"}),
        (
            {"judge_config": "{", "dataset": [{"input": "x", "_assertions": [{"type": "helpfulness"}]}]},
            {"judge_config"},
        ),
        ({"slug": "123"}, {"slug"}),
    ],
)
def test_field_that_cannot_be_read__is_told_once_and_blames_no_other(fields, wrong, root):
    found = _errors(root.post(reverse(ADD), _form(**fields)))
    assert {name: len(told) for name, told in found.items()} == dict.fromkeys(wrong, 1)
