"""In-place commands damage nothing: not by a second run, and not the files of tables."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from typing import TYPE_CHECKING

import command
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from leadbyte.cli import atomic, main
from test_cli_in_place import Way, posix_only, ways

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXT = "Съешь же ещё этих мягких булок\n"
COMMANDS = [
    ["repair", "-i"],
    ["convert", "--from", "cp1251", "-i"],
    ["convert", "--from", "gb18030", "-i"],
    ["convert", "--from", "utf-8", "--to", "utf-16", "-i"],
    ["bom", "add"],
    ["bom", "strip"],
    ["normalize", "-i"],
    ["mojibake", "repair", "-i"],
]


@pytest.mark.parametrize(
    "encoding", ["cp1251", "koi8-r", "latin-1", "gb18030", "shift_jis", "euc-kr", "big5"]
)
def test_utf8_is_not_encoded_twice(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "utf8.txt").write_bytes(TEXT.encode())
    done = command.run("convert", "--from", encoding, "-i", "utf8.txt", cwd=tmp_path)
    assert (tmp_path / "utf8.txt").read_bytes() == TEXT.encode()
    assert done.code == 0
    assert "1 already UTF-8" in done.err


def test_what_is_in_both_encodings_is_converted_by_force(tmp_path: Path) -> None:
    (tmp_path / "both.txt").write_bytes("Ё".encode())
    dry = command.run("convert", "--from", "cp1251", "-n", "both.txt", cwd=tmp_path)
    assert "already UTF-8" in dry.out
    done = command.run("convert", "--from", "cp1251", "-i", "--force", "both.txt", cwd=tmp_path)
    assert done.code == 0
    assert (tmp_path / "both.txt").read_bytes() == "Ё".encode().decode("cp1251").encode()


def test_utf8_is_not_encoded_twice_into_another_file(tmp_path: Path) -> None:
    (tmp_path / "utf8.txt").write_bytes(TEXT.encode())
    done = command.run("convert", "--from", "cp1251", "-o", "new.txt", "utf8.txt", cwd=tmp_path)
    assert done.code != 0
    assert "--force" in done.err + done.out
    assert not (tmp_path / "new.txt").exists()
    # Nor is anything printed before that is known.
    done = command.run("convert", "--from", "cp1251", "utf8.txt", cwd=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert "already UTF-8" in done.err
    done = command.run("convert", "--from", "cp1251", data=(TEXT * 9000).encode())
    assert (done.code, done.out) == (1, "")


LEGACY = {
    **dict.fromkeys(["cp1251", "koi8-r", "cp866"], TEXT[:-1]),
    "johab": "키스의 고유조건은 입술끼리 만나야 하고 특별한 기술은 필요치 않다",
    "cp1253": "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία",
    "gb18030": "我能吞下玻璃而不伤身体",
    "shift_jis": "いろはにほへと ちりぬるを",
}


@pytest.mark.parametrize("encoding", LEGACY)
@pytest.mark.parametrize("options", [[], ["--jsonl"]], ids=["text", "jsonl"])
def test_text_in_another_encoding_is_not_repaired_in_place(
    tmp_path: Path, encoding: str, options: list[str]
) -> None:
    path = tmp_path / "old.jsonl"
    legacy = (f'["{LEGACY[encoding]}"]\n' * 3).encode(encoding)
    path.write_bytes(legacy)
    for way in (["-i", "old.jsonl"], ["-i", "."], ["-o", "old.jsonl", "old.jsonl"]):
        done = command.run("repair", *options, *way, cwd=tmp_path)
        assert (done.code, path.read_bytes()) == (2, legacy)
        assert "leadbyte convert --from" in done.err
        assert command.run("repair", *options, "-n", *way, cwd=tmp_path).code == 2
    quarantined = ["--quarantine", "bad.jsonl", "--rows", "drop"]
    assert command.run("repair", *options, "-i", *quarantined, "old.jsonl", cwd=tmp_path).code == 0
    assert path.read_bytes() == b""
    path.write_bytes(legacy)
    assert command.run("repair", *options, "-i", "--backup", ".old", "old.jsonl", cwd=tmp_path).code == 0
    assert path.read_bytes() != legacy
    assert (tmp_path / "old.jsonl.old").read_bytes() == legacy


@pytest.mark.parametrize(
    "arguments",
    ["sanitize -p postgresql", "convert -f utf-8 --errors replace", "convert -f utf-8 --errors ignore"],
)
def test_text_in_another_encoding_is_not_changed_as_utf8(tmp_path: Path, arguments: str) -> None:
    path = tmp_path / "old.txt"
    legacy = LEGACY["koi8-r"].encode("koi8-r") * 3
    path.write_bytes(legacy)
    line = arguments.split()
    for way in (["-i", "old.txt"], ["-i", "."], ["-o", "old.txt", "old.txt"]):
        done = command.run(*line, *way, cwd=tmp_path)
        assert (done.code, path.read_bytes()) == (2, legacy)
        assert "leadbyte convert --from koi8-r" in done.err
        assert command.run(*line, "-n", *way, cwd=tmp_path).code == 2
    assert command.run(*line, "-o", "new.txt", "old.txt", cwd=tmp_path).code == 0
    assert command.run(*line, "-i", "--backup", ".old", "old.txt", cwd=tmp_path).code == 0
    assert (tmp_path / "old.txt.old").read_bytes() == legacy
    path.write_bytes(b"one \xff error\n")
    assert command.run(*line, "-i", "old.txt", cwd=tmp_path).code == 0
    assert b"\xff" not in path.read_bytes()


@pytest.mark.parametrize(
    "arguments", ["repair", "convert -f utf-8 --errors replace", "normalize", "sanitize -p json"]
)
def test_new_version_is_not_replaced_by_the_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("e\u0301\x01\xff\n".encode("utf-8", "surrogatepass"))

    def copy_status(_: object, __: object) -> None:
        path.write_bytes(b"a new version\n")

    with monkeypatch.context() as patched:
        patched.setattr(atomic, "copy_status", copy_status)
        assert main([*arguments.split(), "-o", str(path), str(path)]) == 2
    assert path.read_bytes() == b"a new version\n"
    assert os.listdir(tmp_path) == ["a.txt"]
    assert main([*arguments.split(), "-o", str(path), str(path)]) == 0


def test_utf16_is_not_decoded_as_single_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffжизнь".encode("utf-16-le"))
    done = command.run("convert", "-f", "cp1251", "-i", "a.txt", cwd=tmp_path)
    assert (done.code, "UTF-16, not cp1251" in done.out + done.err) == (1, True)
    assert path.read_bytes() == "\ufeffжизнь".encode("utf-16-le")
    assert command.run("convert", "-f", "cp1251", "-i", "--force", "a.txt", cwd=tmp_path).code == 0


def test_formats_by_their_signatures_are_not_converted(tmp_path: Path) -> None:
    data = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\nobject\n"
    (tmp_path / "a").write_bytes(data)
    assert command.run("convert", "-f", "koi8-r", "-i", ".", cwd=tmp_path).code == 0
    done = command.run("convert", "-f", "koi8-r", "-i", "a", cwd=tmp_path)
    assert (done.code, "only with --binary" in done.err) == (2, True)
    assert (tmp_path / "a").read_bytes() == data


def test_all_marks_are_removed_at_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("\ufeff\ufeffhi\n".encode())
    assert command.run("convert", "-f", "auto", "-i", "a", cwd=tmp_path).code == 0
    assert (tmp_path / "a").read_bytes() == b"hi\n"


def test_file_may_be_named_as_standard_output(tmp_path: Path) -> None:
    (tmp_path / "-").write_bytes(TEXT.encode("koi8-r") * 3)
    done = command.run("repair", "--quiet", "./-", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out == (TEXT.encode("koi8-r") * 3).decode(errors="replace")


def test_text_in_another_encoding_after_long_ascii(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    legacy = b"ASCII line\n" * 60_000 + TEXT.encode("koi8-r") * 3
    path.write_bytes(legacy)
    assert command.run("repair", "-i", "old.txt", cwd=tmp_path).code == 2
    assert path.read_bytes() == legacy


@pytest.mark.parametrize(
    "data",
    [
        b"\xff" * 100,
        b"\xe9\n" * 100,
        "Le café était fermé à cause de l'été.\n".encode("latin-1"),
        TEXT.encode() + TEXT.encode("cp1251"),
        bytes(range(0x80, 0x100)) * 3,
        TEXT.encode()[1:],
    ],
)
def test_errors_are_repaired_in_place(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(data)
    assert command.run("repair", "-i", "text.txt", cwd=tmp_path).code == 0
    assert path.read_text("utf-8") == data.decode(errors="replace")


PIECES = st.one_of(
    st.text(alphabet="aяé€\u0301\ufeff \n").map(str.encode),
    st.text(alphabet="abяЖё \n").map(lambda text: text.encode("cp1251")),
    st.sampled_from([b"\xff", b"caf\xc3\xa9", "Привет".encode().decode("cp1251").encode(), b"\xef\xbb\xbf"]),
)


@pytest.mark.once
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=st.lists(st.lists(PIECES, max_size=4).map(b"".join), min_size=1, max_size=4))
def test_a_second_run_changes_nothing(tmp_path: Path, arguments: list[str], files: list[bytes]) -> None:
    paths = [tmp_path / f"{number}.txt" for number in range(len(files))]
    for path, data in zip(paths, files, strict=True):
        path.write_bytes(data)
    line = [*arguments, *map(str, paths)]
    main(line)
    once = [path.read_bytes() for path in paths]
    main(line)
    assert [path.read_bytes() for path in paths] == once


@ways
@pytest.mark.parametrize(
    "log", ["_delta_log/0.json", "metadata/v1.metadata.json", ".hoodie/hoodie.properties"]
)
def test_files_of_tables_are_refused(tmp_path: Path, way: Way, log: str) -> None:
    table = tmp_path / "lake" / "table"
    (table / log).parent.mkdir(parents=True)
    (table / log).write_bytes(b"{}")
    (table / "day=1").mkdir()
    (table / "day=1" / "part.txt").write_bytes(way.old)
    (tmp_path / "lake" / "other.txt").write_bytes(way.old)
    done = command.run(*way.arguments, "lake", cwd=tmp_path)
    assert (table / "day=1" / "part.txt").read_bytes() == way.old
    assert (tmp_path / "lake" / "other.txt").read_bytes() == way.new
    assert "whose log counts its bytes" in done.err
    assert done.code == 2
    # A trial refuses as well; what needs no change is only read.
    trial = [argument for argument in way.arguments if argument not in {"-i", "--in-place"}]
    done = command.run(*trial, "-n", "lake/table/day=1", cwd=tmp_path)
    assert (done.code, "whose log counts its bytes" in done.err) == (2, True)
    (table / "day=1" / "part.txt").write_bytes(way.new)
    done = command.run(*way.arguments, "lake/table/day=1", cwd=tmp_path)
    assert (done.code, "whose log" in done.err) == (0, False)
    assert (table / "day=1" / "part.txt").read_bytes() == way.new


@pytest.mark.parametrize(
    "arguments",
    [["repair"], ["convert", "-f", "cp1252"], ["normalize"], ["mojibake", "repair"]],
    ids=" ".join,
)
def test_nothing_is_written_into_tables(tmp_path: Path, arguments: list[str]) -> None:
    log = tmp_path / "table/_delta_log/0.json"
    log.parent.mkdir(parents=True)
    log.write_bytes(b"{}")
    (tmp_path / "table/part.txt").write_bytes(b"old")
    (tmp_path / "in.txt").write_bytes("café\n".encode())
    for output in ("table/part.txt", "table/new.txt"):
        done = command.run(*arguments, "in.txt", "-o", output, cwd=tmp_path)
        assert done.code == 2
        assert "whose log counts its bytes" in done.err
    if arguments[0] == "convert":
        done = command.run(*arguments, "in.txt", "-o", "table", cwd=tmp_path)
        assert done.code == 2
        assert "whose log counts its bytes" in done.err
    assert sorted(path.name for path in (tmp_path / "table").iterdir()) == ["_delta_log", "part.txt"]
    assert (tmp_path / "table/part.txt").read_bytes() == b"old"


@posix_only
@pytest.mark.parametrize("names", [["a", "link"], ["a", "./a"], ["d", "d/a"], ["d", "linked"]], ids=" ".join)
def test_file_with_two_names_is_converted_once(tmp_path: Path, names: list[str]) -> None:
    (tmp_path / "d").mkdir()
    for path in ("a", "d/a"):
        (tmp_path / path).write_bytes(TEXT.encode("cp1251"))
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "linked").symlink_to("d")
    done = command.run("convert", "-i", "-f", "cp1251", "-t", "koi8-r", "--verbose", *names, cwd=tmp_path)
    assert done.code == 0
    assert "skipped: converted under another name" in done.err
    assert (tmp_path / names[0] / ("a" if names[0] == "d" else "")).read_bytes() == TEXT.encode("koi8-r")


@posix_only
def test_each_hard_link_becomes_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(TEXT.encode("cp1251"))
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    assert command.run("convert", "-i", "-f", "cp1251", "-t", "koi8-r", "a", "b", cwd=tmp_path).code == 0
    for name in ("a", "b"):
        assert (tmp_path / name).read_bytes() == TEXT.encode("koi8-r")


@ways
def test_file_below_a_directory_may_be_named_as_standard_input(tmp_path: Path, way: Way) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/-").write_bytes(way.old)
    done = command.run(*way.arguments, "--backup=.old", "d", cwd=tmp_path, data=b"standard input")
    assert (done.code, (tmp_path / "d/-").read_bytes()) == (0, way.new)
    assert (tmp_path / "d/-.old").read_bytes() == way.old


@pytest.mark.parametrize("names", [["d/a", "a"], ["a", "d/a"]], ids=" ".join)
def test_inputs_in_the_output_directory_stay(tmp_path: Path, names: list[str]) -> None:
    (tmp_path / "d").mkdir()
    for path in ("a", "d/a"):
        (tmp_path / path).write_bytes(path.encode())
    done = command.run("convert", "-f", "latin-1", "-o", ".", *names, cwd=tmp_path)
    assert (done.code, "is also an input" in done.err) == (2, True)
    assert [(tmp_path / path).read_bytes() for path in ("a", "d/a")] == [b"a", b"d/a"]


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_text_is_not_changed(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    data = compress(b"caf\xe9\n" * 99)
    (tmp_path / "a").write_bytes(data)
    for line in ("repair", "convert -f cp1252", "normalize", "sanitize -p json", "mojibake repair"):
        done = command.run(*line.split(), "a", "-o", "new", cwd=tmp_path)
        assert done.code == 2
        assert "; leadbyte check reads compressed files with --engine, and leadbyte." in done.err
        assert not (tmp_path / "new").exists()
    assert command.run("repair", "--binary", "a", "-o", "new", cwd=tmp_path).code == 0
    (tmp_path / "text").write_bytes(b"BZh is the start of bzip2\n")
    assert command.run("repair", "text", cwd=tmp_path).out == "BZh is the start of bzip2\n"


@pytest.mark.parametrize("output", ["", "new/"])
def test_output_that_cannot_be_a_file(tmp_path: Path, output: str) -> None:
    (tmp_path / "a").write_bytes(b"a")
    for arguments in (["repair"], ["convert", "-f", "cp1252"], ["normalize"], ["mojibake", "repair"]):
        done = command.run(*arguments, "a", "-o", output, cwd=tmp_path)
        assert (done.code, "argument -o/--output: must be a " in done.err) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
