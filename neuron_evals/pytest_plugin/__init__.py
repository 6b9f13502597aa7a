"""The plugin of pytest: `@pytest.mark.evals`, the fixture `evals`, and `--evals`.

Every pytest loads it in an environment that has the package, so it imports nothing but pytest. Without `--evals` it
only skips the tests that are marked.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from neuron_evals.pytest_plugin.fixture import Evals

MARK = "evals"
_OPTION = "neuron_evals"
_FLAG = "--evals"
_OWN_FLAG = "--neuron-evals"

EVALUATORS = "evals_evaluators"
SUITES = "evals_suites"

FIXTURES = ("agent", "judge", "classifier", "embeddings", "simulator")
"""What suites and cases take of fixtures, whose names have `evals_` before these."""


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the option under the name that nobody else has, and the settings."""
    _add_option(parser, _OWN_FLAG, f"do what {_FLAG} does, where the project or another plugin has one of its own")
    where = "folders of %s for --evals: names or paths below the root, with wildcards (default: %s)"
    parser.addini(EVALUATORS, where % ("evaluator files", "evaluators"), type="args", default=["evaluators"])
    parser.addini(SUITES, where % ("suite files", "suites"), type="args", default=["suites"])
    if any(_is_conftest(plugin) for plugin in pluginmanager.get_plugins()):
        # A `conftest.py` names this plugin, so that no hook for what comes before it is called.
        _add_flag(parser)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser) -> Generator[None, None, None]:
    """Add `--evals` once every `conftest.py` had its say: of two options of one name no run of pytest comes about."""
    yield
    _add_flag(parser)


def _add_flag(parser: pytest.Parser) -> None:
    try:
        taken = _FLAG not in parser.parse_known_and_unknown_args([_FLAG])[1]
    except pytest.UsageError:  # it wants a value
        taken = True
    if not taken:
        told = "run tests marked with `evals`, and each item of evaluator files and suite files as a test"
        _add_option(parser, _FLAG, told)


def _add_option(parser: pytest.Parser, name: str, told: str) -> None:
    group = parser.getgroup("neuron_evals", "evaluations of AI agents")
    group.addoption(name, action="store_true", dest=_OPTION, help=told)


def _is_conftest(plugin: object) -> bool:
    return PurePath(getattr(plugin, "__file__", None) or "").name == "conftest.py"


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark, and what goes with the option or without it."""
    config.addinivalue_line("markers", f"{MARK}: evaluates an agent, which may cost money; runs with --evals only")
    if config.getoption(_OPTION):
        from neuron_evals.pytest_plugin.collecting import Collecting  # noqa: PLC0415  (only where it is asked for)

        config.pluginmanager.register(Collecting(config), "neuron_evals_collecting")
    else:
        config.pluginmanager.register(_Skipping(), "neuron_evals_skipping")


class _Skipping:
    """Skips what is marked, before any of its fixtures is made."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if item.get_closest_marker(MARK) is not None:
            pytest.skip("evaluates an agent: run it with --evals (plugin neuron_evals)")


@pytest.fixture
def evals(request: pytest.FixtureRequest) -> Evals:
    """Run cases, suites and evaluators in a test, and fail it with what they found."""
    from neuron_evals.pytest_plugin.fixture import Evals  # noqa: PLC0415  (as above)

    return Evals(request)


@pytest.fixture
def evals_agent() -> Any:
    """The agent that suites and cases are run against; override it in a `conftest.py`. None: the one they name."""
    return None


@pytest.fixture
def evals_judge() -> Any:
    """The agent that grades; override it in a `conftest.py`. None: the one that the suite names."""
    return None


@pytest.fixture
def evals_classifier() -> Any:
    """What answers `classifier_judge`; override it in a `conftest.py`. None: there is none."""
    return None


@pytest.fixture
def evals_embeddings() -> Any:
    """What makes vectors for `string_similarity`; override it in a `conftest.py`. None: there is nothing."""
    return None


@pytest.fixture
def evals_simulator() -> Any:
    """What plays simulated users; override it in a `conftest.py`. None: there is nothing."""
    return None
