"""UTF-8 with lines in other encodings: ``convert --fallback``, ``open_as_utf8`` and ``dataset.convert``."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leadbyte import _mixed
from leadbyte._mixed import MixedDecoder
from leadbyte.cli import main
from leadbyte.mojibake import decode_mixed
from leadbyte.transcode import open_as_utf8

if TYPE_CHECKING:
    from pathlib import Path

    from strategies import Anything

DONE, FAILED, ERROR = 0, 1, 2
MIXED = "é\n".encode() + b"caf\xe9 \x80\nmore\n\xe9"
TEXT = "é\ncafé €\nmore\né"
# In Windows-1253, AA is undefined.
UNDEFINED = "Σ\n".encode() + b"\xd3 \xaa\n"


@given(
    st.lists(st.sampled_from([b"a\n", "é\n".encode(), b"\xe9\n", b"caf\xe9 \xc3\xa9", b"\n", b"\xff"])),
    st.data(),
)
def test_pieces_give_the_text_of_the_whole(parts: list[bytes], draws: st.DataObject) -> None:
    data = b"".join(parts)
    cuts = sorted(draws.draw(st.lists(st.integers(0, len(data)), max_size=5)))
    for fallback in ("cp1252", "shift_jis", "auto"):
        decoder = MixedDecoder(fallback, "replace", limit=100)
        ends = zip([0, *cuts], [*cuts, len(data)], strict=True)
        text = b"".join(decoder.feed(data[start:end]) for start, end in ends) + decoder.finish()
        expected = decode_mixed(data, fallback=None if fallback == "auto" else fallback)
        assert text.decode("utf-8", "surrogatepass") == expected
        lines = [number for number, line in enumerate(data.split(b"\n"), 1) if not is_utf8(line)]
        assert [line for line, _ in decoder.mixed] == lines
        assert decoder.mixed_count == len(lines)


def is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_long_lines_take_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_mixed, "MAX_LINE_BYTES", 100)
    decoder = MixedDecoder("cp1252", "strict", limit=5)
    parts = [decoder.feed("é".encode() * 40 + b"\xe9") for _ in range(50)]
    assert max(map(len, parts)) < 400
    text = b"".join([*parts, decoder.finish()]).decode()
    assert text == ("é" * 41) * 50
    assert (decoder.mixed_count, decoder.mixed) == (1, [(1, "cp1252")])


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.log").write_bytes(MIXED)
    (tmp_path / "good.log").write_bytes("é\n".encode())
    convert = ["convert", "--from", "utf-8", "--fallback", "cp1252"]
    assert main([*convert, "-i", "a.log", "good.log"]) == DONE
    assert (tmp_path / "a.log").read_text(encoding="utf-8") == TEXT
    lines = "a.log:2: not UTF-8, decoded as cp1252\na.log:4: not UTF-8, decoded as cp1252\n"
    summary = "2 files read: 1 converted, 1 unchanged, 2 lines not UTF-8\n"
    assert capfd.readouterr() == ("", lines + summary)
    assert main([*convert, "-i", "a.log"]) == DONE
    capfd.readouterr()
    (tmp_path / "a.log").write_bytes(MIXED)
    assert main([*convert, "--json", "--max-errors", "1", "-o", "new", "a.log"]) == DONE
    facts = json.loads(capfd.readouterr().err.splitlines()[0])
    assert (facts["mixed_count"], facts["mixed"]) == (2, [{"line": 2, "encoding": "cp1252"}])
    assert main([*convert, "-t", "utf-16-le", "-o", "new", "a.log"]) == DONE
    assert (tmp_path / "new").read_bytes().decode("utf-16-le") == TEXT


def test_undefined_bytes_are_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.log").write_bytes(UNDEFINED)
    convert = ["convert", "--from", "utf-8", "--fallback", "cp1253", "-i"]
    assert main([*convert, "a.log"]) == FAILED
    assert capfd.readouterr().err.startswith(
        "a.log:2:3: byte 5: not cp1253: aa (undefined in cp1253)\na.log: not converted; another --fallback"
    )
    assert (tmp_path / "a.log").read_bytes() == UNDEFINED
    assert main([*convert, "--errors", "replace", "a.log"]) == DONE
    assert (tmp_path / "a.log").read_text(encoding="utf-8") == "Σ\nΣ \ufffd\n"


@pytest.mark.parametrize(
    "options",
    [
        ["--from", "cp1251", "--fallback", "cp1252"],
        ["--from", "auto", "--fallback", "cp1252"],
        ["--from", "utf-8", "--fallback", "utf-16"],
        ["--from", "utf-8", "--fallback", "none"],
        ["--from", "utf-8", "--fallback", "cp1252", "--errors", "ignore"],
    ],
)
def test_options(options: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["convert", *options, "a"])


def test_open_as_utf8(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"\xef\xbb\xbf" + MIXED)
    for fallback in ("cp1252", "auto"):
        with open_as_utf8(tmp_path / "a.log", "utf-8", fallback=fallback) as file:
            assert file.read().decode() == TEXT
    with pytest.raises(UnicodeDecodeError, match="undefined in cp1253"):
        open_as_utf8(io.BytesIO(UNDEFINED), "utf-8", fallback="cp1253").read()
    read = open_as_utf8(io.BytesIO(UNDEFINED), "utf-8", fallback="cp1253", errors="replace").read()
    assert read.decode() == "Σ\nΣ \ufffd\n"
    for source, fallback, errors in (("cp1251", "cp1252", "strict"), ("utf-8", "cp1252", "ignore")):
        with pytest.raises(ValueError, match="fallback"):
            open_as_utf8(io.BytesIO(), source, fallback=fallback, errors=errors)


def test_dataset(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    from leadbyte import dataset

    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/a.log").write_bytes(MIXED)
    (tmp_path / "logs/b.log").write_bytes(UNDEFINED)
    options: Anything = {"source": "utf-8", "fallback": "cp1253"}
    done = dataset.convert(tmp_path / "logs", tmp_path / "new", **options)
    assert (done.written_count, done.failed_count, done.invalid_row_count) == (1, 1, 2)
    assert done.failures[0].message.startswith("line 2, column 3, byte 5: not cp1253: aa")
    assert (tmp_path / "new/a.log").read_bytes().decode() == "é\ncaf\u03b9 €\nmore\n\u03b9"
    with pytest.raises(ValueError, match="only the source utf-8 has a fallback"):
        dataset.convert(tmp_path / "logs", tmp_path / "other", "cp1252", fallback="cp1251")


def test_after_an_error_nothing_is_read() -> None:
    file = open_as_utf8(io.BytesIO(b"a\n" + UNDEFINED + b"rest\n" * 100_000), "utf-8", fallback="cp1253")
    with pytest.raises(UnicodeDecodeError):
        file.read()
    with pytest.raises(ValueError, match="has failed"):
        file.read()


def test_undefined_bytes_beside_a_replacement_character() -> None:
    decoder = MixedDecoder("cp1253", "strict")
    with pytest.raises(UnicodeDecodeError, match="undefined"):
        decoder.feed("\ufffd".encode() + b"\xaa\n")
    assert MixedDecoder("cp1253", "strict").feed("\ufffd".encode() + b" \xd3\n").decode().endswith("Σ\n")


@pytest.mark.once
def test_long_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "long.txt").write_bytes(b"a" * 3_000_000 + b"\n")
    assert main(["convert", "--from", "utf-8", "--fallback", "cp1252", "--check", "long.txt"]) == DONE
    text = "x" + "中文字符测试编码转换" * 60_000
    (tmp_path / "gbk.txt").write_bytes(text.encode("gbk"))
    assert main(["convert", "--from", "utf-8", "--fallback", "gbk", "-i", "gbk.txt"]) == DONE
    assert (tmp_path / "gbk.txt").read_text(encoding="utf-8") == text


def test_utf16_is_no_legacy_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("\ufeffhé\n".encode("utf-16-le"))
    assert main(["convert", "--from", "utf-8", "--fallback", "cp1252", "-i", str(tmp_path / "a.txt")]) != DONE
    assert (tmp_path / "a.txt").read_bytes() == "\ufeffhé\n".encode("utf-16-le")


def test_dataset_with_a_target(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    from leadbyte import dataset

    (tmp_path / "a.txt").write_bytes(b"\xe9a\xe9\n" * 3 + "abc ж\n".encode())
    done = dataset.convert(tmp_path / "a.txt", tmp_path / "new", "utf-8", "cp1252", fallback="cp1252")
    assert done.failures[0].message.startswith('line 4, column 5: not in cp1252: "ж"')
    # Another name of the same encoding is the same call.
    dataset.convert(tmp_path / "a.txt", tmp_path / "new", "utf-8", "cp1252", fallback=1252)
