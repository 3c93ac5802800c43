"""That words outside the field's terms are found, with their places, and nothing else is."""

from __future__ import annotations

import re
from pathlib import Path

import check_words
import pytest


def found(path: str, text: str) -> list[str]:
    return [str(finding) for finding in check_words.check(path, text)]


@pytest.mark.parametrize(
    ("line", "finding"),
    [
        ("the file was passed over", "14: passed over → skipped"),
        ("passed_over = 1", "1: passed_over → skipped"),
        ("let room_left = 3;", "5: room → buffer, capacity, space"),
        ('print("no trouble")', "11: trouble → error, failure"),
        ("const STEP: usize = 1;", "7: STEP → a noun with its unit"),
        ("The data are valid.", "5: data are → data is, has, was"),
        ("two UTF-16 units", "5: UTF-16 units → UTF-16 code units"),
        ("две единицы UTF-16", "5: единицы UTF-16 → кодовые единицы UTF-16"),
        ("// What is written.", "4: What is → a noun: the output, the rest, the errors"),
        ("the size is that of it", "13: that of → the noun, or a genitive: the result of, the file's"),
        ("a byte is no mark", "8: is no → is not a, is missing, is empty"),
        ("`a` and `b` are none", "13: are none → is not a, is missing, is empty"),
    ],
)
def test_words(line: str, finding: str) -> None:
    assert found("src/a.rs", f"\n{line}\n") == [f"src/a.rs:2:{finding}"]


@pytest.mark.parametrize(
    "line",
    [
        "a mushroom",
        "file.tell()",
        "CHUNK_STEP_BYTES",
        "a step",
        "the doc comments stand alone",
        "UTF-16 code units",
        "no UTF-8 locale",
        "две кодовые единицы UTF-16",
        "What is a character?",
        "what validators find",
        "that is no longer used",
        "0 if there is none",
        "There are no errors.",
        "x is None",
    ],
)
def test_other_words(line: str) -> None:
    assert found("docs/a.md", line) == []


def test_doc_comments_stand_alone() -> None:
    use = "a description that stands alone"
    assert found("src/a.rs", "/// The same for b.\nfn b() {}") == [f"src/a.rs:1:5: The same → {use}"]
    assert found("src/a.rs", "/// Returns the first.\n/// The same object if it is one.") == []
    assert found("src/a.rs", "// The same again.") == []
    assert found("python/a.py", '    """The same for b."""') == [f"python/a.py:1:8: The same → {use}"]
    assert found("python/a.py", '    """Return it.\n\n    The same object."""') == []


def test_width_of_comments() -> None:
    comment = "// " + "x" * 118
    assert found("src/a.rs", comment) == ["src/a.rs:1:121: 121 characters → at most 120"]
    assert found("src/a.rs", comment[:-1]) == []
    assert found("src/a.rs", f'let text = "{comment}";') == []
    assert found("python/a.py", "# " + "x" * 109) == ["python/a.py:1:111: 111 characters → at most 110"]


def test_table() -> None:
    for word in check_words.TABLE:
        assert word.use
    assert all(reason for _, _, reason in check_words.ALLOWED)
    assert all(re.compile(pattern) for _, pattern, _ in check_words.ALLOWED)


def test_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.md"
    path.write_text("All is well.\n", encoding="utf-8")
    assert check_words.main([str(path)]) == 0
    path.write_text("It goes on.\n", encoding="utf-8")
    assert check_words.main([str(path)]) == 1
    assert capsys.readouterr().out == f"{path}:1:4: goes on → continues\n"


def test_tracked_files() -> None:
    paths = check_words.tracked()
    assert {"README.md", "src/lib.rs", "noxfile.py", "tests/tools/test_check_words.py"} <= {*paths}
    assert not any(
        Path(path).suffix in {".svg", ".csv", ".so"} or path.startswith("tests/vectors/") for path in paths
    )
