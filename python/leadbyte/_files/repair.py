"""The repair of texts and of JSON lines, whose rows with errors may be treated apart."""

from __future__ import annotations

from leadbyte import Scanner
from leadbyte._repair import DEFAULT_SUBSTITUTION, repaired_blocks

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Buffer

    from leadbyte._files.invalid_rows import InvalidRows
    from leadbyte._files.json_lines import JsonLinesScan
    from leadbyte._leadbyte import _Substitution


def repaired(  # noqa: PLR0913 -- the options of the command
    read: Callable[[memoryview], int],
    memory: memoryview,
    name: str,
    rows: InvalidRows | None,
    *,
    jsonl: bool,
    replacement: str,
    drops: bool,
    kept: int = 0,
    substitution: _Substitution = DEFAULT_SUBSTITUTION,
) -> tuple[Scanner | JsonLinesScan, Iterator[Buffer]]:
    """Return the scan of a text, and an iterator over the parts of its repair, which scans it.

    ``read`` fills a part of the memory, as of repaired_blocks. If there are ``rows``, lines with errors are
    added to them, under the name of the file, and left out if it ``drops`` them. The scan keeps about
    ``kept`` errors.
    """
    if not jsonl and rows is None:
        scanner = Scanner._keeping(kept)
        texts = repaired_blocks(read, memory, scanner, replacement=replacement, substitution=substitution)
        return scanner, texts
    from leadbyte._files.json_lines import JsonLinesScan, JsonRecords, repaired_records
    from leadbyte._files.quarantine import TextLines, separated_lines

    if rows is None:
        scan = JsonLinesScan(kept, replacement=replacement)
        return scan, repaired_records(read, memory, scan)
    instead = None if drops else replacement
    if jsonl:
        scan = JsonLinesScan(kept, records=True)
        return scan, separated_lines(read, JsonRecords(scan, name, instead), rows.add)
    scanner = Scanner._keeping(kept)
    return scanner, separated_lines(read, TextLines(scanner, name, instead), rows.add)
