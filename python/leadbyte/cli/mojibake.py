"""``leadbyte mojibake``: repair text that was decoded with the wrong encoding."""

from __future__ import annotations

import sys

from leadbyte import mojibake
from leadbyte._files.reading import BLOCK, read_some
from leadbyte._leadbyte import _read_mixed
from leadbyte._messages import printable
from leadbyte.cli.files import has_nul, open_file, without_secrets
from leadbyte.cli.output import ERROR, INVALID, VALID, Output
from leadbyte.cli.reading import Reading
from leadbyte.cli.results import Results
from leadbyte.cli.writing import Writing, is_in_place

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from io import FileIO

    from leadbyte._files.writing import _Write

NOT_UTF8 = "no line is UTF-8 other than ASCII; leadbyte convert converts files from other encodings"


class RepairedFile:
    """The result of the repair of a file: its text, the steps, and the lines that were not UTF-8."""

    def __init__(self, data: bytes, languages: list[str] | None) -> None:
        self.byte_count = len(data)
        text, self.mixed = _read_mixed(data)
        if self.mixed and not has_utf8(data):
            raise OSError(NOT_UTF8)
        self.repair = mojibake.explain(text, languages=languages)
        self.changed = bool(self.mixed) or self.repair.changed

    def as_dict(self) -> dict[str, object]:
        """Return the facts for JSON."""
        mixed = [{"line": line, "encoding": encoding} for line, encoding in self.mixed]
        steps = self.repair.as_dict()["steps"]
        return {"byte_count": self.byte_count, "mixed": mixed, "steps": steps}

    def descriptions(self) -> list[tuple[str, str]]:
        """Return the line or the range of lines of each step, with its description."""
        mixed = [
            ((line, line), f"decoded as {encoding}, as it is not UTF-8") for line, encoding in self.mixed
        ]
        steps = [(step.lines, str(step).partition(": ")[2]) for step in self.repair.steps]
        all_steps = sorted([*mixed, *steps], key=lambda part: part[0][0])
        return [
            (f"{first}" if first == last else f"{first}-{last}", text) for (first, last), text in all_steps
        ]


class RepairMojibake:
    """One run of the command for files."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        # Standard output is for the text, except in a dry run, which has none.
        self.output = Output(sys.stdout if options.dry_run else sys.stderr)
        self.reading = Reading(options, self.output, directories=is_in_place(options))
        self.writing = Writing(options, self.output, self.reading, done="repaired", is_binary=has_nul)
        self.results = Results(options, self.output, self.reading, done="repaired")

    def run(self) -> int:
        """Repair all paths; return the exit code."""
        self.writing.transform_all(
            self.repair_file, self.report, in_place=self.writing.if_changed(self.repair_file)
        )
        self.results.report_summary(changed=self.options.in_place)
        return self.results.code

    def repair_file(self, file: FileIO, write: _Write) -> RepairedFile:
        """Write the repaired text of a file."""
        data = bytearray()
        memory = memoryview(bytearray(BLOCK))
        while length := read_some(file, memory):
            data += memory[:length]
            self.reading.advance(length)
        repaired = RepairedFile(bytes(data), self.options.languages)
        write(repaired.repair.text.encode())
        return repaired

    def report(self, path: str, repaired: RepairedFile) -> None:
        """Report the repair of a file."""
        results = self.results
        results.report(path, results.done if repaired.changed else results.unchanged, repaired.as_dict())
        if self.options.format == "text":
            descriptions = repaired.descriptions()
            limit = self.options.max_steps
            for lines, description in descriptions[:limit]:
                self.output.line((f"{printable(path)}:{lines}:", "bold"), f" {description}")
            if len(descriptions) > limit:
                self.output.line((f"{printable(path)}:", "bold"), f" {len(descriptions) - limit:,} more")


def has_utf8(data: bytes) -> bool:
    """Return whether any line is UTF-8 and not ASCII."""
    from leadbyte import is_ascii, is_valid

    return any(not is_ascii(line) and is_valid(line) for line in data.splitlines())


def repair(options: argparse.Namespace) -> int:
    """Run the command that repairs files or a text; return its exit code."""
    if options.paths and options.text is not None:
        options.refuse("argument --text: not allowed with PATH")
    check_languages(options)
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
        options.refuse(f"argument --language: {error}")


def garble(options: argparse.Namespace) -> int:
    """Run the command that shows what a text looks like in the wrong encoding; return its exit code."""
    text = options.text
    try:
        if text is None:
            with open_file(options.file, named=True) as file:
                text = file.readall().decode()
        garbled = mojibake.garble(text, encoding=options.encoding, misread_as=options.misread_as)
    except OSError as error:
        Output(sys.stderr).warn(f"{printable(without_secrets(options.file))}: {error.strerror or error}")
        return ERROR
    except UnicodeError as error:
        Output(sys.stderr).warn(printable(str(error)))
        return INVALID
    except LookupError as error:
        options.refuse(str(error))
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
    output = Output(sys.stdout)
    text = options.text
    mixed: list[tuple[int, str]] = []
    if text is None:
        try:
            with open_file(options.file, named=True) as file:
                text, mixed = _read_mixed(file.readall())
        except OSError as error:
            output.warn(f"{printable(without_secrets(options.file))}: {error.strerror or error}")
            return ERROR
    repair = mojibake.explain(text, languages=options.languages)
    if options.format == "json":
        lines = [{"line": line, "encoding": encoding} for line, encoding in mixed]
        output.json({"mixed": lines, **repair.as_dict()})
    elif options.format == "text":
        for line, encoding in mixed:
            output.line((f"line {line}:", "bold"), f" not UTF-8, decoded as {encoding}")
        for row in str(repair).splitlines():
            prefix, _, step = row.partition(": ")
            output.line((f"{prefix}:", "bold") if step else prefix, f" {step}" if step else "")
        if repair.changed and options.file is None:
            output.line(printable(repair.text))
    return INVALID if repair.changed or mixed else VALID


def show(options: argparse.Namespace, text: str, facts: dict[str, object], end: str = "\n") -> None:
    """Print a text and its end, escaped on a terminal, or the facts as JSON."""
    output = Output(sys.stdout)
    if options.format == "json":
        output.json(facts)
    elif sys.stdout.isatty():
        output.line(printable(text))
    else:
        print(text, end=end)
