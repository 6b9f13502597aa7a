"""The tables: complete migrations, names given by hand, nothing that one of the databases lacks."""

from __future__ import annotations

import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.db import connections, models

from neuron_evals.models import EvalRun

ROOT = Path(__file__).parent.parent.parent
MODELS = list(apps.get_app_config("neuron_evals").get_models())


@pytest.mark.django_db
def test_migrations__say_all_that_the_models_say():
    out = StringIO()
    call_command("makemigrations", "neuron_evals", check=True, dry_run=True, stdout=out)
    assert out.getvalue().strip() == "No changes detected in app 'neuron_evals'"


def test_migrations__are_one():
    assert [path.name for path in sorted((ROOT / "neuron_evals" / "migrations").glob("0*.py"))] == ["0001_initial.py"]


def test_models__are_those_of_the_design():
    assert {model.__name__ for model in MODELS} == {
        "AgentDefinition",
        "CachedOutput",
        "EvalReview",
        "EvalRun",
        "EvalRunItem",
        "EvalRunShard",
        "EvalSuite",
    }


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_model__names_every_index_and_asks_for_nothing_that_mariadb_lacks(model):
    options = model._meta
    assert isinstance(options.pk, models.BigAutoField)
    for index in options.indexes:
        assert index.name.startswith("neuron_evals_")
        assert len(index.name) <= 30
        assert (index.condition, index.expressions) == (None, ())
    for constraint in options.constraints:
        assert isinstance(constraint, models.UniqueConstraint)
        assert constraint.name.startswith("neuron_evals_")
        assert (constraint.condition, constraint.expressions, constraint.nulls_distinct) == (None, (), None)
    for field in options.local_fields:
        if not field.primary_key:
            assert not field.unique, f"{field}: unique by a constraint that has a name"
            assert not field.db_index, f"{field}: indexed by an index that has a name"
        if isinstance(field, models.JSONField):
            assert not field.null
    assert not options.unique_together


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_foreign_key__has_an_index_that_begins_with_it(model):
    leading = {index.fields[0] for index in model._meta.indexes}
    leading |= {constraint.fields[0] for constraint in model._meta.constraints}
    keys = {field.name for field in model._meta.local_fields if field.is_relation}
    assert keys <= leading


def test_tables__on_every_kind_of_database__have_our_indexes(using):
    wanted = {index.name for model in MODELS for index in model._meta.indexes}
    wanted |= {constraint.name for model in MODELS for constraint in model._meta.constraints}
    connection = connections[using]
    with connection.cursor() as cursor:
        found = {
            name
            for model in MODELS
            for name, details in connection.introspection.get_constraints(cursor, model._meta.db_table).items()
            if details["index"] or details["unique"]
        }
    assert wanted <= found


def test_permissions__beside_those_of_django(db):
    ours = {"run_evalsuite", "cancel_evalrun", "export_evalrun", "review_evalrunitem"}
    codenames = Permission.objects.filter(content_type__app_label="neuron_evals").values_list("codename", flat=True)
    assert ours <= set(codenames)
    assert len(codenames) == 4 * len(MODELS) + len(ours)


def test_historical_models__have_fields_of_django():
    from django.db.migrations.loader import MigrationLoader  # noqa: PLC0415  (reads the tables' history)

    state = MigrationLoader(None).project_state(("neuron_evals", "0001_initial")).apps
    old = state.get_model("neuron_evals", EvalRun.__name__)
    assert {type(field).__module__.split(".")[0] for field in old._meta.local_fields} == {"django"}


SCRIPT = """
import django
from django.conf import settings
settings.configure(
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "neuron_evals"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "never-made.sqlite3"}},
)
django.setup()
from django.core.checks import run_checks
assert run_checks(databases=[]) == []  # by default every database is connected to, from Django 6.1 on
"""


def test_set_up_and_checks__touch_no_database(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []
