"""``leadbyte mojibake``: text that was read in the wrong encoding."""

from __future__ import annotations

import sys

from leadbyte import mojibake
from leadbyte._leadbyte import _read_mixed
from leadbyte.cli.files import BLOCK, has_nul, open_file, read_some
from leadbyte.cli.output import INVALID, TROUBLE, VALID, Output, printable
from leadbyte.cli.reading import Reading
from leadbyte.cli.results import Results
from leadbyte.cli.writing import Writing, is_in_place

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from io import FileIO

    from leadbyte.cli.writing import _Write

NO_UTF8 = "no line of it is UTF-8 beyond ASCII; leadbyte convert turns files of one encoding into another"


class Mended:
    """What became of a file: its text, the steps, and the lines that were not UTF-8."""

    def __init__(self, data: bytes) -> None:
        self.byte_count = len(data)
        text, self.mixed = _read_mixed(data)
        if self.mixed and not has_utf8(data):
            raise OSError(NO_UTF8)
        self.repair = mojibake.explain(text)
        self.changed = bool(self.mixed) or self.repair.changed

    def as_dict(self) -> dict[str, object]:
        """Return what JSON says of it."""
        mixed = [{"line": line, "encoding": encoding} for line, encoding in self.mixed]
        steps = self.repair.as_dict()["steps"]
        return {"byte_count": self.byte_count, "mixed": mixed, "steps": steps}

    def words(self) -> list[tuple[str, str]]:
        """Return what was done in words, and the line or the range of lines of each."""
        mixed = [((line, line), f"read as {encoding}, as it is not UTF-8") for line, encoding in self.mixed]
        steps = [(step.lines, str(step).partition(": ")[2]) for step in self.repair.steps]
        told = sorted([*mixed, *steps], key=lambda part: part[0][0])
        return [(f"{first}" if first == last else f"{first}-{last}", words) for (first, last), words in told]


class RepairMojibake:
    """One run of the command for files."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        # Standard output is for the text, unless there is none.
        self.output = Output(sys.stdout if options.dry_run else sys.stderr)
        self.reading = Reading(options, self.output, directories=is_in_place(options))
        self.writing = Writing(options, self.output, self.reading, done="repaired", is_binary=has_nul)
        self.results = Results(options, self.output, self.reading, done="repaired")

    def run(self) -> int:
        """Repair all paths; return the exit code."""
        self.writing.make_all(
            self.repair_file, self.report, in_place=self.writing.if_changed(self.repair_file)
        )
        self.results.tell_all(wanted=self.options.in_place)
        return self.results.code

    def repair_file(self, file: FileIO, write: _Write) -> Mended:
        """Write a file's text as it was before it was damaged."""
        data = bytearray()
        memory = memoryview(bytearray(BLOCK))
        while length := read_some(file, memory):
            data += memory[:length]
            self.reading.advance(length)
        mended = Mended(bytes(data))
        write(mended.repair.text.encode())
        return mended

    def report(self, path: str, mended: Mended) -> None:
        """Say what became of a file."""
        results = self.results
        results.tell(path, results.done if mended.changed else results.unchanged, mended.as_dict())
        if self.options.format == "text":
            words = mended.words()
            limit = self.options.max_steps
            for lines, told in words[:limit]:
                self.output.line((f"{printable(path)}:{lines}:", "bold"), f" {told}")
            if len(words) > limit:
                self.output.line((f"{printable(path)}:", "bold"), f" {len(words) - limit:,} more")


def has_utf8(data: bytes) -> bool:
    """Return whether a line is UTF-8 and not ASCII."""
    from leadbyte import is_ascii, is_valid

    return any(not is_ascii(line) and is_valid(line) for line in data.splitlines())


def repair(options: argparse.Namespace) -> int:
    """Run the command that repairs files or a text; return its exit code."""
    if bool(options.paths) == (options.text is not None):
        options.refuse("either PATH or --text is needed")
    if options.text is None:
        return RepairMojibake(options).run()
    mended = mojibake.explain(options.text)
    show(options, mended.text, {"given": options.text, **mended.as_dict()})
    return VALID


def garble(options: argparse.Namespace) -> int:
    """Run the command that shows how a text looks in the wrong encoding; return its exit code."""
    try:
        garbled = mojibake.garble(options.text, encoding=options.encoding, misread_as=options.misread_as)
    except UnicodeError as error:
        Output(sys.stderr).warn(printable(str(error)))
        return INVALID
    except LookupError as error:
        options.refuse(str(error))
    show(
        options,
        garbled,
        {
            "text": options.text,
            "encoding": options.encoding,
            "misread_as": options.misread_as,
            "garbled": garbled,
        },
    )
    return VALID


def explain(options: argparse.Namespace) -> int:
    """Run the command that tells what happened to a text; return its exit code."""
    output = Output(sys.stdout)
    text = options.text
    mixed: list[tuple[int, str]] = []
    if text is None:
        try:
            with open_file(options.file, named=True) as file:
                text, mixed = _read_mixed(file.readall())
        except OSError as error:
            output.warn(f"{printable(options.file)}: {error.strerror or error}")
            return TROUBLE
    mended = mojibake.explain(text)
    if options.format == "json":
        lines = [{"line": line, "encoding": encoding} for line, encoding in mixed]
        output.json({"mixed": lines, **mended.as_dict()})
    else:
        for line, encoding in mixed:
            output.line((f"line {line}:", "bold"), f" not UTF-8, read as {encoding}")
        for said in str(mended).splitlines():
            place, _, told = said.partition(": ")
            output.line((f"{place}:", "bold") if told else place, f" {told}" if told else "")
        if mended.changed and options.file is None:
            output.line(printable(mended.text))
    return INVALID if mended.changed or mixed else VALID


def show(options: argparse.Namespace, text: str, facts: dict[str, object]) -> None:
    """Print a text, or in JSON what is known of it; on a terminal with what is not for printing escaped."""
    output = Output(sys.stdout)
    if options.format == "json":
        output.json(facts)
    elif sys.stdout.isatty():
        output.line(printable(text))
    else:
        print(text)
