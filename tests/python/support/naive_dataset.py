"""The result of a scan of a dataset, put together from a pass over each file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadbyte import Scanner
from leadbyte.dataset import DatasetError, DatasetScan, Failure

if TYPE_CHECKING:
    from collections.abc import Mapping


def errors_of(url: str, data: bytes) -> list[DatasetError]:
    """Return all errors of a text."""
    scanner = Scanner._keeping(len(data) + 1)
    scanner.update(data)
    return [
        DatasetError(
            url, span.start, span.end, span.kind, span.reason, span.data, before, after, line, column
        )
        for span, line, column, before, after in scanner._errors()
    ]


def scan(
    files: Mapping[str, bytes], max_errors: int, failures: Mapping[str, str] | None = None
) -> DatasetScan:
    """Return the result for files of text by their URLs, of which some failed with a message."""
    failures = failures or {}
    texts = {url: data for url, data in files.items() if url not in failures}
    scans = []
    for data in texts.values():
        scanner = Scanner()
        scanner.update(data)
        scans.append(scanner.finish())
    errors = [error for url, data in texts.items() for error in errors_of(url, data)]
    return DatasetScan(
        file_count=len(files),
        invalid_count=sum(not found.valid for found in scans),
        failed_count=len(failures),
        byte_count=sum(found.byte_count for found in scans),
        char_count=sum(found.char_count for found in scans),
        utf16_count=sum(found.utf16_count for found in scans),
        newline_count=sum(found.newline_count for found in scans),
        row_count=0,
        error_count=len(errors),
        invalid_record_count=0,
        ascii=all(found.ascii for found in scans),
        max_char_width=max((found.max_char_width for found in scans), default=0),
        errors=tuple(errors[:max_errors]),
        failures=tuple(Failure(url, failures[url]) for url in files if url in failures),
    )
