"""``leadbyte.dataset.convert``: the text, and the places that cannot be converted."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
from reduced import IS_REDUCED

fsspec = pytest.importorskip("fsspec")

from leadbyte.dataset import _transforms, convert  # noqa: E402
from leadbyte.transcode import PIECE_BYTES, transcode  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

    from leadbyte.dataset._outputs import Engine
    from leadbyte.transcode import _BomPolicy

RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю.\n" * 40


def message_of(tmp_path: Path, data: bytes, source: str, target: str = "utf-8") -> str:
    """Return why data cannot be converted."""
    (tmp_path / "a.txt").write_bytes(data)
    done = convert(tmp_path / "a.txt", tmp_path / "new", source, target)
    assert (done.written_count, done.failed_count) == (0, 1)
    assert done.failures[0].url == str(tmp_path / "a.txt")
    assert not list((tmp_path / "new").rglob("*.t*"))
    return done.failures[0].message


@pytest.mark.parametrize("engine", ["threads", "processes"])
@pytest.mark.parametrize("extension", ["", ".gz"])
def test_convert(tmp_path: Path, engine: Engine, extension: str) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    compress, decompress = (gzip.compress, gzip.decompress) if extension else (bytes, bytes)
    # More than a block.
    text = RUSSIAN * (2 * PIECE_BYTES // len(RUSSIAN))
    (texts / f"a.txt{extension}").write_bytes(compress(text.encode("cp1251")))
    done = convert(texts, tmp_path / "new", "cp1251", engine=engine)
    assert decompress((tmp_path / f"new/a.txt{extension}").read_bytes()) == text.encode()
    assert (done.written_count, done.byte_count, done.error_count) == (1, len(text), 0)


@pytest.mark.parametrize(
    ("target", "errors", "bom", "expected"),
    [
        ("ascii", "replace", None, b"a?"),
        ("ascii", "xmlcharrefreplace", None, b"a&#8364;"),
        ("utf-8", "strict", "add", "\ufeffa€".encode()),
        ("utf-16-le", "strict", "keep", "\ufeffa€".encode("utf-16-le")),
        (1252, "strict", "strip", b"a\x80"),
    ],
)
def test_choices(tmp_path: Path, target: str | int, errors: str, bom: _BomPolicy, expected: bytes) -> None:
    (tmp_path / "a.txt").write_bytes("\ufeffa€".encode())
    convert(tmp_path / "a.txt", tmp_path / "new", "utf-8-sig", target, errors=errors, bom=bom)
    assert (tmp_path / "new/a.txt").read_bytes() == expected


def test_detection(tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    for encoding in ("utf-8", "cp1251", "koi8-r", "utf-16"):
        (texts / encoding).write_bytes(RUSSIAN.encode(encoding))
    (texts / "binary").write_bytes(bytes(range(256)))
    (texts / "unsure").write_bytes(b"\xe9\xe0")
    done = convert(texts, tmp_path / "new", "detect")
    assert {failure.url: failure.message.partition(" (")[0] for failure in done.failures} == {
        str(texts / "unsure"): "unsure of the encoding: maybe windows-1255",
    }
    assert done.written_count == 5
    assert done.skipped == (str(texts / "binary"),)
    assert (tmp_path / "new/binary").read_bytes() == bytes(range(256))
    for encoding in ("utf-8", "cp1251", "koi8-r", "utf-16"):
        assert (tmp_path / "new" / encoding).read_bytes() == RUSSIAN.encode()
    assert convert(texts / "unsure", tmp_path / "all", "detect", min_confidence=0.0).written_count == 1


def test_detection_of_a_text_that_seems_to_be_cut(tmp_path: Path) -> None:
    """The end of a file is known, so that the text is in another encoding."""
    data = b"caf\xc3"
    (tmp_path / "a.txt").write_bytes(data)
    assert convert(tmp_path / "a.txt", tmp_path / "new", "detect", min_confidence=0.0).written_count == 1
    assert (tmp_path / "new/a.txt").read_bytes() == transcode(data, "detect", "utf-8")


@pytest.mark.parametrize(("source", "skips"), [("cp1252", True), ("auto", False), ("utf-16", False)])
def test_binary_files_are_copied(tmp_path: Path, source: str, *, skips: bool) -> None:
    """They are judged by their text, so UTF-16 is binary only in other encodings."""
    data = RUSSIAN.encode("utf-16")
    (tmp_path / "a.txt").write_bytes(data)
    (tmp_path / "a.gz").write_bytes(gzip.compress(data))
    done = convert([tmp_path / "a.txt", tmp_path / "a.gz"], tmp_path / "new", source)
    assert (done.written_count, done.skipped_count) == (2, 2 * skips)
    assert (tmp_path / "new/a.txt").read_bytes() == (data if skips else RUSSIAN.encode())
    assert gzip.decompress((tmp_path / "new/a.gz").read_bytes()) == (data if skips else RUSSIAN.encode())
    if skips:
        done = convert(tmp_path / "a.txt", tmp_path / "all", "latin-1", binary=True, force=True)
        assert (done.skipped_count, (tmp_path / "all/a.txt").read_text("utf-8")) == (
            0,
            data.decode("latin-1"),
        )


def test_detection_in_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_transforms, "MAX_WHOLE_BYTES", 1 << 20)
    ascii_start = b"first only ASCII\n" * 70_000
    (tmp_path / "a.txt").write_bytes(ascii_start + RUSSIAN.encode("cp1251") * 200)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(ascii_start + RUSSIAN.encode() * 200))
    assert convert([tmp_path / "a.txt", tmp_path / "b.txt.gz"], tmp_path / "new", "detect").failed_count == 0
    text = ascii_start + RUSSIAN.encode() * 200
    assert (tmp_path / "new/a.txt").read_bytes() == text
    assert gzip.decompress((tmp_path / "new/b.txt.gz").read_bytes()) == text


def test_arguments(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a")
    with pytest.raises(LookupError, match="unknown encoding: utf-9"):
        convert(tmp_path / "a.txt", tmp_path / "new", "utf-9")
    with pytest.raises(LookupError, match="unknown error handler name"):
        convert(tmp_path / "a.txt", tmp_path / "new", "detect", errors="unheard-of")
    with pytest.raises(ValueError, match="no byte order mark"):
        convert(tmp_path / "a.txt", tmp_path / "new", "utf-8", "cp1252", bom="add")
    assert not (tmp_path / "new").exists()


def test_another_call(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a")
    convert(tmp_path / "a.txt", tmp_path / "new", "utf8", "latin1")
    # Another name of the same encoding.
    assert convert(tmp_path / "a.txt", tmp_path / "new", "UTF-8", "iso8859-1").file_count == 1
    with pytest.raises(ValueError, match="has the outputs of another call"):
        convert(tmp_path / "a.txt", tmp_path / "new", "utf-8", "cp1252")


def test_tables_are_not_converted(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    done = convert(tmp_path / "a.parquet", tmp_path / "new", "cp1252")
    assert "leadbyte.arrow.transcode" in done.failures[0].message


# Where the first error is: the position of CPython's exception, and the lines and columns of the text before.


@pytest.mark.parametrize("lines", [0, 3, 30_000])
@pytest.mark.parametrize(
    ("source", "bad"),
    [
        ("utf-8", b"\xe2\x82"),
        ("shift_jis", b"\x81\xff"),
        ("cp1252", b"\x81"),
        ("utf-16-le", b"\x00\xdcx\x00"),
    ],
)
def test_malformed(tmp_path: Path, source: str, bad: bytes, lines: int) -> None:
    before = "añ\n" if source != "shift_jis" else "aあ\n"
    data = before.encode(source) * lines + "b ".encode(source) + bad + "c\n".encode(source)
    with pytest.raises(UnicodeDecodeError) as caught:
        data.decode(source)
    message = message_of(tmp_path, data, source)
    start = f"line {lines + 1}, column 3, byte {caught.value.start}: not {source}: "
    assert message.startswith(start)


@pytest.mark.parametrize(
    "lines", [0, 3, 43_690, 43_691] if IS_REDUCED else [0, 3, 30_000, 43_690, 43_691, 65_536]
)
@pytest.mark.parametrize("source", ["utf-8", "utf-16-be", "shift_jis", "gb18030", "iso2022_jp"])
def test_unmappable(tmp_path: Path, source: str, lines: int) -> None:
    before = "ab\nxy\n" * lines + "b "
    message = message_of(tmp_path, (before + "あc\n").encode(source), source, "latin-1")
    offset = len(before.encode(source))
    start = f"line {2 * lines + 1}, column 3, byte {offset}: not in iso8859-1: "
    assert message == f'{start}"あ" U+3042 HIRAGANA LETTER A'


@pytest.mark.parametrize("cut", range(-4, 5))
def test_unmappable_at_the_end_of_a_block(tmp_path: Path, cut: int) -> None:
    before = "a" * (PIECE_BYTES + cut)
    message = message_of(tmp_path, f"{before}😀\n".encode(), "utf-8", "cp1252")
    assert message.startswith(f"line 1, column {len(before) + 1}, byte {len(before)}: not in cp1252: ")


def test_nothing_is_encoded_twice(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "utf8.txt").write_bytes("Съешь".encode())
    (source / "old.txt").write_bytes("Съешь".encode("cp1251"))
    done = convert(source, tmp_path / "out", "cp1251")
    assert (done.written_count, len(done.failures)) == (1, 1)
    assert "already UTF-8, not cp1251" in done.failures[0].message
    assert [file.name for file in (tmp_path / "out").rglob("*.txt")] == ["old.txt"]
    done = convert(source, tmp_path / "forced", "cp1251", force=True)
    assert (done.written_count, done.failures) == (2, ())
