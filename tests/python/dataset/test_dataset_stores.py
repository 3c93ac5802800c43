"""``leadbyte.dataset.repair`` and ``convert`` from and to an S3-compatible store."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("fsspec")

from leadbyte.dataset import _manifest, _transforms, convert, repair
from leadbyte.dataset._manifest import OutputRecord, record_name, temporary_name
from leadbyte.dataset._store import Store
from object_store import BUCKET, SECRET, URL, object_store, put, writer
from reduced import IS_REDUCED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from leadbyte.dataset._outputs import Engine

INVALID = b"caf\xe9 \xff\n" * 1000
EXPECTED = INVALID.decode(errors="replace").encode()


@pytest.fixture(scope="module", autouse=True)
def store() -> Iterator[None]:
    with object_store():
        yield


def objects(directory: str) -> dict[str, bytes]:
    """Return the objects below a directory, and assert that none is temporary or has a secret."""
    paths = writer().find(f"{URL}/{directory}")
    named = {path.removeprefix(f"{BUCKET}/{directory}/"): writer().cat_file(path) for path in paths}
    own = [name for name in named if name.startswith("_leadbyte/")]
    assert all(name.endswith("/settings.json") or "/manifest-" in name for name in own)
    assert not any(SECRET.encode() in data for data in named.values())
    return {name: data for name, data in named.items() if name not in own}


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_store_to_store(engine: Engine) -> None:
    names = ["a.txt", "one/b.txt", "one/two/c.txt"]
    for name in names:
        put(f"{engine}/texts/{name}", INVALID)
    done = repair(f"{URL}/{engine}/texts", f"{URL}/{engine}/new", engine=engine)
    assert (done.written_count, done.error_count, done.failures) == (3, 6000, ())
    assert objects(f"{engine}/new") == dict.fromkeys(names, EXPECTED)
    if IS_REDUCED and engine == "processes":
        return  # each call starts processes, which import for seconds
    put(f"{engine}/texts/a.txt", b"new \xff")
    assert repair(f"{URL}/{engine}/texts", f"{URL}/{engine}/new", engine=engine).written_count == 1
    assert objects(f"{engine}/new") == {**dict.fromkeys(names, EXPECTED), "a.txt": "new \ufffd".encode()}
    assert repair(f"{URL}/{engine}/texts", f"{URL}/{engine}/new", engine=engine).written_count == 0


def test_store_to_files_and_back(tmp_path: Path) -> None:
    put("texts/one/a.txt", "Зима".encode("cp1251"))
    convert(f"{URL}/texts", tmp_path / "new", "cp1251")
    assert (tmp_path / "new/one/a.txt").read_bytes() == "Зима".encode()
    convert(tmp_path / "new", f"{URL}/back", "utf-8", "cp1251")
    assert objects("back") == {"one/a.txt": "Зима".encode("cp1251")}


def test_prepared_objects_are_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call is killed after an output was copied, but not deleted, and before another was copied."""
    for name in ("a.txt", "b.txt"):
        put(f"prepared/texts/{name}", INVALID)
    repair(f"{URL}/prepared/texts", f"{URL}/prepared/new")
    store = Store(f"{URL}/prepared/new")
    for record in [*_manifest.read_joined(store)]:
        temporary = temporary_name(record.output)
        prepared = OutputRecord(**{**json.loads(record.line()), "temporary": temporary})
        store.fs.cp_file(store.path(record.output), store.path(temporary))
        store.write(record_name(record.output), prepared.line().encode())
    store.remove(["b.txt", "_leadbyte/manifest-000001.jsonl"])
    store.write(temporary_name("c.txt"), b"incomplete")
    monkeypatch.setattr(_transforms.Repair, "repair_text", None)
    done = repair(f"{URL}/prepared/texts", f"{URL}/prepared/new")
    assert (done.written_count, done.failed_count) == (0, 0)
    assert objects("prepared/new") == {"a.txt": EXPECTED, "b.txt": EXPECTED}


def test_refused_output() -> None:
    put("refused/a.txt", INVALID)
    with pytest.raises(OSError, match=r"^cannot write s3://absent-bucket/new/_leadbyte"):
        repair(f"{URL}/refused", "s3://absent-bucket/new")
