"""Making runs: everything is validated first, and what shapes the results is kept."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from django.contrib.auth import get_user_model
from django.test import override_settings

from neuron_evals.models import AgentDefinition, EvalRun, EvalSuite
from neuron_evals.outputs.surroundings import code_revision
from neuron_evals.runs import RunError, RunOptions, create_run, execute_run, found_run
from neuron_evals.runs.creating import split
from tests.runs.samples import SETTINGS, Agent, items, make_suite

KEY = "sk-canary-0123456789"
GRADED = [{"input": "say 0", "_assertions": [{"type": "correctness", "expected": "0"}]}]


def problems(suite, **given):
    with pytest.raises(RunError) as caught:
        create_run(suite, **given)
    return caught.value.problems


def test_run__keeps_what_shapes_its_results(using, settings):
    settings.NEURON_EVALS = {
        **SETTINGS,
        "PROVIDERS": {"remote": {"BACKEND": "openai", "OPTIONS": {"api_key": KEY, "headers": {"x-key": KEY}}}},
    }
    suite = make_suite(using, repeats=2, tags=["smoke"])

    run = create_run(suite, options={"concurrency": 2, "tag": ["smoke"]}, trigger="api", batch="b1")

    assert (run.status, run.suite_id, run.agent_id, run.judge_id) == ("queued", suite.pk, suite.agent_id, None)
    assert (run.source, run.trigger, run.batch, run.fake, run.planned_count) == ("Smoke tests", "api", "b1", False, 6)
    assert run.options == {"concurrency": 2, "tag": ["smoke"]}
    assert run.agent_snapshot["definition"] == {"code": "noting"}
    assert run.agent_fingerprint == "noting-1"
    assert run.suite_hash == suite.content_hash
    assert run.metadata["suite"]["defaults"]["repeats"] == 2
    assert {"python", "django", "neuron_evals"} <= set(run.versions)
    row = EvalRun.objects.using(using).filter(pk=run.pk).values().get()
    assert KEY not in str(row)
    assert row["metadata"]["settings"]["providers"] == {"remote": "openai"}
    assert Agent.asked == []


def test_suite__by_slug_or_number(using):
    suite = make_suite(using)
    assert create_run(suite.slug, using=using).suite_id == suite.pk
    assert create_run(suite.pk, using=using).suite_id == suite.pk
    assert problems("smoke-test", using=using) == ('There is no suite "smoke-test". Did you mean "smoke-tests"?',)


def test_everything_wrong__said_at_once__and_nothing_stored(using):
    suite = make_suite(using, [{"input": "say 0"}, {"input": 3, "reference": "3"}], is_active=False)
    AgentDefinition.objects.using(using).update(is_active=False)
    suite = EvalSuite.objects.using(using).get(pk=suite.pk)

    said = problems(suite)

    assert any("inactive" in line and "suite" in line for line in said)
    assert any("inactive" in line and "agent" in line for line in said)
    assert any(line.startswith("item 0") for line in said)
    assert not EvalRun.objects.using(using).exists()


def test_options_out_of_range__said_at_once(using):
    said = problems(
        make_suite(using),
        options={
            "concurrency": 0,
            "limt": 3,
            "timeout": -1,
            "tag": "smoke",
            "min_success_rate": 2,
            "cache": True,
            "fresh": True,
        },
    )

    assert said == (
        "concurrency is a whole number from 1 up, got 0",
        'there is no option "limt". Did you mean "limit"? The options are concurrency, workers, tag, exclude_tag, '
        "filter, limit, repeat, timeout, retries, cache, fresh, fail_fast, min_success_rate, max_error_rate, model, "
        "fake, only.",
        "timeout is a number of seconds above 0, got -1",
        "tag is a list of tags, none of them blank, got 'smoke'",
        "min_success_rate is a fraction from 0 to 1, got 2",
        "cache and fresh cannot both be asked for",
    )


def test_options__told__are_those_that_were_given():
    given = {"concurrency": 2, "tag": ["a"], "fail_fast": True, "min_success_rate": 0.5, "fake": {"reply": "Hi"}}
    options = RunOptions.of({**given, "limit": None})
    assert options.told() == given
    assert RunOptions.of(options.told()) == options


def test_judge_is_needed__and_there_is_none__refused(using):
    (said,) = problems(make_suite(using, GRADED))
    assert said.startswith("item 0, _assertions[0].type")
    assert "judge" in said


def test_judge__given_for_the_run__is_kept_and_the_suite_left_alone(using):
    suite = make_suite(using, GRADED)

    run = create_run(suite, judge="other")

    assert run.judge_snapshot["definition"] == {"code": "other"}
    assert suite.judge is None
    assert EvalSuite.objects.using(using).get(pk=suite.pk).judge_id is None


def test_agent__given_for_the_run__is_the_one_that_runs(committing):
    run = create_run(make_suite(committing, [{"input": "say 0", "reference": "0"}]), agent="other")

    done = execute_run(run.pk, using=committing)

    assert (done.status, done.agent_id) == ("passed", None)
    assert Agent.asked == []


@pytest.mark.parametrize("which", ["agent", "judge"])
def test_agent_or_judge__unknown__refused_with_the_names_there_are(using, which):
    (said,) = problems(make_suite(using), **{which: "notin"})
    assert said == 'there is no agent "notin". Did you mean "noting"? There are noting, other.'


def test_nothing_matches__refused(using):
    assert problems(make_suite(using), options={"tag": ["zzz"]}) == (
        'no item of suite "smoke-tests" matches --tag zzz',
    )


def test_fake__marks_the_run__and_the_agent_is_not_even_built(committing, settings):
    suite = make_suite(committing)
    settings.NEURON_EVALS = {"AGENTS": {}}

    run = create_run(suite, fake={"reply": "0, 1 and 2"})
    done = execute_run(run.pk, using=committing)

    assert (done.fake, done.status, done.agent_fingerprint) == (True, "passed", "")
    assert Agent.asked == []


def test_idempotency_key__same_person__same_run_whatever_became_of_the_suite(using):
    suite = make_suite(using)
    first = create_run(suite, idempotency_key="k")
    suite.is_active = False

    assert create_run(suite, idempotency_key="k").pk == first.pk
    person = get_user_model().objects.using(using).create(username="ann")
    suite.is_active = True
    assert create_run(suite, idempotency_key="k", user=person).pk != first.pk


def test_suite_and_evaluator__neither_or_both__refused(using):
    assert problems(None, using=using) == ("give a suite or an evaluator, one of the two",)


def test_trigger__unknown__refused(using):
    assert "trigger is one of" in problems(make_suite(using), trigger="cron")[0]


@pytest.mark.parametrize(
    ("count", "parts", "expected"),
    [
        (1, 1, [(0, None)]),
        (9, 3, [(0, 3), (3, 6), (6, None)]),
        (2, 5, [(0, 1), (1, None)]),
        (10, 4, [(0, 2), (2, 5), (5, 7), (7, None)]),
    ],
)
def test_shards__ranges_that_leave_nothing_out(count, parts, expected):
    assert split(list(range(count)), parts) == expected


def test_shards__begin_at_items_that_run():
    assert split([4, 9, 20, 21], 2) == [(0, 20), (20, None)]


def test_shards__below_1__refused(using):
    assert problems(make_suite(using), shards=0) == ("shards is a whole number from 1 up, got 0",)


def test_code_revision__of_a_repository__is_its_commit(tmp_path):
    assert code_revision(tmp_path) == ""
    git = shutil.which("git") or ""
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "First"]):
        subprocess.run([git, "-c", "user.name=a", "-c", "user.email=a@b", *command], cwd=tmp_path, check=True)
    commit = subprocess.run(
        [git, "rev-parse", "HEAD"], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout.strip()
    revision = code_revision(tmp_path)
    assert revision
    assert commit.startswith(revision)


def test_code_revision__no_such_folder__empty(tmp_path):
    assert code_revision(tmp_path / "nowhere") == ""


def test_large_suite__is_planned_in_order(using):
    run = create_run(make_suite(using, items(50)), options={"limit": 20, "repeat": 3}, shards=4)
    assert run.planned_count == 60
    assert list(run.shards.using(using).order_by("number").values_list("start", "stop")) == [
        (0, 5),
        (5, 10),
        (10, 15),
        (15, None),
    ]


def test_definition_and_options__beyond_the_limit_of_stored_values__are_kept_whole(using, settings):
    settings.NEURON_EVALS = {
        **SETTINGS,
        "PROVIDERS": {"canned": {"BACKEND": "tests.testapp.agents.CannedProvider"}},
        "LIMITS": {"STORED_BYTES": 1_000},
    }
    long = "Be brief. " * 500
    agent = AgentDefinition.objects.using(using).create(name="Long", provider="canned", model="m", instructions=long)

    run = create_run(make_suite(using, agent=agent), options={"fake": {"reply": long}})

    stored = EvalRun.objects.using(using).get(pk=run.pk)
    assert stored.agent_snapshot["definition"]["instructions"] == long
    assert stored.options["fake"] == {"reply": long}


class Router:
    """Reads from another database than the one that has the rows."""

    def db_for_read(self, model, **hints):
        return "default"

    def db_for_write(self, model, **hints):
        return "rows"


def test_replica__a_run_is_found_where_it_is_written(using):
    run = create_run(make_suite(using))
    with override_settings(DATABASE_ROUTERS=[f"{__name__}.Router"]):
        assert found_run(run.pk).database == "rows"
