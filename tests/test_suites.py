"""Suites that are rows: validated by the one validator, run by the engine, kept as snapshots."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import override_settings

from neuron_evals import EvaluatorRunner, FakeAgent, MemoryCache, SuiteError
from neuron_evals.container import get_provider
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.models import AgentDefinition, EvalSuite
from neuron_evals.models.datasets import DatasetItemError
from neuron_evals.suites import agent_snapshot, judge_snapshot, suite_evaluator, suite_judge, suite_snapshot, suite_spec

APP = "tests.testapp.agents"
KEY = "sk-canary-0123456789"


def provider(*answers: str, **options: Any) -> dict[str, Any]:
    return {"BACKEND": f"{APP}.CannedProvider", "OPTIONS": {"answers": answers, **options}}


GRADE = json.dumps({"reasoning": "fine", "score": 0.9})
SAID = json.dumps({"thought": "", "message": "hours?", "stop": False})
DONE = json.dumps({"thought": "", "message": "", "stop": True})
SETTINGS: dict[str, Any] = {
    "PROVIDERS": {
        "shop": provider("We open at 9.", "We open at 9.", "We open at 9."),
        "judge": provider(GRADE, GRADE, GRADE),
        "player": provider(SAID, DONE),
        "remote": {
            "BACKEND": "openai",
            "OPTIONS": {"base_url": "https://models.example/v1", "api_key": KEY, "headers": {"x-key": KEY}},
        },
    },
    "AGENTS": {"echo": f"{APP}.echo"},
    "ASSERTIONS": {"no_shouting": "tests.testapp.assertions.NoShouting"},
}
PLAIN = [{"id": "hours", "input": "hours?", "reference": "9"}]
GRADED = [{"input": "hours?", "_assertions": [{"type": "correctness", "expected": "9am"}]}]

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _settings():
    with override_settings(NEURON_EVALS=SETTINGS):
        yield


def agent(name: str = "Shop", **columns: Any) -> AgentDefinition:
    row = AgentDefinition(**{"name": name, "provider": "shop", "model": "m1", **columns})
    row.save()
    return row


def suite(dataset: Any = None, **columns: Any) -> EvalSuite:
    if "agent" not in columns:
        columns["agent"] = agent()
    row = EvalSuite(**{"name": "Hours", "dataset": PLAIN if dataset is None else dataset, **columns})
    row.save()
    return row


def refusal(row: EvalSuite) -> dict[str, list[str]]:
    with pytest.raises(ValidationError) as caught:
        row.full_clean()
    return caught.value.message_dict


def deprecated() -> Any:
    return pytest.warns(DeprecationWarning, match='suite "hours": judge_config is deprecated')


class TestValidation:
    def test_every_problem_at_once_with_item_and_field(self) -> None:
        row = suite(
            [{"input": "a", "_assertions": [{"type": "containz", "value": "x"}]}, {"id": "two", "input": "b"}, 3]
        )
        with pytest.raises(ValidationError) as caught:
            row.full_clean()
        errors: list[Any] = caught.value.error_dict["dataset"]
        found = [error.problem for error in errors]
        assert [(problem.item_index, problem.field) for problem in found] == [
            (0, "_assertions[0].type"),
            (1, "(item)"),
            (2, "(item)"),
        ]
        messages = caught.value.message_dict["dataset"]
        assert messages[0].startswith("item 0, _assertions[0].type: ")
        assert messages[1].startswith('item 1 (id "two"): ')

    def test_text_of_an_item__is_no_format_of_the_message(self) -> None:
        row = suite([{"id": "%(x)s %d {y}", "input": "a", "%s": 1, "reference": "b"}])
        [message] = refusal(row)["dataset"]
        assert '(id "%(x)s %d {y}")' in message

    @pytest.mark.parametrize(
        ("dataset", "said"),
        [({}, "an object"), ("[]", "text"), (None, "nothing"), ([], "is empty"), ([{}], "is required")],
    )
    def test_dataset_that_is_none__refused(self, dataset: Any, said: str) -> None:
        row = EvalSuite(name="Hours", agent=agent(), dataset=dataset)
        assert said in " ".join(refusal(row)["dataset"])

    def test_too_large__refused_before_its_items_are_read(self) -> None:
        with override_settings(NEURON_EVALS={**SETTINGS, "LIMITS": {"DATASET_ITEMS": 2}}):
            [message] = refusal(suite([3, 3, 3]))["dataset"]
        assert message.startswith("The dataset has 3 items; a suite holds at most 2.")

    def test_judge_needed_and_missing__refused_at_the_item(self) -> None:
        row = suite(GRADED)
        [message] = refusal(row)["dataset"]
        assert message.startswith("item 0, _assertions[0].type: ")
        row.judge = agent("Judge", provider="judge")
        row.full_clean()

    def test_assertion_type_of_the_project__known(self) -> None:
        suite([{"input": "a", "_assertions": [{"type": "no_shouting"}]}]).full_clean()
        with override_settings(NEURON_EVALS={**SETTINGS, "ASSERTIONS": {"no_shouting": "tests.testapp.gone.Gone"}}):
            [message] = refusal(suite([{"input": "a", "_assertions": [{"type": "no_shouting"}]}]))["dataset"]
        assert message.startswith("The settings keep items from being read: ")

    @pytest.mark.parametrize("name", ["os.system", "builtins.eval", "../x", "a.b:c", "os\u2024system", "a/b"])
    def test_hostile_assertion_type__refused(self, name: str) -> None:
        [message] = refusal(suite([{"input": "a", "_assertions": [{"type": name}]}]))["dataset"]
        assert "_assertions[0].type" in message

    def test_good_suite__saved_as_it_is_and_refused_change_keeps_the_old(self) -> None:
        row = suite()
        row.full_clean()
        row.dataset = [{"input": "a"}]
        assert "dataset" in refusal(row)
        row.refresh_from_db()
        assert row.dataset == PLAIN


class TestLegacyJudge:
    @pytest.mark.parametrize(
        ("config", "said"),
        [
            ({"modle": "x"}, 'Did you mean "model"?'),
            ({"provider": 3}, '"provider" is text'),
            ({"agent_id": True}, '"agent_id" is text or a number'),
            ({"agent_id": 999_999}, 'no agent definition "999999"'),
            ({"agent_id": "gone"}, 'no agent definition "gone"'),
            ({"agent_id": "shop", "model": "m"}, 'leave "model" out'),
            ({"provider": "nowhere", "model": "m"}, 'provider: The setting PROVIDERS has no "nowhere".'),
            ({"provider": "os.system", "model": "m"}, 'no "os.system"'),
            (["provider"], "JSON object"),
        ],
    )
    def test_config_that_makes_no_judge__refused(self, config: Any, said: str) -> None:
        assert said in " ".join(refusal(suite(judge_config=config))["judge_config"])

    def test_provider_and_model__become_a_judge_with_a_warning(self) -> None:
        row = suite(GRADED, judge_config={"provider": "judge", "model": "big", "instructions": "Be strict."})
        row.full_clean()
        with deprecated():
            judge = suite_judge(row)
        assert judge is not None
        assert (judge.provider, judge.model, judge.instructions) == ("judge", "big", "Be strict.")
        assert judge._state.adding

    def test_what_is_left_out__comes_from_the_tested_agent(self) -> None:
        with deprecated():
            judge = suite_judge(suite(judge_config={"instructions": "Be strict."}))
        assert judge is not None
        assert (judge.provider, judge.model) == ("shop", "m1")

    def test_model_of_the_tested_agent__is_not_asked_of_another_provider(self) -> None:
        with deprecated():
            judge = suite_judge(suite(judge_config={"provider": "judge"}))
        assert judge is not None
        assert judge.model == ""
        assert judge.instructions

    @pytest.mark.parametrize("by", ["number", "text", "slug"])
    def test_agent_id__names_a_definition(self, by: str) -> None:
        row = agent("Judge", provider="judge")
        reference = {"number": row.pk, "text": str(row.pk), "slug": row.slug}[by]
        graded = suite(GRADED, judge_config={"agent_id": reference})
        graded.full_clean()
        with deprecated():
            assert suite_judge(graded) == row

    def test_agent_that_was_deleted_since__error(self) -> None:
        graded = suite(GRADED, judge_config={"agent_id": 999_999})
        with (
            deprecated(),
            pytest.raises(ConfigurationError, match='"999999", which does not exist'),
        ):
            suite_judge(graded)

    def test_judge_of_the_suite__goes_before_it(self) -> None:
        row = suite(GRADED, judge=agent("Judge", provider="judge"), judge_config={"provider": "nowhere"})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert suite_judge(row) == row.judge

    def test_empty_config__is_no_judge(self) -> None:
        assert suite_judge(suite(judge_config={"provider": "", "model": None})) is None


class TestRunning:
    def test_row__becomes_a_spec_with_its_defaults(self) -> None:
        row = suite(tags=["smoke"], timeout=5.0, retries=1, repeats=2, concurrency=3, description="Opening hours")
        spec = suite_spec(row)
        assert (spec.name, spec.agent, spec.tags, spec.description) == ("Hours", "shop", ("smoke",), "Opening hours")
        defaults = spec.defaults
        assert (defaults.timeout, defaults.retries, defaults.repeats, defaults.concurrency) == (5.0, 1, 2, 3)

    def test_name_that_is_no_line__the_slug_stands_for_it(self) -> None:
        row = suite(name="Opening hours")
        EvalSuite.objects.update(name="Opening\nhours")
        row.refresh_from_db()
        assert suite_spec(row).name == "opening-hours"

    def test_row_that_code_wrote_wrongly__every_problem_before_anything_is_called(self) -> None:
        with pytest.raises(SuiteError) as caught:
            suite_evaluator(suite([{"input": "a"}, {"inptu": "b"}]))
        assert {problem.item_index for problem in caught.value.problems} == {0, 1}
        assert get_provider("shop").call_count == 0  # type: ignore[attr-defined]

    def test_suite_with_a_judge__each_item_asked_and_graded(self) -> None:
        dataset = [*PLAIN, *GRADED, {**GRADED[0], "id": "again"}]
        row = suite(dataset, judge=agent("Judge", provider="judge"))
        results = EvaluatorRunner().run(suite_evaluator(row))
        assert [result.status.value for result in results.results] == ["passed"] * 3
        judge: Any = get_provider("judge")
        assert [len(request.messages) for request in judge.requests] == [1, 1]
        assert [check.score for check in results.results[1].checks] == [0.9]
        assert results.results[1].checks[0].message

    def test_judge_that_no_item_needs__is_not_built(self) -> None:
        row = suite(judge=agent("Judge", provider="gone"))
        results = EvaluatorRunner().run(suite_evaluator(row))
        assert [result.status.value for result in results.results] == ["passed"]

    @pytest.mark.parametrize("role", ["agent", "judge"])
    def test_inactive_agent__refused_before_anything_is_called(self, role: str) -> None:
        row = suite(GRADED, judge=agent("Judge", provider="judge"))
        chosen = getattr(row, role)
        chosen.is_active = False
        with pytest.raises(ConfigurationError, match=f'the {role} "{chosen.slug}" is inactive'):
            suite_evaluator(row).set_up()

    def test_judge_missing__refused_before_the_agent_is_built(self) -> None:
        with pytest.raises(SuiteError, match="needs a judge"):
            suite_evaluator(suite(GRADED))

    def test_judge_given__goes_before_the_suites(self) -> None:
        agent("Other judge", provider="judge")
        row = suite(GRADED, judge=agent("Judge", provider="gone"))
        results = EvaluatorRunner().run(suite_evaluator(row, judge="other-judge"))
        assert [result.status.value for result in results.results] == ["passed"]

    def test_agent_given__by_name_or_as_it_is(self) -> None:
        row = suite([{"input": "9 to 5", "reference": "9"}])
        for given in ("echo", lambda text: text):
            results = EvaluatorRunner().run(suite_evaluator(row, agent=given))
            assert [result.output for result in results.results] == ["9 to 5"]

    @pytest.mark.parametrize("named", ["in the item", "for the run"])
    def test_simulated_user__played_by_the_agent_of_that_name(self, named: str) -> None:
        agent("Player", provider="player", slug="player")
        user = {"persona": "a customer", "goal": "know the hours"}
        item = {"user": {**user, "agent": "player"} if named == "in the item" else user, "reference": "9"}
        row = suite([item])
        if named == "for the run":
            with pytest.raises(SuiteError, match="user"):
                suite_evaluator(row)
        results = EvaluatorRunner().run(suite_evaluator(row, simulator=None if named == "in the item" else "player"))
        assert [result.error for result in results.results] == [None]
        assert [result.status.value for result in results.results] == ["passed"]

    @pytest.mark.parametrize("fake", [True, "at 9", {"reply": "at 9"}, FakeAgent()])
    def test_fake__builds_no_agent_and_says_so(self, fake: Any) -> None:
        row = suite(agent=agent(provider="gone"))
        results = EvaluatorRunner().run(suite_evaluator(row, fake=fake))
        assert results.fake
        assert results.total_count == 1

    def test_model__for_this_run_and_elsewhere_with_a_providers_name(self) -> None:
        row = suite()
        EvaluatorRunner().run(suite_evaluator(row, model="m3"))
        EvaluatorRunner().run(suite_evaluator(row, model="shop:qwen3:8b"))
        EvaluatorRunner().run(suite_evaluator(row, model="judge:m2"))
        shop: Any = get_provider("shop")
        judge: Any = get_provider("judge")
        assert [request.model for request in shop.requests] == ["m3", "qwen3:8b"]
        assert [request.model for request in judge.requests] == ["m2"]
        assert row.agent.provider == "shop"

    def test_model_at_another_provider__refused_where_the_provider_is_not_the_suites(self) -> None:
        coded = suite(agent=agent("Echo", code="echo", provider="", model=""))
        with pytest.raises(ConfigurationError, match="written in code"):
            suite_evaluator(coded, model="judge:m2")
        with pytest.raises(ConfigurationError, match="the suite's own agent only"):
            suite_evaluator(coded, agent="echo", model="judge:m2")


RUNS = [
    [{"temperature": 0.0}, {"temperature": 1.0}, {"temperature": 1.0, "seed": 7}],
    [{"model": "m1"}, {"model": "m2"}, {"model": "m1", "provider": "judge"}],
    [{"max_tokens": 16}, {"max_tokens": 4000}, {"instructions": "Briefly."}],
]


AS_IT_WAS = {
    "provider": "shop",
    "model": "m1",
    "instructions": "",
    "temperature": None,
    "seed": None,
    "max_tokens": None,
}


@pytest.mark.parametrize("changes", RUNS, ids=["temperature and seed", "model and provider", "length"])
def test_runs_of_agents_that_differ__share_no_key_of_the_cache(changes: list[dict[str, Any]]) -> None:
    settings = {**SETTINGS, "PROVIDERS": {"shop": provider(*"9" * 9), "judge": provider(*"9" * 9, model="other")}}
    with override_settings(NEURON_EVALS=settings):
        cache = MemoryCache()
        row = suite()
        for round_ in range(2):
            for change in changes:
                for column, value in {**AS_IT_WAS, **change}.items():
                    setattr(row.agent, column, value)
                results = EvaluatorRunner(cache=cache).run(suite_evaluator(row))
                assert results.cached_run_count == round_
        assert len(cache._texts) == len(changes)


class TestSnapshots:
    def test_agent__what_it_was_and_no_secret(self) -> None:
        row = agent(provider="remote", instructions="Help.", temperature=0.5)
        snapshot = agent_snapshot(row)
        assert snapshot == {
            "name": "Shop",
            "slug": "shop",
            "definition": row.definition,
            "fingerprint": row.fingerprint,
            "provider": {"name": "remote", "backend": "openai", "model": None, "host": "models.example"},
        }
        assert KEY not in json.dumps(snapshot)

    def test_agent_in_code__its_class_and_what_it_tells_of_itself(self) -> None:
        snapshot = agent_snapshot(agent("Echo", code="echo", provider="", model=""))
        assert snapshot["class"] == "neuron_evals.core.agents.callables.CallableAgent"
        assert snapshot["definition"] == {"code": "echo"}
        assert agent_snapshot(FakeAgent())["class"].endswith("FakeAgent")

    def test_agent_that_cannot_be_built__kept_as_far_as_it_is_known(self) -> None:
        snapshot = agent_snapshot(agent(provider="gone"))
        assert (snapshot["fingerprint"], snapshot["provider"]) == ("", {"name": "gone"})

    def test_judge__the_suites_or_the_one_given_or_none(self) -> None:
        assert judge_snapshot(suite()) == {}
        row = suite(name="Graded", agent=agent("Two"), judge=agent("Judge", provider="judge"))
        assert judge_snapshot(row)["slug"] == "judge"
        assert judge_snapshot(row, agent("Other"))["slug"] == "other"

    def test_suite__its_hash_and_defaults(self) -> None:
        row = suite(tags=["smoke"], repeats=2, min_success_rate=0.9)
        assert suite_snapshot(row) == {
            "name": "Hours",
            "slug": "hours",
            "content_hash": row.content_hash,
            "item_count": 1,
            "defaults": {
                "repeats": 2,
                "concurrency": None,
                "timeout": None,
                "retries": None,
                "min_success_rate": 0.9,
                "tags": ["smoke"],
            },
            "project_defaults": {},
        }


def test_problem_of_an_item__is_a_validation_error_that_keeps_it_apart():
    assert issubclass(DatasetItemError, ValidationError)
