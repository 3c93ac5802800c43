"""The output of the command: safe on any terminal, in colours where rich is installed."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import time
from io import BufferedWriter, FileIO, RawIOBase, TextIOWrapper

from leadbyte._files.writing import write_whole
from leadbyte._messages import SPACES, number, printable, size

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator
    from json import JSONEncoder
    from typing import TextIO

    from rich.console import Console
    from rich.progress import Progress as Bar
    from typing_extensions import Buffer

VALID, INVALID, ERROR = 0, 1, 2
# The exit codes that shells report for a process ended by SIGINT or SIGPIPE.
INTERRUPTED, PIPE_CLOSED = 130, 141


class WaitingFile(RawIOBase):
    """A descriptor that is non-blocking, and to which all is written that is given."""

    def __init__(self, descriptor: int) -> None:
        self.file = FileIO(descriptor, "wb", closefd=False)

    def writable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the descriptor."""
        return self.file.fileno()

    def isatty(self) -> bool:
        """Return whether it is a terminal."""
        return self.file.isatty()

    def write(self, text: Buffer, /) -> int:
        """Write all of a text, and return the number of its bytes."""
        write_whole(self.file, text)
        return memoryview(text).nbytes


def waiting(stream: TextIOWrapper) -> TextIOWrapper:
    """Return a stream to a non-blocking descriptor that waits where the other one would lose text."""
    return TextIOWrapper(
        BufferedWriter(WaitingFile(stream.fileno())),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering or not isinstance(stream.buffer, BufferedWriter),
    )


def has_colours(stream: TextIO, color: str) -> bool:
    """Return whether a stream has colours, given the value of --color; precedence is as in CPython."""
    if color != "auto":
        return color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and stream.isatty()


def colours(stream: TextIO, color: str) -> Console | None:
    """Return rich's console for a stream that is a terminal or is to have colours, if rich is installed."""
    coloured = has_colours(stream, color)
    if not coloured and not stream.isatty():
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(
        file=stream,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
        # Without a colour system there are no styles either.
        force_terminal=coloured or None,
        no_color=not coloured,
        color_system=("auto" if stream.isatty() else "standard") if coloured else None,
    )


def as_json(value: dict[str, object]) -> str:
    """Return an object as JSON on one line, with all characters escaped that are not printable."""
    line = json_encoder().encode(with_path_bytes(value))
    if line.isprintable():
        return line
    import json

    return "".join(c if c.isprintable() or c in SPACES else json.dumps(c)[1:-1] for c in line)


def new_json_encoder() -> JSONEncoder:
    """Return an encoder of JSON that is not ASCII."""
    from json import JSONEncoder

    return JSONEncoder(ensure_ascii=False)


# The encoder that is used for each line.
json_encoder: Callable[[], JSONEncoder] = functools.cache(new_json_encoder)


def with_path_bytes(value: dict[str, object]) -> dict[str, object]:
    """Return an object, also a summary, with the path as text, and its bytes if they are not Unicode."""
    if isinstance(summary := value.get("summary"), dict):
        return {**value, "summary": with_path_bytes(summary)}
    path = value.get("path")
    if not isinstance(path, str) or path.isascii():
        return value
    encoded = os.fsencode(path)
    try:
        return {**value, "path": encoded.decode()}
    except UnicodeDecodeError:
        from base64 import b64encode

        fields = {"path": encoded.decode(errors="replace"), "path_bytes": b64encode(encoded).decode()}
        return {**value, **fields}


class Output:
    """The stream for results, warnings on standard error, and the progress shown meanwhile."""

    # The value of --color.
    color = "auto"

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.console = colours(stream, self.color)
        self.progress = Progress()

    @classmethod
    def beside_text(cls, options: argparse.Namespace) -> Output:
        """Return the output of a command that writes text to standard output, but for a dry run."""
        return cls(sys.stdout if options.dry_run else sys.stderr)

    @property
    def width(self) -> int | None:
        """The number of columns of the terminal; None if the stream is not one."""
        import shutil

        return shutil.get_terminal_size().columns if self.stream.isatty() else None

    def line(self, *parts: str | tuple[str, str]) -> None:
        """Print a line of parts; a part with a style is a pair. Parts must be printable."""
        with self.progress.hidden():
            if self.console is None:
                print("".join(part if isinstance(part, str) else part[0] for part in parts), file=self.stream)
            else:
                from rich.text import Text

                self.console.print(Text.assemble(*parts))

    def name(self, path: str, *, null: bool) -> None:
        """Print a file name on a line, printable, or as it is, terminated by a NUL."""
        if not null:
            self.line(printable(path))
            return
        with self.progress.hidden():
            self.stream.buffer.write(os.fsencode(path) + b"\0")

    def table(self, header: list[str], rows: list[list[str]]) -> None:
        """Print a table, its last column to the left. With colours only."""
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, header_style="bold")
        for title in header[:-1]:
            table.add_column(title, justify="right", no_wrap=True)
        table.add_column(header[-1], no_wrap=True)
        for row in rows:
            table.add_row(*map(Text, row))
        if self.console is not None:
            # In its natural width: on a narrow terminal rows are wrapped, but numbers never truncated.
            unlimited = self.console.options.update(max_width=sys.maxsize)
            table.width = self.console.measure(table, options=unlimited).maximum
            self.console.print(table)

    def json(self, value: dict[str, object]) -> None:
        """Print an object as JSON in UTF-8, whatever the encoding of the stream, on one line."""
        line = as_json(value).encode() + b"\n"
        with self.progress.hidden():
            self.stream.buffer.write(line)
            if self.stream.line_buffering:
                self.stream.flush()

    def warn(self, message: str) -> None:
        """Print a message on standard error. It must be printable."""
        with self.progress.hidden():
            print(f"leadbyte: {message}", file=sys.stderr)

    def report_failure(self, path: str, message: str, *, as_json: bool) -> None:
        """Report why there is no result for a file on standard error, and in JSON, too."""
        self.warn(f"{printable(path)}: {message}")
        if as_json:
            self.json({"path": path, "error": message})


class Progress:
    """The progress of a command; shown on a terminal once it takes longer than a second."""

    DELAY_SECONDS = 1.0
    INTERVAL_SECONDS = 0.1

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.due = self.started + self.DELAY_SECONDS if sys.stderr.isatty() else float("inf")
        self.files = 0
        self.bytes = 0
        self.total: int | None = None
        self.bar: Bar | None = None
        self.shown = False

    def advance(self, *, files: int = 0, byte_count: int = 0) -> None:
        """Add to the work done, and show it if that is due."""
        self.files += files
        self.bytes += byte_count
        if time.monotonic() >= self.due:
            self.show()

    def expect(self, byte_count: int) -> None:
        """Add bytes to the total that is expected."""
        if self.total is not None:
            self.total += byte_count

    def show(self) -> None:
        """Show the progress."""
        now = time.monotonic()
        if not self.shown:
            self.shown = True
            self.bar = self.start_bar()
        self.due = now + self.INTERVAL_SECONDS
        text = (
            f"{number(self.files, 'file')}, {size(self.bytes)}, {size(self.bytes / (now - self.started))}/s"
        )
        if self.bar is None:
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        else:
            self.bar.update(self.bar.task_ids[0], description=text, completed=self.bytes, total=self.total)

    def start_bar(self) -> Bar | None:
        """Return rich's bar, started, if rich is installed."""
        try:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
        except ImportError:
            return None
        columns = (BarColumn(), TextColumn("{task.description}", markup=False), TimeRemainingColumn())
        console = Console(stderr=True, no_color=not has_colours(sys.stderr, Output.color) or None)
        bar = Progress(*columns, console=console, transient=True, redirect_stdout=False)
        bar.add_task("", total=self.total)
        bar.start()
        return bar

    @contextlib.contextmanager
    def hidden(self) -> Iterator[None]:
        """Hide the progress while something else is printed."""
        if not self.shown:
            yield
            return
        self.clear()
        yield
        if self.bar is not None:
            self.bar.start()

    def finish(self) -> None:
        """Hide the progress permanently."""
        self.clear()
        self.shown = False
        self.due = float("inf")

    def clear(self) -> None:
        """Clear the progress from the terminal."""
        if self.bar is not None:
            self.bar.stop()
        elif self.shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
