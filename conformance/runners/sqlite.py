"""SQLite, by its C interface: text is bound as UTF-8 and read as UTF-16."""

from __future__ import annotations

import ctypes
import ctypes.util

import common

lib = ctypes.CDLL(ctypes.util.find_library("sqlite3") or "libsqlite3.so.0")
for name in ("libversion", "column_text16", "column_text"):
    getattr(lib, f"sqlite3_{name}").restype = ctypes.c_void_p
lib.sqlite3_libversion.restype = ctypes.c_char_p
UTF8, TRANSIENT = 1, ctypes.c_void_p(-1)

database = ctypes.c_void_p()
assert lib.sqlite3_open(b":memory:", ctypes.byref(database)) == 0


def statement(query: bytes) -> ctypes.c_void_p:
    """Prepare a query."""
    prepared = ctypes.c_void_p()
    assert lib.sqlite3_prepare_v2(database, query, -1, ctypes.byref(prepared), None) == 0
    return prepared


def step(prepared: ctypes.c_void_p, data: bytes) -> None:
    """Run a query with a text."""
    lib.sqlite3_reset(prepared)
    assert lib.sqlite3_bind_text(prepared, 1, data, len(data), TRANSIENT) == 0
    assert lib.sqlite3_step(prepared) == 100


whole = statement(b"SELECT ?1")


def as_utf16(data: bytes) -> str:
    """Return the text that SQLite converts to UTF-16."""
    step(whole, data)
    units = lib.sqlite3_column_text16(whole, 0)
    length = lib.sqlite3_column_bytes16(whole, 0)
    return ctypes.string_at(units, length).decode("utf-16-le", "surrogatepass") if length else ""


def as_stored(data: bytes) -> bytes:
    """Return the bytes of a text that SQLite returns as UTF-8."""
    step(whole, data)
    text = lib.sqlite3_column_text(whole, 0)
    length = lib.sqlite3_column_bytes(whole, 0)
    return ctypes.string_at(text, length) if length else b""


common.run_each(
    "SQLite",
    lib.sqlite3_libversion().decode(),
    {"sqlite3_column_text16": as_utf16, "sqlite3_column_text": as_stored},
)
