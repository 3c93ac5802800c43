"""Explanations of exceptions: the place, the likely encoding, and what to do."""

from __future__ import annotations

import builtins
import codecs
import contextlib
import io
import re
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import leadbyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from leadbyte._explain_error import TITLE, Hook, annotate, report_in_ipython, unicode_errors

if TYPE_CHECKING:
    from pathlib import Path

    from strategies import Anything

RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю\n"


def decoding(data: bytes, encoding: str = "utf-8") -> str:
    """Return the explanation of why data cannot be decoded."""
    with pytest.raises(UnicodeDecodeError) as caught:
        data.decode(encoding)
    return leadbyte.explain_error(caught.value)


def encoding(text: str, encoding: str) -> str:
    """Return the explanation of why a text cannot be encoded."""
    with pytest.raises(UnicodeEncodeError) as caught:
        text.encode(encoding)
    return leadbyte.explain_error(caught.value)


@pytest.mark.parametrize(
    ("data", "place", "advice"),
    [
        (b"one\r\n\xe9t\xe9 \xe0 la cr\xe8me\r\n", "line 2, column 1, byte 5: ", 'encoding="windows-1252"'),
        (RUSSIAN.encode("koi8-r"), "line 1, column 1, byte 0: ", 'encoding="koi8-r"'),
        (RUSSIAN.encode("utf-16"), "line 1, column 1, byte 0: ", 'encoding="utf-16"'),
        (RUSSIAN.encode()[:-2], "line 1, column 53, byte 95: ", "StreamDecoder"),
        (RUSSIAN.encode() * 9 + b"K\xf6ln\n", "line 10, column 2, byte 883: ", "Apart from 1 error, "),
        (b"\xed\xa0\xbd\xed\xb8\x80!", "line 1, column 1, byte 0: ", "variants.cesu8.decode"),
        (b"a\xc0\x80b", "line 1, column 2, byte 1: ", "variants.mutf8.decode"),
        (b"\x1f\x8b\x08\0\0\0\0\0\xff", "line 1, column 2, byte 1: ", "is gzip, not text"),
        (bytes(range(256)) * 4, "line 2, column 118, byte 128: ", "does not look like text"),
    ],
)
def test_decoding(data: bytes, place: str, advice: str) -> None:
    explained = decoding(data)
    assert explained.startswith(place + "not UTF-8: ")
    assert advice in explained.splitlines()[2]


@pytest.mark.parametrize(
    ("data", "encoding", "advice"),
    [
        (b"\xc3\xa9x\xff", "utf-8", "Apart from 1 error, the data may be UTF-8 (4 bytes)."),
        (b"\xc3\xa9x\xff", "utf-8-sig", "Apart from 1 error, the data may be UTF-8 (4 bytes)."),
        (b"caf\xc3", "utf-8-sig", "ends inside a character: more of it may follow, which leadbyte.StreamD"),
        (
            "Грюсс".encode("cp1251"),
            "utf-8",
            "The data may be in windows-1251 (50% sure): leadbyte.detect_all",
        ),
        (b"\x81", "cp1252", "The data may be in macintosh (50% sure): "),
        (b"ab\xd8", "utf-16", "ends inside a character: more of it may follow, which codecs.getincr"),
        ("aé".encode("utf-16")[:-1], "utf-16", 'codecs.getincrementaldecoder("utf-16") decodes'),
        ("あいう".encode("euc_jp")[:-1], "euc_jp", 'codecs.getincrementaldecoder("euc_jp") decodes'),
        (RUSSIAN.encode("cp1251")[:-1], "gb18030", 'decode it with encoding="windows-1251".'),
        ("日本語テキストです。".encode("cp932")[:-1], "utf-8", 'decode it with encoding="cp932".'),
        (b"\xff\xfea\0\0\xd8a\0", "utf-16", "Apart from errors, the data may be in utf-16: errors="),
        (RUSSIAN.encode() + b"\xff", "ascii", "Apart from 1 error, the data may be UTF-8 (99 bytes)."),
    ],
)
def test_advice(data: bytes, encoding: str, advice: str) -> None:
    explained = decoding(data, encoding)
    assert advice in explained.splitlines()[2]
    for other in re.findall(r'decode it with encoding="([^"]+)"', explained):
        # It is not the one that failed.
        assert codecs.lookup(other) != codecs.lookup(encoding)


def test_the_line_is_shown() -> None:
    data = b"before\nna\xc3\xafve\t caf\xe9\x1b[31m" + "é".encode() * 50 + b"\nafter"
    shown = decoding(data).splitlines()[1]
    assert shown.startswith("  naïve  caf\\xe9\\x1b[31mé")
    assert shown.endswith("é")
    assert len(shown) < 60


def test_utf8_in_another_encoding() -> None:
    for name in ("ascii", "cp1252", "utf-16"):
        data = RUSSIAN.encode() + b"."
        explained = decoding(data, name)
        assert 'The data is valid UTF-8: decode it with encoding="utf-8".' in explained
    assert ": not in this single-byte encoding: " in decoding(RUSSIAN.encode(), "cp1252")


def test_encoding() -> None:
    explained = encoding("one\ntwo €", "latin-1")
    first = 'line 2, column 5, character 8: "€" U+20AC EURO SIGN is not in iso8859-1'
    assert explained.splitlines()[:2] == [first, "  two €"]
    assert "to_well_formed" in encoding("a\ud83d", "utf-8")
    assert 'the byte FF of data that was decoded with errors="surrogateescape"' in encoding("\udcff", "utf-8")


@given(st.binary(min_size=1, max_size=200), st.integers(0, 220), st.integers(0, 220))
def test_any_exception(data: bytes, start: int, end: int) -> None:
    """Whatever the fields are, the text is printable."""
    for error in (
        UnicodeDecodeError("utf-8", data, start, end, "\x1b]0;"),
        UnicodeDecodeError("no-such", data, start, end, "reason"),
        UnicodeEncodeError("utf-8", garble_all(data), start, end, "reason"),
    ):
        explained = leadbyte.explain_error(error)
        assert all(line.isprintable() for line in explained.splitlines())
        explained.encode()


def garble_all(data: bytes) -> str:
    """Return a text with surrogates and controls."""
    return data.decode("utf-8", "surrogateescape")


def test_other_objects_are_refused() -> None:
    expected = "argument 1 must be UnicodeDecodeError or UnicodeEncodeError, not ValueError"
    with pytest.raises(TypeError, match=expected):
        leadbyte.explain_error(ValueError())  # type: ignore[arg-type]


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"line\n" * 9000 + b"caf\xe9\n")
    with pytest.raises(UnicodeDecodeError) as caught, path.open(encoding="utf-8") as file:
        file.readlines()
    assert "leadbyte check PATH count from the start" in leadbyte.explain_error(caught.value)
    for opened in (contextlib.nullcontext(leadbyte.read_text), leadbyte.lines(path)):
        with pytest.raises(UnicodeDecodeError) as caught, opened as lines:
            lines(path) if callable(lines) else [*lines]
        assert leadbyte.explain_error(caught.value).startswith("line 9001, column 4, byte 45003: ")
        assert "count from the start" not in leadbyte.explain_error(caught.value)


def test_all_exceptions_of_a_chain() -> None:
    def error() -> UnicodeDecodeError:
        return UnicodeDecodeError("utf-8", b"\xff", 0, 1, "reason")

    outer, cause, context = ValueError(), error(), error()
    outer.__cause__, cause.__context__, context.__context__ = cause, context, outer
    assert [*unicode_errors(outer)] == [cause, context]
    cause.__suppress_context__ = True
    assert [*unicode_errors(outer)] == [cause]
    if exception_group := getattr(builtins, "ExceptionGroup", None):
        members = [error(), ValueError(), error()]
        group = exception_group("all", members)
        assert {*unicode_errors(group)} == {members[0], members[2]}
        assert annotate(group) == annotate(group) == []
        assert [len(getattr(each, "__notes__", [])) for each in members] == [1, 0, 1]


PROGRAM = """
import sys, threading
import leadbyte
leadbyte.install_excepthook()
hook = sys.excepthook
leadbyte.install_excepthook()
assert sys.excepthook is hook
thread = threading.Thread(target=lambda: b"caf\\xe9 au lait".decode())
thread.start()
thread.join()
b"one\\ncr\\xe8me".decode()
"""


def test_uncaught_exceptions() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    for place in ("line 1, column 4, byte 3", "line 2, column 3, byte 6"):
        assert done.stderr.count(f"\n{TITLE}{place}: not UTF-8: ") == 1


def test_hooks_before_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Anything] = []
    monkeypatch.setattr(sys, "excepthook", lambda *args: calls.append(args))
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    leadbyte.install_excepthook()
    assert isinstance(sys.excepthook, Hook)
    error = ValueError("another")
    sys.excepthook(ValueError, error, None)
    assert calls == [(ValueError, error, None)]
    assert not hasattr(error, "__notes__")


def test_ipython(monkeypatch: pytest.MonkeyPatch) -> None:
    class Shell:
        def __init__(self) -> None:
            self.calls: list[Anything] = []

        def set_custom_exc(self, *args: Anything) -> None:
            self.calls.append(args)

        def showtraceback(self, *args: Anything, **keywords: Anything) -> None:
            self.calls.append((args, keywords))

    shell = Shell()
    fake = type(sys)("IPython")
    fake.get_ipython = lambda: shell  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", fake)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    leadbyte.install_excepthook()
    assert shell.calls == [((UnicodeError,), report_in_ipython)]
    error = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "reason")
    report_in_ipython(shell, UnicodeDecodeError, error, None, tb_offset=1)
    assert shell.calls[1] == (((UnicodeDecodeError, error, None),), {"tb_offset": 1})
    if sys.version_info >= (3, 11):
        assert error.__notes__[0].startswith(TITLE)
