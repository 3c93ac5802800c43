"""The documentation: names, docstrings, examples, links, and the generated reference."""

from __future__ import annotations

import csv
import doctest
import inspect
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import command
import differences
import leadbyte
import leadbyte.arrow
import leadbyte.codec
import leadbyte.compat
import leadbyte.dataset
import leadbyte.mojibake
import leadbyte.transcode
import leadbyte.variants
import leadbyte.websocket
import pytest
from leadbyte import _leadbyte
from page_examples import (
    PROJECT,
    REFERENCE,
    VARIANTS,
    code,
    is_translation,
    names_of,
    run_blocks,
    run_changed,
    run_examples,
)
from public_functions import FUNCTIONS

import audit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from strategies import Anything

NAMES = {
    "BOM", "Detection", "Detector", "EditableOffsetMap", "ErrorSpan", "Explanation", "Finding",
    "IncrementalDecoder", "IncrementalEncoder", "IncrementalValidator", "Location", "OffsetMap", "Position",
    "Sanitizer", "Scan", "Scanner", "Sizes", "StreamDecoder", "__version__", "unidata_version", *FUNCTIONS,
}  # fmt: skip
CLASSES = sorted(name for name in NAMES if name[0].isupper() and name != "BOM")
SUBMODULES = [
    leadbyte.arrow,
    leadbyte.codec,
    leadbyte.compat,
    leadbyte.compat.chardet,
    leadbyte.compat.charset_normalizer,
    leadbyte.compat.ftfy,
    leadbyte.dataset,
    leadbyte.mojibake,
    leadbyte.transcode,
    leadbyte.variants,
    leadbyte.websocket,
    *VARIANTS.values(),
]
# Modules of engines that can be imported without these.
ENGINES = ["leadbyte.duckdb", "leadbyte.spark"]
README = PROJECT / "README.md"
# What absolute links to files of this repository start with.
REPOSITORY = (
    "https://github.com/leadbyte/leadbyte/blob/main",
    "https://raw.githubusercontent.com/leadbyte/leadbyte/main",
)
PAGES = [README, PROJECT / "README.ru.md", *sorted((PROJECT / "docs").rglob("*.md"))]
PAGE_NAMES = [str(page.relative_to(PROJECT)) for page in PAGES]
RUN = [page for page in PAGES if not is_translation(page)]
RUN_NAMES = [str(page.relative_to(PROJECT)) for page in RUN]
BASH = shutil.which("bash")
# Commands that are not run.
INSTALLERS = ("python3 -m venv", ". .venv", "python -m pip", "pip ", "nox", "pre-commit ", "git ")
OUTPUT = doctest.OutputChecker()
BEST_ISA = leadbyte.cpu_info()["implementations"][-1]


def documented() -> Iterator[tuple[str, Any]]:
    """Yield the package, its functions and classes and their members, by name."""
    yield "leadbyte", leadbyte
    for name in [*FUNCTIONS, *CLASSES]:
        yield name, getattr(leadbyte, name)
    for name in CLASSES:
        for member, value in sorted(vars(getattr(leadbyte, name)).items()):
            if not member.startswith("_"):
                yield f"{name}.{member}", value
    yield "ChunkIterator", _leadbyte.ChunkIterator
    yield "ErrorIterator", _leadbyte.ErrorIterator
    yield "LineIterator", _leadbyte.LineIterator
    for module in SUBMODULES:
        yield module.__name__, module
        for name in module.__all__:
            if callable(value := getattr(module, name)):
                yield f"{module.__name__}.{name}", value


def test_names() -> None:
    assert set(leadbyte.__all__) == NAMES
    assert leadbyte.__all__ == sorted(leadbyte.__all__)


def test_no_other_public_names() -> None:
    others = {name for name in vars(leadbyte) if not name.startswith("_")} - {*NAMES, "TYPE_CHECKING"}
    assert all(inspect.ismodule(getattr(leadbyte, name)) for name in others)


def test_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", leadbyte.__version__)


@pytest.mark.parametrize(("name", "value"), list(documented()), ids=[name for name, _ in documented()])
def test_docstring(name: str, value: Anything) -> None:
    assert (value.__doc__ or "").strip()
    require_packages(value.__doc__)
    run_examples(name, value.__doc__)


def require_packages(text: str) -> None:
    """Skip a test of examples whose packages are not installed, or that show notes of exceptions."""
    if "import fsspec" in text:
        pytest.importorskip("fsspec")
    if "import pyarrow" in text:
        pytest.importorskip("pyarrow")
        if sys.version_info < (3, 11):
            pytest.skip("exceptions have notes from Python 3.11 on")


def test_docstrings_have_examples() -> None:
    of_python = [(name, value) for name, value in documented() if not name.startswith("leadbyte.arrow")]
    counts = {name: run_examples(name, value.__doc__ or "") for name, value in of_python}
    assert counts["is_valid"]
    assert counts["count_chars"]
    assert counts["scan"]
    assert counts["Scanner"]
    assert sum(counts.values()) > 15


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signature(name: str) -> None:
    assert str(inspect.signature(getattr(leadbyte, name))) == FUNCTIONS[name].signature


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_names_itself(name: str) -> None:
    function = getattr(leadbyte, name)
    assert function.__name__ == function.__qualname__ == name


@pytest.mark.parametrize("name", CLASSES)
def test_class_names_its_package(name: str) -> None:
    described = getattr(leadbyte, name)
    assert (described.__module__, described.__qualname__) == ("leadbyte", name)


def blocks(page: Path) -> list[str]:
    """Return the Python in a page."""
    return code(page, "python")


def console_examples(page: Path) -> Iterator[tuple[str, str]]:
    """Yield the commands in a page, and what they print."""
    for block in code(page, "console"):
        for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            # A line that ends with a backslash is continued.
            end = next(found.end() for found in re.finditer(r"(?<!\\)\n", example))
            yield example[:end], example[end:]


@pytest.mark.parametrize("page", RUN, ids=RUN_NAMES)
def test_examples_of_a_page(page: Path) -> None:
    text = "\n".join(blocks(page))
    require_packages(text)
    if page == REFERENCE / "engines.md":
        pytest.importorskip("duckdb")
        pytest.importorskip("pandas")
    assert run_blocks(page, "python")[0] == len(re.findall(r"^>>> (?!#)", text, re.MULTILINE))


def test_pages_start_without_names(tmp_path: Path) -> None:
    """A page has all that its examples use."""
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> leadbyte.is_valid(b'')\nTrue\n\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="NameError: name 'leadbyte' is not defined"):
        run_blocks(page, "python")
    page.write_text("```python\nleadbyte.is_valid(b'')\n```\n", encoding="utf-8")
    with pytest.raises(NameError):
        run_blocks(page, "python")


# What splits no row of CSV: line breaks in quotes, and what str.splitlines takes for line breaks.
CELLS = [
    ["dish", "note\r\n, in two lines"],
    ["caf\xe9", "\n\na\rb\x0b\x0c\x1c\x1e"],
    ["5 \u20ac", 'a "quote"\n'],
    ["", " "],
]
UNICODE_CELLS = [*CELLS, ["a\u2028b", "\u2029"], ["\x85", "\ufeff"]]


def csv_text(rows: list[list[str]], end: str, delimiter: str) -> str:
    """Return rows as CSV with every cell in quotes."""
    file = io.StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator=end, delimiter=delimiter).writerows(rows)
    return file.getvalue()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_recipes_for_csv(tmp_path: Path, end: str) -> None:
    page = PROJECT / "docs/how-to/csv.md"
    names = names_of(page)
    data = csv_text(UNICODE_CELLS, end, ",").encode() + b"bad,caf\xe9" + end.encode()
    (tmp_path / "menu.csv").write_bytes(data)
    with open(tmp_path / "menu.csv", encoding="utf-8", errors="replace", newline="") as file:
        expected = list(csv.reader(file))
    assert expected == [*UNICODE_CELLS, ["bad", "caf\ufffd"]]
    assert run_changed(page, "python", "leadbyte.repair(data)", {**names, "data": data}) == expected
    old = io.BytesIO(csv_text(CELLS, end, ";").encode("windows-1252"))
    assert run_changed(page, "python", "open_as_utf8(old", {**names, "old": old}) == CELLS


def test_no_recipe_splits_rows_of_csv_itself() -> None:
    """All that read CSV by csv leave line breaks as they are, and no page uses str.splitlines."""
    readers = 0
    for path in [*PAGES, *(PROJECT / "examples").rglob("*"), *Path(leadbyte.__file__).parent.rglob("*.py")]:
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        for found in re.finditer(r"csv\.(?:reader|DictReader)\((.*\n?.*)", text):
            readers += 1
            assert re.search(r"newline=(\"\"|'')", found[1]), f"{path}: {found[0]}"
        # The page on lines shows where it splits.
        if path.suffix == ".md" and path.name.replace(".ru.", ".") not in {"language-server.md", "lines.md"}:
            # Of bytes, it splits at line breaks only.
            assert not re.findall(r"(?<!read_bytes\(\))\.splitlines\(", text), path
    assert readers >= 4


def test_examples_can_be_typed() -> None:
    """An empty line would end a definition in the interpreter, and the rest would be an error."""
    for page in PAGES:
        for block in code(page, "python|pycon"):
            assert not re.search(r"^\.\.\. *\n\.\.\. +\S", block, re.MULTILINE), f"{page}: {block}"


@pytest.mark.parametrize("page", PAGES, ids=PAGE_NAMES)
def test_link_targets_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        assert (page.parent / target).exists(), target
    for target in re.findall(rf"\]\((?:{'|'.join(REPOSITORY)})/([^)#]+)", text):
        assert (PROJECT / target).exists(), target


def test_readme_has_absolute_links_only() -> None:
    """README.md is also the description of the package on PyPI, where relative links lead nowhere."""
    assert not audit.relative_links(README.read_text(encoding="utf-8"))


def test_support_page() -> None:
    """It has the versions that the package and the crate declare."""
    page = (REFERENCE / "support.md").read_text(encoding="utf-8")
    declared = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    versions = re.findall(r"Python :: (3\.\d+)\"", declared)
    assert f"CPython {versions[0]} to {versions[-1]}" in page
    assert f'requires-python = ">={versions[0]}"' in declared
    oldest = re.search(r'rust-version = "(.*?)"', (PROJECT / "Cargo.toml").read_text(encoding="utf-8"))
    assert oldest
    assert f"Rust {oldest[1]} and newer" in page


def test_number_of_languages() -> None:
    """All pages state the number of languages of the model."""
    letters = (PROJECT / "src/language/letters.rs").read_text(encoding="utf-8")
    places = re.search(r"PLACES.*?=\s*\[(.*?)\];", letters, re.DOTALL)
    assert places
    scripts = [int(end) - int(start) for start, end in re.findall(r"(\d+)\.\.(\d+)", places[1])]
    # The last of each script but ideographs is for other languages.
    count = sum(scripts) - sum(number > 0 for number in scripts[:-1])
    sources = [PROJECT / name for name in ("Cargo.toml", "CHANGELOG.md", "python/leadbyte/mojibake.py")]
    sources += [PROJECT / "python/leadbyte/cli/help_texts.py", *PAGES]
    texts = {path.name: path.read_text(encoding="utf-8") for path in sources}
    stated = {name: re.findall(r"model of (\d+)\s+languages", text) for name, text in texts.items()}
    assert len({name for name, numbers in stated.items() if numbers}) >= 5
    assert {number for numbers in stated.values() for number in numbers} == {str(count)}


@pytest.mark.once
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="the page covers Python 3.10 to 3.13")
@pytest.mark.skipif(
    leadbyte.cpu_info()["override"] not in {None, BEST_ISA}, reason="takes seconds, so it runs once"
)
def test_differences_of_legacy_encodings() -> None:
    _, _, rest = differences.PAGE.read_text(encoding="utf-8").partition(differences.START)
    assert rest.partition(differences.END)[0].strip() == differences.section()


@pytest.mark.skipif(BASH is None or os.name != "posix", reason="needs a POSIX system with bash")
@pytest.mark.parametrize("page", RUN, ids=RUN_NAMES)
def test_console_examples(page: Path, tmp_path: Path) -> None:
    if "columns" in page.parts:
        pytest.importorskip("pyarrow")
    if "datasets" in page.parts:
        pytest.importorskip("fsspec")
    programs = tmp_path / "programs"
    scratch = tmp_path / "scratch"
    programs.mkdir()
    scratch.mkdir()
    python = shlex.quote(sys.executable)
    for name, line in (
        ("leadbyte", f'exec {python} -c {shlex.quote(command.RUN)} "$@"'),
        *((name, f'exec {python} "$@"') for name in ("python", "python3")),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{line}\n")
        (programs / name).chmod(0o755)
    environment = command.environment(LC_ALL="C.UTF-8", LANGUAGE="en")
    environment["PATH"] = f"{programs}{os.pathsep}{environment['PATH']}"
    environment["PYTHONPATH"] = str(Path(leadbyte.__file__).parents[1])
    for line, shown in console_examples(page):
        if line.startswith(INSTALLERS):
            continue
        done = subprocess.run(
            [str(BASH), "-c", line.encode()],
            cwd=scratch,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
            check=False,
        )
        printed = done.stdout.decode()
        if done.returncode == 127 and "iconv: " in printed:
            pytest.skip(printed)
        assert OUTPUT.check_output(shown, printed, doctest.ELLIPSIS), f"$ {line}\n{printed}"


def test_output_of_a_hook(tmp_path: Path) -> None:
    """What pre-commit prints of the command is what the page has."""
    (tmp_path / "menu.txt").write_bytes(b"one\ncaf\xe9\n")
    done = command.run("check", "menu.txt", cwd=tmp_path)
    (shown,) = code(PROJECT / "docs/how-to/pre-commit.md", "text")
    assert (done.code, done.err) == (1, "")
    assert shown.endswith(f"- exit code: 1\n\n{done.out}")


def test_hooks_take_any_name(tmp_path: Path) -> None:
    """A hook's command takes no name of a file for an option."""
    page = (PROJECT / "docs/how-to/pre-commit.md").read_text(encoding="utf-8")
    entries = re.findall("entry: (leadbyte .*)", page)
    hooks = (PROJECT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    entries += [" ".join(hook) for hook in re.findall(r"entry: (leadbyte .*)\n  args: \[(.*)\]", hooks)]
    assert len(entries) == 8
    (tmp_path / "--help").write_bytes(b"\xef\xbb\xbfcaf\xe9\n")
    for entry in entries:
        done = command.run(*entry.split()[1:], "--help", cwd=tmp_path)
        assert (done.code, done.lines[0].partition(":")[0]) == (1, "--help")


def test_files_of_the_project_are_valid() -> None:
    """README.md runs this, after it has installed the package."""
    done = command.run("check", "README.md", "docs", "python", "tests", cwd=PROJECT)
    assert (done.code, done.err) == (0, "")


def test_pages_have_console_examples() -> None:
    ran = [line for page in RUN for line, _ in console_examples(page)]
    assert sum(not line.startswith(INSTALLERS) for line in ran) > 40


def test_reference_has_every_name() -> None:
    pages = [page.read_text(encoding="utf-8") for page in REFERENCE.glob("*.md")]
    named = [
        name
        for page in pages
        for names in re.findall("<!-- generated: (.*) -->", page)
        for name in names.split()
    ]
    assert sorted(named) == sorted(
        [*(NAMES - {"__version__"}), "command", *ENGINES, *(module.__name__ for module in SUBMODULES)]
    )


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("validate", '- `kind: Literal["unexpected_continuation", "overlong", "too_large", '),
        (
            "validate",
            "def iter_errors(data: Buffer, /, *, locations: Literal[True]) -> Iterator[ErrorSpan]: ...",
        ),
        ("positions", "    out: Buffer,\n) -> Buffer: ..."),
        ("positions", "- `text: str | bytes`: The text after all edits, "),
        ("positions", "whichever it was made of; a copy.\n"),
        ("audit", '    kind: Literal["nul", "control", '),
        ("compat", "config: Config | None = None"),
    ],
)
def test_reference_has_public_types(page: str, text: str) -> None:
    assert text in (REFERENCE / f"{page}.md").read_text(encoding="utf-8")


def test_reference_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(REFERENCE / "generate.py"), "--check"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert not done.returncode, f"run docs/reference/generate.py: {done.stdout}{done.stderr}"


@pytest.mark.parametrize("name", ["unsafe_code", "conformance"])
def test_tables_are_up_to_date(name: str) -> None:
    script = PROJECT / f"docs/explanation/{name}.py"
    done = subprocess.run([sys.executable, script, "--check"], timeout=60, check=False)  # noqa: S603, RUF100
    assert not done.returncode, f"run docs/explanation/{name}.py"


def test_import_brings_only_the_standard_library() -> None:
    script = """
import sys
before = set(sys.modules)
import leadbyte
top = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*sorted(top - set(sys.stdlib_module_names)))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["leadbyte"]
