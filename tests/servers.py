"""The database servers that tests may use: where they are expected, and whether they can be used."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from functools import cache
from typing import Any

HOST = "127.0.0.1"


@dataclass(frozen=True)
class Server:
    """A kind of database server, expected at its standard port.

    The account, which must be allowed to create databases, is the usual one of a local development server; the
    environment variable `NEURON_EVALS_TEST_<VENDOR>`, as `user:password`, names another.
    """

    name: str
    port: int
    engine: str
    account: str


SERVERS = {
    "postgresql": Server("PostgreSQL", 5432, "django.db.backends.postgresql", "postgres:"),
    "mariadb": Server("MariaDB", 3306, "django.db.backends.mysql", "root:"),
}


def database(vendor: str, name: str = "neuron_evals") -> dict[str, Any]:
    """Return the entry of `DATABASES` for a vendor: a key of `SERVERS`, or `"sqlite"`."""
    if vendor == "sqlite":
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
    if vendor not in SERVERS:
        msg = f"NEURON_EVALS_TEST_DB is one of {', '.join(['sqlite', *SERVERS])}; got {vendor!r}"
        raise ValueError(msg)
    server = SERVERS[vendor]
    if vendor == "mariadb":
        _use_pymysql()
    user, _, password = os.environ.get(f"NEURON_EVALS_TEST_{vendor.upper()}", server.account).partition(":")
    where = {"HOST": HOST, "PORT": str(server.port), "USER": user, "PASSWORD": password}
    # The name carries the process, so that several runs share a server without sharing a database.
    return {"ENGINE": server.engine, "NAME": f"{name}_{os.getpid()}", **where}


def _use_pymysql() -> None:
    """Let Django's MySQL backend, which looks for mysqlclient, find PyMySQL: it installs without a compiler."""
    import pymysql  # noqa: PLC0415  (the engine's own tests run where it is not installed)

    pymysql.install_as_MySQLdb()


@cache
def missing(vendor: str) -> str:
    """Return why the server of a vendor cannot be used, or an empty text when it can."""
    server = SERVERS[vendor]
    try:
        socket.create_connection((HOST, server.port), timeout=30).close()
    except OSError:
        return f"no {server.name} answers at {HOST}:{server.port}"
    return ""
