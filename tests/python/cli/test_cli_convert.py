"""``leadbyte convert``: between all encodings, and the errors it reports."""

from __future__ import annotations

import codecs
import functools
import itertools
import json
import os
import re
import stat
import sys
from typing import TYPE_CHECKING, Any

import command
import pytest
from command import read_all
from handlers import DECODING, register
from hypothesis import given
from hypothesis import strategies as st
from leadbyte._encodings import find
from leadbyte._files.conversion import Newlines
from leadbyte.cli import main
from leadbyte.cli.arguments import parser
from leadbyte.cli.convert import PIECE_BYTES, Comparison, Convert

if TYPE_CHECKING:
    from pathlib import Path

DONE, FAILED, ERROR = 0, 1, 2
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")
NEWLINES = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
PIECES = [1, 2, 3, 5, 7, 64, 1 << 16]
TEXT = "Съешь ещё\r\n мир \r ещё\n\r\n\r"

converted = functools.partial(command.run_binary, "convert")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Give a directory with a file that can be converted, and two that cannot."""
    (tmp_path / "good.txt").write_bytes(TEXT.encode("cp1251"))
    (tmp_path / "lacking.txt").write_bytes("one\r\n5 € →\n".encode())
    (tmp_path / "bad.txt").write_bytes(b"one\ncaf\xe9 \xff\n")
    return tmp_path


def as_python_does(
    data: bytes, source: str, target: str, errors: str = "strict", newline: str = "keep"
) -> bytes:
    """Return the result for data."""
    text = data.decode(source, errors)
    if newline != "keep":
        text = re.sub("\r\n|\r|\n", NEWLINES[newline], text)
    return text.encode(target, errors)


class InProcess:
    """Runs the command in this process, reading pieces of a given length."""

    def __init__(
        self, path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.path = path
        self.captured = capfdbinary
        self.monkeypatch = monkeypatch

    def run(self, data: bytes, *arguments: str, piece: int) -> tuple[int, bytes, bytes]:
        self.monkeypatch.setattr("leadbyte.cli.convert.PIECE_BYTES", piece)
        self.path.write_bytes(data)
        code = main(["convert", *arguments, str(self.path)])
        return code, *self.captured.readouterr()

    def flaws(self, data: bytes, *arguments: str, piece: int) -> list[dict[str, Any]]:
        """Return the errors in JSON."""
        code, _, reported = self.run(data, "--json", "--max-errors=1000", *arguments, piece=piece)
        result = json.loads(reported.splitlines()[0])
        assert (code, result["result"], result["more_errors"]) == (FAILED, "not converted", False)
        flaws: list[dict[str, Any]] = result["errors"]
        return flaws


@pytest.fixture
def in_process(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> InProcess:
    return InProcess(tmp_path / "file", capfdbinary, monkeypatch)


# The output.


@pytest.mark.once
@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("cp1251", "utf-8"), ("utf-8", "koi8-r"), ("utf-16", "utf-8"), ("utf-8", "utf-16"),
        ("utf-8", "utf-8"),
        ("utf-16-be", "utf-32-le"), ("utf-8-sig", "utf-16"), ("shift_jis", "utf-8"), ("utf-8", "gb18030"),
        ("iso2022_jp", "euc_jp"), ("utf-7", "utf-8-sig"), ("utf-32", "utf-7"), ("gb18030", "shift_jis"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("newline", ["keep", "lf", "crlf", "cr"])
def test_as_python_converts(
    in_process: InProcess, source: str, target: str, newline: str, piece: int
) -> None:
    data = TEXT.replace("ё", "").encode(source) * (1 if source.startswith("utf-16") else 2)
    done = in_process.run(data, "--from", source, "--to", target, "--newline", newline, piece=piece)
    expected = as_python_does(data, source, target, newline=newline)
    assert (done[0], done[1].decode(target), done[2]) == (DONE, expected.decode(target), b"")


@pytest.mark.once
@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize(
    "errors",
    [
        "replace", "ignore", "backslashreplace", "xmlcharrefreplace", "namereplace", "surrogateescape",
        "surrogatepass",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "case",
    [
        (b"caf\xe9 \xff\r\n\xe2\x82\xac\r", "ascii", "cp1252"),
        ("5 €\r\n→ 😀\r".encode(), "utf-8", "latin-1"),
        (b"a\xff\r\n\xed\xa0\x80\xed\xbf\xbf\xe2\x82", "utf-8", "utf-16-le"),
        (b"+2AA-\r\n", "utf-7", "utf-8"),
        (b"+2AA-\r\n", "utf-7", "utf-16"),
    ],
    ids=repr,
)
def test_error_handlers_as_python_has_them(
    in_process: InProcess, case: tuple[bytes, str, str], errors: str, piece: int
) -> None:
    data, source, target = case
    names = ["--from", source, "--to", target, "--errors", errors, "--newline", "crlf"]
    code, out, err = in_process.run(data, *names, piece=piece)
    try:
        expected = as_python_does(data, source, target, errors, "crlf")
    except (UnicodeError, TypeError):
        assert code == FAILED, err
    else:
        assert (code, out, err) == (DONE, expected, b"")


@given(
    text=st.text("a\r\n", max_size=30),
    cuts=st.lists(st.integers(0, 30)),
    policy=st.sampled_from(sorted(NEWLINES)),
)
def test_line_ends_cut_anywhere(text: str, cuts: list[int], policy: str) -> None:
    newlines = Newlines(policy)
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    made = b""
    for start, end in itertools.pairwise(edges):
        made += newlines.apply(newlines.unify(text[start:end].encode(), last=False))
    made += newlines.apply(newlines.unify(b"", last=True))
    assert made.decode() == re.sub("\r\n|\r|\n", NEWLINES[policy], text)


MARK = "\ufeff"


@pytest.mark.parametrize("piece", [1, 2, 3, 4, 5, 1 << 16])
@pytest.mark.parametrize(
    ("arguments", "data", "expected"),
    [
        ("-f utf-8", MARK + "a", (MARK + "a").encode()),
        ("-f utf-8-sig", MARK + "a", b"a"),
        ("-f utf-8 -t utf-8-sig", "a", (MARK + "a").encode()),
        ("-f utf-8 -t utf-16-le", MARK + "a", (MARK + "a").encode("utf-16-le")),
        ("-f utf-8 --bom strip", MARK + "a", b"a"),
        ("-f utf-8 --bom strip", "a", b"a"),
        ("-f utf-8 --bom strip", MARK + MARK + "a", b"a"),
        ("-f utf-8-sig --bom strip", MARK + MARK + MARK, b""),
        ("-f utf-8-sig --bom strip", MARK + MARK + "a" + MARK, ("a" + MARK).encode()),
        ("-f utf-8 -t utf-16-le --bom strip", MARK + MARK + "a", "a".encode("utf-16-le")),
        ("-f utf-8 --bom add", "a", (MARK + "a").encode()),
        ("-f utf-8 --bom add", MARK + "a", (MARK + "a").encode()),
        ("-f utf-8 --bom add", "", MARK.encode()),
        ("-f utf-8 --bom keep", MARK + "a", (MARK + "a").encode()),
        ("-f utf-8 --bom keep", "a", b"a"),
        ("-f utf-8 -t utf-16-be --bom add", "a", (MARK + "a").encode("utf-16-be")),
        ("-f utf-8 -t utf-16-be --bom keep", MARK + "a", (MARK + "a").encode("utf-16-be")),
        ("-f utf-8 -t utf-16 --bom strip", MARK + "a", "a".encode(f"utf-16-{sys.byteorder[0]}e")),
        ("-f utf-8 -t cp1251 --bom keep", MARK + "a", b"a"),
        ("-f utf-8 -t cp1251 --bom strip", MARK + "a", b"a"),
    ],
)  # fmt: skip
def test_byte_order_marks(
    in_process: InProcess, arguments: str, data: str, expected: bytes, piece: int
) -> None:
    assert in_process.run(data.encode(), *arguments.split(), piece=piece) == (DONE, expected, b"")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize(("policy", "kept"), [(None, ""), ("strip", ""), ("keep", MARK), ("add", MARK)])
@pytest.mark.parametrize("piece", [1, 3, 1 << 16])
def test_byte_order_marks_that_are_read(
    in_process: InProcess, policy: str | None, encoding: str, kept: str, piece: int
) -> None:
    data = (MARK + "a€").encode(encoding)
    policies = ["--bom", policy] if policy else []
    done = in_process.run(data, "--from", encoding[:6], *policies, piece=piece)
    assert done == (DONE, (kept + "a€").encode(), b"")


@pytest.mark.parametrize(
    ("arguments", "mark"),
    [(["-t", "utf-16"], MARK), (["-t", "utf-8", "--bom", "add"], MARK), (["-t", "utf-8"], "")],
    ids=repr,
)
def test_several_files_have_one_mark_in_common(tmp_path: Path, arguments: list[str], mark: str) -> None:
    for name, text in (("a", "one\n"), ("b", "two\n"), ("empty", "")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    _, out, _ = converted("--from", "cp1251", *arguments, "empty", "a", "b", cwd=tmp_path)
    encoding = f"utf-16-{sys.byteorder[0]}e" if "utf-16" in arguments else "utf-8"
    assert out.decode(encoding) == mark + "one\ntwo\n"
    assert converted("--from", "cp1251", *arguments, "--in-place", "a", "b", cwd=tmp_path)[0] == DONE
    assert (tmp_path / "a").read_bytes().decode(encoding) == mark + "one\n"
    assert (tmp_path / "b").read_bytes().decode(encoding) == mark + "two\n"


@pytest.mark.parametrize(
    ("text", "source", "target", "stale"),
    [
        ('<html><meta charset="windows-1251">ё', "cp1251", "utf-8", "windows-1251"),
        ('<?xml version="1.0" encoding="koi8-r"?>\r\n<ё/>', "koi8-r", "utf-16", "koi8-r"),
        ("# -*- coding: latin-1 -*-\n# é", "latin-1", "utf-8-sig", "latin-1"),
        ("# vim: set fenc=cp1251:\n# ё", "cp1251", "koi8-r", "cp1251"),
        (
            'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=KOI8-R\\n"\n# ё',
            "koi8-r",
            "utf-8",
            "koi8-r",
        ),
        ("<meta charset=utf-8>é", "latin-1", "utf-8-sig", None),
        ('<?xml version="1.0" encoding="utf-16"?><é/>', "utf-8", "utf-16-le", None),
        ("<meta charset=iso8859_5>ё", "cp1251", "iso8859-5", None),
        ("the charset is windows-1251 ё", "cp1251", "utf-8", None),
        ("<meta charset=no>ё", "cp1251", "utf-8", "no"),
    ],
    ids=repr,
)
def test_stale_declarations(
    in_process: InProcess, text: str, source: str, target: str, stale: str | None
) -> None:
    """What a text declares is not changed, and reported where it is no longer true."""
    data = text.encode(source)
    arguments = ("--from", source, "--to", target, "--in-place")
    expected = (
        f"{in_process.path}: still declares {stale}; change that to {find(target).name}\n" if stale else ""
    )
    _, dry, _ = in_process.run(data, *arguments, "--dry-run", piece=5)
    code, _, shown = in_process.run(data, *arguments, piece=5)
    assert (code, shown.decode()) == (DONE, f"{expected}1 file read: 1 converted\n")
    assert in_process.path.read_bytes() == text.encode(target)
    assert expected in dry.decode()
    _, _, reported = in_process.run(data, *arguments, "--json", piece=5)
    assert json.loads(reported.splitlines()[0]).get("stale_declaration") == stale


def test_names_of_encodings(in_process: InProcess) -> None:
    for name in ("cp1251", "1251", "windows-1251", "whatwg:cp1251", "whatwg:windows-1251"):
        assert in_process.run(b"\xe8", "-f", name, piece=9) == (DONE, "и".encode(), b"")
    assert in_process.run(b"\x80", "-f", "whatwg:latin1", piece=9) == (DONE, "€".encode(), b"")
    # In Python's cp1252 there is no U+0081.
    for bom in ([], ["--bom", "strip"]):
        done = in_process.run(b"+AIE-", "-f", "utf-7", "-t", "whatwg:latin1", *bom, piece=9)
        assert done == (DONE, b"\x81", b"")


def test_standard_input(files: Path) -> None:
    data = TEXT.encode("cp1251")
    assert converted("--from", "cp1251", "-", cwd=files, data=data) == (DONE, TEXT.encode(), b"".decode())
    with (files / "good.txt").open("rb") as file:
        done = command.run("convert", "--from", "cp1251", "--newline", "lf", "-", stdin=file)
    assert done == (DONE, re.sub("\r\n|\r", "\n", TEXT), "")


def test_what_is_there_is_not_kept_back() -> None:
    process = command.start("convert", "--from", "utf-8", "--to", "koi8-r", "-")
    assert process.stdin is not None
    assert process.stdout is not None
    for piece, text in (("ми".encode()[:-1], "м"), ("и".encode()[1:], "и"), (b"\n", "\n")):
        process.stdin.write(piece)
        process.stdin.flush()
        assert process.stdout.read(len(text)) == text.encode("koi8-r")
    assert command.finish(process).code == DONE


def test_long_text_over_the_edges_of_pieces(tmp_path: Path) -> None:
    text = "a" + "€мир😀\r\n" * 100_000
    (tmp_path / "file").write_text(text, encoding="utf-8", newline="")
    code, out, _ = converted("--from", "utf-8", "--to", "utf-16-le", "--newline", "lf", "file", cwd=tmp_path)
    assert (code, out == text.replace("\r\n", "\n").encode("utf-16-le")) == (DONE, True)


# What cannot be converted.


def place(text: str, index: int) -> dict[str, int]:
    """Return the line and column of a character."""
    return {"line": text.count("\n", 0, index) + 1, "column": index - text.rfind("\n", 0, index)}


UNDECODABLE = [
    ("utf-8", "a€\r\nя".encode() + b"\xff\n\xe2\x82" + "😀\r\n".encode() + b"\xc0\xb1\xed\xa0\x80\xe2\x82"),
    ("ascii", b"caf\xe9\r\n\xff\xff\n\x80"),
    ("cp1252", b"\x81a\n\x8d\x8f"),
    ("utf-16-le", "a€\r\nя".encode("utf-16-le") + b"\x00\xd8" + "b\n".encode("utf-16-le") + b"\x00\xdca"),
    ("utf-16", "\ufeffa€\r\nя".encode("utf-16-be") + b"\xd8\x00" + "b\n".encode("utf-16-be") + b"\xdc"),
    ("utf-16", "a€\n".encode("utf-16") + b"\0\xdc\0\0\0\xdca\0"),
    ("utf-32", b"\0\0\xfe\xff" + "a\n".encode("utf-32-be") + b"\0\x11\0\0" + "€".encode("utf-32-be") + b"\0"),
    ("utf-8-sig", "\ufeffя\n".encode() + b"\xff\n\xff"),
    ("shift_jis", "あ\n".encode("shift_jis") + b"\xff\n\x82"),
    ("gb18030", "あ\n".encode("gb18030") + b"\xff\n\x81\x30\xff"),
    ("iso2022_jp", "あ\n".encode("iso2022_jp") + b"\xff\n\x1b$B$#\xff"),
]  # fmt: skip


@pytest.mark.once
@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("bom", [[], ["--bom", "strip"]], ids=repr)
@pytest.mark.parametrize(("source", "data"), UNDECODABLE, ids=repr)
def test_what_cannot_be_decoded(
    in_process: InProcess, source: str, data: bytes, bom: list[str], piece: int
) -> None:
    text = data.decode(source, "replace")
    places = [place(text, index) for index, char in enumerate(text) if char == "\ufffd"]
    flaws = in_process.flaws(data, "--from", source, *bom, piece=piece)
    assert [{"line": flaw["line"], "column": flaw["column"]} for flaw in flaws] == places
    assert [data[flaw["start"] : flaw["end"]].hex(" ") for flaw in flaws] == [flaw["bytes"] for flaw in flaws]
    # The first is Python's.
    with pytest.raises(UnicodeDecodeError) as found:
        data.decode(source)
    first = found.value
    after_mark = len(data) - len(first.object)
    assert (flaws[0]["start"] - after_mark, flaws[0]["reason"]) == (first.start, first.reason)
    assert flaws == in_process.flaws(
        data, "--from", source, *bom, "--to", "utf-16", "--newline", "crlf", piece=1
    )


@pytest.mark.once
@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("bom", [[], ["--bom", "strip"]], ids=repr)
@pytest.mark.parametrize("newline", ["keep", "lf", "crlf", "cr"])
@pytest.mark.parametrize("target", ["latin-1", "ascii", "shift_jis", "whatwg:windows-1252"])
def test_what_cannot_be_encoded(
    in_process: InProcess, target: str, newline: str, bom: list[str], piece: int
) -> None:
    text = "a→\nbя\r\n→→\rc😀"
    if newline == "keep":
        expected = [place(text, index) for index, char in enumerate(text) if not self_encodes(char, target)]
    else:
        unified = re.sub("\r\n|\r", "\n", text)
        expected = [
            place(unified, index) for index, char in enumerate(unified) if not self_encodes(char, target)
        ]
    names = ["--from", "utf-8", "--to", target, "--newline", newline, *bom]
    flaws = in_process.flaws(("\ufeff" * bool(bom) + text).encode(), *names, piece=piece)
    places = [{"line": flaw["line"], "column": flaw["column"]} for flaw in flaws]
    assert places == expected


def self_encodes(char: str, target: str) -> bool:
    """Return whether an encoding has a character."""
    try:
        char.encode(target.removeprefix("whatwg:"))
    except UnicodeEncodeError:
        return False
    return True


def test_both_kinds_in_the_order_of_their_places(in_process: InProcess) -> None:
    data = "→\n".encode() + b"\xff" + "я".encode() + b"\xff\xff" + "→".encode()
    for piece in PIECES:
        flaws = in_process.flaws(data, "--from", "utf-8", "--to", "latin-1", piece=piece)
        assert [(flaw["line"], flaw["column"]) for flaw in flaws] == [(1, 1), *((2, n) for n in range(1, 6))]
        assert ["char" in flaw for flaw in flaws] == [True, False, True, False, False, True]


@pytest.mark.parametrize("piece", PIECES)
def test_what_cannot_be_decoded_of_an_encoding_that_python_lacks(in_process: InProcess, piece: int) -> None:
    data = "a\nя".encode("utf-16-be") + b"\xdc\0" + b"\0b"
    flaw, *others = in_process.flaws(data, "--from", "whatwg:utf-16be", piece=piece)
    assert (flaw["line"], flaw["column"], flaw["start"], others) == (2, 2, 6, [])
    flaws = in_process.flaws(b"\xa4\xa2\n\xff\xff", "--from", "whatwg:euc-jp", piece=piece)
    assert [(flaw["line"], flaw["column"], flaw["start"]) for flaw in flaws] == [(2, 1, 3), (2, 2, 4)]


@pytest.mark.parametrize("piece", PIECES)
def test_an_encoding_that_python_lacks_is_repaired(in_process: InProcess, piece: int) -> None:
    data = b"\xa4\xa2\n\xff\xa4\xa2\xa4"
    names = ["--from", "whatwg:euc-jp", "--errors", "replace"]
    assert in_process.run(data, *names, piece=piece) == (DONE, "あ\n\ufffdあ\ufffd".encode(), b"")


# Error handlers that users register.


def fail(_: UnicodeError) -> Any:  # noqa: ANN401
    """Raise an exception that reports nothing about the error."""
    raise ZeroDivisionError


def refuse_otherwise(_: UnicodeError) -> Any:  # noqa: ANN401
    """Raise an error about other data."""
    raise UnicodeDecodeError("other", b"", 0, 1, "other")


def spoil(error: UnicodeDecodeError) -> Any:  # noqa: ANN401
    """Change the data, and raise the error."""
    error.object += error.object
    error.start = error.end = 0
    raise error


for name, handler in {
    "TypeError": codecs.xmlcharrefreplace_errors, "other exception": fail, "other": refuse_otherwise,
    "spoil": spoil, "none": lambda _: None, "far": lambda _: ("", 1 << 20), "hex": DECODING["hex"],
    "not ASCII": lambda error: ("é", error.end),
}.items():  # fmt: skip
    register(f"leadbyte-tests-convert {name}", handler)


@pytest.mark.once
@pytest.mark.parametrize("piece", [1, 3, 1 << 16])
@pytest.mark.parametrize("policy", ["", " --bom=keep"])
@pytest.mark.parametrize("handler", ["TypeError", "other exception", "other", "spoil"])
@pytest.mark.parametrize(
    "case",
    [
        *UNDECODABLE,
        ("utf-16", (MARK + "a\n").encode("utf-16-be") + b"\xdc\0\0b\0\n\xdc\0"),
        ("utf-32", (MARK + "a\n").encode("utf-32-be") + b"\0\0\xdc\0\0\0\0b\0\x11\0\0"),
    ],
    ids=repr,
)
def test_what_a_handler_does_not_decode(
    in_process: InProcess, case: tuple[str, bytes], handler: str, policy: str, piece: int
) -> None:
    source, data = case
    names = f"--from={source}{policy}".split()
    strict = in_process.flaws(data, *names, piece=piece)
    assert in_process.flaws(data, *names, f"--errors=leadbyte-tests-convert {handler}", piece=piece) == strict


@pytest.mark.parametrize("piece", [1, 3, 1 << 16])
@pytest.mark.parametrize("handler", ["other exception", "other"])
@pytest.mark.parametrize("target", ["latin-1", "shift_jis"])
def test_what_a_handler_does_not_encode(in_process: InProcess, target: str, handler: str, piece: int) -> None:
    data = "a☺\n☺😀b☺".encode()
    names = ["--from", "utf-8", "--to", target]
    strict = in_process.flaws(data, *names, piece=piece)
    assert in_process.flaws(data, *names, f"--errors=leadbyte-tests-convert {handler}", piece=piece) == strict


@pytest.mark.parametrize("piece", [1, 3, 1 << 16])
@pytest.mark.parametrize(
    ("handler", "names", "reason"),
    [
        ("none", "-f utf-8", "decoding error handler must return (str, int) tuple"),
        ("far", "-f shift_jis", "position 1048576 from error handler out of bounds"),
        ("none", "-f latin-1 -t ascii", "encoding error handler must return (str/bytes, int) tuple"),
        ("far", "-f latin-1 -t shift_jis", "position 1048576 from error handler out of bounds"),
        ("not ASCII", "-f latin-1 -t shift_jis", "illegal multibyte sequence"),
    ],
)
def test_unsuitable_replacements(
    in_process: InProcess, handler: str, names: str, reason: str, piece: int
) -> None:
    errors = f"--errors=leadbyte-tests-convert {handler}"
    code, out, err = in_process.run(b"a" * 100 + b"\xff b", *names.split(), errors, piece=piece)
    assert code == ERROR
    assert reason in err.decode()
    # Standard output gets the text that can be converted, piece by piece.
    assert not out.strip(b"a")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize(("policy", "kept"), [(None, ""), ("strip", ""), ("keep", MARK), ("add", MARK)])
@pytest.mark.parametrize("piece", [1, 3, 1 << 16])
def test_byte_order_marks_with_a_handler(
    in_process: InProcess, policy: str | None, encoding: str, kept: str, piece: int
) -> None:
    malformed = b"\xff\xff\xff\xff"[: 4 if "32" in encoding else 1]
    data = (MARK + "a€").encode(encoding) + malformed
    policies = ["--bom", policy] if policy else []
    source = "utf-8-sig" if encoding == "utf-8" else encoding[:6]
    done = in_process.run(
        data, "--from", source, *policies, "--errors=leadbyte-tests-convert hex", piece=piece
    )
    assert done == (DONE, f"{kept}a€<{malformed.hex()}>".encode(), b"")


def test_messages(files: Path) -> None:
    code, out, err = converted("--from", "utf-8", "bad.txt", cwd=files)
    assert (code, out) == (FAILED, b"")
    assert err.splitlines() == [
        "bad.txt:2:4: byte 7: not utf-8: e9 (invalid continuation byte)",
        "bad.txt:2:6: byte 9: not utf-8: ff (invalid start byte)",
        "bad.txt: not converted; another --from may be right, or --errors replace",
        "1 file read: 1 not converted",
    ]
    code, out, err = converted("--from", "utf-8", "--to", "cp1252", "lacking.txt", "bad.txt", cwd=files)
    assert err.splitlines()[:2] == [
        'lacking.txt:2:5: not in cp1252: "→" U+2192 RIGHTWARDS ARROW',
        "lacking.txt: not converted; --to utf-8 has all characters, or --errors replace",
    ]
    assert err.endswith("2 files read: 2 not converted\n")


LACKING = "--to utf-8 has all characters, or --errors replace"


@pytest.mark.parametrize(
    ("text", "where", "char", "advice"),
    [
        ("\ufeffa", "1:1", "U+FEFF ZERO WIDTH NO-BREAK SPACE", "--bom strip drops a byte order mark"),
        ("\u0378", "1:1", "U+0378", LACKING),
        ("e\u0301\u202e", "1:2", '"\u0301" U+0301 COMBINING ACUTE ACCENT', LACKING),
        ("\n\U0010ffff", "2:1", "U+10FFFF", LACKING),
    ],
)
def test_messages_about_strange_characters(
    tmp_path: Path, text: str, where: str, char: str, advice: str
) -> None:
    done = converted("--from", "utf-8", "--to", "latin2", "-", cwd=tmp_path, data=text.encode())
    assert done[2].startswith(f"-:{where}: not in iso8859-2: {char}\n")
    assert done[2].splitlines()[-2] == f"-: not converted; {advice}"
    assert all(line.isprintable() for line in done[2].splitlines())


def test_message_about_surrogates(tmp_path: Path) -> None:
    done = converted("--from", "utf-7", "-", cwd=tmp_path, data=b"a+2AA-")
    assert done[2].splitlines()[:2] == [
        "-:1:2: not in utf-8: U+D800",
        "-: not converted; --errors surrogatepass or replace",
    ]


def test_surrogates_are_one_column_each(tmp_path: Path) -> None:
    data = "z\na\ud800€\ud801я".encode("utf-16-le", "surrogatepass")
    options = ("--from", "utf-16-le", "--to", "latin-1", "--errors", "surrogatepass", "-")
    _, _, err = converted(*options, cwd=tmp_path, data=data)
    assert re.findall(r"^-:(\d+:\d+): not in", err, re.MULTILINE) == ["2:2", "2:3", "2:4", "2:5"]


@pytest.mark.parametrize(("limit", "shown"), [("0", 0), ("1", 1), ("2", 2), ("3", 3), ("1000", 3)])
def test_limit_of_errors(files: Path, limit: str, shown: int) -> None:
    (files / "three").write_bytes(b"\xff\n\xff\xff")
    _, _, err = converted("--from", "ascii", "--max-errors", limit, "three", cwd=files)
    *reported, last, _ = err.splitlines()
    assert len(reported) == shown
    assert ("there is more of it" in last) == (shown < 3)


def test_reading_ends_where_enough_is_known(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        file.write(b"\xff" * 100)
        file.truncate(1 << 40)
    code, _, err = converted("--from", "ascii", "--json", "file", cwd=tmp_path)
    assert code == FAILED
    assert json.loads(err.splitlines()[0])["byte_count"] < 1 << 20


def test_the_others_are_converted(files: Path) -> None:
    before = read_all(files)
    paths = ["bad.txt", "good.txt", "missing", "lacking.txt"]
    arguments = ["--from", "utf-8", "--to", "koi8-r", "--errors", "strict"]
    (files / "good.txt").write_bytes(TEXT.encode())
    code, _, err = converted(*arguments, "--in-place", *paths, cwd=files)
    assert code == ERROR
    assert "leadbyte: missing: No such file or directory\n" in err
    assert err.endswith("3 files read: 1 converted, 2 not converted; 1 failed\n")
    assert read_all(files) == {**before, "good.txt": TEXT.encode("koi8-r")}
    assert converted(*arguments, "-i", "--quiet", "bad.txt", cwd=files) == (FAILED, b"", "")


def test_standard_output_gets_what_can_be_converted(files: Path) -> None:
    code, out, _ = converted("--from", "utf-8", "bad.txt", "lacking.txt", cwd=files)
    assert (code, out) == (FAILED, (files / "lacking.txt").read_bytes())


def test_codec_with_a_way_of_its_own_to_fail(tmp_path: Path) -> None:
    code, _, err = converted("--from", "undefined", "-", cwd=tmp_path, data=b"a")
    assert (code, err) == (ERROR, "leadbyte: -: undefined encoding\n")


# Where it goes.


def test_to_a_file(files: Path) -> None:
    done = converted("--from", "cp1251", "good.txt", "good.txt", "-o", "out", cwd=files)
    assert done == (DONE, b"", "")
    assert (files / "out").read_bytes() == TEXT.encode() * 2


def test_to_a_file_that_is_read(files: Path) -> None:
    assert converted("--from", "cp1251", "good.txt", "-o", "good.txt", cwd=files)[0] == DONE
    assert (files / "good.txt").read_bytes() == TEXT.encode()


@pytest.mark.parametrize(
    ("path", "reason", "code"),
    [("missing", "read", ERROR), ("bad.txt", "converted", FAILED)],
)
def test_no_part_of_a_file_is_written(files: Path, path: str, reason: str, code: int) -> None:
    (files / "out").write_bytes(b"old")
    before = read_all(files)
    done = converted("--from", "utf-8", "lacking.txt", path, "-o", "out", cwd=files)
    assert done[0] == code
    assert f"leadbyte: out: not written, as not all files could be {reason}\n" in done[2]
    assert read_all(files) == before


@posix_only
def test_copies_are_not_for_more_people(tmp_path: Path) -> None:
    (tmp_path / "top" / "deep").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    modes = {"top": 0o700, "top/deep": 0o500, "top/deep/file": 0o700, "top/other": 0o600}
    for name in ("top/deep/file", "top/other"):
        (tmp_path / name).write_bytes(b"a")
    for name, mode in modes.items():
        (tmp_path / name).chmod(mode)
    assert converted("--from", "latin-1", "-q", "top", "-o", "out", cwd=tmp_path)[0] == DONE
    # Into a directory its owner can write.
    found = {name: stat.S_IMODE((tmp_path / "out" / name).stat().st_mode) for name in modes}
    assert found == {**modes, "top/deep": 0o700}


@pytest.mark.parametrize("target", ["utf-16", "utf-32", "utf-8-sig"])
def test_in_place_twice_with_a_byte_order_mark(tmp_path: Path, target: str) -> None:
    (tmp_path / "file").write_bytes("café".encode("cp1252"))
    for path, already in (("file", 0), ("file", 1), (".", 1)):
        code, _, err = converted("--from", "cp1252", "--to", target, "-i", "--json", path, cwd=tmp_path)
        summary = json.loads(err.splitlines()[-1])["summary"]
        assert (code, summary["already_encoded"], summary["binary"]) == (DONE, already, 0)
    assert (tmp_path / "file").read_bytes() == "café".encode(target)


@pytest.mark.parametrize(
    ("source", "target", "text"),
    [
        ("cp1251", "koi8-r", "Привет, мир"),
        ("koi8-u", "cp1251", "Привіт, світе"),
        ("cp1250", "iso8859-2", "Zażółć gęślą jaźń, śnięte łosie"),
        ("shift_jis", "euc-jp", "図書館の本を読む人"),
    ],
)
def test_in_place_twice_to_a_legacy_encoding(tmp_path: Path, source: str, target: str, text: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(text.encode(source))
    convert = functools.partial(converted, "--from", source, "--to", target, "-i")
    assert convert("file", cwd=tmp_path)[0] == DONE
    for again in ("file", "."):
        code, _, err = convert(again, cwd=tmp_path)
        assert (code, path.read_bytes()) == (FAILED, text.encode(target))
        assert "not converted; " in err
    if source == "cp1251":
        assert "file:1:1: koi8-r already, not windows-1251 (99% sure)\n" in err
        # Text that may be in either, and text that need not change.
        for other, code in (("да", DONE), ("ASCII", DONE)):
            path.write_bytes(other.encode(target))
            assert convert("-n", "file", cwd=tmp_path)[0] == code
        path.write_bytes(text.encode(target))
        assert convert("--force", "file", cwd=tmp_path)[0] == DONE
        assert path.read_bytes() == text.encode(target).decode(source).encode(target)


INNER = "is in the output directory, so that its files are not converted; -i replaces them"


def test_copies_that_are_not_complete(tmp_path: Path) -> None:
    (tmp_path / "top").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "top" / "file").write_bytes(b"x\xe9")
    (tmp_path / "top" / "binary").write_bytes(b"b\0")
    done = converted("--from", "latin-1", "-o", "out", "top", cwd=tmp_path)
    assert done == (DONE, b"", "1 file read: 1 converted; 1 binary file skipped\n")
    done = converted("--from", "latin-1", "-o", "out", "out", cwd=tmp_path)
    assert done == (ERROR, b"", f"leadbyte: out: {INNER}\n")
    (tmp_path / "top" / "file").unlink()
    (tmp_path / "top" / "binary").unlink()
    assert converted("--from", "latin-1", "-o", "out", "top", cwd=tmp_path) == (
        DONE,
        b"",
        "0 files read: nothing to do\n",
    )


def test_directories_in_the_output_directory(tmp_path: Path) -> None:
    (tmp_path / "top").mkdir()
    (tmp_path / "top" / "file").write_bytes(b"x\xe9")
    for output, path in ((".", "top"), ("top", "top"), ("top", os.path.join("top", "")), (".", ".")):
        done = converted("--from", "latin-1", "-o", output, path, cwd=tmp_path)
        assert done == (ERROR, b"", f"leadbyte: {path}: {INNER}\n")
    assert read_below(tmp_path) == {"top/file": b"x\xe9"}
    # One whose name only begins alike is another one.
    (tmp_path / "to").mkdir()
    assert converted("--from", "latin-1", "-q", "-o", "to", "top", cwd=tmp_path)[0] == DONE
    assert (tmp_path / "to" / "top" / "file").read_bytes() == "x\xe9".encode()


@posix_only
def test_links_in_the_output_directory(tmp_path: Path) -> None:
    for name in ("top/a", "top/b"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").symlink_to("b")
    code, _, err = converted("--from", "latin-1", "-o", "out", "top/a", "top/b", cwd=tmp_path)
    assert (code, (tmp_path / "out" / "b").read_bytes()) == (ERROR, b"top/a")
    assert "top/b: not written, as out/b has been written already" in err


@pytest.mark.parametrize("source", ["utf-32", "utf-32-le"])
def test_a_mark_that_begins_with_another(tmp_path: Path, source: str) -> None:
    """The byte order mark of UTF-32 LE begins with the mark of UTF-16 LE."""
    data = "\ufeffhéllo\n".encode("utf-32-le")
    (tmp_path / "file").write_bytes(data)
    wrong = converted("--from", "utf-8", "--to", "utf-16", "-i", "file", cwd=tmp_path)
    assert (wrong[0], (tmp_path / "file").read_bytes()) == (FAILED, data)
    assert converted("--from", source, "--to", "utf-16", "-i", "-q", "file", cwd=tmp_path)[0] == DONE
    assert (tmp_path / "file").read_bytes().decode("utf-16").removeprefix("\ufeff") == "héllo\n"


@posix_only
def test_to_what_is_no_file(files: Path) -> None:
    arguments = ["--from", "cp1251", "good.txt", "-o"]
    assert converted(*arguments, "/dev/null", cwd=files) == (DONE, b"", "")
    assert converted(*arguments, "no/file", cwd=files) == (
        ERROR,
        b"",
        "leadbyte: no/file: No such file or directory\n",
    )
    assert converted("--from", "cp1251", ".", cwd=files) == (ERROR, b"", "leadbyte: .: Is a directory\n")


@pytest.fixture
def tree(files: Path) -> Path:
    """Give the directory with others in it, one of them for the output."""
    for directory in ("deep/deeper", "out", ".git"):
        (files / directory).mkdir(parents=True)
    for path in ("deep/deeper/good.txt", "deep/good.txt", "out/old.txt", ".git/good.txt"):
        (files / path).write_bytes(TEXT.encode("cp1251"))
    (files / "deep" / "binary").write_bytes(b"\0\xff")
    return files


def read_below(path: Path) -> dict[str, bytes]:
    """Return what the files below a directory hold."""
    return {
        found.relative_to(path).as_posix(): found.read_bytes() for found in path.rglob("*") if found.is_file()
    }


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["deep"], ["deep/good.txt", "deep/deeper/good.txt"]),
        (["deep/"], ["deep/good.txt", "deep/deeper/good.txt"]),
        (["deep/deeper"], ["deeper/good.txt"]),
        (["deep/good.txt", "deep/deeper"], ["good.txt", "deeper/good.txt"]),
        (["deep/../deep/."], ["deep/good.txt", "deep/deeper/good.txt"]),
        (
            [".", "../nothing"],
            ["good.txt", "bad.txt", "lacking.txt", "deep/good.txt", "deep/deeper/good.txt"],
        ),
    ],
    ids=repr,
)
def test_into_a_directory(tree: Path, paths: list[str], names: list[str]) -> None:
    before = read_below(tree)
    arguments = ["--from", "cp1251", "--errors", "ignore", "--force", "-o", "out", "--quiet", *paths]
    assert converted(*arguments, "--dry-run", cwd=tree)[:2] == (
        ERROR if len(paths[-1]) == 10 else DONE,
        b"",
    )
    assert read_below(tree) == before
    converted(*arguments, cwd=tree)
    written = read_below(tree / "out")
    assert sorted(written) == sorted([*names, "old.txt"])
    assert {data for name, data in written.items() if "good" in name} == {TEXT.encode()}
    assert {name: data for name, data in read_below(tree).items() if name in before} == before


def test_into_a_directory_in_the_tree(tree: Path) -> None:
    _, _, err = converted("--from", "cp1251", "-o", "out", "--verbose", ".", cwd=tree)
    assert f".{os.sep}out{os.sep}old.txt: skipped: in the output directory\n" in err
    assert f".{os.sep}deep{os.sep}binary: skipped: binary\n" in err


def test_into_a_directory_go_only_files_that_can_be_converted(tree: Path) -> None:
    code, _, err = converted("--from", "ascii", "-o", "out", "bad.txt", "-", cwd=tree, data=b"")
    assert code == ERROR
    assert "leadbyte: -: standard input has no file name to use in a directory\n" in err
    assert sorted(read_below(tree / "out")) == ["old.txt"]


def test_nothing_in_a_directory_is_written_twice(tree: Path) -> None:
    code, _, err = converted("--from", "cp1251", "-o", "out", "good.txt", "deep/good.txt", cwd=tree)
    target = os.path.join("out", "good.txt")
    assert (code, err) == (
        ERROR,
        f"leadbyte: deep/good.txt: not written, as {target} has been written already\n",
    )


def test_each_file_in_a_directory_has_its_mark(tree: Path) -> None:
    converted("--from", "cp1251", "--bom", "add", "-o", "out", "deep", cwd=tree)
    assert (tree / "out/deep/good.txt").read_bytes() == (MARK + TEXT).encode()
    assert (tree / "out/deep/deeper/good.txt").read_bytes() == (MARK + TEXT).encode()


def test_in_place_reports_what_it_did(files: Path) -> None:
    (files / "ascii.txt").write_bytes(b"same\n")
    before = read_all(files)
    arguments = ["--from", "cp1251", "--in-place", "good.txt", "ascii.txt"]
    done = command.run("convert", *arguments, "--dry-run", cwd=files)
    assert (done.code, done.err) == (DONE, "")
    assert done.lines == [
        "good.txt: would be converted",
        "ascii.txt: unchanged",
        "2 files read: 1 would be converted, 1 unchanged",
    ]
    assert read_all(files) == before
    assert converted(*arguments, "--verbose", cwd=files)[2].splitlines() == [
        "good.txt: converted",
        "ascii.txt: unchanged",
        "2 files read: 1 converted, 1 unchanged",
    ]
    assert read_all(files) == {**before, "good.txt": TEXT.encode()}
    assert converted(*arguments[:3], "ascii.txt", cwd=files)[2] == "1 file read: 1 unchanged\n"
    assert converted(*arguments[:3], "--quiet", "ascii.txt", cwd=files)[2] == ""


@pytest.mark.parametrize(
    ("data", "arguments", "new"),
    [
        (b"a" * 200_000 + b"\xe9", "-f latin-1", b"a" * 200_000 + "é".encode()),
        (b"a" * 200_000 + b"\xff", "-f utf-8 --errors ignore", b"a" * 200_000),
        (b"a" * 200_000 + b"\r", "-f utf-8 --newline crlf", b"a" * 200_000 + b"\r\n"),
        (b"a" * 200_000 + b"\n", "-f utf-8 --bom add", b"\xef\xbb\xbf" + b"a" * 200_000 + b"\n"),
        (b"a\r\n" * 99_000, "-f utf-8 --newline crlf", b"a\r\n" * 99_000),
        ("€я".encode() * 99_000, "-f utf-8", "€я".encode() * 99_000),
        (b"", "-f utf-16", b""),
    ],
    ids=lambda value: repr(value)[:30],
)  # fmt: skip
def test_a_change_is_seen_anywhere(tmp_path: Path, data: bytes, arguments: str, new: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    node = path.stat().st_ino
    assert command.run("convert", "-i", *arguments.split(), path).code == DONE
    assert path.read_bytes() == new
    assert (path.stat().st_ino == node) == (new == data)


@pytest.mark.parametrize(("read", "written"), [(b"a", b"aa"), (b"a", b"b"), (b"aa", b"a"), (b"a", b"")])
def test_comparison_keeps_little(read: bytes, written: bytes) -> None:
    comparison = Comparison(PIECE_BYTES)
    for _ in range(20):
        comparison.update(read * PIECE_BYTES, written * PIECE_BYTES)
        assert len(comparison.read) + len(comparison.written) <= 2 * PIECE_BYTES
    assert comparison.finish()


def test_comparison_of_what_comes_late() -> None:
    comparison = Comparison(PIECE_BYTES)
    for read, written in ((b"ab", b"a"), (b"c", b"b"), (b"", b"c")):
        comparison.update(read, written)
    assert not comparison.finish()
    comparison.update(b"d", b"")
    assert comparison.finish()


@pytest.mark.parametrize("data", [b"a" * 200_000, b"a" * 200_000 + b"\xff", b"\xff" * 200_000], ids=len)
def test_progress_comes_to_its_end(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "file").write_bytes(data)
    line = ["convert", "--from", "latin-1", "--quiet", "--in-place", str(tmp_path / "file")]
    run = Convert(parser().parse_args(line))
    assert run.run() == DONE
    assert run.output.progress.bytes == run.output.progress.total


def test_dry_run_to_nowhere(files: Path) -> None:
    before = read_all(files)
    done = command.run("convert", "-f", "utf-8", "-n", "lacking.txt", "bad.txt", "-", "-o", "out", cwd=files)
    assert (done.code, done.err) == (FAILED, "")
    assert done.lines[0] == "lacking.txt: would be converted"
    assert done.lines[-1] == "3 files read: 2 would be converted, 1 not converted"
    assert read_all(files) == before


def test_tree_in_utf_16(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "text").write_bytes("мир\n".encode("utf-16"))
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    code, _, err = converted("--from", "utf-16", "-i", "--verbose", ".", cwd=tmp_path)
    assert (code, err.splitlines()) == (
        DONE,
        [
            f".{os.sep}deep{os.sep}text: converted",
            f".{os.sep}picture: skipped: binary",
            "1 file read: 1 converted; 1 binary file skipped",
        ],
    )
    assert (tmp_path / "deep" / "text").read_bytes() == "мир\n".encode()


# Reports and options.


def test_json(files: Path) -> None:
    done = command.run("convert", "-f", "utf-8", "-t", "latin-1", "--json", "lacking.txt", "no", cwd=files)
    facts, error, summary = command.Done(0, done.err, "").objects
    assert facts == {
        "path": "lacking.txt",
        "result": "not converted",
        "byte_count": 15,
        "errors": [
            {
                "line": 2,
                "column": column,
                "char": char,
                "code_point": f"U+{ord(char):04X}",
                "name": name,
                "message": f'not in iso8859-1: "{char}" U+{ord(char):04X} {name}',
                "advice": LACKING,
            }
            for column, char, name in ((3, "€", "EURO SIGN"), (5, "→", "RIGHTWARDS ARROW"))
        ],
        "more_errors": False,
    }
    assert error == {"path": "no", "error": "No such file or directory"}
    assert summary == {
        "summary": {
            "files": 1, "converted": 0, "unchanged": 0, "already_encoded": 0, "not_converted": 1, "binary": 0,
            "ignored": 0, "hidden": 0, "failed": 1,
        }
    }  # fmt: skip
    assert done.code == ERROR


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("good.txt", "the following arguments are required: -f/--from"),
        ("-f utf-8 -i", "argument -i/--in-place: requires PATH"),
        ("-f nonsense good.txt", "argument -f/--from: unknown encoding: nonsense; leadbyte convert --list"),
        ("-f utf-8 -t 99999 good.txt", "argument -t/--to: unknown encoding: 99999; leadbyte convert --list"),
        ("-f rot13 good.txt", "argument -f/--from: unknown encoding: rot13; leadbyte convert --list"),
        ("-f utf-8 --fallback rot13 good.txt", "argument --fallback: unknown encoding: rot13"),
        ("-f cp1252 --fallback auto good.txt", "argument --fallback: only the source utf-8 has a fallback"),
        ("-f punycode good.txt", "punycode cannot be decoded in pieces, only as a whole"),
        ("-f utf-8 -t idna good.txt", "idna cannot be encoded in pieces, only as a whole"),
        ("-f utf-8 -t undefined good.txt", "undefined encoding"),
        ("-f utf-8 --errors nonsense good.txt", "unknown error handler name 'nonsense'"),
        ("-f utf-8 -t cp1251 --bom add good.txt", "cp1251 has no byte order mark"),
        ("-f utf-8 --bom nonsense good.txt", "argument --bom: invalid choice"),
        ("-f utf-8 --newline nonsense good.txt", "argument --newline: invalid choice"),
        ("-f utf-8 --backup=.bak good.txt", "argument --backup: only allowed with argument -i/--in-place"),
        ("-f utf-8 -i -o out good.txt", "not allowed with argument"),
        ("-f utf-8 --json --quiet good.txt", "not allowed with argument"),
    ],
)
def test_wrong_arguments(files: Path, arguments: str, message: str) -> None:
    before = read_all(files)
    done = command.run("convert", *arguments.split(), cwd=files)
    assert (done.code, done.out) == (ERROR, "")
    assert done.err.startswith("leadbyte ")
    assert message in done.err
    assert read_all(files) == before


def test_help_documents_all() -> None:
    done = command.run("convert", "--help")
    assert done.code == DONE
    for text in (
        "exit codes:", "0  ", "1  ", "2  ", "--from ENCODING", "--to ENCODING", "-o FILE", "--in-place",
        "--backup", "--errors", "--bom", "--newline", "--dry-run", "--max-errors", "--json", "--quiet",
        "--binary", "--verbose",
    ):  # fmt: skip
        assert text in done.out


def test_detected_encodings(tmp_path: Path) -> None:
    text = "Съешь ещё этих мягких французских булок\n" * 3
    for encoding in ("koi8-r", "cp1251", "utf-16", "utf-8-sig", "utf-8"):
        (tmp_path / f"{encoding}.txt").write_bytes(text.encode(encoding))
    (tmp_path / "short.txt").write_bytes(b"\xc7a va!")
    (tmp_path / "empty.txt").write_bytes(b"")
    done = command.run(
        "convert", "--from", "auto", "--in-place", "--min-confidence", "0.95", ".", cwd=tmp_path
    )
    assert done.code == 1
    assert "short.txt:1:1: unsure of the encoding: maybe windows-1252 (" in done.err
    assert "name its encoding with --from, or lower --min-confidence" in done.err
    assert (tmp_path / "short.txt").read_bytes() == b"\xc7a va!"
    for encoding in ("koi8-r", "cp1251", "utf-16", "utf-8-sig", "utf-8"):
        assert (tmp_path / f"{encoding}.txt").read_bytes() == text.encode()
    done = command.run("convert", "-f", "auto", "--min-confidence", "0", "-i", "short.txt", cwd=tmp_path)
    assert done.code == 0
    assert (tmp_path / "short.txt").read_bytes() == "Ça va!".encode()


def test_detected_encoding_of_standard_input() -> None:
    text = "Съешь ещё этих мягких французских булок\n"
    assert command.run("convert", "--from", "auto", data=text.encode("koi8-r")).out == text
    done = command.run("convert", "--from", "auto", data=b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    assert (done.code, done.out) == (1, "")
    assert "not text in a known encoding, but png" in done.err
    done = command.run("convert", "--from", "auto", "--candidates", "utf-16", data=b"text\n")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("-:1:1: not text in any of the encodings to choose from\n")


def test_list_of_encodings() -> None:
    lines = command.run("convert", "--list").lines
    names = [line.partition(" ")[0] for line in lines]
    assert {"utf-8", "cp1251", "koi8-r", "mutf-8", "utf-16"} <= set(names)
    assert not {"idna", "punycode", "undefined"} & set(names)
    for name in names[:-2]:
        assert find(name).name == name
