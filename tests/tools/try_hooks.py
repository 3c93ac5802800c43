"""Tries the hooks of .pre-commit-hooks.yaml as another project would use them, in a repository made for that.

It tries the commit that is checked out here: pre-commit clones it, and builds and installs leadbyte.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).parents[2]
MARK = b"\xef\xbb\xbf"
# What a project holds, and which hooks must complain of it.
FILES = {
    "good.txt": (b"caf\xc3\xa9\n", ()),
    "empty.py": (b"", ()),
    "picture.png": (b"\x89PNG\r\n\x1a\n\0\xff", ()),
    "no-ending-binary": (b"\x7fELF\xff\xfe\0\1", ()),
    "with space, and comma.txt": (b"caf\xe9\n", ("leadbyte-check", "leadbyte-audit")),
    "--help": (b"caf\xe9\n", ("leadbyte-check", "leadbyte-audit")),
    "-n": (MARK + b"x\n", ("leadbyte-no-bom",)),
    "no-ending": (b"one\ncaf\xe9\n", ("leadbyte-check", "leadbyte-audit")),
    "кириллица.csv": ("мир\n".encode("cp1251"), ("leadbyte-check", "leadbyte-audit")),
    "marked.json": (MARK + b"{}\n", ("leadbyte-no-bom",)),
    "hidden.py": ("x = 'a\u202eb'\n".encode(), ("leadbyte-audit",)),
    "joined.txt": ("\u06cc\u200c\u062e 👩\u200d🚀\n".encode(), ()),
    "train.jsonl": (b'{"text": "\\ud83d"}\n', ("leadbyte-check-jsonl",)),
    "marked.cs": (MARK + b"// caf\xc3\xa9\n", ("leadbyte-no-bom",)),
}
HOOKS = ["leadbyte-check", "leadbyte-no-bom", "leadbyte-audit", "leadbyte-check-jsonl"]


def run(*command: str, cwd: Path, ok: tuple[int, ...] = (0,)) -> str:
    """Run a program; return what it printed. Any other exit code than those is an error."""
    done = subprocess.run(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode not in ok:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def try_hooks(hooks: Path, scratch: Path) -> list[str]:
    """Run the hooks on good and on bad files of a repository; return the errors in the outcome."""
    # Of a commit on no branch, or without its history, nobody else could make a clone.
    run("git", "clone", "--quiet", "--depth=1", PROJECT.as_uri(), str(hooks), cwd=PROJECT)
    run("git", "checkout", "--quiet", "-B", "tried", cwd=hooks)
    commit = run("git", "rev-parse", "HEAD", cwd=hooks).strip()
    run("git", "init", "--quiet", str(scratch), cwd=hooks)
    listed = "".join(f"      - id: {hook}\n" for hook in HOOKS)
    config = f"repos:\n  - repo: {hooks.as_uri()}\n    rev: {commit}\n    hooks:\n{listed}"
    (scratch / ".pre-commit-config.yaml").write_text(config, encoding="utf-8")
    for name, (data, _) in FILES.items():
        (scratch / name).write_bytes(data)
    run("git", "add", "--all", cwd=scratch)
    wrong = []
    for hook in HOOKS:
        bad = [name for name, (_, complaining) in FILES.items() if hook in complaining]
        good = [name for name in FILES if name not in bad]
        reported = run("pre-commit", "run", hook, "--all-files", cwd=scratch, ok=(1,))
        print(reported)
        wrong += [f"{hook} reports nothing of {name}" for name in bad if f"{name}:" not in reported]
        wrong += [f"{hook} complains of {name}" for name in good if f"{name}:" in reported]
        print(run("pre-commit", "run", hook, "--files", *good, cwd=scratch))
    return wrong


def main() -> int:
    """Try the hooks; return 1 if they do not do what they should."""
    with tempfile.TemporaryDirectory() as directory:
        wrong = try_hooks(Path(directory, "hooks"), Path(directory, "scratch"))
    for what in wrong:
        print(what)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
