"""Who may see and do what: every address of the app against every permission that counts."""

from __future__ import annotations

from itertools import product

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.core import serializers
from django.test import Client
from django.urls import reverse

from neuron_evals.models import EvalRun, EvalSuite
from tests.admin.pages import address, make_rows, url_names

# What a method of an address asks for: one permission of each group. `None`: nobody may, whatever they have.
Needs = list[tuple[str, ...]] | None


def _seen(model: str) -> Needs:
    return [(f"view_{model}", f"change_{model}")]


def _read_only(model: str) -> dict[tuple[str, str], Needs]:
    return {
        (f"{model}_changelist", "get"): _seen(model),
        (f"{model}_history", "get"): _seen(model),
        (f"{model}_change", "get"): _seen(model),
        (f"{model}_change", "post"): None,
        (f"{model}_add", "get"): None,
        (f"{model}_add", "post"): None,
        (f"{model}_delete", "get"): None,
        (f"{model}_delete", "post"): None,
    }


def _deletable(model: str) -> dict[tuple[str, str], Needs]:
    return {(f"{model}_delete", "get"): [(f"delete_{model}",)], (f"{model}_delete", "post"): [(f"delete_{model}",)]}


def _edited(model: str) -> dict[tuple[str, str], Needs]:
    return {
        **_read_only(model),
        **_deletable(model),
        (f"{model}_change", "post"): [(f"change_{model}",)],
        (f"{model}_add", "get"): [(f"add_{model}",)],
        (f"{model}_add", "post"): [(f"add_{model}",)],
    }


REVIEWING: Needs = [("view_evalrunitem",), ("review_evalrunitem",)]
TABLE: dict[tuple[str, str], Needs] = {
    **_edited("agentdefinition"),
    **_edited("evalsuite"),
    ("evalsuite_run", "post"): [("view_evalsuite", "change_evalsuite"), ("run_evalsuite",)],
    **_read_only("evalrun"),
    **_deletable("evalrun"),
    ("evalrun_cancel", "post"): [("view_evalrun", "change_evalrun"), ("cancel_evalrun",)],
    **_read_only("evalrunitem"),
    **_read_only("evalrunshard"),
    **_read_only("evalreview"),
    **_deletable("evalreview"),
    ("evalreview_add", "get"): REVIEWING,
    ("evalreview_add", "post"): REVIEWING,
    **_read_only("cachedoutput"),
    **_deletable("cachedoutput"),
}
CASES = [pytest.param(name, method, id=f"{method} {name}") for name, method in TABLE]
FORBIDDEN = 403


def _asked(client: Client, name: str, method: str, rows):
    return getattr(client, method)(address(name, rows), {} if method == "get" else {"post": "yes"})


def _answered(response) -> bool:
    return response.status_code == 200 or (response.status_code == 302 and "/login/" not in response.url)


@pytest.fixture
def rows(db):
    return make_rows()


def test_every_address__stands_in_the_table():
    assert {name for name, _ in TABLE} == set(url_names())


@pytest.mark.parametrize(("name", "method"), CASES)
def test_who_has_exactly_what_it_takes__is_answered(name, method, rows, signed_in):
    needs = TABLE[name, method]
    if needs is None:
        response = _asked(signed_in(is_superuser=True), name, method, rows)
        assert response.status_code == FORBIDDEN
        return
    for codenames in product(*needs):
        response = _asked(signed_in(*codenames), name, method, rows)
        assert _answered(response), codenames
        break  # the next one would find what this one deleted or cancelled


@pytest.mark.parametrize(("name", "method"), CASES)
def test_who_has_all_else__is_refused(name, method, rows, signed_in):
    every = Permission.objects.filter(content_type__app_label="neuron_evals").values_list("codename", flat=True)
    for group in TABLE[name, method] or [()]:
        response = _asked(signed_in(*set(every) - set(group)), name, method, rows)
        assert response.status_code == FORBIDDEN, group


@pytest.mark.parametrize(("name", "method"), CASES)
def test_strangers_and_those_who_are_no_staff__are_sent_to_the_login(name, method, rows):
    customer = Client()
    customer.force_login(get_user_model().objects.create(username="customer"))
    for client in (Client(), customer):
        response = _asked(client, name, method, rows)
        assert (response.status_code, response.url.split("?")[0]) == (302, reverse("admin:login"))


@pytest.mark.parametrize("method", ["get", "post"])
def test_superuser__is_answered_wherever_anybody_is(method, rows, root):
    for name, _ in [key for key, needs in TABLE.items() if needs is not None and key[1] == method]:
        if not name.endswith("_delete") or method == "get":
            assert _answered(_asked(root, name, method, rows)), name


def test_button__pressed_without_the_token__is_refused_and_nothing_happens(rows, signed_in):
    signed = signed_in(is_superuser=True)
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = signed.cookies
    for name in ("evalsuite_run", "evalrun_cancel"):
        assert strict.post(address(name, rows)).status_code == FORBIDDEN
    assert [run.status for run in EvalRun.objects.all()] == ["queued"]


def _everything(rows) -> list[str]:
    return [serializers.serialize("json", type(row).objects.order_by("pk")) for row in rows.values()]


def test_get__of_every_address__changes_nothing(rows, root):
    before = _everything(rows)
    for name in url_names():
        response = root.get(address(name, rows))
        assert response.status_code in (200, 403, 405), name
    assert _everything(rows) == before


def test_buttons__asked_for_by_get__are_no_pages(rows, root):
    for name in ("evalsuite_run", "evalrun_cancel"):
        assert root.get(address(name, rows)).status_code == 405
    assert EvalSuite.objects.count() == 2
