"""PostgreSQL: convert_from, on a server that is started for it."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import common

SETUP = """
CREATE FUNCTION attempt(bytea) RETURNS bytea LANGUAGE plpgsql AS $$
BEGIN RETURN convert_to(convert_from($1, 'UTF8'), 'UTF8');
EXCEPTION WHEN character_not_in_repertoire OR untranslatable_character THEN RETURN NULL; END $$;
CREATE TABLE vectors (number int, data bytea);
"""


def programs() -> Path:
    """Return the folder of PostgreSQL's programs."""
    found = shutil.which("initdb") or max(map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")))
    return Path(found).resolve().parent


def main() -> None:
    """Start a server and ask it."""
    folder, data = programs(), common.vectors()
    with tempfile.TemporaryDirectory(prefix="conformance-") as directory:
        user = None
        if os.geteuid() == 0:  # the server refuses to run as root
            user = "nobody"
            os.chown(directory, pwd.getpwnam(user).pw_uid, -1)
        create = [f"{folder}/initdb", "--no-sync", "--no-locale", "--encoding=UTF8", "--auth=trust"]
        create += [f"{directory}/data", "--username=tester"]
        subprocess.run(create, user=user, cwd="/", stdout=subprocess.DEVNULL, check=True)
        serve = [f"{folder}/postgres", f"-D{directory}/data", f"-k{directory}", "--listen_addresses="]
        server = subprocess.Popen([*serve, "--fsync=off"], user=user, cwd="/", stderr=subprocess.DEVNULL)
        ask = ["psql", "-XqAt", f"--host={directory}", "--username=tester", "postgres"]
        try:
            for _ in range(600):
                if subprocess.run([*ask, "-c", ""], stderr=subprocess.DEVNULL, check=False).returncode == 0:
                    break
                time.sleep(0.05)
            rows = "".join(f"{number}\t\\\\x{each.hex()}\n" for number, each in enumerate(data))
            query = "SELECT coalesce(encode(attempt(data), 'hex'), '-') FROM vectors ORDER BY number;"
            script = f"{SETUP}COPY vectors FROM STDIN;\n{rows}\\.\nSHOW server_version;\n{query}\n"
            answer = subprocess.run(ask, input=script, capture_output=True, text=True, check=True).stdout
        finally:
            server.send_signal(signal.SIGINT)  # do not wait for connections
            server.wait(timeout=30)
    version, *cells = answer.splitlines()
    column = [None if cell == "-" else bytes.fromhex(cell) for cell in cells]
    common.report("PostgreSQL", version.split()[0], ["convert_from"], [column])


main()
