"""The plugin of pytest: `@pytest.mark.evals`, the fixture `evals`, and `--evals`.

Every pytest loads it in an environment that has the package, so it imports nothing but pytest. Without `--evals` it
only skips the tests that are marked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from neuron_evals.pytest_plugin.fixture import Evals

MARK = "evals"
_OPTION = "neuron_evals"

EVALUATORS = "evals_evaluators"
SUITES = "evals_suites"

FIXTURES = ("agent", "judge", "classifier", "embeddings", "simulator")
"""What suites and cases take of fixtures, whose names have `evals_` before these."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the settings."""
    group = parser.getgroup("neuron_evals", "evaluations of AI agents")
    group.addoption(
        "--evals",
        action="store_true",
        dest=_OPTION,
        help="run tests marked with `evals`, and each item of evaluator files and suite files as a test",
    )
    where = "folders of %s for --evals: names or paths below the root, with wildcards (default: %s)"
    parser.addini(EVALUATORS, where % ("evaluator files", "evaluators"), type="args", default=["evaluators"])
    parser.addini(SUITES, where % ("suite files", "suites"), type="args", default=["suites"])


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
            pytest.skip("evaluates an agent: run it with --evals")


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
