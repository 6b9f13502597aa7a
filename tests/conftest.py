"""What every test gets: settings, no network, servers where they answer, and a strict count of skipped tests."""

from __future__ import annotations

import ipaddress
import os
import socket
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from hypothesis import HealthCheck, settings

from tests.databases import MigratedOnce
from tests.servers import SERVERS, missing
from tests.tls_server import postgresql_over_tls, why_no_tls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SKIPPED: list[str] = []

# How long an example takes says nothing of what is tested, and on a busy machine it is long.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Know the option of pytest-django where the engine's tests run without it; unknown options are refused."""
    if not pluginmanager.hasplugin("django"):
        parser.addini("DJANGO_SETTINGS_MODULE", "unused")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that needs a server which does not answer."""
    for mark in item.iter_markers("server"):
        if reason := missing(mark.args[0]):
            pytest.skip(reason)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember skipped tests; an expected failure is none."""
    if report.skipped and not hasattr(report, "wasxfail"):
        _SKIPPED.append(report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Remember modules that skipped themselves."""
    if report.skipped:
        _SKIPPED.append(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that skipped anything, where everything must run."""
    if _SKIPPED and os.environ.get("NEURON_EVALS_FAIL_ON_SKIP") == "1":
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say why a run without failures failed."""
    if _SKIPPED and os.environ.get("NEURON_EVALS_FAIL_ON_SKIP") == "1":
        terminalreporter.write_line(f"NEURON_EVALS_FAIL_ON_SKIP: {len(_SKIPPED)} skipped, none may be", red=True)


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    """Refuse connections and look-ups that would leave this machine, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex"):
            patch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))
        patch.setattr(socket, "getaddrinfo", _guarded_lookup(socket.getaddrinfo))
        yield


def _guarded(connect: Callable[[socket.socket, Any], Any]) -> Callable[[socket.socket, Any], Any]:
    def guarded(self: socket.socket, address: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(address[0]):
            _refuse(address)
        return connect(self, address)

    return guarded


def _guarded_lookup(lookup: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(host: Any, *args: Any, **kwargs: Any) -> Any:
        if not _is_local(host):
            _refuse(host)
        return lookup(host, *args, **kwargs)

    return guarded


def _is_local(host: Any) -> bool:
    if host in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host.decode() if isinstance(host, bytes) else host).is_loopback
    except ValueError:
        return False


def _refuse(target: object) -> NoReturn:
    msg = f"tests use no network: {target!r} is not this machine"
    raise RuntimeError(msg)


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any) -> Iterator[MigratedOnce]:
    """Databases that are migrated once, and given to each test clean."""
    made = MigratedOnce(tmp_path_factory.mktemp("databases"))
    yield made
    with django_db_blocker.unblock():
        made.destroy()


@pytest.fixture(params=[pytest.param(vendor, marks=pytest.mark.server(vendor)) for vendor in SERVERS])
def server_database(request: pytest.FixtureRequest, django_db_blocker: Any, databases: MigratedOnce) -> Iterator[str]:
    """Alias of a migrated, empty database on a real server.

    The test runs once for each kind of server. Nothing wraps it in a transaction; its rows are deleted afterwards. One
    that changes tables needs a database of its own: `tests.databases.migrated`.
    """
    alias = request.param
    with django_db_blocker.unblock(), databases.at(alias, alias):
        yield alias


@pytest.fixture(scope="session")
def postgresql_tls() -> Iterator[dict[str, Any]]:
    """Entry of `DATABASES` for a PostgreSQL that takes connections over TLS only."""
    if reason := why_no_tls():
        pytest.skip(reason)
    with postgresql_over_tls() as entry:
        yield entry
