"""``leadbyte mojibake``; what it shares with others that write files is in test_cli_in_place."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import command
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leadbyte._leadbyte import _read_mixed
from leadbyte.cli.mojibake import FileRepair
from leadbyte.mojibake import explain, garble

if TYPE_CHECKING:
    from pathlib import Path

DONE, FOUND, ERROR = 0, 1, 2
GOOD = "Съешь ещё этих мягких булок\nVoilà, c’est l’été\n"
DAMAGED = garble(GOOD, encoding="utf-8", misread_as="whatwg:windows-1252")
MIXED = "Съешь ещё\n".encode() + "этих мягких булок\n".encode("cp1251") + "café à la crème\n".encode("cp1252")
READ = "Съешь ещё\nэтих мягких булок\ncafé à la crème\n"


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    (tmp_path / "good.txt").write_bytes(GOOD.encode())
    (tmp_path / "damaged.txt").write_bytes(DAMAGED.encode())
    (tmp_path / "mixed.txt").write_bytes(MIXED)
    return tmp_path


def test_garble() -> None:
    arguments = ("mojibake", "garble", "Hello мир", "--encoding=windows-1251", "--misread-as=iso-8859-1")
    assert command.run(*arguments) == (DONE, "Hello ìèð\n", "")
    assert command.run(*arguments, "--json").objects == [
        {"text": "Hello мир", "encoding": "windows-1251", "misread_as": "iso-8859-1", "garbled": "Hello ìèð"}
    ]
    done = command.run("mojibake", "garble", "мир", "--encoding=latin-1", "--misread-as=utf-8")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        'leadbyte: not in latin-1: "м" U+043C CYRILLIC SMALL LETTER EM; '
        "--encoding is the encoding that the text was written in\n"
    )
    done = command.run("mojibake", "garble", "мир", "--encoding=latin-99", "--misread-as=utf-8")
    assert done.code == ERROR
    assert "unknown encoding: latin-99" in done.err
    done = command.run("mojibake", "garble", "мир", "--encoding=cp1251", "--misread-as=utf-8")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(
        "leadbyte: not utf-8: ec (invalid continuation byte); the encodings of browsers"
    )


def test_repair_a_text() -> None:
    assert command.run("mojibake", "repair", "--text", "Hello âåñü ìèð") == (DONE, "Hello весь мир\n", "")
    assert command.run("mojibake", "repair", "--text", "Hello мир") == (DONE, "Hello мир\n", "")
    (reported,) = command.run("mojibake", "repair", "--json", "--text", "Ã©tÃ©").objects
    assert reported == {"given": "Ã©tÃ©", **explain("Ã©tÃ©").as_dict()}
    assert command.run("mojibake", "repair").code == ERROR


@pytest.mark.parametrize("line", ["b", "-o new", "-i", "-n", "--check", "--backup .bak"])
def test_nothing_about_files_goes_with_a_text(tmp_path: Path, line: str) -> None:
    done = command.run("mojibake", "repair", "--text", "Ã©tÃ©", *line.split(), cwd=tmp_path)
    assert (done.code, done.out) == (ERROR, "")
    assert "argument --text: not allowed with PATH, nor with -o" in done.err
    assert not [*tmp_path.iterdir()]


def test_repair_to_standard_output(texts: Path) -> None:
    done = command.run("mojibake", "repair", "damaged.txt", "good.txt", "mixed.txt", cwd=texts)
    assert (done.code, done.out) == (DONE, GOOD + GOOD + READ)
    first, *rest = done.err.splitlines()
    assert first.startswith("damaged.txt:1-2: encoded in utf-8, decoded as whatwg:windows-1252; ")
    assert rest == [
        "mixed.txt:2: decoded as windows-1251, as it is not UTF-8",
        "mixed.txt:3: decoded as windows-1252, as it is not UTF-8",
    ]
    done = command.run("mojibake", "repair", "--quiet", "-", data=DAMAGED.encode())
    assert done == (DONE, GOOD, "")


def test_repair_to_a_file(texts: Path) -> None:
    assert command.run("mojibake", "repair", "-o", "new.txt", "damaged.txt", cwd=texts).code == DONE
    assert (texts / "new.txt").read_bytes() == GOOD.encode()


def test_repair_in_place(texts: Path) -> None:
    before = (texts / "good.txt").stat()
    (texts / "binary.dat").write_bytes(b"\0" + DAMAGED.encode())
    done = command.run("mojibake", "repair", "-i", "--backup=.bak", "--json", ".", cwd=texts)
    *files, summary = [json.loads(line) for line in done.err.splitlines()]
    assert {reported["path"]: reported["result"] for reported in files} == {
        "./damaged.txt": "repaired",
        "./good.txt": "unchanged",
        "./mixed.txt": "repaired",
    }
    assert [reported["mixed"] for reported in files] == [
        [],
        [],
        [
            {"line": 2, "encoding": "windows-1251", "in_parts": False},
            {"line": 3, "encoding": "windows-1252", "in_parts": False},
        ],
    ]
    assert files[0]["steps"] == explain(DAMAGED).as_dict()["steps"]
    assert summary["summary"]["repaired"] == 2
    assert command.read_all(texts) == {
        "good.txt": GOOD.encode(),
        "damaged.txt": GOOD.encode(),
        "damaged.txt.bak": DAMAGED.encode(),
        "mixed.txt": READ.encode(),
        "mixed.txt.bak": MIXED,
        "binary.dat": b"\0" + DAMAGED.encode(),
    }
    assert (texts / "good.txt").stat().st_mtime_ns == before.st_mtime_ns


def test_dry_run(texts: Path) -> None:
    done = command.run("mojibake", "repair", "-n", "--max-steps=1", ".", cwd=texts)
    assert done.code == DONE
    assert [line for line in done.lines if ": encoded" not in line] == [
        "./damaged.txt: would be repaired",
        "./good.txt: unchanged",
        "./mixed.txt: would be repaired",
        "./mixed.txt:2: decoded as windows-1251, as it is not UTF-8",
        "./mixed.txt: 1 more step",
        "3 files read: 2 would be repaired, 1 unchanged",
    ]
    assert command.read_all(texts)["damaged.txt"] == DAMAGED.encode()


def test_file_without_a_line_in_utf8(texts: Path) -> None:
    (texts / "old.txt").write_bytes("мир\n".encode("cp1251"))
    done = command.run("mojibake", "repair", "-i", "old.txt", cwd=texts)
    assert done.code == ERROR
    assert "too little of it is UTF-8 other than ASCII; leadbyte convert" in done.err
    assert (texts / "old.txt").read_bytes() == "мир\n".encode("cp1251")


def test_file_of_one_line_in_parts(texts: Path) -> None:
    """It has characters in UTF-8, so the others are repaired."""
    (texts / "line.json").write_bytes(b'{"city": "K\xc3\xb6ln", "name": "Bj\xf6rn"}\n')
    done = command.run("mojibake", "repair", "-i", "line.json", cwd=texts)
    assert done.err.startswith("line.json:1: decoded as windows-1252 where it is not UTF-8\n")
    assert (texts / "line.json").read_text(encoding="utf-8") == '{"city": "Köln", "name": "Björn"}\n'


def test_explain(texts: Path) -> None:
    done = command.run("mojibake", "explain", "Hello âåñü ìèð")
    assert done.code == FOUND
    assert done.lines[0].startswith("line 1: encoded in windows-1251, decoded as windows-1252; ")
    assert done.lines[1:] == ["Hello весь мир"]
    assert command.run("mojibake", "explain", "Hello мир") == (DONE, "nothing to repair\n", "")
    assert command.run("mojibake", "explain", "--json", "Ã©tÃ©").objects == [
        {"given": "Ã©tÃ©", **explain("Ã©tÃ©").as_dict()}
    ]
    done = command.run("mojibake", "explain", "--file", "mixed.txt", cwd=texts)
    assert done == (
        FOUND,
        (
            "mixed.txt:2: decoded as windows-1251, as it is not UTF-8\n"
            "mixed.txt:3: decoded as windows-1252, as it is not UTF-8\n"
        ),
        "",
    )
    done = command.run("mojibake", "explain", "--max-steps=1", "mixed.txt", cwd=texts)
    assert (done.code, done.lines[1:]) == (FOUND, ["mixed.txt: 1 more step"])
    (found,) = command.run("mojibake", "explain", "--json", "damaged.txt", cwd=texts).objects
    expected = {"path": "damaged.txt", "changed": True, "byte_count": len(DAMAGED.encode()), "mixed": []}
    assert found == {**expected, "steps": explain(DAMAGED).as_dict()["steps"]}
    done = command.run("mojibake", "explain", "--file", "good.txt", cwd=texts)
    assert done == (DONE, "nothing to repair\n", "")
    done = command.run("mojibake", "explain", "--file", "none.txt", cwd=texts)
    assert (done.code, done.err) == (ERROR, "leadbyte: none.txt: No such file or directory\n")
    done = command.run("mojibake", "explain", "--max-steps=0", "--file", "mixed.txt", cwd=texts)
    assert done.out == "mixed.txt: 2 steps\n"
    done = command.run(
        *("mojibake", "garble", "--encoding=cp1251", "--misread-as=latin-1", "--file=mixed.txt"), cwd=texts
    )
    assert (done.code, done.out) == (ERROR, "")
    assert done.err.startswith("leadbyte: mixed.txt: byte 18 is not utf-8: invalid start byte; leadbyte ")


# Pieces of texts: good, damaged in two ways, of other encodings, and words without an end of line.
PIECES = [
    *(b"plain\n", b"\r\n", b" ", GOOD.encode(), DAMAGED.encode(), MIXED, "же".encode(), b"\xe9t\xe9 "),
    garble("Привет, как дела?\n", encoding="windows-1251", misread_as="windows-1252").encode(),
    b"word " * 20,
]


@pytest.mark.once
@given(
    st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from([1, 2, 9, 600])), max_size=8),
    st.sampled_from([1, 777, 1 << 16, 1 << 20]),
)
@settings(max_examples=40, deadline=None)
def test_blocks_have_the_result_of_the_whole(parts: list[tuple[bytes, int]], size: int) -> None:
    """The repair does not depend on where a file is cut to be read."""
    data = b"".join(piece * times for piece, times in parts)
    size = max(size, len(data) // 99)
    text, mixed = _read_mixed(data)
    expected = explain(text)
    written = bytearray()
    repair = FileRepair(lambda text: written.extend(memoryview(text)), None, None)
    try:
        for at in range(0, len(data), size):
            repair.feed(data[at : at + size])
        repair.finish()
    except OSError:
        assert mixed
        assert repair.error_count > 2 * repair.sequence_count
        return
    assert written.decode() == expected.text
    assert repair.mixed == mixed
    assert tuple(repair.steps) == expected.steps
    assert repair.byte_count == len(data)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("euc-kr", "역사적 예수 연구자들은 복음서나 사도들의 서신서 속의 교리적 예수가 아니라\n한국\n"),
        ("shift_jis", "吾輩は猫である。名前はまだ無い。\nどこで生れたかとんと見当がつかぬ。\n"),
        ("gbk", "中华人民共和国的首都是北京\n鱼\n"),
        ("tis-620", "ภาษาไทยเป็นภาษาที่มีระดับเสียง\n"),
        ("iso8859-5", "Съешь ещё этих мягких французских булок\n"),
    ],
)
def test_text_in_one_other_encoding_is_refused(tmp_path: Path, encoding: str, text: str) -> None:
    file = tmp_path / "file"
    for number in (1, 20):
        file.write_bytes(text.encode(encoding) * number)
        assert command.run("mojibake", "repair", "--in-place", str(file)).code == ERROR
        assert file.read_bytes() == text.encode(encoding) * number


@pytest.mark.parametrize(
    "data",
    ["日本語の文書。\n".encode("utf-16"), b"\x89PNG\r\n\x1a\n\xff\xfe\xe9\n", bytes(range(1, 0x100)) * 4],
)
@pytest.mark.parametrize(
    "arguments", [("repair",), ("mojibake", "repair"), ("sanitize", "--policy=source-code"), ("normalize",)]
)
def test_what_is_not_utf8_is_left_alone(tmp_path: Path, arguments: tuple[str, ...], data: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(data)
    assert command.run(*arguments, "--in-place", str(file)).code == ERROR
    command.run(*arguments, "--in-place", str(tmp_path))
    assert file.read_bytes() == data


@pytest.mark.once
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory of a process, in KiB")
def test_memory_is_constant(tmp_path: Path) -> None:
    """A file that needs nothing is only read; megabytes take no more memory than a short text."""
    peaks = []
    for name, data in (
        ("short", GOOD.encode()),
        ("valid", GOOD.encode() * 100_000),
        ("line", "же ".encode() * 1_500_000),
        ("damaged", DAMAGED.encode() * 1_000),
    ):
        (tmp_path / name).write_bytes(data)
        before = (tmp_path / name).stat()
        done = command.usage("mojibake", "repair", "-i", "-q", name, cwd=tmp_path)
        peaks.append(done.memory >> 20)
        after = (tmp_path / name).stat()
        assert ((before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)) is (
            name != "damaged"
        )
    assert max(peaks) - peaks[0] < 16
