"""Patterns leave out the entries that Git ignores, in generated trees, where Git is installed."""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
from typing import TYPE_CHECKING

import command
import pytest
from leadbyte._leadbyte import _FileReader
from reduced import IS_REDUCED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.one_implementation

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="compares with Git")

NAMES = [
    "a",
    "b",
    "ab",
    "a.b",
    "ba",
    "A",
    "aab",
    "a b",
    "a ",
    "[a]",
    "-",
    "é",
    "#a",
    "!a",
    "a\\b",
    ".a",
    "a]b",
]
NAMES = [name for name in NAMES if os.name == "posix" or not ("\\" in name or name.endswith(" "))]
PARTS = [
    *["a", "b", "ab", ".", "A", " ", "é", "-", "#", "!", "]", "a", "b"],
    *["*", "*", "*", "**", "**", "***", "?", "\\*", "\\a", "\\ ", "\\[", "\\\\", "\\]"],
    *[
        "[ab]",
        "[!a]",
        "[^ab]",
        "[a-b]",
        "[b-a]",
        "[]a]",
        "[!]]",
        "[a-]",
        "[-a]",
        "[\\]a]",
        "[\\a-b]",
        "[a-\\b]",
        "[a",
    ],
    *[
        "[[:alpha:]]",
        "[[:upper:]b]",
        "[^[:lower:]]",
        "[[:punct:]]",
        "[[:space:]]",
        "[[:vowel:]]",
        "[[:alpha:]-b]",
    ],
    *["[[a]", "[a[:]", "[[:]", "[*]", "[?]", "[a-b-c]"],
]


def pattern(choice: random.Random) -> str:
    """Return a line of a .gitignore file."""
    components = [
        "".join(choice.choices(PARTS, k=choice.choice([1, 1, 2, 2, 3])))
        for _ in range(choice.choice([1, 1, 2, 3]))
    ]
    for at, component in enumerate(components):
        # Two stars after a name are for directories in versions of Git before 2.53, by mistake.
        components[at] = (
            component if component.strip("*") == "" else component.replace("**", "*").replace("**", "*")
        )
        if choice.random() < 0.25:
            components[at] = "**"
    line = (
        choice.choice(["", "", "", "/"]) + "/".join(components) + choice.choice(["", "", "", "/", " ", "  "])
    )
    return choice.choice(["", "", "", "", "!", "\\", "#"]) + line


def patterns(choice: random.Random) -> bytes:
    """Return the contents of a file of patterns."""
    ending = choice.choice(["\n", "\n", "\r\n"])
    lines = ending.join(pattern(choice) for _ in range(choice.randrange(1, 5)))
    return (choice.choice(["", "", "", "\ufeff"]) + lines + choice.choice([ending, ""])).encode()


def grow(top: Path, choice: random.Random, depth: int = 0) -> None:
    """Fill a directory with entries, and with files of patterns."""
    if depth == 0 or choice.random() < 0.3:
        (top / ".gitignore").write_bytes(patterns(choice))
    for name in choice.sample(NAMES, 6):
        if depth < 3 and choice.random() < 0.45:
            (top / name).mkdir()
            grow(top / name, choice, depth + 1)
        else:
            (top / name).write_bytes(b"")


def found(top: Path, *exclude: str) -> dict[str, str | None]:
    """Return the entries below a directory, with the reason why one is left out."""
    reader = _FileReader(
        [str(top)],
        "list",
        directories=True,
        ignore=True,
        hidden=True,
        exclude=list(exclude),
        jobs=1,
        errors=1,
        binary=True,
        tables=([], [], False),
        waiting=lambda: None,
    )
    return {
        os.path.relpath(os.fsdecode(path), top).replace(os.sep, "/"): reason
        if isinstance(reason, str)
        else None
        for path, _, reason in reader
    }


def ignored_by_git(top: Path, entries: list[str]) -> set[str]:
    """Return the entries that Git ignores."""
    given = "".join(entry + "\0" for entry in entries).encode()
    git = ["git", "-C", str(top), "check-ignore", "-z", "--stdin", "--no-index"]
    done = subprocess.run(git, input=given, capture_output=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    return set(done.stdout.decode().split("\0")[:-1])


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty repository, with no configuration of Git but its own."""
    home = tmp_path / "home"
    home.mkdir()
    for name, value in {"HOME": home, "USERPROFILE": home, "GIT_CONFIG_SYSTEM": home / "system"}.items():
        monkeypatch.setenv(name, str(value))
    for name in ("XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_DIR"):
        monkeypatch.delenv(name, raising=False)
    top = tmp_path / "repository"
    subprocess.run(["git", "init", "--quiet", str(top)], check=True, capture_output=True)
    return top


@needs_git
@pytest.mark.parametrize("seed", range(15 if IS_REDUCED else 30))
def test_generated_trees(repository: Path, seed: int) -> None:
    choice = random.Random(seed)
    grow(repository, choice)
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "exclude").write_bytes(patterns(choice))
    (repository.parent / "home" / ".gitconfig").write_text("[core]\n\texcludesFile = ~/ignored\n")
    (repository.parent / "home" / "ignored").write_bytes(patterns(choice))
    ours = found(repository)
    ignored = {path for path, reason in ours.items() if reason == "ignored"}
    assert ignored == ignored_by_git(repository, list(ours))


def make(top: Path, *names: str) -> None:
    """Make files with their directories."""
    for name in names:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(b"")


def kept(top: Path, *exclude: str) -> list[str]:
    """Return the entries that are not left out, but for files of patterns."""
    return sorted(
        path for path, reason in found(top, *exclude).items() if reason is None and path[:4] != ".git"
    )


@pytest.mark.parametrize(
    ("pattern", "ignored"),
    [
        ("a{b,c}", set()),  # braces are bytes like others
        ("foo**/bar", {"foox/bar"}),  # two stars beside others are one
        ("/**/a", {"a", "c/a"}),
        ("a/**", {"a/b", "a/x"}),
        ("*/", {"a", "c", "foox"}),
    ],
)
def test_patterns(tmp_path: Path, pattern: str, ignored: set[str]) -> None:
    make(tmp_path, "a/b", "a/x", "ab", "ac", "b", "c/a/x", "foobar", "foox/bar")
    assert {path for path, reason in found(tmp_path, pattern).items() if reason == "excluded"} == ignored
    (tmp_path / ".gitignore").write_text(pattern)
    assert {path for path, reason in found(tmp_path).items() if reason == "ignored"} == ignored


def test_patterns_of_many_stars_take_no_exponential_time(tmp_path: Path) -> None:
    names = "/".join(["a" * 50] * 20)
    make(tmp_path, names)
    (tmp_path / ".gitignore").write_text(
        "a*" * 100 + "b\n" + "**/a/" * 100 + "b\n" + "**/" + "**/*a*a*/" * 20 + "b\n"
    )
    assert kept(tmp_path) == [names]


# For some, time would grow with the square of the length of the line, or worse.
SLOW = {
    "stars": b"*a" * 100_000 + b"*b*",
    "names": b"**/a/" * 100_000 + b"b",
    "any names": b"**/" * 100_000 + b"c",
    "brackets": b"[ab]" * 100_000,
    "brackets that are not closed": b"[a" * 200_000,
    "beginnings of character classes": b"[" + b"[:" * 200_000 + b"]",
    "a long name": b"a" * 1_000_000,
    "many patterns": b"".join(b"*%d*\n" % number for number in range(50_000)),
}


@pytest.mark.parametrize("name", SLOW)
def test_patterns_that_are_made_to_be_slow(tmp_path: Path, name: str) -> None:
    names = ["a", "a" * 255, "b/" + "a" * 255, "/".join(["a" * 20] * 20)]
    make(tmp_path, *names)
    (tmp_path / ".gitignore").write_bytes(SLOW[name] + b"\n")
    assert kept(tmp_path) == sorted(names)
    # Nor does a pattern after it lose its meaning.
    (tmp_path / ".gitignore").write_bytes(SLOW[name] + b"\nb\n")
    assert kept(tmp_path) == sorted(name for name in names if name[0] != "b")


def as_fifo(path: Path) -> None:
    os.mkfifo(path)


def as_socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(here)


def as_long_file(path: Path) -> None:
    # Longer than what Git takes; it begins with a pattern.
    path.write_bytes(b"a\n")
    os.truncate(path, 1 << 40)


def as_link_to(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


NO_PATTERNS: dict[str, Callable[[Path], None]] = {
    "directory": os.mkdir,
    "FIFO": as_fifo,
    "socket": as_socket,
    "device": as_link_to("/dev/zero"),
    "link to itself": as_link_to(".gitignore"),
    "link to nothing": as_link_to("missing"),
    "long file": as_long_file,
}


@pytest.mark.skipif(os.name != "posix", reason="kinds of POSIX files")
@pytest.mark.parametrize("kind", NO_PATTERNS)
@pytest.mark.parametrize("name", [".gitignore", ".ignore", ".git/info/exclude"])
def test_file_that_has_no_patterns(tmp_path: Path, kind: str, name: str) -> None:
    make(tmp_path, "a", "c/a")
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    NO_PATTERNS[kind](tmp_path / name)
    found = [path for path in kept(tmp_path) if path[0] != "."]
    assert found == ["a", "c/a"]


@needs_git
@pytest.mark.skipif(os.name != "posix", reason="kinds of POSIX files")
@pytest.mark.parametrize("kind", NO_PATTERNS)
@pytest.mark.parametrize("name", [".gitconfig", ".config/git/config", "system", ".config/git/ignore"])
def test_file_that_has_no_configuration(repository: Path, kind: str, name: str) -> None:
    make(repository, "a")
    path = repository.parent / "home" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    NO_PATTERNS[kind](path)
    assert kept(repository) == ["a"]


@needs_git
@pytest.mark.skipif(os.name != "posix", reason="symbolic links")
def test_links_to_patterns_are_followed_as_by_git(repository: Path) -> None:
    make(repository, "a", "b")
    (repository / "patterns").write_text("a\n")
    (repository / ".gitignore").symlink_to("patterns")
    assert ignored_by_git(repository, ["a", "b"]) == set()
    assert kept(repository) == ["a", "b", "patterns"]
    exclude = repository / ".git" / "info" / "exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.unlink(missing_ok=True)
    exclude.symlink_to(repository / "patterns")
    assert ignored_by_git(repository, ["a", "b"]) == {"a"}
    assert kept(repository) == ["b", "patterns"]


@needs_git
@pytest.mark.parametrize(
    "patterns",
    [
        b"a\0b\nc\n", b"\0a\n", b"a \0\n", b"a\0\r\n", b"!\0\n", b"a\r\0\n",
        "a\nb\n".encode("utf-16"), b"\xff*\n\xe9\na", b"\xef\xbb\xbfa\n", b"a\rb\n",
    ],
)  # fmt: skip
def test_patterns_that_are_no_text(repository: Path, patterns: bytes) -> None:
    names = ["a", "ab", "b", "c", "é"]
    make(repository, *names)
    (repository / ".gitignore").write_bytes(patterns)
    ignored = ignored_by_git(repository, names)
    assert kept(repository) == sorted({*names} - ignored)


@pytest.mark.parametrize(
    ("config", "ignored"),
    [
        ("[core]\nexcludesfile = ~/patterns\n", True),
        ('[CORE] excludesFile="~/patterns" ; a comment\n', True),
        ("[core]\n\texcludesFile = ~/pat\\\nterns # a comment\n", True),
        ('[core "x"]\nexcludesFile = ~/patterns\n', False),
        ("[user]\nexcludesFile = ~/patterns\n", False),
        ("[core]\nexcludesFile = ~/patterns\nexcludesFile = ~/others\n", False),
        ("# [core]\n[core]\n; excludesFile = ~/patterns\n", False),
        ("", False),
    ],
)
@needs_git
def test_configuration_of_git(repository: Path, config: str, *, ignored: bool) -> None:
    make(repository, "a/x", "b/a/x")
    home = repository.parent / "home"
    (home / ".gitconfig").write_text(config)
    (home / "patterns").write_text("/a\n")
    assert ignored_by_git(repository, ["a/x"]) == ({"a/x"} if ignored else set())
    assert kept(repository) == (["b/a/x"] if ignored else ["a/x", "b/a/x"])
    # The patterns are for paths from the root of the repository.
    assert kept(repository / "b") == ["a/x"]


def test_default_patterns_of_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    make(tmp_path, "top/a", "top/b", "config/git/ignore")
    (tmp_path / "config" / "git" / "ignore").write_text("a\n")
    assert kept(tmp_path / "top") == ["a", "b"]
    (tmp_path / "top" / ".git").mkdir()
    assert kept(tmp_path / "top") == ["b"]


@needs_git
def test_worktrees_share_the_patterns_of_their_repository(repository: Path) -> None:
    make(repository, "a", "b")
    settings = ("-c", "user.name=a", "-c", "user.email=a")
    for line in (["add", "b"], [*settings, "commit", "-qm", "b"], ["worktree", "add", "-q", "../tree"]):
        subprocess.run(["git", *line], cwd=repository, check=True)
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "exclude").write_text("a\n")
    tree = repository.parent / "tree"
    make(tree, "a")
    assert kept(tree) == ["b"]
    # Its .git is a file, which no command changes.
    link = (tree / ".git").read_bytes()
    command.run("bom", "add", "--hidden", ".", cwd=tree)
    assert ((tree / ".git").read_bytes(), (tree / "b").read_bytes()[:3]) == (link, b"\xef\xbb\xbf")
    assert subprocess.run(["git", "status"], cwd=tree, capture_output=True, check=False).returncode == 0
