"""PostgreSQL: it accepts what leadbyte calls valid, without NUL. A server is started, if one is installed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import leadbyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_examples import RECIPES, code, names_of
from strategies import BROKEN, SCRIPTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from strategies import Anything

psycopg = pytest.importorskip("psycopg")
pwd = pytest.importorskip("pwd")

PAGE = RECIPES / "postgresql.md"
NAMES = names_of(PAGE)
ROWS = NAMES["rows"]


def programs() -> Path:
    """Return the folder of PostgreSQL's programs, or skip."""
    found = shutil.which("initdb") or max(
        map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")), default=None
    )
    if not found:
        pytest.skip("PostgreSQL is not installed")
    return Path(found).resolve().parent


@pytest.fixture(scope="module")
def connection() -> Iterator[Anything]:
    """Start a server with an empty database; yield a connection to it."""
    folder = programs()
    with tempfile.TemporaryDirectory(prefix="leadbyte-") as directory:
        user = None
        if os.geteuid() == 0:  # the server refuses to run as root
            user = "nobody"
            os.chown(directory, pwd.getpwnam(user).pw_uid, -1)
        data = f"{directory}/data"
        create = [f"{folder}/initdb", "--no-sync", "--no-locale", "--encoding=UTF8", "--auth=trust", data]
        subprocess.run(
            [*create, "--username=tester"], user=user, cwd="/", stdout=subprocess.DEVNULL, check=True
        )
        serve = [f"{folder}/postgres", f"-D{data}", f"-k{directory}", "--listen_addresses=", "--fsync=off"]
        server = subprocess.Popen(serve, user=user, cwd="/", stderr=subprocess.DEVNULL)
        try:
            with connected(directory) as opened:
                yield opened
        finally:
            server.send_signal(signal.SIGINT)  # do not wait for connections
            server.wait(timeout=30)


def connected(directory: str) -> Anything:
    """Connect to a server that has just been started."""
    end = time.monotonic() + 30
    while True:
        try:
            return psycopg.connect(host=directory, user="tester", dbname="postgres", autocommit=True)
        except psycopg.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def is_accepted(connection: Anything, data: bytes) -> bool:
    try:
        connection.execute("SELECT convert_from(%s, 'UTF8')", [data])
    except psycopg.errors.CharacterNotInRepertoire:
        return False
    return True


@pytest.fixture
def menu(connection: Anything) -> Anything:
    """Create an empty table; return the connection."""
    connection.execute("DROP TABLE IF EXISTS menu")
    connection.execute("CREATE TABLE menu (id int, dish text)")
    return connection


@pytest.mark.parametrize("data", [*(text.encode() for text in SCRIPTS.values()), *BROKEN], ids=repr)
def test_accepted_samples(connection: Anything, data: bytes) -> None:
    assert is_accepted(connection, data) == NAMES["is_loadable"](data)


@given(data=st.one_of(st.binary(max_size=8), st.text(max_size=8).map(str.encode)))
def test_accepted(connection: Anything, data: bytes) -> None:
    assert is_accepted(connection, data) == NAMES["is_loadable"](data)


@pytest.mark.parametrize("rows", [ROWS, ROWS.replace(b"\xe9", b"e")], ids=["not UTF-8", "NUL"])
def test_messages(menu: Anything, rows: bytes) -> None:
    """The messages of the page are the server's."""
    with (
        pytest.raises(psycopg.errors.CharacterNotInRepertoire) as raised,
        menu.cursor() as cursor,
        cursor.copy("COPY menu FROM STDIN") as copy,
    ):
        copy.write(rows)
    diagnosis = raised.value.diag
    shown = f"ERROR:  {diagnosis.message_primary}\nCONTEXT:  {diagnosis.context}\n"
    assert shown in code(PAGE, "text")


def test_load(menu: Anything) -> None:
    """The function of the page loads what the page has repaired."""
    NAMES["load"](menu, NAMES["clean"])
    loaded = menu.execute("SELECT * FROM menu ORDER BY id").fetchall()
    assert loaded == [(1, "soup"), (2, "caf�"), (3, "tea"), (4, "pur�")]


def test_values(connection: Anything) -> None:
    text = "tea\x00 \ud83d"
    with pytest.raises(psycopg.DataError, match="NUL"):
        connection.execute("SELECT %s", [text[:4]])
    with pytest.raises(UnicodeEncodeError):
        connection.execute("SELECT %s", [text[4:]])
    clean = leadbyte.to_well_formed(text).replace("\x00", "")
    assert connection.execute("SELECT %s", [clean]).fetchone() == (clean,)
    for escaped in (r'"\u0000"', r'"\ud83d"'):
        with pytest.raises(psycopg.DataError):
            connection.execute("SELECT %s::jsonb", [escaped])
