"""Reviews in the admin: added by people, never changed."""

from __future__ import annotations

import pytest
from django.urls import reverse

from neuron_evals.models import EvalReview
from tests.models.rows import item, make_run, store

pytestmark = pytest.mark.django_db
ADD = "admin:neuron_evals_evalreview_add"


@pytest.fixture
def result(db):
    run = make_run("default")
    store(run, item(run, status="failed"))
    return run.items.get()


def test_review__is_that_of_who_is_signed_in_whatever_the_form_says(result, signed_in):
    client = signed_in("view_evalrunitem", "review_evalrunitem")
    page = reverse("admin:neuron_evals_evalrunitem_change", args=[result.pk])
    add = f"{reverse(ADD)}?item={result.pk}"
    assert add in client.get(page).content.decode()
    assert f'value="{result.pk}"' in client.get(add).content.decode()
    form = {"item": result.pk, "verdict": "should_pass", "note": "It is right.", "reviewer": "99"}
    assert client.post(reverse(ADD), form).url == page
    review = EvalReview.objects.get()
    assert (review.item, review.verdict, review.note) == (result, "should_pass", "It is right.")
    assert review.reviewer.username == "person-0"


def test_newest_review__is_in_force_and_the_others_stay(result, root):
    for verdict in ("agree", "should_fail"):
        root.post(reverse(ADD), {"item": result.pk, "verdict": verdict, "note": f"as to {verdict}"})
    page = root.get(reverse("admin:neuron_evals_evalrunitem_change", args=[result.pk])).content.decode()
    assert page.index("Should fail") < page.index("in force") < page.index("Agree")
    assert "as to agree" in page


@pytest.mark.parametrize("form", [{"verdict": "wrong"}, {"item": "99"}, {"item": "x"}, {"verdict": ""}])
def test_review_of_nothing_or_without_a_verdict__is_refused(form, result, root):
    assert root.post(reverse(ADD), {"item": result.pk, "verdict": "agree", **form}).status_code == 200
    assert EvalReview.objects.count() == 0


def test_stored_review__cannot_be_changed(result, root):
    review = EvalReview.objects.create(item=result, verdict="agree")
    page = reverse("admin:neuron_evals_evalreview_change", args=[review.pk])
    assert root.get(page).status_code == 200
    assert root.post(page, {"item": result.pk, "verdict": "should_pass"}).status_code == 403
    assert EvalReview.objects.get().verdict == "agree"


def test_who_may_only_look__is_offered_no_review(result, signed_in):
    page = reverse("admin:neuron_evals_evalrunitem_change", args=[result.pk])
    assert "Add review" not in signed_in("view_evalrunitem").get(page).content.decode()
