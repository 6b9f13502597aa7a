"""Evaluations as tests of a Django project, with pytest-django."""

from __future__ import annotations

import pytest

SETTINGS = """
SECRET_KEY = "only for tests"
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "neuron_evals"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
USE_TZ = True
NEURON_EVALS = {
    "ASSERTIONS": {"loud": "shop.Loud"},
    "AGENTS": {"asker": "shop.Asker"},
    "BINDINGS": {"shop.Greeter": "shop.PoliteGreeter"},
}
"""
INI = """
[pytest]
DJANGO_SETTINGS_MODULE = settings
addopts = --strict-markers
filterwarnings = error
"""
SHOP = """
from dataclasses import dataclass

from neuron_evals import Assertion, AssertionResult, FakeAgent, FakeScript


class Greeter:
    name = ""


class PoliteGreeter(Greeter):
    name = "polite"


@dataclass(frozen=True)
class Loud(Assertion):
    accepts = "text"

    def evaluate(self, actual):
        return AssertionResult.ok() if actual.isupper() else AssertionResult.fail(0.0, "not loud")


class Asker(FakeAgent):
    def __init__(self):
        super().__init__(FakeScript("hello from the setting"))
"""
EVALUATORS = """
import pytest
from django.contrib.auth.models import Group

from neuron_evals import BaseEvaluator, Equals
from shop import Greeter


class Injected(BaseEvaluator):
    def __init__(self, greeter: Greeter):
        self.greeter = greeter

    def get_dataset(self):
        return [{"id": "one", "input": "polite"}]

    def run(self, item):
        return self.greeter.name

    def evaluate(self, output, item):
        self.check(Equals(item["input"]), output)


class Rows(BaseEvaluator):
    pytestmark = [pytest.mark.django_db]

    def set_up(self):
        Group.objects.create(name="staff")

    def get_dataset(self):
        return [{"id": "first", "timeout": 60}, {"id": "second"}]

    def run(self, item):
        return Group.objects.count()

    def evaluate(self, output, item):
        self.check(Equals(1), output)


class DatasetOfRows(Rows):
    def get_dataset(self):
        return [{"id": group.name} for group in Group.objects.all()]


class Unmarked(Rows):
    pytestmark = []
"""
SUITE = """
agent: asker
items:
  - {id: hello, input: q, reference: hello from the setting}
  - {id: own, input: q, _assertions: [{type: loud}]}
"""


@pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["one", "several"])
def test_project__evaluators_come_from_the_container_and_see_the_database_of_their_own_test(folder, processes):
    folder.write(
        pytest_ini=INI, settings_py=SETTINGS, shop_py=SHOP, evaluators__rows_py=EVALUATORS, suites__basic_yaml=SUITE
    )
    done = folder.pytest("--evals", "-v", *processes)
    assert done.outcomes() == {
        "evaluators/rows.py::DatasetOfRows": "PASSED",
        "evaluators/rows.py::Injected[one]": "PASSED",
        "evaluators/rows.py::Rows[first]": "PASSED",
        "evaluators/rows.py::Rows[second]": "PASSED",
        "evaluators/rows.py::Unmarked[first]": "FAILED",
        "evaluators/rows.py::Unmarked[second]": "FAILED",
        "suites/basic.yaml::suite[hello]": "PASSED",
        "suites/basic.yaml::suite[own]": "FAILED",
    }, done.text
    assert "not loud" in done.text
    assert "Database access not allowed" in done.text
