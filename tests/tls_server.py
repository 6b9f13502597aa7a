"""A PostgreSQL of the tests' own that takes connections over TLS only."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.servers import HOST, SERVERS


def why_no_tls() -> str:
    """Return what a PostgreSQL of our own with TLS lacks on this machine, or an empty text when it can be started."""
    if _postgresql_programs() is None:
        return "no PostgreSQL with TLS: its server programs (initdb, pg_ctl) are not installed"
    return "" if shutil.which("openssl") else "no PostgreSQL with TLS: openssl, which makes its certificate, is missing"


@contextmanager
def postgresql_over_tls() -> Iterator[dict[str, Any]]:
    """Start a PostgreSQL of our own that takes connections over TLS only, and give its entry of `DATABASES`.

    It lives in a temporary folder, at a free port, with a certificate of its own, as long as the block.
    """
    programs = _postgresql_programs()
    assert programs is not None
    # PostgreSQL refuses to run as root; the folders that pytest makes let nobody else in.
    owner = "postgres" if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="neuron-evals-postgresql-") as name:
        folder, data = Path(name), Path(name) / "data"
        if owner is not None:
            shutil.chown(folder, owner, owner)

        def run(*command: str | Path) -> None:
            # Not captured by pipes, which the server would hold open.
            with (folder / "output").open("w+") as output:
                status = subprocess.run(
                    command, cwd=folder, user=owner, group=owner, stdout=output, stderr=output, check=False
                ).returncode
                output.seek(0)
                assert status == 0, f"{command}: {output.read()}"

        run(programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        (data / "pg_hba.conf").write_text(f"hostssl all all {HOST}/32 trust\n")
        names = ("-keyout", data / "server.key", "-out", data / "server.crt")
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", *names)
        options = {"ssl": "on", "listen_addresses": HOST, "unix_socket_directories": "", "fsync": "off"}
        with (data / "postgresql.conf").open("a") as settings:
            settings.writelines(f"{key} = '{value}'\n" for key, value in options.items())
        port = _free_port()
        run(programs / "pg_ctl", "-D", data, "-l", data / "log", "-o", f"-p {port}", "-t", "300", "-w", "start")
        try:
            where = {"HOST": HOST, "PORT": str(port), "USER": "postgres", "OPTIONS": {"sslmode": "require"}}
            yield {"ENGINE": SERVERS["postgresql"].engine, "NAME": "neuron_evals", **where}
        finally:
            run(programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")


def _postgresql_programs() -> Path | None:
    """Return the folder of PostgreSQL's server programs, which Debian keeps off the path."""
    found = shutil.which("pg_ctl")
    folders = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return next((folder for folder in reversed(folders) if (folder / "initdb").exists()), None)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
