"""The files of URLs: their order, names and formats, and the display of URLs."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import itertools
import os
import tarfile
import tracemalloc
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from leadbyte import dataset
from leadbyte.dataset._secrets import redacted
from leadbyte.dataset._tasks import File, cut, parse_blocksize
from leadbyte.dataset._urls import describe, file_format, find_files, open_filesystem, version

fsspec = pytest.importorskip("fsspec")

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from strategies import Anything

TREE = [
    "a.txt", "b/c.txt", "b/d/e.txt", "b/d/_f.txt", "b/.g.txt", "b.txt", "_h/i.txt", ".j/k.txt", "l[1].txt",
    "m/n=1/o.txt", "m/n=2/o.csv",
]  # fmt: skip


@pytest.fixture
def tree() -> Iterator[Any]:
    """Fill the filesystem in memory."""
    filesystem = fsspec.filesystem("memory")
    filesystem.store.clear()
    filesystem.pipe({f"/tree/{name}": name.encode() for name in TREE})
    yield filesystem
    filesystem.store.clear()


def names(urls: Anything) -> list[str]:
    found = list(find_files(urls))
    assert [file.index for file in found] == list(range(len(found)))
    return [file.url.removeprefix("memory://tree/") for file in found if file.failed is None]


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("", ["a.txt", "b/c.txt", "b/d/e.txt", "b.txt", "l[1].txt", "m/n=1/o.txt", "m/n=2/o.csv"]),
        ("b", ["b/c.txt", "b/d/e.txt"]),
        ("b/", ["b/c.txt", "b/d/e.txt"]),
        ("*.txt", ["a.txt", "b.txt", "l[1].txt"]),
        ("b*", ["b/c.txt", "b/d/e.txt", "b.txt"]),
        ("*/*.txt", ["b/c.txt"]),
        ("*/*/*.txt", ["b/d/e.txt", "m/n=1/o.txt"]),
        ("**", ["a.txt", "b/c.txt", "b/d/e.txt", "b.txt", "l[1].txt", "m/n=1/o.txt", "m/n=2/o.csv"]),
        ("**/*.txt", ["a.txt", "b/c.txt", "b/d/e.txt", "b.txt", "l[1].txt", "m/n=1/o.txt"]),
        ("**/d/**", ["b/d/e.txt"]),
        ("**/d/_*", ["b/d/_f.txt"]),
        ("b/**/e.txt", ["b/d/e.txt"]),
        ("m/n=?/o.*", ["m/n=1/o.txt", "m/n=2/o.csv"]),
        ("m/n=[!1]", ["m/n=2/o.csv"]),
        ("_h", ["_h/i.txt"]),
        ("_*/*", ["_h/i.txt"]),
        ("b/d/_f.txt", ["b/d/_f.txt"]),
        ("l[1].txt", ["l[1].txt"]),
        ("[ab].txt", ["a.txt", "b.txt"]),
    ],
)
def test_directories_and_globs(pattern: str, expected: list[str]) -> None:
    assert names(f"memory://tree/{pattern}") == expected
    assert names([f"memory://tree/{pattern}"]) == expected


@pytest.mark.usefixtures("tree")
def test_several_urls_are_taken_as_needed() -> None:
    taken = []

    def urls() -> Iterator[str]:
        for url in ("memory://tree/b/", "memory://tree/none", "memory://tree/*.txt"):
            taken.append(url)
            yield url

    files = find_files(urls())
    assert not taken
    found = [next(files)]
    assert len(taken) == 1
    found += files
    assert [file.index for file in found] == list(range(6))
    assert [file.url for file in found if file.failed] == ["memory://tree/none"]


def test_local_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a.txt").write_bytes(b"abc")
    (tmp_path / "b/c.gz").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    here = tmp_path.as_posix()
    expected = [f"{here}/a.txt", f"{here}/b/c.gz"]
    for urls in (".", tmp_path, here, f"{here}/", "**", [f"{here}/*.txt", "b"], ["a.txt", "b/*"]):
        files = list(find_files(urls))
        assert [file.url for file in files] == expected
        assert [(file.size, file.format) for file in files] == [(3, "text"), (0, "gzip")]
    for url in (f"file://{here}", f"file://{here}/**"):
        assert [file.url for file in find_files(url)] == [f"file://{name}" for name in expected]


@pytest.mark.skipif(os.name != "posix", reason="needs links and pipes")
def test_links_and_pipes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"abc")
    (tmp_path / "b.txt").symlink_to(tmp_path / "a.txt")
    (tmp_path / "c").symlink_to(tmp_path)
    (tmp_path / "d.txt").symlink_to(tmp_path / "none")
    os.mkfifo(tmp_path / "e.txt")
    files = {os.path.basename(file.url): file for file in find_files(tmp_path)}
    assert list(files) == ["a.txt", "b.txt", "d.txt"]
    assert (files["b.txt"].size, files["b.txt"].version) == (3, files["a.txt"].version)
    assert files["d.txt"].failed == "No such file or directory"
    with pytest.raises(OSError, match="not a regular file"):
        list(find_files(tmp_path / "e.txt"))


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs permissions")
def test_directory_that_cannot_be_listed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0)
    (tmp_path / "b.txt").write_bytes(b"")
    try:
        failed, found = find_files(tmp_path)
    finally:
        (tmp_path / "a").chmod(0o700)
    assert (failed.url, failed.failed) == ((tmp_path / "a").as_posix(), "Permission denied")
    assert found.failed is None


def test_chained_urls(tmp_path: Path) -> None:
    path = (tmp_path / "a.zip").as_posix()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("b/c.txt", "abc")
        archive.writestr("d.txt", "")
    url = f"zip://::file://{path}"
    for given in (url, f"zip::file://{path}", f"zip://**::file://{path}"):
        files = list(find_files(given))
        assert [file.url for file in files] == [
            f"zip://b/c.txt::file://{path}",
            f"zip://d.txt::file://{path}",
        ]
        assert fsspec.open(files[0].url).open().read() == b"abc"
    (tmp_path / "e.txt").write_bytes(b"abc")
    cached, other = find_files(f"simplecache::file://{tmp_path.as_posix()}/*")
    assert other.url == f"simplecache::file://{tmp_path.as_posix()}/e.txt"
    assert cached.url == f"simplecache::file://{path}"


def test_names_in_archives(tmp_path: Path) -> None:
    path = (tmp_path / "a.zip").as_posix()
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("./a.txt", "../b.txt", "c//d.txt", "c/./e.txt", "_f.txt", ".g/h.txt", "i/j.txt"):
            archive.writestr(name, "abc")
    found = [file.url.partition("::")[0] for file in find_files(f"zip://::file://{path}")]
    names = ["./a.txt", "../b.txt", "c//d.txt", "c/./e.txt", "i/j.txt"]
    assert found == [f"zip://{name}" for name in names]
    for name in names:
        assert fsspec.open(f"zip://{name}::file://{path}").open().read() == b"abc"
    found = [file.url.partition("::")[0] for file in find_files(f"zip://c/*::file://{path}")]
    assert found == ["zip://c//d.txt", "zip://c/./e.txt"]
    packed = tmp_path / "a.tar"
    (tmp_path / "k.txt").write_bytes(b"abc")
    with tarfile.open(packed, "w") as other:
        other.add(tmp_path / "k.txt", "./k.txt")
    (file,) = find_files(f"tar://::file://{packed.as_posix()}")
    assert file.url == f"tar://./k.txt::file://{packed.as_posix()}"


def test_members_of_tars_that_are_not_files(tmp_path: Path) -> None:
    path = (tmp_path / "a.tar").as_posix()
    with tarfile.open(path, "w") as archive:
        for kind in (tarfile.FIFOTYPE, tarfile.SYMTYPE, tarfile.REGTYPE):
            member = tarfile.TarInfo(f"{kind.decode()}.txt")
            member.type, member.linkname = kind, "0.txt"
            archive.addfile(member)
    (file,) = find_files(f"tar://::file://{path}")
    assert file.url == f"tar://0.txt::file://{path}"


def test_hard_links_of_tars(tmp_path: Path) -> None:
    text = b"caf\xe9"
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for name, linked in {"a": "", "b": "a", "c": "none"}.items():
            member = tarfile.TarInfo(name)
            if linked:
                member.type, member.linkname = tarfile.LNKTYPE, linked
            else:
                member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    found = dataset.scan(f"tar://::file://{(tmp_path / 'a.tar').as_posix()}")
    assert [error.url.partition("::")[0] for error in found.errors] == ["tar://a", "tar://b"]
    (failure,) = found.failures
    assert failure.message == "a hard link to none, which is not a file of the archive"


def write_tar(path: Path) -> bytes:
    """Write a tar of two files, each of which has two blocks; return its bytes."""
    with tarfile.open(path, "w") as archive:
        for name in "ab":
            member = tarfile.TarInfo(name)
            member.size = 1
            archive.addfile(member, io.BytesIO(b"x"))
    return path.read_bytes()


@pytest.mark.parametrize(
    ("size", "failures"), [(1024, 0), (1500, 1), (2048, 0), (2100, 0), (2560, 0), (10240, 0)]
)
def test_truncated_tars(tmp_path: Path, size: int, failures: int) -> None:
    """As GNU tar, which needs no end: only a part of a header is an error."""
    path = tmp_path / "a.tar"
    path.write_bytes(write_tar(path)[:size])
    found = [file.failed for file in find_files(f"tar://::file://{path.as_posix()}")]
    members = min(size // 1024, 2)
    assert found == [None] * members + ["ReadError: malformed header at byte 1,024"] * failures


def test_damaged_tars(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.gz"
    data = write_tar(path)
    packed = gzip.compress(data)
    damaged = {
        gzip.compress(data[:1024] + b"?" + data[1025:]): "ReadError: malformed header at byte 1,024",
        packed[:-8] + bytes(4) + packed[-4:]: "CRC check failed",
    }
    for stored, message in damaged.items():
        path.write_bytes(stored)
        *_, last = find_files(f"tar://::file://{path.as_posix()}")
        assert (last.failed or "").startswith(message)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_that_archives_have_twice(tmp_path: Path) -> None:
    path = (tmp_path / "a.zip").as_posix()
    with zipfile.ZipFile(path, "w") as archive:
        for text in ("caf\xe9", "cafe", "cafe"):
            archive.writestr("a.txt", text.encode("latin-1"))
    (file,) = find_files(f"zip://::file://{path}")
    assert file.failed == "3 members of the archive have this name: extract it first"


def test_slash_at_the_end_names_a_directory(tmp_path: Path) -> None:
    fsspec.filesystem("memory").pipe({"/slash/a": b"1", "/slash/b/c.txt": b"2"})
    (file,) = find_files("memory://slash/b/")
    assert file.url == "memory://slash/b/c.txt"
    with pytest.raises(FileNotFoundError):
        list(find_files("memory://slash/a/"))
    (tmp_path / "a").write_bytes(b"1")
    with pytest.raises(NotADirectoryError):
        list(find_files(f"{tmp_path.as_posix()}/a/"))


@pytest.mark.skipif(os.name != "posix", reason="needs names with colons")
def test_names_with_two_colons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # For fsspec, these are chains, and some of them other files.
    contents = {"a": b"a", "a::b.gz": b"bb", "memory::c": b"ccc", "zip::d": b"dddd"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    for start in (f"{tmp_path}/", f"file://{tmp_path}/", "./"):
        files = list(find_files(start))
        opened = [open_filesystem(file.url) for file in files]
        assert [filesystem.cat_file(path) for filesystem, path in opened] == list(contents.values())
        assert list(find_files([file.url for file in files])) == files
    assert [file.format for file in find_files(f"{tmp_path}/*::*")] == ["gzip", "text", "text"]
    assert [file.size for file in find_files(["a::b.gz", "./memory::c"])] == [2, 3]


def test_directory_with_the_name_of_a_glob(tmp_path: Path) -> None:
    (tmp_path / "[2026]").mkdir()
    (tmp_path / "[2026]/a.txt").write_bytes(b"")
    assert [os.path.basename(file.url) for file in find_files(tmp_path / "[2026]")] == ["a.txt"]


def test_empty_url_is_not_the_current_directory() -> None:
    with pytest.raises(FileNotFoundError, match="an empty URL"):
        list(find_files(""))
    (file,) = find_files([""])
    assert file.failed == "an empty URL"


@pytest.mark.usefixtures("tree")
def test_schemes_in_capitals(tmp_path: Path) -> None:
    assert names("MEMORY://tree/*.txt") == names("memory://tree/*.txt")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.txt", "caf\xe9\n".encode("latin-1"))
    path = tmp_path.as_posix()
    for url in (f"ZIP://*.txt::File://{path}/a.zip", f"FILE://{path}/a.zip"):
        assert len(names(url)) == 1
    repaired = dataset.repair(f"ZIP://a.txt::FILE://{path}/a.zip", f"FILE://{path}/new")
    assert (tmp_path / "new" / "a.txt").read_text(encoding="utf-8") == "caf\ufffd\n"
    assert repaired.failed_count == 0


def test_unknown_protocol() -> None:
    for urls in ("nonsense://a", ["nonsense://a"]):
        with pytest.raises(ValueError, match="nonsense"):
            list(find_files(urls))


class Generated(fsspec.AbstractFileSystem):  # type: ignore[name-defined, misc, unused-ignore]
    """A filesystem of names that are made when they are listed."""

    protocol = "generated"
    cachable = False
    directory_count = 100

    def ls(self, path: str, detail: bool = True, **_: object) -> list[Any]:  # noqa: FBT001, FBT002 - fsspec's
        path = self._strip_protocol(path)
        if path:
            found = [
                {"name": f"{path}/{index:08}.txt", "size": 100, "type": "file", "ETag": f'"{index:032}"'}
                for index in range(1000)
            ]
        else:
            found = [
                {"name": f"{index:08}", "size": 0, "type": "directory"}
                for index in range(self.directory_count)
            ]
        return found if detail else [info["name"] for info in found]


def test_memory_does_not_grow_with_the_number_of_names() -> None:
    fsspec.register_implementation("generated", Generated, clobber=True)
    peaks = []
    for count in (5, 25):
        Generated.directory_count = count
        tracemalloc.start()
        tasks = sum(1 for _ in cut(find_files("generated://"), 64 << 20))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert tasks == count
    assert peaks[1] < 1.5 * peaks[0] < 10 << 20


# Tasks


def files_of(sizes: Iterable[int | None], kind: str = "text") -> list[File]:
    return [File(f"memory://{index}", index, size, None, kind) for index, size in enumerate(sizes)]


@pytest.mark.parametrize("blocksize", [1, 3, 10, 1000])
@pytest.mark.parametrize("kind", ["text", "gzip", "Parquet", "Arrow"])
def test_pieces_cover_all_files(blocksize: int, kind: str) -> None:
    files = files_of([0, 5, None, 10, 11, 1, 0, 0, 30], kind)
    tasks = list(cut(files, blocksize))
    assert [task.index for task in tasks] == list(range(len(tasks)))
    pieces = [piece for task in tasks for piece in task.pieces]
    for file, group in itertools.groupby(pieces, key=lambda piece: piece.file):
        parts = list(group)
        assert [part.is_first for part in parts] == [True] + [False] * (len(parts) - 1)
        assert [part.is_last for part in parts] == [False] * (len(parts) - 1) + [True]
        assert all(before.stop == after.start for before, after in itertools.pairwise(parts))
        assert sum(part.byte_count for part in parts) == (file.size or 0)
        if kind in {"text", "Parquet"} and file.size is not None:
            assert all(part.byte_count <= blocksize for part in parts)
            assert len(parts) == max(1, -(-file.size // blocksize))
        else:
            assert [part.stop for part in parts] == [None]
    assert list(dict.fromkeys(piece.file for piece in pieces)) == files


def test_small_files_share_a_task() -> None:
    assert [len(task.pieces) for task in cut(files_of([10] * 25), 100)] == [10, 10, 5]
    assert [len(task.pieces) for task in cut(files_of([0] * 2500), 100)] == [1000, 1000, 500]


@pytest.mark.parametrize(
    ("blocksize", "expected"),
    [
        (1, 1),
        ("1", 1),
        ("64 MiB", 64 << 20),
        ("1GB", 10**9),
        ("1.5 kb", 1500),
        (" 2 TiB ", 2 << 40),
        ("7 B", 7),
    ],
)
def test_blocksize(blocksize: int | str, expected: int) -> None:
    assert parse_blocksize(blocksize) == expected


@pytest.mark.parametrize("blocksize", [0, -1, "", "0", "-5 MB", "1 PiB", "MB", "1e6", "0.1 B", "9" * 400])
def test_wrong_blocksize(blocksize: int | str) -> None:
    with pytest.raises(ValueError, match="blocksize must be a positive number of bytes"):
        parse_blocksize(blocksize)


# Names


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("a.txt", "text"),
        ("a", "text"),
        ("dir.gz/a", "text"),
        ("a.TXT.GZ", "gzip"),
        ("s3://bucket/a.zst", "zstd"),
        ("https://host/a.parquet?sig=x.gz", "Parquet"),
        ("https://host/a?b=c.gz", "text"),
        ("zip://a.bz2::s3://bucket/b.zip", "bz2"),
        ("simplecache::s3://bucket/b.xz", "xz"),
        ("simplecache::https://host/b.arrow?x", "Arrow"),
        ("s3://bucket/a.gz?versionId=1a_b.C", "gzip"),
        ("gs://bucket/a.parquet#1700000000", "Parquet"),
        ("a#1.gz", "gzip"),
        ("a.gz#1", "text"),
    ],
)
def test_format(url: str, expected: str) -> None:
    assert file_format(url) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ftp://user:pass@host/a", "ftp://user:***@host/a"),
        ("ftp://user:p@ss:w@host/a", "ftp://user:***@host/a"),
        ("ftp://user@mail:pass@host/a", "ftp://user@mail:***@host/a"),
        ("ftp://user:p@ss@host/a@b", "ftp://user:***@host/a@b"),
        ("https://user:pass/word@host/a", "https://user:***@host/a"),
        ("https://user:/+pa/ss==@host/a", "https://user:***@host/a"),
        ("https://user:12345@host/a", "https://user:***@host/a"),
        ("https://user:pass?w#rd@host/a", "https://user:***@host/a"),
        ("redis://:pass/word@host/0 and ftp://user:a/b@host", "redis://:***@host/0 and ftp://user:***@host"),
        ("simplecache::https://user:pass/word@host/a", "simplecache::https://user:***@host/a"),
        ("zip://a::https://user:pass/word@host/a", "zip://a::https://user:***@host/a"),
        ("https://host/@user", "https://host/@user"),
        ("https://host:8080/@scope/a@b", "https://host:8080/@scope/a@b"),
        ("https://host:8080?by=a@b", "https://host:8080?by=a@b"),
        ("http://[::1]:8080/a@b", "http://[::1]:8080/a@b"),
        ("file://C:/a@b", "file://C:/a@b"),
        ("github://owner:name@main/a", "github://owner:name@main/a"),
        ("git://directory:a@main/b", "git://directory:a@main/b"),
        ("s3://arn:aws:s3:region:1:accesspoint/a@b", "s3://arn:aws:s3:region:1:accesspoint/a@b"),
        ("zip://a:b::s3://bucket/a@b", "zip://a:b::s3://bucket/a@b"),
        ("https://token@host/a", "https://***@host/a"),
        ("abfs://container@account.dfs.example.org/a", "abfs://container@account.dfs.example.org/a"),
        ("https://host/a?sig=abc%2F&se=2026", "https://host/a?sig=***&se=2026"),
        ("https://host/a?se=2026;sig=abc;b=3#token=1", "https://host/a?se=2026;sig=***;b=3#token=***"),
        ("webhdfs://host/a?delegation=abc", "webhdfs://host/a?delegation=***"),
        ("https://host/a?X-Amz-Signature=1&X-Amz-Credential=2&b=3", "https://host/a?X-Amz-Signature=***&X-Amz-Credential=***&b=3"),
        ("zip://a@b::ftp://user:pass@host/a", "zip://a@b::ftp://user:***@host/a"),
        ("cannot open 'https://host/a?token=abc': 403", "cannot open 'https://host/a?token=***': 403"),
        ("s3://bucket/a=b?c", "s3://bucket/a=b?c"),
    ],
)  # fmt: skip
def test_secrets_are_not_shown(text: str, expected: str) -> None:
    assert redacted(text) == expected


def test_names_of_local_files_are_shown_as_they_are() -> None:
    for url, shown in [("/a?token=abc", "/a?token=abc"), ("s3://b/a?token=abc", "s3://b/a?token=***")]:
        assert File(url, 0, None, None, "text").shown == shown


def test_secrets_are_found_in_linear_time() -> None:
    for text in (
        "?key" * 100_000,
        "?" * 400_000,
        "://a:" * 80_000,
        "?a=b;key" * 50_000,
        f"://a:b/{'c' * 400_000}",
    ):
        assert redacted(text) == text


def test_secrets_are_whole_words_in_messages() -> None:
    error = OSError("host b by 'abc', b-c and ab")
    assert describe(error, "ftp://user:b@host/a") == "host *** by 'abc', ***-c and ab"


def test_parts_of_secrets_are_not_shown() -> None:
    """A client takes the part before the first slash for a port."""
    url = "https://user:secret/w@rd%3D@host/a"
    assert describe(OSError("no port: 'secret', no host: 'rd%3D'"), url) == "no port: '***', no host: '***'"
    assert describe(OSError("'secret/w@rd='"), url) == "'***'"


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ({"ETag": '"abc"', "LastModified": 5}, '"abc"'),
        ({"etag": "x", "mtime": 1}, "x"),
        ({"ino": 5, "mtime": 1.5}, "5-1500000"),
        ({"ETag": None, "mtime": 1.5}, "1.5"),
        ({"name": "a", "Last-Modified": "Wed, 25 Nov 2026 05:00:00 GMT"}, "Wed, 25 Nov 2026 05:00:00 GMT"),
        ({"created": dt.datetime(1970, 1, 1, 0, 0, 2, 500_000, tzinfo=dt.timezone.utc)}, "2.5"),
        ({"name": "a", "size": 5}, None),
    ],
)
def test_version(info: dict[str, Any], expected: str | None) -> None:
    assert version(info) == expected
