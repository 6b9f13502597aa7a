"""The plugin in an environment that merely has the package installed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.running import Done, Folder

TESTS = """
import sys


def test_that_passes():
    pass


def test_that_fails():
    assert False


def test_what_is_loaded():
    loaded = {name for name in sys.modules if name.partition(".")[0] in ("neuron_evals", "django", "httpx", "numpy")}
    assert loaded <= {"neuron_evals", "neuron_evals.pytest_plugin"}, loaded
"""
EVALUATOR = "raise RuntimeError('imported')\n"
SUITE = "this: is no suite\n"


@pytest.fixture
def plain(folder: Folder) -> Folder:
    """A project that has folders named as those of evaluators and suites are, and knows nothing of this package."""
    return folder.write(test_things_py=TESTS, evaluators__support_py=EVALUATOR, suites__basic_yaml=SUITE)


def _comparable(done: Done) -> tuple[int, str]:
    """Return a run without what differs from run to run, and without the list of plugins that are installed."""
    text = re.sub(r"^plugins: .*\n", "", done.text, flags=re.MULTILINE)
    return done.status, re.sub(r"in \d+\.\d+s", "", text)


def test_run__with_the_package_installed__is_the_same_run(plain):
    options = ("-v", "-p", "no:django")
    done = plain.pytest(*options)
    assert done.outcomes() == {
        "test_things.py::test_that_passes": "PASSED",
        "test_things.py::test_that_fails": "FAILED",
        "test_things.py::test_what_is_loaded": "PASSED",
    }, done.text
    # Where the project itself is installed for its tests, the other run has it too; the assertions above hold anyway.
    assert _comparable(done) == _comparable(plain.pytest(*options, installed=False))


def test_plugin_turned_off__its_option_is_gone_and_nothing_else(plain):
    off = plain.pytest("-v", "-p", "no:django", "-p", "no:neuron_evals")
    assert (off.status, len(off.outcomes())) == (1, 3), off.text
    assert plain.pytest("-p", "no:neuron_evals", "--evals").status == 4


def test_option_mark_and_settings__are_documented_by_pytest(folder):
    told = folder.pytest("--help").text
    assert all(name in told for name in ("--evals", "evals_evaluators", "evals_suites"))
    assert "@pytest.mark.evals" in folder.pytest("--markers").text


OWN_OPTION = """
def pytest_addoption(parser):
    parser.addoption("--evals", OPTIONS)
"""
MARKED = """
import pytest


@pytest.mark.evals
def test_paid():
    pass
"""


@pytest.mark.parametrize("options", ['action="store_true"', 'type=int, help="wants a value"'])
def test_project_with_an_option_of_that_name__keeps_it_and_has_ours_by_the_other_name(folder, options):
    folder.write(conftest_py=OWN_OPTION.replace("OPTIONS", options), test_paid_py=MARKED)
    done = folder.pytest("-v")
    assert (done.status, done.outcomes()) == (0, {"test_paid.py::test_paid": "SKIPPED"}), done.text
    done = folder.pytest("-v", "--neuron-evals")
    assert (done.status, done.outcomes()) == (0, {"test_paid.py::test_paid": "PASSED"}), done.text


def test_plugin_named_by_a_conftest__has_its_option(folder):
    folder.write(conftest_py='pytest_plugins = ["neuron_evals.pytest_plugin"]\n', test_paid_py=MARKED)
    for option, outcome in (("-v", "SKIPPED"), ("--evals", "PASSED")):
        done = folder.pytest("--disable-plugin-autoload", "-v", option)
        assert (done.status, done.outcomes()) == (0, {"test_paid.py::test_paid": outcome}), done.text


def test_mark_of_the_projects_own__the_reason_names_the_plugin_that_skips_it(folder):
    folder.write(test_paid_py=MARKED)
    assert "run it with --evals (plugin neuron_evals)" in folder.pytest("-rs").text
    done = folder.pytest("-v", "-p", "no:neuron_evals", "-o", "markers=evals: ours")
    assert done.outcomes() == {"test_paid.py::test_paid": "PASSED"}, done.text
