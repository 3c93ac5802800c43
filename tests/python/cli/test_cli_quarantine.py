"""``leadbyte repair --rows --quarantine``: lines and rows with errors dropped, or kept apart."""

from __future__ import annotations

import base64
import gc
import io
import itertools
import json
import os
import sys
from io import FileIO
from typing import TYPE_CHECKING
from unittest import mock

import command
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from leadbyte import Scanner, iter_errors
from leadbyte._files import quarantine
from leadbyte._files.quarantine import InvalidRow, TextLines, separated_lines
from leadbyte.cli import main
from leadbyte.cli.quarantine import AppendedLines
from test_cli_in_place import posix_only

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType

    from _typeshed import TraceFunction
    from strategies import Anything

DONE, ERROR = 0, 2
TEXT = b"caf\xc3\xa9\ncaf\xe9 \xff\nmore\n\xc3"
GOOD = b"caf\xc3\xa9\nmore\n"
LINES = [(2, b"caf\xe9 \xff"), (4, b"\xc3")]


def kept(path: Path) -> list[tuple[int, bytes]]:
    """Return line and bytes of each record."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [(row["line"], base64.b64decode(row["base64"])) for row in rows]


@given(
    st.lists(strategies.data() | st.sampled_from([b"", b"\xff", b"\n"])).map(b"\n".join), st.integers(1, 50)
)
def test_lines_are_those_of_a_naive_split(data: bytes, block: int) -> None:
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    faults = [list(iter_errors(line)) for line in lines]
    for replacement in (None, "\ufffd", "?"):
        scanner, rows = Scanner(), list[InvalidRow]()
        with mock.patch.object(quarantine, "BLOCK", block):
            read: Anything = io.BytesIO(data).readinto
            texts = separated_lines(read, TextLines(scanner, "a", replacement), rows.append)
            found = b"".join(map(bytes, texts))
        repaired = "" if replacement is None else replacement
        expected = [
            line.decode(errors="replace").replace("\ufffd", repaired).encode() if fault else line
            for line, fault in zip(lines, faults, strict=True)
            if not fault or replacement is not None
        ]
        if b"\xef\xbf\xbd" not in data:
            assert found == b"".join(expected)
        bad = [number for number, fault in enumerate(faults, 1) if fault]
        assert [row.line for row in rows] == bad
        assert [row.data for row in rows] == [lines[number - 1].removesuffix(b"\n") for number in bad]
        assert [row.error_count for row in rows] == [len(fault) for fault in faults if fault]
        every = {error.start: error.kind for error in iter_errors(data)}
        assert all(every[row.byte] == row.kind for row in rows)
        assert scanner.finish().error_count == len(every)


def test_line_that_is_too_long(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_bytes(b"ok\n" + b"a" * 1000 + b"\xff\n")
    arguments = ["repair", "--rows", "drop", "-o", str(tmp_path / "new"), str(tmp_path / "a.txt")]
    with mock.patch.multiple(quarantine, BLOCK=64, MAX_LINE_BYTES=512):
        assert main(arguments) == ERROR
    assert "line 2 has more than 512 bytes" in capfd.readouterr().err
    assert not (tmp_path / "new").exists()


def test_to_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_bytes(TEXT)
    assert main(["repair", "--rows", "drop", "--quarantine", "bad.jsonl", "-o", "new", "a.txt"]) == DONE
    assert (tmp_path / "new").read_bytes() == GOOD
    assert kept(tmp_path / "bad.jsonl") == LINES
    (tmp_path / "bad.jsonl").write_bytes(b"")
    assert main(["repair", "--quarantine", "bad.jsonl", "-o", "new", "a.txt"]) == DONE
    assert (tmp_path / "new").read_bytes() == TEXT.decode(errors="replace").encode()
    assert kept(tmp_path / "bad.jsonl") == LINES


@posix_only
@pytest.mark.parametrize("arguments", [["-o", "new"], ["-i"]])
def test_only_the_owner_reads_a_new_quarantine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_bytes(TEXT)
    assert main(["repair", "--quarantine", "bad.jsonl", *arguments, "a.txt"]) == DONE
    assert (tmp_path / "bad.jsonl").stat().st_mode & 0o777 == 0o600


def test_in_place_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(TEXT)
    for arguments in (["--rows", "drop"], ["--quarantine", "bad.parquet"], ["-n", "--quarantine", "bad"]):
        with pytest.raises(SystemExit):
            main(["repair", "-i", *arguments, "a.txt"])
    assert (tmp_path / "a.txt").read_bytes() == TEXT
    for name in ("a.txt", "b.txt", "a.txt"):
        assert main(["repair", "-i", "--rows", "drop", "--quarantine", "bad.jsonl", name]) == DONE
        assert (tmp_path / name).read_bytes() == GOOD
    assert kept(tmp_path / "bad.jsonl") == LINES * 2
    names = [json.loads(line)["file"] for line in (tmp_path / "bad.jsonl").read_text("utf-8").splitlines()]
    assert names == ["a.txt", "a.txt", "b.txt", "b.txt"]
    # Rows that are not there when a file is replaced would be lost if the process were killed.
    (tmp_path / "a.txt").write_bytes(TEXT)
    seen: list[int] = []

    def move(place: Anything, name: str, to: str) -> None:
        seen.append(len(kept(tmp_path / "bad.jsonl")))
        place.__class__.moved(place, name, to)

    from leadbyte.cli.atomic import Place

    monkeypatch.setattr(Place, "moved", Place.move, raising=False)
    monkeypatch.setattr(Place, "move", move)
    assert main(["repair", "-i", "--rows", "drop", "--quarantine", "bad.jsonl", "a.txt"]) == DONE
    assert seen == [6]


@pytest.mark.parametrize("path", ["a.txt", "missing/bad.jsonl", "-", "new"])
def test_quarantine_that_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_bytes(TEXT)
    for target in (["-i"], ["-o", "new"]):
        if (target, path) in ((["-i"], "new"), (["-o", "new"], "a.txt")):
            continue
        try:
            code = main(["repair", *target, "--quarantine", path, "a.txt"])
        except SystemExit as error:
            code = int(str(error.code))
        assert code == ERROR
        assert (tmp_path / "a.txt").read_bytes() == TEXT
        assert not (tmp_path / "new").exists()


def test_quarantine_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_bytes(TEXT)
    (tmp_path / "bad.jsonl").write_bytes(b"")
    arguments = ["repair", "--rows", "drop", "--quarantine", "bad.jsonl", "-o", "a.txt", "a.txt"]
    assert main(arguments) == DONE
    before = kept(tmp_path / "bad.jsonl")
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert (ended.value.code, kept(tmp_path / "bad.jsonl")) == (ERROR, before)


def test_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.chdir(tmp_path)
    names = pa.array([b"ok", b"caf\xe9", b"\xff", b"ok"]).view(pa.string())
    pq.write_table(pa.table({"id": range(4), "name": names}), "a.parquet", row_group_size=2)
    before = (tmp_path / "a.parquet").read_bytes()
    drop = ["repair", "--rows", "drop", "--quarantine"]
    assert main([*drop, "bad.jsonl", "-i", "a.parquet"]) == ERROR
    assert "not dropped in place" in capfd.readouterr().err
    assert (tmp_path / "a.parquet").read_bytes() == before
    assert main([*drop, "bad.parquet", "-o", "new.parquet", "a.parquet"]) == DONE
    assert pq.read_table("new.parquet").to_pydict() == {"id": [0, 3], "name": ["ok", "ok"]}
    assert "2 invalid rows dropped, 2 records in quarantine" in capfd.readouterr().err
    assert pq.read_table("bad.parquet").select(["row", "data"]).to_pydict() == {
        "row": [1, 2],
        "data": [b"caf\xe9", b"\xff"],
    }


def test_output_that_is_an_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_bytes(TEXT)
    (tmp_path / "b.txt").write_bytes(TEXT)
    drop = ["repair", "--rows", "drop"]
    for arguments in (
        ["-o", "./a.txt"],
        ["--quarantine", "./a.txt"],
        ["--quarantine", "./a.txt", "-o", "new", "b.txt"],
    ):
        with pytest.raises(SystemExit):
            main([*drop, *arguments, "a.txt"])
    # The quarantine is complete before the output is replaced.
    if os.path.exists("/dev/full"):
        assert main([*drop, "--quarantine", "/dev/full", "-o", "a.txt", "a.txt"]) == ERROR
    assert (tmp_path / "a.txt").read_bytes() == TEXT
    assert main([*drop, "--quarantine", "bad.jsonl", "-o", "a.txt", "a.txt"]) == DONE
    assert ((tmp_path / "a.txt").read_bytes(), kept(tmp_path / "bad.jsonl")) == (GOOD, LINES)


LATE = """
import os, signal
from leadbyte.cli import atomic, run
move = atomic.Place.move

def late(place, name, to):
    move(place, name, to)
    os.kill(os.getpid(), signal.{signal})

atomic.Place.move = late
raise SystemExit(run())
"""


@posix_only
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_rows_stay_once_their_file_is_replaced(tmp_path: Path, name: str) -> None:
    (tmp_path / "a").write_bytes(b"good\nb\xe9d\n")
    line = ("repair", "-i", "--rows", "drop", "--quarantine", "q", "a")
    command.run(*line, cwd=tmp_path, program=LATE.format(signal=name))
    assert (tmp_path / "a").read_bytes() == b"good\n"
    (row,) = map(json.loads, (tmp_path / "q").read_text(encoding="utf-8").splitlines())
    assert row["line"] == 2


class Interruption:
    """Raises KeyboardInterrupt before a line of some files of the command, given its number of all run."""

    FILES = ("quarantine.py", "writing.py")

    def __init__(self, number: int) -> None:
        self.number = number
        self.count = 0

    def __call__(self, frame: FrameType, event: str, argument: Anything, /) -> TraceFunction | None:
        """Trace the functions of the files."""
        del event, argument
        return self.before if os.path.basename(frame.f_code.co_filename) in self.FILES else None

    def before(self, _frame: FrameType, event: str, _argument: Anything, /) -> TraceFunction:
        """Count a line."""
        self.count += event == "line"
        if self.count == self.number and event == "line":
            raise KeyboardInterrupt
        return self.before


@pytest.mark.once
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.skipif(sys.gettrace() is not None, reason="is traced already")
def test_rows_are_in_quarantine_if_and_only_if_their_file_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in itertools.count(1):
        (tmp_path / "a").write_bytes(b"good\nb\xe9d\n")
        (tmp_path / "q").write_bytes(b"{}\n")
        interruption = Interruption(number)
        sys.settrace(interruption)
        try:
            main(["repair", "-i", "-q", "--quarantine", "q", "a"])
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(None)
        replaced = (tmp_path / "a").read_bytes() != b"good\nb\xe9d\n"
        assert (tmp_path / "q").read_bytes().count(b"\n") == 1 + replaced, number
        assert {path.name for path in tmp_path.iterdir()} == {"a", "q"}
        if interruption.count < number:
            break
    assert number > 50
    # Files that were not closed.
    gc.collect()


def test_failed_run_leaves_no_quarantine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_bytes(TEXT)
    assert main(["repair", "--quarantine", "bad.jsonl", "-o", "other", "a.txt", "missing"]) == ERROR
    assert {path.name for path in tmp_path.iterdir()} == {"a.txt"}


def test_file_may_be_named_as_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_bytes(TEXT)
    assert main(["repair", "--rows", "drop", "--quarantine", "./-", "a.txt"]) == DONE
    assert capfdbinary.readouterr().out == GOOD
    assert kept(tmp_path / "-") == LINES


def test_rows_follow_an_incomplete_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_bytes(TEXT)
    (tmp_path / "bad.jsonl").write_bytes(b'{"torn": ')
    assert main(["repair", "-i", "--quarantine", "bad.jsonl", "a.txt"]) == DONE
    first, *lines = (tmp_path / "bad.jsonl").read_text(encoding="utf-8").splitlines()
    assert first == '{"torn": '
    assert len(list(map(json.loads, lines))) == 2


def test_rows_of_a_file_that_stays_are_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "long.txt").write_bytes(b"bad \xe9\n" + b"a" * 2000 + b"\n")
    (tmp_path / "a.txt").write_bytes(TEXT)
    with mock.patch.multiple(quarantine, BLOCK=64, MAX_LINE_BYTES=512, MAX_ROWS=1):
        code = main(["repair", "-i", "--rows", "drop", "--quarantine", "bad.jsonl", "long.txt", "a.txt"])
    assert code == ERROR
    assert "1 repaired, 2 invalid rows dropped, 2 records in quarantine" in capfd.readouterr().err
    assert kept(tmp_path / "bad.jsonl") == LINES
    assert (tmp_path / "long.txt").read_bytes().startswith(b"bad \xe9\n")


@given(st.lists(st.binary(max_size=3), max_size=8))
def test_small_reads(pieces: list[bytes]) -> None:
    """Pipes give a few bytes at a time."""
    unread = [piece for piece in pieces if piece]

    def read(memory: memoryview) -> int:
        piece = unread.pop(0) if unread else b""
        memory[: len(piece)] = piece
        return len(piece)

    rows: list[InvalidRow] = []
    texts = separated_lines(read, TextLines(Scanner(), "a", None), rows.append)
    found = b"".join(map(bytes, texts))
    lines = b"".join(pieces).split(b"\n")
    assert [row.line for row in rows] == [
        number for number, line in enumerate(lines, 1) if [*iter_errors(line)]
    ]
    assert len(found) <= sum(map(len, pieces))


def test_fixed_size_values_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"id": [1, 2], "code": pa.array([b"ab", b"\xffb"], pa.binary(2))}), "a.parquet")
    assert main(["repair", "--rows", "drop", "--column", "code", "-o", "new.parquet", "a.parquet"]) == DONE
    assert pq.read_table("new.parquet").to_pydict() == {"id": [1], "code": [b"ab"]}


@pytest.mark.parametrize("rows", ["drop", "repair"])
def test_other_columns_of_any_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: str) -> None:
    """Views, which pyarrow does not take, and nulls in lists, which it casts wrongly, are kept."""
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    monkeypatch.chdir(tmp_path)
    maps = pa.array(
        [[("BAD", None)], [("a", None), ("b", None)], [("c", None)]], pa.map_(pa.string(), pa.null())
    )
    columns = {
        "x": maps,
        "view": pa.array(["a", "b", None], pa.string_view()),
        "views": pa.array([["a"], [], ["b", "c"]], pa.list_(pa.binary_view())),
    }
    parquet.write_table(pa.table(columns), "a.parquet", compression="none")
    data = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(data.replace(b"BAD", b"B\xffD"))
    assert main(["repair", "--rows", rows, "-o", "new.parquet", "a.parquet"]) == DONE
    table = parquet.read_table("new.parquet")
    table.validate(full=True)
    assert table.schema == pa.table(columns).schema
    expected = pa.table(columns).to_pydict()
    expected["x"][0] = [("B\ufffdD", None)]
    assert table.to_pydict() == {
        name: values[1:] if rows == "drop" else values for name, values in expected.items()
    }


def test_rows_that_others_append_stay(tmp_path: Path) -> None:
    """Rows are taken back only while no other process has appended some after them."""
    path = tmp_path / "q.jsonl"
    with FileIO(path, "ab+") as one, FileIO(path, "ab+") as other:
        first, second = AppendedLines(one), AppendedLines(other)
        first.mark()
        first.write(b"a\n")
        second.mark()
        second.write(b"b\n")
        first.take_back()
        assert path.read_bytes() == b"a\nb\n"
        first.write(b"c\n")
        first.take_back()
        second.take_back()
        assert path.read_bytes() == b"a\nb\nc\n"
        second.mark()
        second.write(b"d\n")
        second.write(b"e\n")
        second.take_back()
        assert path.read_bytes() == b"a\nb\nc\n"


def test_output_over_legacy_text_with_its_rows_in_quarantine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    legacy = ("Съешь ещё этих мягких французских булок\n" * 3).encode("koi8-r")
    (tmp_path / "a").write_bytes(legacy)
    assert main(["repair", "--rows", "drop", "--quarantine", "q", "-o", "a", "a"]) == DONE
    assert b"".join(line + b"\n" for _, line in kept(tmp_path / "q")) == legacy
