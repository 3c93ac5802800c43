"""Files behind URLs, which are read as streams."""

from __future__ import annotations

import io
import logging
import os
import sys
import threading
from contextlib import closing

from leadbyte._messages import printable

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import TypeVar

    from typing_extensions import Buffer

    _T = TypeVar("_T")

DIRECTORY = (
    "a directory; leadbyte check and leadbyte count read all its files,"
    " leadbyte.dataset.repair and convert in Python write them to another URL"
)


class PipedUrl(io.FileIO):
    """The reading end of a pipe that a thread fills with the file behind a URL.

    Raises OSError, without secrets of the URL, if the file cannot be opened, or later if it cannot be read to
    its end, or has changed meanwhile.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._error: OSError | None = None
        report_waiting(print_warning)
        parts = parts_of(url)
        reading, writing = os.pipe()
        super().__init__(reading, "rb")
        self.name = shown(url)
        threading.Thread(target=self._fill, args=(parts, writing), daemon=True).start()

    def _fill(self, parts: Generator[Buffer, None, None], writing: int) -> None:
        """Write the parts of the file to the pipe, until its reader closes it."""
        from leadbyte.dataset._waiting import about

        with about(self._url), closing(parts), open(writing, "wb", buffering=0) as out:
            try:
                for part in parts:
                    rest = memoryview(part)
                    while rest:
                        rest = rest[out.write(rest) :]
            except BrokenPipeError:
                # The reader needs no more.
                pass
            except Exception as error:
                # Before the pipe is closed, so that the reader finds it at the end.
                self._error = as_os_error(error, self._url)

    def readinto(self, buffer: Buffer, /) -> int:
        """Read into a buffer; return the number of bytes, 0 at the end."""
        return super().readinto(buffer) or self._ended(0)

    def read(self, size: int | None = -1, /) -> bytes:
        """Return at most ``size`` bytes, all to the end if it is negative."""
        return self.readall() if size is None or size < 0 else super().read(size) or self._ended(b"")

    def readall(self) -> bytes:
        """Return all bytes to the end."""
        return self._ended(super().readall())

    def _ended(self, result: _T) -> _T:
        """Return the data that was read last; raise the error because of which it is the last."""
        if self._error is not None:
            raise self._error
        return result


class WaitingHandler(logging.Handler):
    """Passes messages of the module on data sets to a function."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        super().__init__()
        self.warn = warn

    def emit(self, record: logging.LogRecord) -> None:
        """Pass a message."""
        self.warn(printable(record.getMessage()))


def report_waiting(warn: Callable[[str], None]) -> None:
    """Let a function report requests that a store does not answer for some seconds."""
    from leadbyte.dataset._waiting import LOGGER

    LOGGER.handlers[:] = [WaitingHandler(warn)]
    LOGGER.propagate = False


def print_warning(message: str) -> None:
    """Print a message on standard error."""
    print(f"leadbyte: {message}", file=sys.stderr, flush=True)


def parts_of(url: str) -> Generator[Buffer, None, None]:
    """Return the parts of the file behind a URL, as it is stored; raise OSError if there is none."""
    try:
        from leadbyte.dataset._reading import stored_parts
        from leadbyte.dataset._retries import retried
        from leadbyte.dataset._tasks import File
        from leadbyte.dataset._urls import open_filesystem, plain_url, version
        from leadbyte.dataset._waiting import about

        url = plain_url(url)
        filesystem, path = open_filesystem(url)
        with about(url):
            info = retried(filesystem.info, path)
    except ImportError as error:
        raise OSError(str(error)) from None
    except Exception as error:
        raise as_os_error(error, url) from None
    if info["type"] == "directory":
        raise OSError(DIRECTORY)
    file = File(url, 0, info.get("size"), version(info), "text")
    return stored_parts(file, 0, file.size)


def as_os_error(error: Exception, url: str) -> OSError:
    """Return what a filesystem raised as an OSError, without secrets of the URL."""
    from leadbyte.dataset._urls import describe

    return OSError(" ".join(describe(error, url).split()))


def shown(url: str) -> str:
    """Return a URL without its secrets."""
    from leadbyte.dataset._secrets import redacted

    return redacted(url)
