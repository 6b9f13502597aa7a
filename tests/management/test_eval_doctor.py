"""The command `eval_doctor`: what it shows, what it finds, and what it never says."""

from __future__ import annotations

import io
import json
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder
from django.test.utils import CaptureQueriesContext, override_settings
from django.utils import timezone

from neuron_evals.models import AgentDefinition, EvalRun
from tests.runs.samples import make_suite

SECRET = "sk-never-to-be-seen-1234"  # noqa: S105  (what must not be shown)
OPENAI = {"BACKEND": "openai", "OPTIONS": {"api_key": SECRET, "model": "gpt", "base_url": "http://127.0.0.1:9/v1"}}


def examined(*args: str, settings: Any = None) -> SimpleNamespace:
    out, status = io.StringIO(), 0
    with override_settings(NEURON_EVALS=settings or {}):
        try:
            call_command("eval_doctor", *args, stdout=out)
        except SystemExit as exc:
            status = int(exc.code or 0)
    return SimpleNamespace(status=status, out=out.getvalue())


def problems(settings: Any = None) -> list[tuple[str, str]]:
    done = examined("--format", "json", settings=settings)
    found = json.loads(done.out)["problems"]
    assert done.status == (1 if found else 0)
    return [(each["where"], each["message"]) for each in found]


def advice(settings: Any = None) -> list[tuple[str, str]]:
    found = json.loads(examined("--format", "json", settings=settings).out)["advice"]
    return [(each["where"], each["message"]) for each in found]


def test_project_without_settings__defaults_are_shown_and_nothing_is_wrong(db):
    done = examined()
    assert done.status == 0
    assert 'OUTPUTS: [{"BACKEND": "console"}]' in done.out
    assert "No problems found." in done.out


def test_options_of_providers__are_shown_without_what_may_be_secret(db):
    settings = {
        "PROVIDERS": {"openai": OPENAI},
        "OUTPUTS": [{"BACKEND": "json", "OPTIONS": {"path": "results.json"}}],
        "SUITE_DEFAULTS": {"MODEL": "openai:gpt", "TIMEOUT": 60},
    }
    for form in ("text", "json"):
        assert SECRET not in examined("--format", form, settings=settings).out
    shown = json.loads(examined("--format", "json", settings=settings).out)["settings"]
    options = {"api_key": "(not shown)", "model": "gpt", "base_url": "http://127.0.0.1:9"}
    assert shown["PROVIDERS"] == {"openai": {"BACKEND": "openai", "OPTIONS": options}}
    unsaid: dict[str, Any] = {"INSTRUCTIONS": None, "MODEL_SETTINGS": {}, "RETRIES": None}
    assert shown["SUITE_DEFAULTS"] == {"MODEL": "openai:gpt", "TIMEOUT": 60, **unsaid}
    assert shown["OUTPUTS"] == [{"BACKEND": "json", "OPTIONS": {"path": "results.json"}}]


def test_error_that_quotes_a_secret__is_told_without_it(db, monkeypatch):
    monkeypatch.setenv("NEURON_EVALS_TEST_KEY", SECRET)

    def refuse(self):
        return [f"the key {SECRET} was refused"]

    monkeypatch.setattr("neuron_evals.core.providers.openai.OpenAIProvider.problems", refuse)
    by_env = {"BACKEND": "openai", "OPTIONS": {"api_key_env": "NEURON_EVALS_TEST_KEY"}}
    for entry in (OPENAI, by_env):
        done = examined(settings={"PROVIDERS": {"openai": entry}})
        assert done.status == 1
        assert "the key (not shown) was refused" in done.out
        assert SECRET not in done.out


@pytest.mark.parametrize(
    ("settings", "where", "message"),
    [
        ({"OUTPUT": []}, "settings", 'Did you mean "OUTPUTS"'),
        ({"AGENTS": {"support": "nowhere.Agent"}}, "settings", "nowhere"),
        ({"AGENTS": {"support": "tests.testapp.agents.Broken"}}, 'agent "support"', "nowhere"),
        ({"OUTPUTS": [{"BACKEND": "json", "OPTIONS": {"path": "/nowhere/x.json"}}]}, "outputs", "/nowhere"),
        ({"CACHE": {"BACKEND": "file", "OPTIONS": {"path": "/proc/nowhere"}}}, "cache", "/proc/nowhere"),
        ({"LAUNCHER": {"BACKEND": "process", "OPTIONS": {"log": "/nowhere/x.log"}}}, "launcher", "/nowhere/x.log"),
        (
            {"PROVIDERS": {"openai": {"BACKEND": "openai", "OPTIONS": {"api_key_env": "NEURON_EVALS_NO_KEY"}}}},
            'provider "openai"',
            "NEURON_EVALS_NO_KEY",
        ),
    ],
)
def test_what_a_setting_names__and_cannot_work__is_a_problem(db, settings, where, message):
    assert any(place == where and message in said for place, said in problems(settings)), problems(settings)


def test_rows_that_cannot_run__are_problems(db):
    settings = {"AGENTS": {"noting": "tests.runs.samples.Agent"}}
    make_suite("default", agent=AgentDefinition.objects.create(name="Idle", code="noting", is_active=False))
    AgentDefinition.objects.create(name="Gone", code="gone")

    found = problems(settings)

    assert ("suites", 'suite "smoke-tests": its agent "idle" is inactive; activate it, or choose another') in found
    assert any(place == 'stored agent "gone"' for place, _ in found)


def test_runs_that_nobody_executes__are_told_with_what_to_do(db):
    lost, _ = EvalRun.objects.enqueue(source="lost")
    EvalRun.objects.filter(pk=lost.pk).update(status="running")
    waiting, _ = EvalRun.objects.enqueue(source="waits")
    before = timezone.now() - timedelta(hours=1)
    EvalRun.objects.filter(pk=waiting.pk).update(launcher="rq", dispatch_error="no connection", queued_at=before)
    killed, _ = EvalRun.objects.enqueue(source="killed before it began")
    EvalRun.objects.filter(pk=killed.pk).update(queued_at=before)
    EvalRun.objects.enqueue(source="about to be executed by its command")

    said = [message for place, message in advice() if place == "runs"]

    assert len(said) == 3
    assert f"run {lost.pk}" in said[0]
    assert "eval_runs sweep" in said[0]
    assert f'run {waiting.pk} waits for the launcher "rq" (no connection)' in said[1]
    assert f"run {killed.pk} waits, and no launcher was to carry it" in said[2]
    assert f"eval_runs execute {killed.pk}`" in said[2]
    assert f"eval_runs cancel {killed.pk}`" in said[2]


def test_migration_that_waits__is_a_problem(db):
    MigrationRecorder.Migration.objects.filter(app="neuron_evals").order_by("-name").first().delete()
    (found,) = problems()
    assert "migrations wait" in found[1]
    assert "python manage.py migrate neuron_evals" in found[1]


@pytest.fixture
def no_tables(db):
    """A database without our tables."""
    tables = connection.introspection.table_names
    hidden = type(connection.introspection)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hidden, "table_names", lambda self, *args, **kwargs: [])
        yield tables


def test_tables_that_are_missing__are_advice_unless_a_setting_needs_them(no_tables):
    (said,) = (message for place, message in advice() if place == 'database "default"')
    assert "run `python manage.py migrate neuron_evals`" in said
    assert [place for place, _ in problems({"CACHE": "database"})] != []
    assert 'database "default"' in [place for place, _ in problems({"OUTPUTS": ["console", "database"]})]


def test_database_that_cannot_be_reached__is_said_and_nothing_breaks(django_db_blocker, tmp_path):
    entry = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(tmp_path / "nowhere" / "db.sqlite3")}
    settings = connections.configure_settings({**connections.databases, "away": entry})["away"]
    connections.databases["away"] = settings
    try:
        with django_db_blocker.unblock(), override_settings(DATABASE_ROUTERS=["tests.management.routing.ToAway"]):
            done = examined(settings={"OUTPUTS": ["database"]})
    finally:
        connections["away"].close()
        del connections["away"], connections.databases["away"]
    assert done.status == 1
    assert 'database "away": the database "away" cannot be used: OperationalError' in done.out


def test_queries__are_counted(db):
    make_suite("default", agent=AgentDefinition.objects.create(name="Noting", code="noting"))
    settings = {"AGENTS": {"noting": "tests.runs.samples.Agent"}}
    examined(settings=settings)
    with CaptureQueriesContext(connection) as one:
        examined(settings=settings)
    for number in range(5):
        AgentDefinition.objects.create(name=f"Agent {number}", code="noting")
    with CaptureQueriesContext(connection) as several:
        examined(settings=settings)
    assert len(one) == len(several)


def test_wrong_usage__ends_with_2():
    with pytest.raises(CommandError) as refused:
        call_command("eval_doctor", "--format", "xml")
    assert refused.value.returncode == 2
