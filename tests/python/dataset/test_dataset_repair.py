"""``leadbyte.dataset.repair``: outputs, their names, and what fails."""

from __future__ import annotations

import bz2
import errno
import gzip
import hashlib
import io
import json
import lzma
import os
import random
import re
import sys
import threading
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

fsspec = pytest.importorskip("fsspec")

from fsspec.implementations.memory import MemoryFileSystem  # noqa: E402
from leadbyte._files import repair as _repair  # noqa: E402
from leadbyte._repair import repaired_blocks  # noqa: E402
from leadbyte.dataset import (  # noqa: E402
    _commit,
    _manifest,
    _outputs,
    _plan,
    _retries,
    _store,
    _transforms,
    convert,
    repair,
)
from leadbyte.dataset._manifest import OutputRecord  # noqa: E402
from leadbyte.dataset._reading import CHANGED  # noqa: E402
from leadbyte.dataset._store import Store  # noqa: E402
from leadbyte.dataset._tasks import File  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from strategies import Anything

VALID = "Съешь ещё\n".encode() * 50
INVALID = b"caf\xe9 \xff\xc2\n" + VALID
ERRORS = 3
COMPRESSIONS: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    ".gz": (gzip.compress, gzip.decompress),
    ".bz2": (bz2.compress, bz2.decompress),
    ".xz": (lzma.compress, lzma.decompress),
}
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")


def expected(data: bytes, replacement: str = "\ufffd") -> bytes:
    """Return repaired data."""
    assert "\ufffd" not in data.decode("utf-8", "ignore")
    return data.decode("utf-8", "replace").replace("\ufffd", replacement).encode()


def write(directory: Path, files: dict[str, bytes]) -> Path:
    """Write files below a directory; return it."""
    for name, data in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_bytes(data)
    return directory


def outputs(directory: Path) -> dict[str, bytes]:
    """Return the outputs in a directory, and assert that nothing is left that is temporary."""
    files = {path.relative_to(directory).as_posix(): path for path in directory.rglob("*") if path.is_file()}
    own = {name for name in files if name.startswith("_leadbyte/")}
    assert all(name.endswith("/settings.json") or "/manifest-" in name for name in own)
    assert not any(name.endswith(".tmp") for name in own)
    return {name: path.read_bytes() for name, path in files.items() if name not in own}


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_engines(tmp_path: Path, engine: _outputs.Engine) -> None:
    files = {"bad.txt": INVALID, "good.txt": VALID, "below/deep/er.txt": INVALID * 2, "empty": b""}
    texts = write(tmp_path / "texts", files)
    done = repair(texts, tmp_path / "new", engine=engine)
    assert outputs(tmp_path / "new") == {name: expected(data) for name, data in files.items()}
    assert done.as_dict() == {
        "file_count": 4,
        "written_count": 4,
        "failed_count": 0,
        "skipped_count": 0,
        "byte_count": sum(map(len, files.values())),
        "output_byte_count": sum(len(expected(data)) for data in files.values()),
        "error_count": 3 * ERRORS,
        "invalid_row_count": 0,
        "failures": [],
        "skipped": [],
    }


def test_json_lines_in_other_forms_of_unicode_are_copied(tmp_path: Path) -> None:
    files = {f"{name}.jsonl": '{"a": "é"}\n'.encode(name) for name in ("utf-16", "utf-16-be", "utf-32")}
    texts = write(tmp_path / "texts", {**files, "bad.jsonl": b'{"a": "\0\xff"}\n'})
    done = repair(texts, tmp_path / "new", format="jsonl")
    assert outputs(tmp_path / "new") == {**files, "bad.jsonl": '{"a": "\ufffd\ufffd"}\n'.encode()}
    assert (done.skipped_count, done.error_count) == (3, 2)


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_binary_files_are_copied(tmp_path: Path, engine: _outputs.Engine) -> None:
    image = b"\x89PNG\r\n\x1a\n\0\xff" * 100_000
    late = b"a" * (8 << 10) + b"\0\xff"
    binary = {"image.png": image, "utf-16.txt": "é".encode("utf-16"), "image.gz": gzip.compress(image)}
    texts = write(tmp_path / "texts", {"bad.txt": INVALID, "late.txt": late, **binary})
    done = repair(texts, tmp_path / "new", engine=engine)
    assert outputs(tmp_path / "new") == {"bad.txt": expected(INVALID), "late.txt": expected(late), **binary}
    assert (done.written_count, done.skipped_count, done.error_count) == (5, 3, ERRORS + 1)
    assert [*done.skipped] == [str(texts / name) for name in sorted(binary)]
    assert done.output_byte_count == sum(map(len, outputs(tmp_path / "new").values()))
    again = repair(texts, tmp_path / "new", engine=engine)
    assert (again.written_count, again.skipped_count, again.skipped) == (0, 3, done.skipped)
    with pytest.raises(ValueError, match="has the outputs of another call"):
        repair(texts, tmp_path / "new", binary=True)
    done = repair(texts, tmp_path / "all", binary=True)
    assert (done.skipped_count, done.skipped) == (0, ())
    assert outputs(tmp_path / "all")["image.png"] == expected(image)
    assert gzip.decompress(outputs(tmp_path / "all")["image.gz"]) == expected(image)


@pytest.mark.parametrize("shift", range(4))
def test_prefix_that_ends_within_a_character(tmp_path: Path, shift: int) -> None:
    # A table of Hive, whose fields end with controls, and an error after the prefix, or within it.
    rows = b"a" * shift + "имя\x01знак\x01ещё\n".encode() * 500  # noqa: RUF001
    files = {"late.txt": rows + b"bad \xff row\n", "early.txt": b"bad \xff row\n" + rows}
    texts = write(tmp_path / "texts", files)
    done = repair(texts, tmp_path / "new")
    assert outputs(tmp_path / "new") == {name: expected(data) for name, data in files.items()}
    assert (done.skipped_count, done.error_count) == (0, 2)


def test_prefix_with_controls_that_ends_within_a_character(tmp_path: Path) -> None:
    """The incomplete character is not an error, so this is UTF-8 in spite of its controls."""
    start = (b"a\x01b\x02 \x0ec\n" * 1024)[:-1]
    files = {"late.txt": start + "€\n".encode() + b"bad \xff row\n"}
    texts = write(tmp_path / "texts", files)
    done = repair(texts, tmp_path / "new")
    assert outputs(tmp_path / "new") == {name: expected(data) for name, data in files.items()}
    assert (done.skipped_count, done.error_count) == (0, 1)


def test_utf_16_without_nul_is_copied(tmp_path: Path) -> None:
    files = {order: "\ufeffЩит".encode(f"utf-16-{order}") for order in ("le", "be")}
    assert not any(b"\0" in data for data in files.values())
    done = repair(write(tmp_path / "texts", files), tmp_path / "new")
    assert (outputs(tmp_path / "new"), done.skipped_count) == (files, 2)


def test_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_transforms, "BLOCK", 7)
    random_bytes = random.Random(1)
    data = b"".join(random_bytes.choice([b"a", "é€😀".encode(), b"\xe2\x82", b"\xff"]) for _ in range(3000))
    write(tmp_path, {"a.txt": data})
    repair(tmp_path / "a.txt", tmp_path / "new", replacement="<?>")
    assert outputs(tmp_path / "new") == {"a.txt": expected(data, "<?>")}


@pytest.mark.parametrize("extension", [*COMPRESSIONS, ".zst"])
def test_compressed(tmp_path: Path, extension: str) -> None:
    if extension == ".zst":
        zstd = pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
        compress, decompress = zstd.compress, zstd.decompress
    else:
        compress, decompress = COMPRESSIONS[extension]
    # Two streams, as other programs write them: a valid file has the same bytes.
    valid, invalid = compress(VALID) + compress(b"end"), compress(INVALID)
    texts = write(tmp_path / "texts", {f"valid{extension}": valid, f"invalid{extension}": invalid})
    done = repair(texts, tmp_path / "new")
    found = outputs(tmp_path / "new")
    assert found[f"valid{extension}"] == valid
    assert decompress(found[f"invalid{extension}"]) == expected(INVALID)
    assert (done.error_count, done.byte_count) == (ERRORS, len(VALID + INVALID) + 3)
    repair(texts, tmp_path / "again")
    assert outputs(tmp_path / "again") == found  # without the time


def test_damaged_compression_fails(tmp_path: Path) -> None:
    write(tmp_path, {"texts/a.gz": gzip.compress(VALID)[:-5], "texts/b.txt": VALID})
    done = repair(tmp_path / "texts", tmp_path / "new")
    assert [(failure.url, failure.message) for failure in done.failures] == [
        (str(tmp_path / "texts/a.gz"), "truncated gzip data")
    ]
    assert outputs(tmp_path / "new") == {"b.txt": VALID}


def test_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    def table(values: list[bytes]) -> Anything:
        strings = pa.array(values, pa.binary()).view(pa.string())
        return pa.table({"text": strings, "number": list(range(len(values)))})

    (tmp_path / "tables").mkdir()
    for name, values in {"valid": [b"a", VALID], "invalid": [b"a", INVALID, b"\xff"]}.items():
        parquet.write_table(table(values), tmp_path / f"tables/{name}.parquet")
    (tmp_path / "tables/c.arrow").write_bytes(b"")
    done = repair(tmp_path / "tables", tmp_path / "new")
    assert [failure.message for failure in done.failures] == [
        "the columns of Arrow files are only checked, not repaired"
    ]
    assert (done.file_count, done.error_count) == (3, ERRORS + 1)
    found = outputs(tmp_path / "new")
    assert found["valid.parquet"] == (tmp_path / "tables/valid.parquet").read_bytes()
    repaired = parquet.read_table(tmp_path / "new/invalid.parquet")
    assert repaired.to_pydict() == {"text": ["a", expected(INVALID).decode(), "\ufffd"], "number": [0, 1, 2]}


# The names of outputs


@pytest.mark.parametrize(
    ("urls", "names"),
    [
        ("texts", {"a.txt", "one/b.txt", "one/c.md", "two/b.txt"}),
        ("texts/", {"a.txt", "one/b.txt", "one/c.md", "two/b.txt"}),
        ("texts/*/b.txt", {"one/b.txt", "two/b.txt"}),
        ("texts/**/*.txt", {"a.txt", "one/b.txt", "two/b.txt"}),
        ("texts/one/b.txt", {"b.txt"}),
        (["texts/one", "texts/a.txt"], {"a.txt", "b.txt", "c.md"}),
    ],
)
def test_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, urls: str | list[str], names: set[str]
) -> None:
    write(tmp_path / "texts", dict.fromkeys(["a.txt", "one/b.txt", "one/c.md", "two/b.txt"], VALID))
    monkeypatch.chdir(tmp_path)
    repair(urls, "new")
    assert set(outputs(tmp_path / "new")) == names
    absolute = [f"file://{tmp_path}/{url}" for url in ([urls] if isinstance(urls, str) else urls)]
    repair(absolute, f"file://{tmp_path}/newer")
    assert set(outputs(tmp_path / "newer")) == names


def test_queries_are_not_in_names() -> None:
    naming = _plan.Naming("http://localhost/texts/a.txt?token=1")
    file = File("http://localhost/texts/a.txt?token=1", 0, None, None, "text")
    assert naming.output(file) == "a.txt"


def test_files_of_archives(tmp_path: Path) -> None:
    zipfile = pytest.importorskip("zipfile")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("texts/one/a.txt", INVALID)
    repair(f"zip://texts::file://{tmp_path}/a.zip", tmp_path / "new")
    assert outputs(tmp_path / "new") == {"one/a.txt": expected(INVALID)}


def test_file_of_an_archive_that_is_replaced(tmp_path: Path) -> None:
    zipfile = pytest.importorskip("zipfile")
    for text in ("caf\xe9 one", "caf\xe9 two"):
        path = tmp_path / "a.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("texts/a.txt", text.encode("latin-1"))
        fsspec.get_filesystem_class("zip").clear_instance_cache()
        assert repair(f"zip://texts::file://{path}", tmp_path / "new").written_count == 1
        assert outputs(tmp_path / "new") == {"a.txt": text.replace("\xe9", "\ufffd").encode()}


class Listed(MemoryFileSystem):  # type: ignore[misc]
    """Lists names only, as the filesystem for HTTP does."""

    protocol = "listed"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(MemoryFileSystem._strip_protocol(path.replace("listed://", "memory://")))

    def ls(self, path: str, detail: bool = True, **options: Any) -> Any:  # noqa: ANN401, FBT001, FBT002
        listed = [
            {**entry, "size": None, "created": None} for entry in super().ls(path, detail=True, **options)
        ]
        return listed if detail else [entry["name"] for entry in listed]

    def info(self, path: str, **options: Any) -> Any:  # noqa: ANN401
        found = super().info(path, **options)
        if found["type"] == "file":
            found["ETag"] = hashlib.sha256(self.cat_file(path)).hexdigest()
        return found


def test_files_listed_without_size_and_version(tmp_path: Path) -> None:
    fsspec.register_implementation("listed", Listed, clobber=True)
    for text, written in ((b"caf\xe9\n", 1), (b"caf\xe9\n", 0), (b"caf\xea\xea\n", 1)):
        fsspec.filesystem("listed").pipe("/texts/a.txt", text)
        assert repair("listed://texts", tmp_path / "new").written_count == written
        assert outputs(tmp_path / "new") == {"a.txt": expected(text)}


def test_files_of_unknown_version_are_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsspec.register_implementation("listed", Listed, clobber=True)
    monkeypatch.setattr(Listed, "info", lambda self, path, **_options: self.ls(path)[0])
    for text in (b"caf\xe9\n", b"caf\xe9\n", b"caf\xea\xea\n"):
        fsspec.filesystem("listed").pipe("/unknown/a.txt", text)
        assert repair("listed://unknown/a.txt", tmp_path / "new").written_count == 1
        assert outputs(tmp_path / "new") == {"a.txt": expected(text)}


def test_members_named_from_their_directory(tmp_path: Path) -> None:
    zipfile = pytest.importorskip("zipfile")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("./one/./a.txt", INVALID)
    repair(f"zip://::file://{tmp_path}/a.zip", tmp_path / "new")
    assert outputs(tmp_path / "new") == {"one/a.txt": expected(INVALID)}


def test_output_within_input_behind_a_cache() -> None:
    fsspec.filesystem("memory").pipe("/cached/a.txt", INVALID)
    with pytest.raises(ValueError, match="is both read and written"):
        repair("simplecache::memory://cached", "memory://cached/new")


def test_same_name_twice(tmp_path: Path) -> None:
    write(tmp_path, {"one/a.txt": VALID, "two/a.txt": VALID})
    with pytest.raises(ValueError, match=r"one.a\.txt and .*two.a\.txt would both become a\.txt"):
        repair([tmp_path / "one", tmp_path / "two"], tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_same_name_but_for_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"one/É.txt": VALID, "two/e\u0301.TXT": VALID})
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(ValueError, match="would both become"):
        repair([tmp_path / "one", tmp_path / "two"], tmp_path / "new")
    files = fsspec.filesystem("memory")
    repair([tmp_path / "one", tmp_path / "two"], "memory://cased")
    assert len(files.glob("/cased/*.*")) == 2


@pytest.mark.parametrize("name", ["_leadbyte", "..", "a//b"])
def test_impossible_names(name: str) -> None:
    plan = _plan.Plan()
    with pytest.raises(ValueError, match="has no name that an output can have"):
        plan.add_file(File(f"s3://bucket/{name}", 0, 1, None, "text"), name, json.dumps(name))


def test_output_within_input(tmp_path: Path) -> None:
    texts = write(tmp_path / "texts", {"a.txt": VALID})
    with pytest.raises(ValueError, match="is both read and written"):
        repair(texts, texts / "new")
    assert os.listdir(texts) == ["a.txt"]
    # A glob does not read it, until its outputs match.
    repair(texts / "**", texts / "new")
    with pytest.raises(ValueError, match="is both read and written"):
        repair(texts / "**", texts / "new")
    assert outputs(texts / "new") == {"a.txt": VALID}


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_output_within_input_by_another_name(tmp_path: Path) -> None:
    texts = write(tmp_path / "texts", {"a.txt": VALID})
    (tmp_path / "link").symlink_to(texts)
    for urls, output in (
        (texts, tmp_path / "link/new"),
        (tmp_path / "link", texts / "new"),
        (f"file://{texts}", texts / "new"),
        (texts, f"file://{texts}/new"),
    ):
        with pytest.raises(ValueError, match="is both read and written"):
            repair(urls, output)
    assert os.listdir(texts) == ["a.txt"]


def test_output_is_input(tmp_path: Path) -> None:
    texts = write(tmp_path / "texts", {"a.txt": VALID})
    with pytest.raises(FileExistsError, match="is not empty"):
        repair(texts, texts)
    assert os.listdir(texts) == ["a.txt"]


def test_names_that_are_not_unicode(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    try:
        texts = write(tmp_path / "texts", {name: INVALID})
    except (OSError, UnicodeError):
        pytest.skip("the filesystem has no such names")
    assert repair(texts, tmp_path / "new").written_count == 1
    assert outputs(tmp_path / "new") == {name: expected(INVALID)}
    assert repair(texts, tmp_path / "new").written_count == 0


# Arguments


def test_arguments(tmp_path: Path) -> None:
    texts = write(tmp_path / "texts", {"a.txt": VALID})
    new: Anything = tmp_path / "new"
    with pytest.raises(ValueError, match="engine must be one of threads, processes, not 'dask'"):
        repair(texts, new, engine="dask")  # type: ignore[arg-type]
    with pytest.raises(UnicodeEncodeError):
        repair(texts, new, replacement="\ud800")
    with pytest.raises(FileNotFoundError):
        repair(tmp_path / "absent", new)
    assert not new.exists()
    assert repair([], new).file_count == 0
    done = repair([tmp_path / "absent", texts / "a.txt"], new)
    assert (done.file_count, done.written_count, done.failed_count) == (2, 1, 1)
    assert done.failures[0].url == str(tmp_path / "absent")


def test_directory_of_others(tmp_path: Path) -> None:
    texts = write(tmp_path / "texts", {"a.txt": VALID})
    write(tmp_path / "new", {"a.txt": b"precious"})
    with pytest.raises(FileExistsError, match="is not empty"):
        repair(texts, tmp_path / "new")
    assert outputs(tmp_path / "new") == {"a.txt": b"precious"}


def test_another_call(tmp_path: Path) -> None:
    texts = write(tmp_path / "texts", {"a.txt": INVALID})
    repair(texts, tmp_path / "new")
    with pytest.raises(ValueError, match=r"has the outputs of another call \(.*'replacement': '\ufffd'"):
        repair(texts, tmp_path / "new", replacement="")
    with pytest.raises(ValueError, match="has the outputs of another call"):
        convert(texts, tmp_path / "new", "cp1252")
    assert outputs(tmp_path / "new") == {"a.txt": expected(INVALID)}


def test_damaged_settings(tmp_path: Path) -> None:
    texts = write(tmp_path / "texts", {"a.txt": VALID})
    repair(texts, tmp_path / "new")
    (tmp_path / "new/_leadbyte/settings.json").write_bytes(b"")
    with pytest.raises(ValueError, match=r"new/_leadbyte/settings.json is damaged .* new directory"):
        repair(texts, tmp_path / "new")


@pytest.mark.parametrize(
    "output", ["../elsewhere.txt", "/tmp/leadbyte-elsewhere.txt", "_leadbyte/a", "b.txt"]
)
def test_records_of_others_move_nothing(tmp_path: Path, output: str) -> None:
    write(tmp_path, {"texts/b.txt": INVALID, "victim.txt": VALID})
    repair(tmp_path / "texts", tmp_path / "new")
    own = tmp_path / "new/_leadbyte"
    mine = f"_leadbyte/{_manifest.digest(output)}-0123456789abcdef.tmp"
    for temporary in (mine, "../victim.txt"):
        record = OutputRecord("x", 1, "v", output, 1, temporary, 1, 0)
        (tmp_path / "new" / mine).write_bytes(b"evil")
        name = _manifest.record_name("b.txt" if temporary != mine else output)
        (tmp_path / "new" / name).write_text(record.line())
        (tmp_path / "texts/b.txt").write_bytes(INVALID * 2)
        if output == "b.txt" and temporary == mine:
            # As our own, of another version.
            continue
        repair(tmp_path / "texts", tmp_path / "new")
        assert outputs(tmp_path / "new") == {"b.txt": expected(INVALID * 2)}
        assert (tmp_path / "victim.txt").read_bytes() == VALID
        assert not (tmp_path / "elsewhere.txt").exists()
        assert not os.path.exists("/tmp/leadbyte-elsewhere.txt")
    assert own.is_dir()


@pytest.mark.parametrize("line", ["[" * 100_000, '{"output": [1]}', '{"temporary": [1]}', "5"])
def test_records_that_are_damaged(tmp_path: Path, line: str) -> None:
    write(tmp_path, {"texts/b.txt": INVALID})
    repair(tmp_path / "texts", tmp_path / "new")
    (tmp_path / "new" / _manifest.record_name("a")).write_text(line)
    assert repair(tmp_path / "texts", tmp_path / "new").written_count == 0
    assert outputs(tmp_path / "new") == {"b.txt": expected(INVALID)}
    (tmp_path / "new/_leadbyte/settings.json").write_text("[" * 100_000)
    with pytest.raises(ValueError, match="is damaged"):
        repair(tmp_path / "texts", tmp_path / "new")


@posix_only
def test_links_and_pipes_in_place_of_records(tmp_path: Path) -> None:
    write(tmp_path, {"texts/b.txt": INVALID, "victim/config.json": b"{}", "victim/a.tmp": b"a"})
    (tmp_path / "new").mkdir()
    (tmp_path / "new/_leadbyte").symlink_to(tmp_path / "victim")
    with pytest.raises(ValueError, match="_leadbyte is a link"):
        repair(tmp_path / "texts", tmp_path / "new")
    assert sorted(path.name for path in (tmp_path / "victim").iterdir()) == ["a.tmp", "config.json"]
    (tmp_path / "other/_leadbyte").mkdir(parents=True)
    os.mkfifo(tmp_path / "other/_leadbyte/settings.json")
    with pytest.raises(OSError, match="not a regular file"):
        repair(tmp_path / "texts", tmp_path / "other")


def test_same_name_from_elsewhere(tmp_path: Path) -> None:
    write(tmp_path, {"one/a.txt": INVALID, "two/a.txt": VALID, "two/b.txt": VALID})
    repair(tmp_path / "one", tmp_path / "new")
    with pytest.raises(ValueError, match=r"a\.txt in .*new was made from .*one.a\.txt"):
        repair(tmp_path / "two", tmp_path / "new")
    assert outputs(tmp_path / "new") == {"a.txt": expected(INVALID)}
    # Others may be added.
    assert repair(tmp_path / "two/b.txt", tmp_path / "new").written_count == 1
    assert set(outputs(tmp_path / "new")) == {"a.txt", "b.txt"}


# Again


def versions(folder: Path) -> dict[Path, tuple[int, ...]]:
    """Return what a change of any file would change."""
    statuses = {path: path.stat() for path in folder.rglob("*") if path.is_file()}
    return {path: (found.st_ino, found.st_size, found.st_mtime_ns) for path, found in statuses.items()}


def test_same_call_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = write(tmp_path / "texts", {"a.txt": INVALID, "b.txt": VALID, "c.gz": b"damaged"})
    first = repair(texts, tmp_path / "new")
    before = versions(tmp_path / "new")
    monkeypatch.setattr(_transforms.Repair, "repair_text", None)
    second = repair(texts, tmp_path / "new")
    assert before == versions(tmp_path / "new")
    assert {**first.as_dict(), "written_count": 0} == second.as_dict()
    assert (first.written_count, first.failed_count) == (2, 1)


def test_changed_inputs_and_outputs(tmp_path: Path) -> None:
    names = ["kept.txt", "changed.txt", "lost.txt", "cut.txt"]
    texts = write(tmp_path / "texts", dict.fromkeys(names, INVALID))
    repair(texts, tmp_path / "new")
    write(texts, {"changed.txt": b"new \xff"})
    (tmp_path / "new/lost.txt").unlink()
    os.truncate(tmp_path / "new/cut.txt", 5)
    done = repair(texts, tmp_path / "new")
    assert (done.written_count, done.error_count) == (3, 3 * ERRORS + 1)
    found = dict.fromkeys(names, expected(INVALID)) | {"changed.txt": expected(b"new \xff")}
    assert outputs(tmp_path / "new") == found
    assert repair(texts, tmp_path / "new").written_count == 0


def test_changed_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # More than is read ahead.
    texts = write(tmp_path / "texts", {"a.txt": VALID * 2000, "b.txt": VALID})

    def changing(*arguments: Anything, **options: Anything) -> Iterator[bytes]:
        for number, block in enumerate(repaired_blocks(*arguments, **options)):
            yield block
            if not number:
                write(texts, {"a.txt": VALID * 2001})

    monkeypatch.setattr(_repair, "repaired_blocks", changing)
    done = repair(texts / "a.txt", tmp_path / "new")
    assert [failure.message for failure in done.failures] == [CHANGED]
    assert outputs(tmp_path / "new") == {}
    monkeypatch.undo()
    assert repair(texts, tmp_path / "new").written_count == 2


def test_table_that_changed_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    from leadbyte._files import parquet as repairing

    path = tmp_path / "tables/a.parquet"
    path.parent.mkdir()
    parquet.write_table(pa.table({"a": pa.array([b"\xff"]).view(pa.string())}), path)
    repair_columns = repairing.repair_columns

    def change(*arguments: Anything, **options: Anything) -> None:
        repair_columns(*arguments, **options)
        os.utime(path, (1, 1))

    monkeypatch.setattr(repairing, "repair_columns", change)
    done = repair(path.parent, tmp_path / "new")
    assert [failure.message for failure in done.failures] == [CHANGED]
    assert outputs(tmp_path / "new") == {}


@pytest.mark.parametrize("compression", ["gzip", "bz2", "xz"])
def test_disk_that_is_full_at_the_end(compression: str) -> None:
    """The last compressed bytes are written when the compressor is closed, which may fail."""

    class Sink(io.BytesIO):
        is_full = False

        def write(self, data: Anything, /) -> int:
            if self.is_full:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return super().write(data)

    sink = Sink()
    with (  # noqa: PT012 - the end of the block is what raises
        pytest.raises(OSError, match=os.strerror(errno.ENOSPC)),
        _transforms.compressed(compression, sink) as file,
    ):
        file.write(b"text")
        sink.is_full = True


def test_many_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_outputs, "JOINED_FILES", 10)
    texts = write(tmp_path / "texts", {f"{number:02}.txt": INVALID for number in range(45)})
    repair(texts, tmp_path / "new")
    manifests = sorted((tmp_path / "new/_leadbyte").glob("manifest-*"))
    assert len(manifests) > 2
    lines = [json.loads(line) for path in manifests for line in path.read_bytes().splitlines()]
    assert sorted(line["output"] for line in lines) == sorted(outputs(tmp_path / "new"))
    assert repair(texts, tmp_path / "new").written_count == 0


def test_prepared_outputs_are_not_joined(tmp_path: Path) -> None:
    store = Store(tmp_path / "new")
    store.make_directory("_leadbyte")
    temporaries = {name: _manifest.temporary_name(name) for name in ("moved", "prepared")}
    for name, temporary in temporaries.items():
        store.write(temporary, VALID)
        record = OutputRecord(name, 1, None, name, len(VALID), temporary, 1, 0)
        store.write(_manifest.record_name(name), record.line().encode())
    store.move(temporaries["moved"], "moved")
    _manifest.join(store)
    assert [record.output for record in _manifest.read_joined(store)] == ["moved"]
    _manifest.recover(store)
    assert [record.output for record in _manifest.read_joined(store)] == ["moved", "prepared"]
    assert outputs(tmp_path / "new") == {"moved": VALID, "prepared": VALID}


# Failures to write


@posix_only
def test_unwritable_directory(tmp_path: Path) -> None:
    texts = write(tmp_path / "texts", {"a.txt": VALID})
    write(tmp_path, {"file": b""})
    with pytest.raises(OSError, match=r"cannot write .*file.new"):
        repair(texts, tmp_path / "file/new")


def test_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = write(tmp_path / "texts", {f"{number}.txt": VALID for number in range(20)})
    sync = os.fsync
    written = []

    def full(descriptor: int) -> None:
        written.append(descriptor)
        if len(written) > 20:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"cannot write .*new/_leadbyte/.*: No space left") as caught:
        repair(texts, tmp_path / "new")
    assert caught.value.errno == errno.ENOSPC
    monkeypatch.undo()
    before = sum(not path.is_dir() for path in (tmp_path / "new").glob("*"))
    done = repair(texts, tmp_path / "new")
    assert (done.file_count, done.written_count) == (20, 20 - before)
    assert outputs(tmp_path / "new") == {f"{number}.txt": VALID for number in range(20)}


def test_output_that_cannot_be(tmp_path: Path) -> None:
    texts = write(tmp_path / "texts", {"a.txt": VALID, "b.txt": VALID})
    repair(texts / "b.txt", tmp_path / "new")
    (tmp_path / "new/a.txt").mkdir()
    done = repair(texts, tmp_path / "new")
    assert done.failed_count == 1
    assert "cannot write" in done.failures[0].message
    assert str(tmp_path / "new/a.txt") in done.failures[0].message
    (tmp_path / "new/a.txt").rmdir()
    assert repair(texts, tmp_path / "new").failed_count == 0
    assert outputs(tmp_path / "new") == {"a.txt": VALID, "b.txt": VALID}


@posix_only
def test_two_calls_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = write(tmp_path / "texts", {"a.txt": INVALID})
    started, refused = threading.Event(), threading.Event()

    def waiting(*arguments: Anything, **options: Anything) -> Anything:
        started.set()
        assert refused.wait(10)
        return repaired_blocks(*arguments, **options)

    monkeypatch.setattr(_repair, "repaired_blocks", waiting)
    thread = threading.Thread(target=repair, args=(texts, tmp_path / "new"))
    thread.start()
    assert started.wait(10)
    with pytest.raises(RuntimeError, match="another process is writing to"):
        repair(texts, tmp_path / "new")
    refused.set()
    thread.join()
    assert outputs(tmp_path / "new") == {"a.txt": expected(INVALID)}


def test_two_calls_at_once_elsewhere() -> None:
    """Without locks, files may fail, but no output is wrong, and the next call completes them."""
    files = fsspec.filesystem("memory")
    names = [f"{number:02}.txt" for number in range(60)]
    files.pipe({f"/at-once/texts/{name}": INVALID for name in names})
    urls = ("memory://at-once/texts", "memory://at-once/new")
    messages: list[str] = []

    def call() -> None:
        try:
            messages.extend(failure.message for failure in repair(*urls).failures)
        except OSError as error:
            messages.append(str(error))

    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # MemoryFileSystem cannot list a directory from which the other call deletes a file.
    failed = re.compile("cannot (?:read|write) memory://at-once/new")
    assert [message for message in messages if not failed.search(message)] == []
    assert repair(*urls).failures == ()
    assert files.cat([f"/at-once/new/{name}" for name in names]) == {
        f"/at-once/new/{name}": expected(INVALID) for name in names
    }
    assert not files.glob("/at-once/new/_leadbyte/*.tmp")


def test_secrets_are_not_kept() -> None:
    record = OutputRecord("s3://a", 1, None, "a", 1, "t", 1, 0)
    file = File("https://host/a?token=hidden", 0, 1, None, "text")
    assert not record.is_of(file)
    plan = _plan.Plan()
    plan.add_file(file, "a", "a")
    assert plan.database.execute("SELECT url FROM files").fetchone() == ('"https://host/a?token=***"',)


# Filesystems other than the local one


@pytest.mark.parametrize("is_renaming", [False, True])
def test_other_filesystems(monkeypatch: pytest.MonkeyPatch, *, is_renaming: bool) -> None:
    files = fsspec.filesystem("memory")
    directory = f"memory://stores/{is_renaming}"
    if is_renaming:

        def move(self: Anything, source: str, target: str, **_options: Anything) -> None:
            assert not self.exists(target)
            self.cp_file(source, target)
            self.rm_file(source)

        monkeypatch.setattr(type(files), "mv", move)
    files.pipe({f"{directory}/texts/{name}": INVALID for name in ("a.txt", "one/b.txt")})
    for change in (b"", b"\xff"):
        files.pipe(f"{directory}/texts/a.txt", INVALID + change)
        done = repair(f"{directory}/texts", f"{directory}/new")
        assert done.written_count == 1 + (not change)
        assert files.cat(f"{directory}/new/a.txt") == expected(INVALID + change)
        assert files.cat(f"{directory}/new/one/b.txt") == expected(INVALID)
        assert not files.glob(f"{directory}/new/_leadbyte/*.tmp")
        assert repair(f"{directory}/texts", f"{directory}/new").written_count == 0


# The renames of an output that fail, from 1: to its name; of the old one away; again; of the old one back.
@pytest.mark.parametrize("failing", [{1}, {1, 2}, {1, 3}, {1, 3, 4}])
@pytest.mark.parametrize("silent", [False, True])
def test_renaming_that_fails(monkeypatch: pytest.MonkeyPatch, failing: set[int], *, silent: bool) -> None:
    """The old output or the new one is there, or the next call brings it."""
    files = fsspec.filesystem("memory")
    directory = f"memory://renaming/{silent}/{'-'.join(map(str, sorted(failing)))}"
    calls: list[int] = []
    fails: set[int] = set()

    def move(self: Anything, source: str, target: str, **_options: Anything) -> None:
        calls.append(1)
        if sum(calls) in fails:
            if silent:
                return
            raise ConnectionResetError
        self.cp_file(source, target)
        self.rm_file(source)

    monkeypatch.setattr(type(files), "mv", move)
    files.pipe(f"{directory}/texts/a.txt", INVALID)
    assert repair(f"{directory}/texts", f"{directory}/new").written_count == 1
    files.pipe(f"{directory}/texts/a.txt", INVALID + b"\xff")
    calls.clear()
    fails |= failing
    done = repair(f"{directory}/texts", f"{directory}/new")
    fails.clear()
    if failing == {1}:
        assert (done.written_count, done.failures) == (1, ())
    else:
        assert (done.written_count, len(done.failures)) == (0, 1)
    # Where the old one is lost, the new one is kept, and moved at the end of the call.
    is_new = failing in ({1}, {1, 3, 4})
    assert files.cat(f"{directory}/new/a.txt") == expected(INVALID + b"\xff" if is_new else INVALID)
    repair(f"{directory}/texts", f"{directory}/new")
    assert files.cat(f"{directory}/new/a.txt") == expected(INVALID + b"\xff")
    assert not files.glob(f"{directory}/new/_leadbyte/*.tmp")


@pytest.mark.parametrize("name", ["cp_file", "cat_file", "pipe_file", "ls"])
def test_requests_are_made_again(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    files = fsspec.filesystem("memory")
    directory = f"memory://again/{name}"
    request, failed = getattr(type(files), name), set()

    def once(self: Anything, path: str, *arguments: Anything, **options: Anything) -> Anything:
        if "/new" in path and path not in failed:
            failed.add(path)
            raise ConnectionResetError
        return request(self, path, *arguments, **options)

    files.pipe(f"{directory}/texts/a.txt", INVALID)
    repair(f"{directory}/texts", f"{directory}/new")
    files.pipe(f"{directory}/texts/a.txt", INVALID + b"\xff")
    monkeypatch.setattr(type(files), name, once)
    monkeypatch.setattr(_retries, "FIRST_WAIT", 0)
    assert repair(f"{directory}/texts", f"{directory}/new").failures == ()
    assert failed
    monkeypatch.undo()
    assert files.cat(f"{directory}/new/a.txt") == expected(INVALID + b"\xff")


class Strict(MemoryFileSystem):  # type: ignore[misc]
    """Takes no options, as it would pass them on to its client, which one thread only may use."""

    protocol = "strict"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]

    def __init__(self) -> None:
        super().__init__()
        self.threads: set[int] = set()

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(MemoryFileSystem._strip_protocol(path.replace("strict://", "memory://")))

    def _open(self, path: str, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        self.threads.add(threading.get_ident())
        assert len(self.threads) == 1
        return super()._open(path, *arguments, **options)


def test_filesystem_without_options_for_one_thread(tmp_path: Path) -> None:
    fsspec.register_implementation("strict", Strict, clobber=True)
    write(tmp_path, {f"{number}.txt": INVALID for number in range(40)})
    assert repair(tmp_path, "strict://new").written_count == 40
    assert fsspec.filesystem("strict").cat("/new/7.txt") == expected(INVALID)


def test_file_of_a_table_is_durable_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    monkeypatch.setattr(_store, "sync_directory", synced.append)
    store = Store(str(tmp_path))
    with _commit.NewFile(store, "a.parquet", 0o600) as new:
        new.write(VALID)
        assert not synced
    assert [os.path.realpath(path) for path in synced] == [os.path.realpath(tmp_path)]
    assert outputs(tmp_path) == {"a.parquet": VALID}
