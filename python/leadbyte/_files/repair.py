"""The repair of texts and of JSON lines, whose rows with errors may be treated apart."""

from __future__ import annotations

from leadbyte import Scanner
from leadbyte._repair import DEFAULT_SUBSTITUTION, repaired_blocks

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from typing_extensions import Buffer

    from leadbyte._files.invalid_rows import InvalidRows
    from leadbyte._files.json_lines import JsonLinesScan
    from leadbyte._leadbyte import _Substitution

    _Read: TypeAlias = Callable[[memoryview], int]


def repaired_text(  # noqa: PLR0913 -- the options of the command
    read: _Read,
    memory: memoryview,
    name: str,
    rows: InvalidRows | None,
    *,
    replacement: str,
    drops: bool,
    kept: int = 0,
    substitution: _Substitution = DEFAULT_SUBSTITUTION,
) -> tuple[Scanner, Iterator[Buffer]]:
    """Return a scanner, and an iterator over the parts of a repaired text, which lets it scan the text.

    ``read`` fills a part of the memory, as of repaired_blocks. If there are ``rows``, lines with errors are
    added to them, under the name of the file, and left out if it ``drops`` them. The scanner keeps about
    ``kept`` errors.
    """
    scanner = Scanner._keeping(kept)
    if rows is None:
        texts = repaired_blocks(read, memory, scanner, replacement=replacement, substitution=substitution)
        return scanner, texts
    from leadbyte._files.quarantine import TextLines, separated_lines

    lines = TextLines(scanner, name, None if drops else replacement)
    return scanner, separated_lines(read, lines, rows.add)


def repaired_json(  # noqa: PLR0913 -- as above
    read: _Read,
    memory: memoryview,
    name: str,
    rows: InvalidRows | None,
    *,
    replacement: str,
    drops: bool,
    kept: int = 0,
) -> tuple[JsonLinesScan, Iterator[Buffer]]:
    """Return a scan, and an iterator over the parts of repaired JSON lines; see repaired_text."""
    from leadbyte._files.json_lines import JsonLinesScan, JsonRecords, repaired_records

    if rows is None:
        scan = JsonLinesScan(kept, replacement=replacement)
        return scan, repaired_records(read, memory, scan)
    from leadbyte._files.quarantine import separated_lines

    scan = JsonLinesScan(kept, records=True)
    return scan, separated_lines(read, JsonRecords(scan, name, None if drops else replacement), rows.add)
