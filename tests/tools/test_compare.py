"""The comparison of wheels notices every difference."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "packaging"))
import compare

FILES = [("leadbyte/__init__.py", "import\n"), ("leadbyte/_leadbyte.so", "machine code"), ("RECORD", "")]
DATE = (1980, 1, 1, 0, 0, 0)


def wheel(
    folder: Path,
    files: list[tuple[str, str]] = FILES,
    *,
    name: str = "leadbyte-1-cp311-cp311-linux_x86_64.whl",
    date: tuple[int, int, int, int, int, int] = DATE,
    level: int = 9,
) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as opened:
        for file, content in files:
            opened.writestr(zipfile.ZipInfo(file, date), content, zipfile.ZIP_DEFLATED if level else 0)
    return path


def differences(folder: Path, *changed: Path) -> list[str]:
    return list(compare.differences(wheel(folder / "first"), *changed))


def test_equal_wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    second = wheel(tmp_path / "second")
    assert differences(tmp_path, second) == []
    monkeypatch.setattr("sys.argv", ["compare.py", str(tmp_path / "first" / second.name), str(second)])
    with pytest.raises(SystemExit) as raised:
        compare.main()
    assert raised.value.code == 0


def test_another_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    second = wheel(tmp_path / "second", [FILES[0], (FILES[1][0], "machine c0de"), FILES[2]])
    first, *_ = differences(tmp_path, second)
    assert first == "leadbyte/_leadbyte.so: differs from byte 9 on, of 12 and 12"
    monkeypatch.setattr("sys.argv", ["compare.py", str(tmp_path / "first" / second.name), str(second)])
    with pytest.raises(SystemExit) as raised:
        compare.main()
    assert raised.value.code == 1


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (FILES[:2], "RECORD: only in the first"),
        ([*FILES, ("new", "")], "new: only in the second"),
        (FILES[::-1], "the order of the files"),
        (
            [(FILES[0][0], "import\n\n"), *FILES[1:]],
            "leadbyte/__init__.py: differs from byte 7 on, of 7 and 8",
        ),
    ],
)
def test_other_files(tmp_path: Path, files: list[tuple[str, str]], expected: str) -> None:
    assert differences(tmp_path, wheel(tmp_path / "second", files)) == [
        expected,
        "the wheels are not equal bit by bit",
    ]


def test_another_time(tmp_path: Path) -> None:
    changed = wheel(tmp_path / "second", date=(2026, 11, 26, 0, 0, 0))
    assert {line.partition(": ")[2] for line in differences(tmp_path, changed)} == {
        "its time, permissions or compression",
        "",
    }


def test_another_compression(tmp_path: Path) -> None:
    assert len(differences(tmp_path, wheel(tmp_path / "second", level=0))) == 4


def test_bytes_after_the_archive(tmp_path: Path) -> None:
    second = wheel(tmp_path / "second")
    with zipfile.ZipFile(second, "a") as opened:
        opened.comment = b"built elsewhere"
    assert differences(tmp_path, second) == ["the wheels are not equal bit by bit"]


def test_another_name(tmp_path: Path) -> None:
    second = wheel(tmp_path / "second", FILES[:2], name="leadbyte-2-cp311-cp311-linux_x86_64.whl")
    assert differences(tmp_path, second)[0].startswith("the names of the wheels: leadbyte-1-")
