"""Agents and suites as rows: slugs, what may be saved, and how they are found."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connections, transaction
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from neuron_evals.models import AgentDefinition, EvalSuite
from neuron_evals.models.datasets import dataset_hash
from neuron_evals.models.slugs import MAX_SLUG, free_slug, slug_for
from tests.models.rows import make_agent, make_run, make_suite

PROVIDERS = {
    "PROVIDERS": {
        "local": {"BACKEND": "openai", "OPTIONS": {"model": "qwen3"}},
        "plain": {"BACKEND": "openai"},
    },
    "AGENTS": {"support": "shop.agents.SupportAgent"},
    "TOOLS": {"refund_order": "shop.tools.refund_order", "search": "shop.tools.search"},
}
ITEM = {"input": "x", "reference": "y"}


def problems(row: AgentDefinition | EvalSuite) -> dict[str, list[str]]:
    with override_settings(NEURON_EVALS=PROVIDERS):
        try:
            row.full_clean()
        except ValidationError as error:
            return error.message_dict
        return {}


# --- Slugs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Smoke tests", "smoke-tests"),
        ("  Ça va?  ", "ca-va"),
        ("2024", "suite-2024"),
        ("20 24", "20-24"),
        ("a" * 300, "a" * 74),
    ],
)
def test_slug__made_from_the_name(name, slug):
    assert slug_for(name, "suite") == slug


@pytest.mark.parametrize("name", ["", "!!!", "评估", "🍣", "\ud800", "---"])
def test_slug__of_a_name_without_letters_that_it_can_have__never_empty_and_always_the_same(name):
    slug = slug_for(name, "suite")
    assert slug == slug_for(name, "suite")
    assert slug.startswith("suite-")
    assert len(slug) == len("suite-") + 8
    assert slug != slug_for(name + "x", "suite")


def test_free_slug__the_first_number_that_is_free():
    assert free_slug("a", []) == "a"
    assert free_slug("a", ["a", "a-3"]) == "a-2"
    assert free_slug("a", ["a", "a-2", "a-3"]) == "a-4"
    full = "a" * MAX_SLUG
    assert free_slug(full, [full]) == "a" * (MAX_SLUG - 2) + "-2"


def test_new_rows__of_one_name__get_numbers(using):
    agents = [make_agent(using, "Support") for _ in range(3)]
    assert [agent.slug for agent in agents] == ["support", "support-2", "support-3"]
    long = [make_agent(using, "b" * 200).slug for _ in range(2)]
    assert len(set(long)) == 2
    assert max(map(len, long)) <= MAX_SLUG


def test_slug__given__is_kept_and_taken_ones_are_refused(using):
    make_suite(using, slug="mine")
    with pytest.raises(IntegrityError), transaction.atomic(using):
        make_suite(using, slug="mine")


def test_slug__name_changes__stays(using):
    suite = make_suite(using, "Smoke tests")
    suite.name = "Night tests"
    suite.save()
    suite.refresh_from_db()
    assert (suite.name, suite.slug) == ("Night tests", "smoke-tests")


def test_slug__changed__refused(using):
    made = make_suite(using)
    for suite in (made, EvalSuite.objects.using(using).get(pk=made.pk)):
        suite.slug = "other"
        with pytest.raises(ValidationError, match='The slug is "smoke-tests" and never changes'):
            suite.save()
        with pytest.raises(ValidationError, match="never changes"):
            suite.clean()
    assert EvalSuite.objects.using(using).get().slug == "smoke-tests"


def test_slug__left_in_the_database__is_not_asked_for(using):
    make_suite(using)
    suite = EvalSuite.objects.using(using).only("name").get()
    suite.name = "Other"
    with CaptureQueriesContext(connections[using]) as queries:
        suite.save(update_fields=["name"])
    assert len([query for query in queries if query["sql"].startswith(("SELECT", "UPDATE"))]) == 1


def test_slug__of_digits_alone__refused(using):
    with pytest.raises(ValidationError, match="A slug needs a letter"):
        make_suite(using, slug="12")
    with pytest.raises(ValidationError, match="A slug needs a letter"):
        EvalSuite(name="x", slug="12").clean_fields(exclude=["agent"])
    stored = make_suite(using)
    stored.slug = "12"
    with pytest.raises(ValidationError, match="A slug needs a letter"):
        stored.save()


def test_slug_of_digits__is_told_once_and_at_its_field():
    with pytest.raises(ValidationError) as caught:
        EvalSuite(name="x", slug="12").full_clean(exclude=["agent"], validate_unique=False)
    said = caught.value.message_dict
    assert said["slug"] == ["A slug needs a letter: digits alone are the number of a row."]
    assert "__all__" not in said


def test_same_name__saved_at_the_same_time__both_have_a_slug(committing):
    together = threading.Barrier(6)
    broken = []

    def work() -> None:
        try:
            together.wait(60)
            make_agent(committing, "Support")
        except Exception as exc:  # handed to the test
            broken.append(exc)
        finally:
            connections[committing].close()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert broken == []
    slugs = AgentDefinition.objects.using(committing).values_list("slug", flat=True)
    assert sorted(slugs) == ["support", *(f"support-{number}" for number in range(2, 7))]


def test_find__by_slug_or_number(using):
    suite = make_suite(using)
    suites = EvalSuite.objects.using(using)
    assert suites.find("smoke-tests") == suites.find(str(suite.pk)) == suites.find(suite.pk) == suite


@pytest.mark.parametrize("reference", ["smoke-test", "0", "9" * 40, "", "Smoke tests", "\x00", "٣"])
def test_find__nothing__says_so_and_names_what_is_near(using, reference):
    make_suite(using)
    with pytest.raises(EvalSuite.DoesNotExist, match="There is no suite ") as caught:
        EvalSuite.objects.using(using).find(reference)
    assert ('Did you mean "smoke-tests"?' in str(caught.value)) is (reference in ("smoke-test", "Smoke tests"))


# --- Agents ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "columns",
    [
        {"code": "support"},
        {"provider": "local", "instructions": "Be brief.", "temperature": 0.0, "top_p": 1.0, "max_tokens": 1},
        {"provider": "plain", "model": "m", "tools": ["search", "refund_order"], "approval_tools": ["refund_order"]},
        {"provider": "local", "category": "judge", "seed": -1, "timeout": 0.5, "max_steps": 1},
    ],
)
def test_agent__that_can_be_built__is_accepted(db, columns):
    agent = AgentDefinition(name="Support", **columns)
    assert problems(agent) == {}


@pytest.mark.parametrize(
    ("columns", "field", "message"),
    [
        ({}, "provider", "Name a provider, or an agent in code."),
        ({"code": "suport"}, "code", 'The setting AGENTS has no "suport". Did you mean "support"? It has support.'),
        ({"code": "support", "model": "m"}, "model", "Leave this empty: the agent in code says it."),
        ({"code": "support", "temperature": 0.0}, "temperature", "Leave this empty"),
        ({"provider": "locl"}, "provider", 'The setting PROVIDERS has no "locl". Did you mean "local"? It has local,'),
        ({"provider": "plain"}, "model", 'Name a model: the provider "plain" has none of its own in PROVIDERS.'),
        (
            {"provider": "local", "tools": ["serch"]},
            "tools",
            'The setting TOOLS has no "serch". Did you mean "search"?',
        ),
        ({"provider": "local", "tools": [3]}, "tools", "Use a JSON list of texts"),
        ({"provider": "local", "tools": "search"}, "tools", "Use a JSON list of texts"),
        ({"provider": "local", "tools": ["search", "search"]}, "tools", "A name stands in the list twice."),
        ({"provider": "local", "approval_tools": ["search"]}, "approval_tools", '"search" is none of the tools above.'),
        ({"provider": "local", "temperature": -1.0}, "temperature", "greater than or equal to 0"),
        ({"provider": "local", "temperature": float("nan")}, "temperature", "Use a finite number."),
        ({"provider": "local", "timeout": float("inf")}, "timeout", "Use a finite number."),
        ({"provider": "local", "top_p": 0.0}, "top_p", "Use a number above 0."),
        ({"provider": "local", "top_p": 1.1}, "top_p", "less than or equal to 1"),
        ({"provider": "local", "timeout": 0.0}, "timeout", "Use a number above 0."),
        ({"provider": "local", "max_tokens": 0}, "max_tokens", "greater than or equal to 1"),
        ({"provider": "local", "max_steps": 0}, "max_steps", "greater than or equal to 1"),
        ({"provider": "local", "category": "other"}, "category", "is not a valid choice"),
        ({"provider": "local", "metadata": [1]}, "metadata", "Use a JSON object"),
        ({"provider": "local", "instructions": "x" * 100_001}, "instructions", "at most 100000 characters"),
    ],
)
def test_agent__that_cannot_be_built__refused_at_the_field(db, columns, field, message):
    found = problems(AgentDefinition(name="Support", **columns))
    assert field in found
    assert message in " ".join(found[field])


def test_agent__several_problems__all_at_once(db):
    found = problems(AgentDefinition(name="", provider="nobody", tools=["nothing"], top_p=2.0))
    assert set(found) == {"name", "provider", "tools", "top_p"}


def test_options__only_what_is_set():
    assert AgentDefinition(temperature=0.0, seed=7).options == {"temperature": 0.0, "seed": 7}


def test_judges_and_active__by_their_columns(using):
    judge = make_agent(using, "J", category="judge")
    idle = make_agent(using, "I", is_active=False)
    agents = AgentDefinition.objects.using(using)
    assert list(agents.judges()) == [judge]
    assert idle not in agents.active()
    assert list(agents.active()) == [judge]


# --- Suites ----------------------------------------------------------------------------------------------------------


def test_suite__stored__knows_its_items_and_the_hash_of_its_dataset(using):
    suite = make_suite(using, dataset=[{"a": 1, "b": 2}, {"input": "é\x00"}])
    assert (suite.item_count, suite.content_hash) == (2, dataset_hash([{"b": 2, "a": 1}, {"input": "é\u2400"}]))
    stored = EvalSuite.objects.using(using).get()
    assert stored.content_hash == dataset_hash(stored.dataset)
    stored.dataset = []
    stored.save(update_fields=["dataset"])
    stored.refresh_from_db()
    assert (stored.item_count, stored.content_hash) == (0, dataset_hash([]))
    stored.name = "other"
    stored.save()
    assert stored.content_hash == dataset_hash([])


def test_suite__list_page__one_query_without_datasets(using):
    suite = make_suite(using)
    runs = [make_run(using, suite=suite) for _ in range(2)]
    make_suite(using, "Other", agent=suite.agent)
    with CaptureQueriesContext(connections[using]) as queries:
        suites: Any = EvalSuite.objects.using(using).without_dataset().with_counts().with_latest_run().order_by("pk")
        found = [(row.slug, row.item_count, row.run_count, row.latest_run_id, row.latest_run_status) for row in suites]
    assert found == [("smoke-tests", 1, 2, runs[1].pk, "queued"), ("other", 1, 0, None, None)]
    assert len(queries) == 1
    assert '"dataset"' not in queries[0]["sql"].replace("`", '"')


@pytest.mark.parametrize(
    ("columns", "field", "message"),
    [
        ({"dataset": {"input": "x"}}, "dataset", "A dataset is a JSON list of items, got an object."),
        ({"dataset": "x"}, "dataset", "got text."),
        ({"dataset": [{}] * 10_001}, "dataset", "The dataset has 10,001 items; a suite holds at most 10,000."),
        ({"dataset": ["é" * 1_000_000]}, "dataset", "The dataset has 2,000,004 bytes as JSON; a suite holds at most"),
        ({"judge_config": {"modl": "m"}}, "judge_config", 'There is no key "modl". Did you mean "model"? The keys are'),
        ({"judge_config": []}, "judge_config", ""),
        ({"repeats": 0}, "repeats", "greater than or equal to 1"),
        ({"concurrency": 0}, "concurrency", "greater than or equal to 1"),
        ({"timeout": 0.0}, "timeout", "Use a number above 0."),
        ({"min_success_rate": 1.5}, "min_success_rate", "less than or equal to 1"),
        ({"tags": ["smoke", " "]}, "tags", "Use a JSON list of texts"),
        ({"metadata": "x"}, "metadata", "Use a JSON object"),
        ({"name": ""}, "name", "cannot be blank"),
    ],
)
def test_suite__that_cannot_be_used__refused_at_the_field(db, columns, field, message):
    suite = EvalSuite(**{"name": "Smoke", "agent": make_agent("default"), "dataset": [ITEM], **columns})
    found = problems(suite)
    if columns.get("judge_config") == []:
        assert found == {}  # empty, as nothing given
        return
    assert list(found) == [field]
    assert message in found[field][0]


def test_suite__limits_of_the_settings__hold(db):
    suite = EvalSuite(name="Smoke", agent=make_agent("default"), dataset=[ITEM, ITEM, ITEM])
    size = len(json.dumps(suite.dataset))
    for limits, said in (
        ({"DATASET_ITEMS": 2}, "at most 2"),
        ({"DATASET_BYTES": size - 1}, f"at most {size - 1}"),
    ):
        with (
            override_settings(NEURON_EVALS={"LIMITS": limits}),
            pytest.raises(ValidationError, match=said),
        ):
            suite.full_clean()
    with override_settings(NEURON_EVALS={"LIMITS": {"DATASET_ITEMS": 3, "DATASET_BYTES": size}}):
        suite.full_clean()


def test_suite__same_slug__told_before_it_is_stored(db):
    suite = make_suite("default")
    found = problems(EvalSuite(name="x", slug=suite.slug, agent=suite.agent))
    assert "already exists" in found["slug"][0]


def test_suite__of_a_new_agent__hostile_names_are_only_text(using):
    name = "{{ 7*7 }} <script> %s \\ ' \" -- ;"
    suite = make_suite(using, name)
    assert EvalSuite.objects.using(using).get(name=name) == suite
    assert str(suite) == name
