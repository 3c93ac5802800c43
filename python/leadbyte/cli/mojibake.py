"""``leadbyte mojibake``: repair text that was decoded with the wrong encoding."""

from __future__ import annotations

import itertools
import sys

from leadbyte import count_newlines, is_ascii, is_valid, mojibake, scan
from leadbyte._files.binary import is_not_utf8
from leadbyte._files.conversion import unmappable
from leadbyte._files.location import LocationCounter
from leadbyte._files.reading import blocks, read_whole
from leadbyte._leadbyte import _MojibakeBlocks
from leadbyte._line_buffer import LineBuffer
from leadbyte._messages import printable, remaining
from leadbyte.cli.argument_types import escaped_bytes
from leadbyte.cli.files import open_file, total_size, without_secrets
from leadbyte.cli.inputs import is_about_writing
from leadbyte.cli.output import ERROR, INVALID, VALID, Output
from leadbyte.cli.reading import Reading
from leadbyte.cli.results import Results
from leadbyte.cli.writing import MAX_HELD_BYTES, Writing, is_in_place

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator
    from io import FileIO
    from typing import TypeVar

    from typing_extensions import Buffer

    from leadbyte._files.writing import _Write
    from leadbyte._leadbyte import _MixedLine

    _T = TypeVar("_T")

NOT_UTF8 = "too little of it is UTF-8 other than ASCII; leadbyte convert converts files from other encodings"


# The fewest sequences in a line that is not UTF-8 by chance, and the most errors for each sequence elsewhere.
SEQUENCES_IN_UTF8 = 4
# The bytes in a line that do not start a sequence.
NOT_LEADS = bytes(range(0xC2)).replace(b"\n", b"")
ERRORS_PER_SEQUENCE = 2

# The length in bytes beyond which a line is repaired in parts.
MAX_LINE_BYTES = 1 << 20


class FileRepair:
    """The repair of a file whose blocks are fed one by one: what it writes, the steps, and lines not UTF-8.

    ``write`` is None if only the steps are wanted. ``limit`` is the number of steps and of lines to keep;
    None keeps all.
    """

    def __init__(self, write: _Write | None, languages: list[str] | None, limit: int | None) -> None:
        self.write = write
        self.limit = limit
        self.blocks = _MojibakeBlocks(languages)
        self.lines = LineBuffer(MAX_LINE_BYTES)
        # The end of the text that is not a whole block.
        self.text = b""
        self.held: list[bytes] = []
        # Whether lines are UTF-8 for certain; until then the UTF-8 sequences and the errors.
        self.has_utf8 = False
        self.sequence_count = self.error_count = 0
        self.byte_count = self.line_count = self.mixed_count = self.step_count = 0
        self.mixed: list[_MixedLine] = []
        self.last_mixed = 0
        self.steps: list[mojibake.Step] = []

    @property
    def changed(self) -> bool:
        """Whether the text differs from the file."""
        return bool(self.mixed_count or self.step_count)

    def feed(self, data: Buffer) -> None:
        """Repair the next bytes of the file."""
        if lines := self.lines.feed(data):
            self.take(lines)

    def take(self, lines: bytes) -> None:
        """Repair whole lines."""
        self.byte_count += len(lines)
        text, mixed = (lines, []) if is_valid(lines) else self.blocks.read(lines)
        if not self.has_utf8:
            self.look_for_utf8(lines, all_valid=text is lines)
        found = [(self.line_count + line, encoding, in_parts) for line, encoding, in_parts in mixed]
        if found and found[0][0] == self.last_mixed:
            # Another part of a line that is repaired in parts.
            del found[0]
        self.last_mixed = found[-1][0] if found else self.last_mixed
        self.mixed_count += len(found)
        self.keep(self.mixed, found)
        self.line_count += count_newlines(lines)
        self.repair(self.text + text, is_last=False)

    def look_for_utf8(self, lines: bytes, *, all_valid: bool) -> None:
        """Look for lines in UTF-8: in text in other encodings, some short ones are so by chance."""
        if all_valid:
            leads = list(map(len, lines.translate(None, NOT_LEADS).split(b"\n")))
            self.sequence_count += sum(leads)
            self.has_utf8 = max(leads) >= SEQUENCES_IN_UTF8
            return
        for line in lines.split(b"\n"):
            if is_ascii(line):
                continue
            errors, text = scan(line).error_count, line.decode(errors="ignore")
            sequences = len(text) - len(text.encode("ascii", "ignore"))
            self.error_count += errors
            self.sequence_count += sequences
            if not errors and sequences >= SEQUENCES_IN_UTF8:
                self.has_utf8 = True
                return

    def repair(self, text: bytes, *, is_last: bool) -> None:
        """Repair whole blocks of a text, and write them once a line was UTF-8, or all were."""
        repaired, parts, done = self.blocks.repair(text, is_last)
        self.text = text[done:]
        self.step_count += sum(len(readings) for _, _, readings, *_ in parts)
        self.keep(self.steps, mojibake.steps_of(parts))
        if self.write is None:
            return
        self.held.append(repaired)
        must_decide = is_last or sum(map(len, self.held)) > MAX_HELD_BYTES
        if must_decide and ERRORS_PER_SEQUENCE * self.sequence_count >= self.error_count:
            self.has_utf8 = True
        if self.has_utf8 or not self.mixed_count:
            for block in self.held:
                self.write(block)
            self.held.clear()
        elif must_decide:
            raise OSError(NOT_UTF8)

    def keep(self, kept: list[_T], more: Iterable[_T]) -> None:
        """Add to a list, up to the limit."""
        missing = None if self.limit is None else max(0, self.limit - len(kept))
        kept.extend(itertools.islice(more, missing))

    def finish(self) -> None:
        """Repair the rest."""
        if line := self.lines.finish():
            self.take(line)
        self.repair(self.text, is_last=True)

    def read(self, file: FileIO, advance: Callable[[int], None]) -> None:
        """Repair a file to its end, reporting the progress in bytes."""
        for block in blocks(file, advance):
            self.feed(block)
        self.finish()

    def as_dict(self) -> dict[str, object]:
        """Return the facts for JSON."""
        mixed = [
            {"line": line, "encoding": encoding, "in_parts": in_parts}
            for line, encoding, in_parts in self.mixed
        ]
        return {
            "byte_count": self.byte_count, "mixed": mixed, "steps": [step.as_dict() for step in self.steps],
        }  # fmt: skip

    def descriptions(self, limit: int) -> Iterator[tuple[tuple[int, int], str]]:
        """Yield the first and the last line of each step up to the limit, and its description."""
        mixed = [
            ((line, line), f"decoded as {encoding}{' where' if in_parts else ', as'} it is not UTF-8")
            for line, encoding, in_parts in self.mixed
        ]
        steps = [(step.lines, str(step).partition(": ")[2]) for step in self.steps]
        yield from sorted([*mixed, *steps], key=lambda part: part[0][0])[:limit]


class RepairMojibake:
    """One run of the command for files."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output.beside_text(options)
        self.reading = Reading(options, self.output, directories=is_in_place(options))
        self.writing = Writing(options, self.output, self.reading, done="repaired", is_binary=is_not_utf8)
        self.results = Results(options, self.output, self.reading, done="repaired")

    def run(self) -> int:
        """Repair all paths; return the exit code."""
        self.writing.transform_all(
            self.repair_file, self.report, in_place=self.writing.if_changed(self.repair_file)
        )
        self.results.report_summary(changed=self.options.in_place)
        return self.results.code

    def repair_file(self, file: FileIO, write: _Write) -> FileRepair:
        """Write the repaired text of a file."""
        limit = None if self.options.format == "json" else self.options.max_steps
        repaired = FileRepair(write, self.options.languages, limit)
        repaired.read(self.writing.as_text(file), self.reading.advance)
        return repaired

    def report(self, path: str, repaired: FileRepair) -> None:
        """Report the repair of a file."""
        results = self.results
        results.report(path, results.done if repaired.changed else results.unchanged, repaired.as_dict())
        if self.options.format == "text":
            show_steps(self.output, path, repaired, self.options.max_steps)


def show_steps(output: Output, path: str, repaired: FileRepair, limit: int) -> None:
    """Print the steps of a file's repair up to a limit, and the number of the others."""
    shown = [*repaired.descriptions(limit)]
    for (first, last), description in shown:
        lines = f"{first}" if first == last else f"{first}-{last}"
        output.line((f"{printable(path)}:{lines}:", "bold"), f" {description}")
    if (more := repaired.mixed_count + repaired.step_count - len(shown)) > 0:
        output.line((f"{printable(path)}:", "bold"), f" {remaining(more, 'step', shown=shown)}")


def repair(options: argparse.Namespace) -> int:
    """Run the command that repairs files or a text; return its exit code."""
    if options.text is not None and (options.paths or is_about_writing(options)):
        options.refuse("argument --text: not allowed with PATH, nor with -o, -i, -n, --check or --backup")
    check_languages(options)
    check_text(options)
    if options.text is None:
        return RepairMojibake(options).run()
    repair = mojibake.explain(options.text, languages=options.languages)
    show(options, repair.text, {"given": options.text, **repair.as_dict()})
    return VALID


def check_languages(options: argparse.Namespace) -> None:
    """Refuse languages that the model does not know."""
    try:
        mojibake.repair("", languages=options.languages)
    except ValueError as error:
        options.refuse(f"arguments --language and --candidates: {error}")


def check_text(options: argparse.Namespace) -> None:
    """Refuse a text of invalid bytes."""
    if options.text is not None and escaped_bytes(options.text):
        options.refuse(f"argument TEXT: not valid UTF-8: {printable(options.text)}")


def read_text(path: str) -> str:
    """Return the text of a file; raise OSError if it is not UTF-8."""
    with open_file(path, named=True) as file:
        data = read_whole(file)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not utf-8: {error.reason}; leadbyte convert makes UTF-8 of it"
        raise OSError(message) from error


def garble(options: argparse.Namespace) -> int:
    """Run the command that shows what a text looks like in the wrong encoding; return its exit code."""
    check_text(options)
    text = options.text
    try:
        if text is None:
            text = read_text(options.file)
        garbled = mojibake.garble(text, encoding=options.encoding, misread_as=options.misread_as)
    except OSError as error:
        path, message = without_secrets(options.file), str(error.strerror or error)
        Output(sys.stdout).report_failure(path, message, as_json=options.format == "json")
        return ERROR
    except UnicodeEncodeError as error:
        fault = unmappable(LocationCounter(), options.encoding, error.object[error.start])
        Output(sys.stderr).warn(f"{fault.message}; --encoding is the encoding that the text was written in")
        return INVALID
    except UnicodeDecodeError as error:
        data = error.object[error.start : error.end].hex(" ")
        advice = "the encodings of browsers, as whatwg:windows-1252, have characters for nearly all bytes"
        Output(sys.stderr).warn(f"not {options.misread_as}: {data} ({error.reason}); {advice}")
        return INVALID
    except UnicodeError as error:
        Output(sys.stderr).warn(printable(str(error)))
        return INVALID
    show(
        options,
        garbled,
        {
            "text": text,
            "encoding": options.encoding,
            "misread_as": options.misread_as,
            "garbled": garbled,
        },
        end="\n" if options.file is None else "",
    )
    return VALID


def explain(options: argparse.Namespace) -> int:
    """Run the command that shows which wrong decodings a text went through; return its exit code."""
    check_languages(options)
    check_text(options)
    output = Output(sys.stdout)
    if options.text is None:
        return explain_file(options, output)
    repair = mojibake.explain(options.text, languages=options.languages)
    if options.format == "json":
        output.json({"given": options.text, **repair.as_dict()})
    elif options.format == "text":
        for step in map(str, repair.steps):
            lines, _, description = step.partition(": ")
            output.line((f"{lines}:", "bold"), f" {description}")
        output.line(printable(repair.text) if repair.changed else str(repair))
    return INVALID if repair.changed else VALID


def explain_file(options: argparse.Namespace, output: Output) -> int:
    """Show which wrong decodings a file went through; return the exit code."""
    limit = options.max_steps
    path = without_secrets(options.file)
    repaired = FileRepair(None, options.languages, None if options.format == "json" else limit)
    output.progress.total = total_size([options.file])
    try:
        with open_file(options.file, named=True) as file:
            repaired.read(file, lambda length: output.progress.advance(byte_count=length))
    except OSError as error:
        message = str(error.strerror or error)
        output.report_failure(path, message, as_json=options.format == "json")
        return ERROR
    finally:
        output.progress.finish()
    if options.format == "json":
        output.json({"path": path, "changed": repaired.changed, **repaired.as_dict()})
    elif options.format == "text":
        show_steps(output, path, repaired, limit)
        if not repaired.changed:
            output.line("nothing to repair")
    return INVALID if repaired.changed else VALID


def show(options: argparse.Namespace, text: str, facts: dict[str, object], end: str = "\n") -> None:
    """Print a text and its end, escaped on a terminal, or the facts as JSON."""
    output = Output(sys.stdout)
    if options.format == "json":
        output.json(facts)
    elif sys.stdout.isatty():
        output.line(printable(text))
    else:
        # As all text that is not for a terminal, in UTF-8, whatever the locale's encoding is.
        sys.stdout.buffer.write(f"{text}{end}".encode())
