"""``leadbyte convert``: files from one encoding to another."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import stat

from leadbyte import detect
from leadbyte._bom import is_wide
from leadbyte._detect import reported_names
from leadbyte._encodings import DETECTION, find
from leadbyte._files.binary import is_binary_in, is_sure
from leadbyte._files.conversion import FileConversion, converted, recognized, unsure
from leadbyte._files.directories import make_directories
from leadbyte._files.reading import read_some
from leadbyte._files.writing import NEW_MODE, discard, write_whole
from leadbyte._messages import number, printable, remaining
from leadbyte._mixed import MAX_LINE_BYTES, check_fallback
from leadbyte._recognition import Recognition, shown
from leadbyte._sampling import decoding_name, detect_start
from leadbyte.cli.files import prefix_beyond_ascii
from leadbyte.cli.output import Output
from leadbyte.cli.output_directory import OutputDirectory
from leadbyte.cli.reading import Reading
from leadbyte.cli.results import Results
from leadbyte.cli.writing import MAX_HELD_BYTES, STANDARD_OUTPUT, Failed, Writing, is_in_place
from leadbyte.transcode import check_bom, transcode

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from io import FileIO

    from typing_extensions import Buffer

    from leadbyte._files.conversion import Fault
    from leadbyte._files.writing import _Write
    from leadbyte._mixed import MixedDecoder
    from leadbyte.transcode import _BomPolicy


# The number of bytes read at once: input, UTF-8 and output stay in the second-level cache.
PIECE_BYTES = 64 << 10


class ChangeFoundError(Exception):
    """The conversion of a text differs from it."""


class Comparison:
    """Compares the output with the input, both piece by piece."""

    def __init__(self, max_ahead: int) -> None:
        # The most bytes that the conversion holds back.
        self.max_ahead = max_ahead
        self.read, self.written = bytearray(), bytearray()
        self.changed = False

    def update(self, read: Buffer, written: bytes) -> None:
        """Take a piece of the input, and its output as far as it is known: most of it, if they are equal."""
        if self.changed:
            return
        self.read += read
        self.written += written
        common = min(len(self.read), len(self.written))
        ahead = max(len(self.read), len(self.written)) - common
        self.changed = self.read[:common] != self.written[:common] or ahead > self.max_ahead
        # Removing bytes at the start of a bytearray moves none.
        del self.read[:common], self.written[:common]

    def finish(self) -> bool:
        """Return whether there is a difference."""
        return self.changed or self.read != self.written


class Convert:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Output.beside_text(options)
        into_directory = options.output != STANDARD_OUTPUT and os.path.isdir(options.output)
        self.tree = OutputDirectory(options.output, options.paths) if into_directory else None
        # What begins a file that is left alone in place, as it is in the target encoding already.
        found = self.recognition(options.source) if is_in_place(options) else None
        self.marks = found.marks if found else ()
        # Whether all texts are to be one.
        self.joined = not (is_in_place(options) or into_directory)
        self.reading = Reading(options, self.output, directories=not self.joined)
        self.writing = Writing(options, self.output, self.reading, done="converted", is_binary=self.is_binary)
        self.memory = memoryview(bytearray(PIECE_BYTES))
        self.writing.loses_errors = (
            options.errors in {"replace", "ignore"}
            and not (options.force or options.fallback or options.source in DETECTION)
            and find(options.source).name == "utf-8"
        )
        self.rivals = rivals_of(options)
        # Only the start of an output has a byte order mark.
        has_bom = options.bom or transcode(b"", "utf-8", options.target)
        self.bom_within: _BomPolicy = "strip" if has_bom else None
        self.started = False
        # Of lines that were decoded in the fallback.
        self.mixed_count = 0
        self.results = Results(
            options, self.output, self.reading, done="converted", already=f"already {shown(options.target)}"
        )

    def run(self) -> int:
        """Convert all paths; return the exit code."""
        if self.tree is not None:
            for path in self.tree.inner:
                message = "is in the output directory, so that its files are not converted; -i replaces them"
                self.reading.report_error(path, OSError(message))
            self.writing.each(functools.partial(self.convert_into, self.tree), self.report)
        else:
            self.writing.transform_all(self.convert_file, self.report, in_place=self.convert_in_place)
        remark = f"{number(self.mixed_count, 'line')} not UTF-8" if self.mixed_count else ""
        facts: dict[str, object] = {"mixed_count": self.mixed_count} if self.options.fallback else {}
        # A copy of a directory that is not complete, without a message about each file.
        found = self.results.file_count + self.reading.failed
        partial = self.tree is not None and (any(self.reading.skipped.values()) or not found)
        self.results.report_summary(
            changed=bool(self.options.in_place or remark or partial), facts=facts, remark=remark
        )
        return self.results.code

    def convert_in_place(self, path: str, *, named: bool) -> FileConversion:
        """Have a file replaced, unless it would be the same."""
        self.writing.refuse_unsuitable(path, named=named)
        tried = self.try_out(path, named=named)
        changed = tried is None or tried.changed
        if changed:
            self.check_not_converted(path, named=named)
        if changed and self.writing.loses_errors:
            self.writing.check_changeable(path, named=named)
        wanted = self.writing.is_wanted(path, changed=changed)
        if tried is not None and not wanted:
            return tried
        return self.writing.replace(path, self.convert_file, named=named)

    def check_not_converted(self, path: str, *, named: bool) -> None:
        """Raise Failed for a file that surely is in the target encoding, as after an earlier run."""
        if not self.rivals:
            return
        with self.writing.reading_from(path, named=named) as file:
            prefix = prefix_beyond_ascii(file)
        found = detect(prefix, encodings=self.rivals)
        if found.encoding == self.rivals[1] and is_sure(prefix, found):
            conversion = conversion_for(self.options, self.options.source, self.options.bom)
            conversion.faults = [converted(found, *self.rivals)]
            raise Failed(conversion)

    def try_out(self, path: str, *, named: bool) -> FileConversion | None:
        """Convert a file without writing; unless in a dry run, stop at the first change and return None."""
        with self.writing.reading_from(path, named=named) as file:
            self.writing.skip_binary(file, named=named)
            comparison = Comparison(PIECE_BYTES + (MAX_LINE_BYTES if self.options.fallback else 0))
            try:
                conversion = self.convert_file(file, discard, comparison)
            except ChangeFoundError:
                # The rest is not read here.
                self.output.progress.expect(file.tell() - os.fstat(file.fileno()).st_size)
                return None
            conversion.changed = comparison.finish()
            return conversion

    def convert_into(self, tree: OutputDirectory, path: str, *, named: bool) -> FileConversion:
        """Write a file's text to another file in a directory."""
        target = tree.target(path, named=named)
        with self.writing.reading_from(path, named=named) as file:
            self.writing.skip_binary(file, named=named)
            if self.options.dry_run:
                return self.convert_file(file, discard)
            mode = os.fstat(file.fileno()).st_mode
            with contextlib.ExitStack() as stack:
                with named_in_errors(target):
                    make_directories(os.path.dirname(target), os.path.dirname(path))
                    # The file behind a URL comes through a pipe.
                    mode = mode & 0o777 if stat.S_ISREG(mode) else NEW_MODE
                    new = stack.enter_context(self.writing.opened(target, mode))

                def write(text: Buffer) -> None:
                    with named_in_errors(target):
                        write_whole(new, text)

                return self.convert_file(file, write)

    def convert_file(
        self, file: FileIO, write: _Write, comparison: Comparison | None = None
    ) -> FileConversion:
        """Write a file's text in the other encoding; raise Failed if that cannot or should not be done.

        With a comparison, raise ChangeFoundError if it finds a change, unless this is a dry run.
        """
        bom = self.bom_within if self.started else self.options.bom
        file = self.writing.as_text(file)
        source, start = self.source_of(file)
        conversion = conversion_for(self.options, source, bom)
        recognition = self.recognition(source)
        # The text that would be garbled if the file turned out not to be in that encoding.
        held = bytearray()

        def write_on(text: Buffer) -> None:
            for output in (held, text):
                if output:
                    write(output)
                    self.started = self.joined
            held.clear()

        pieces: Iterator[Buffer] = itertools.chain([start] if start else [], self.pieces(file))
        for piece in pieces:
            if recognition and recognition.possible:
                recognition.update(piece)
            undecided = bool(recognition and recognition.possible)
            if conversion.ended:
                if not undecided:
                    break
                continue
            text = conversion.feed(piece) if piece else conversion.finish()
            if comparison:
                comparison.update(piece, text)
            if text and not conversion.faults:
                if undecided and len(held) + len(text) <= MAX_HELD_BYTES:
                    held += text
                else:
                    write_on(text)
                if comparison and comparison.changed and not (undecided or self.options.dry_run):
                    raise ChangeFoundError
        if recognition and recognition.finish():
            conversion.already = recognition.already and is_in_place(self.options)
            conversion.faults = [] if conversion.already else [recognized(recognition)]
            raise Failed(conversion)
        write_on(b"")
        if conversion.faults:
            raise Failed(conversion)
        return conversion

    def recognition(self, source: str) -> Recognition | None:
        """Return what finds out whether a text would be damaged, unless the encoding is certain."""
        is_certain = self.options.force or self.options.source in DETECTION
        return None if is_certain else Recognition(source, self.options.target, self.options.bom)

    def pieces(self, file: FileIO) -> Iterator[memoryview]:
        """Yield the rest of a file in pieces, of which the last is empty."""
        length = 1
        while length:
            length = read_some(file, self.memory)
            self.reading.advance(length)
            yield self.memory[:length]

    def source_of(self, file: FileIO) -> tuple[str, bytearray]:
        """Return the encoding of a file, and its start if that was read; raise Failed if it is not known."""
        if self.options.source not in DETECTION:
            return self.options.source, bytearray()
        found, start = detect_start(file, self.pieces(file), self.options.candidates)
        if found.encoding is None or found.confidence < self.options.min_confidence:
            conversion = conversion_for(self.options, "utf-8", self.options.bom)
            conversion.faults = [unsure(found)]
            raise Failed(conversion)
        return decoding_name(found, b""), start

    def is_binary(self, prefix: bytes) -> bool:
        """Return whether the start of a file is binary."""
        return not prefix.startswith(self.marks) and is_binary_in(
            self.options.source, prefix, self.options.candidates
        )

    def report(self, path: str, conversion: FileConversion) -> None:
        """Report the result for a file."""
        results = self.results
        if conversion.faults:
            result = results.failed
        elif conversion.already:
            result = results.already
        else:
            result = results.done if conversion.changed else results.unchanged
        declared = conversion.stale_declaration
        results.report(path, result, self.facts(conversion, declared))
        mixed = None if conversion.faults else conversion.mixed
        self.mixed_count += mixed.mixed_count if mixed else 0
        if self.options.format != "text":
            return
        if conversion.faults:
            self.report_faults(printable(path), conversion.faults)
            return
        if mixed:
            self.report_mixed(printable(path), mixed)
        if declared:
            advice = f" still declares {declared}; change that to {conversion.target}"
            self.output.line((f"{printable(path)}:", "bold"), advice)

    def facts(self, conversion: FileConversion, declared: str | None) -> dict[str, object]:
        """Return the fields of a file for JSON."""
        limit = self.options.max_errors
        mixed = conversion.mixed
        return {
            "byte_count": conversion.byte_count,
            **({"mixed_count": mixed.mixed_count, "mixed": lines_of(mixed)} if mixed else {}),
            **({"stale_declaration": declared} if declared else {}),
            "errors": [fault.as_dict() for fault in conversion.faults[:limit]],
            "more_errors": len(conversion.faults) > limit,
        }

    def report_mixed(self, name: str, mixed: MixedDecoder) -> None:
        """Print the lines of a file that are not UTF-8, with their encodings."""
        for line, encoding in mixed.mixed:
            self.output.line((f"{name}:{line}:", "bold"), f" not UTF-8, decoded as {encoding}")
        more = mixed.mixed_count - len(mixed.mixed)
        if more:
            rest = remaining(more, "line", shown=mixed.mixed)
            self.output.line((f"{name}:", "bold"), f" {rest} not UTF-8")

    def report_faults(self, name: str, faults: list[Fault]) -> None:
        """Print the faults of a file."""
        shown = faults[: self.options.max_errors]
        for fault in shown:
            place = f"{name}:{fault.place.line}:{fault.place.column}:"
            self.output.line((place, "bold"), f" {fault.message}")
        more = "there is more of it; " if len(faults) > len(shown) else ""
        advice = "; ".join(dict.fromkeys(fault.advice for fault in faults))
        self.output.line((f"{name}:", "bold"), f" not converted; {more}{advice}")


def conversion_for(options: argparse.Namespace, source: str, bom: _BomPolicy) -> FileConversion:
    """Return a conversion from an encoding, by the other options."""
    return FileConversion(
        source,
        options.target,
        errors=options.errors,
        bom=bom,
        newline=options.newline,
        fallback=options.fallback,
        max_errors=options.max_errors,
    )


def rivals_of(options: argparse.Namespace) -> list[str]:
    """Return the names that detect reports for source and target, if it can distinguish them.

    UTF-8, and UTF-16 and UTF-32 with a byte order mark, are recognized in any case.
    """
    if options.force or options.source in DETECTION:
        return []
    try:
        source, target = reported_names([options.source, options.target])
    except LookupError:
        return []
    is_legacy = not any(name == "utf-8" or is_wide(name) for name in (source, target))
    return [source, target] if is_legacy and source != target else []


@contextlib.contextmanager
def named_in_errors(path: str) -> Iterator[None]:
    """Name a file in the errors of the system."""
    try:
        yield
    except OSError as error:
        message = f"{printable(path)}: {error.strerror or error}"
        raise OSError(message) from error


def lines_of(mixed: MixedDecoder) -> list[dict[str, object]]:
    """Return the lines that are not UTF-8 for JSON."""
    return [{"line": line, "encoding": encoding} for line, encoding in mixed.mixed]


def check_bom_argument(options: argparse.Namespace) -> None:
    """Refuse a byte order mark that the target does not have."""
    target = find(options.target)
    try:
        check_bom(options.bom, target)
    except ValueError:
        options.refuse(f"argument --bom: {target.name} has no byte order mark")


def convert(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    if options.candidates and options.source not in DETECTION:
        options.refuse("argument --candidates: only allowed with --from auto")
    try:
        check_fallback(options.source, options.fallback, options.errors)
    except ValueError as error:
        options.refuse(f"argument --fallback: {error}")
    try:
        # Combinations that are not possible are errors in the arguments.
        check_bom_argument(options)
        conversion_for(options, "utf-8" if options.source in DETECTION else options.source, options.bom)
        transcode(b"", "utf-8", options.target)
    except (LookupError, ValueError) as error:
        options.refuse(str(error))
    return Convert(options).run()
