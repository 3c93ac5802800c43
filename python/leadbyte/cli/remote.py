"""Files behind URLs, which are read as streams."""

from __future__ import annotations

import io
import os
import threading

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing import BinaryIO

    from typing_extensions import Buffer

# The number of bytes that are requested at once.
PIECE_BYTES = 1 << 20
DIRECTORY = (
    "a directory; leadbyte check and leadbyte count read all its files,"
    " leadbyte.dataset.repair and convert in Python write them to another URL"
)


class RemoteFile(io.FileIO):
    """The reading end of a pipe that a thread fills with the content of the file behind a URL.

    Raises OSError, without secrets of the URL, if that cannot be opened or, later, be read.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._error: OSError | None = None
        source = open_url(url)
        reading, writing = os.pipe()
        super().__init__(reading, "rb")
        threading.Thread(target=self._fill, args=(source, writing), daemon=True).start()

    def _fill(self, source: BinaryIO, writing: int) -> None:
        """Write the file to the pipe, until its reader closes it."""
        try:
            with source, open(writing, "wb", buffering=0) as out:
                try:
                    while piece := memoryview(source.read(PIECE_BYTES)):
                        while piece:
                            piece = piece[out.write(piece) :]
                except BrokenPipeError:
                    pass
                except Exception as error:
                    # It is known before the end of the pipe is seen.
                    self._error = as_os_error(error, self._url)
        except Exception as error:
            self._error = as_os_error(error, self._url)

    def _checked(self, data: bytes) -> bytes:
        if self._error is not None:
            raise self._error
        return data

    def readinto(self, buffer: Buffer, /) -> int:
        """Read into a buffer; return the number of bytes, 0 at the end."""
        length = super().readinto(buffer) or 0
        if not length and self._error is not None:
            raise self._error
        return length

    def read(self, size: int | None = -1, /) -> bytes:
        """Return at most ``size`` bytes, all to the end if it is negative."""
        if size is None or size < 0:
            return self.readall()
        data = super().read(size) or b""
        return data or self._checked(data)

    def readall(self) -> bytes:
        """Return all bytes to the end."""
        return self._checked(super().readall() or b"")


def open_url(url: str) -> BinaryIO:
    """Open the file behind a URL; raise OSError if that fails."""
    try:
        from leadbyte.dataset._retries import retried
        from leadbyte.dataset._urls import open_filesystem

        filesystem, path = open_filesystem(url)
        is_directory = retried(filesystem.info, path)["type"] == "directory"
        opened: BinaryIO | None = None if is_directory else retried(filesystem.open, path, mode="rb")
    except Exception as error:
        raise as_os_error(error, url) from None
    if opened is None:
        raise OSError(DIRECTORY)
    return opened


def as_os_error(error: Exception, url: str) -> OSError:
    """Return what a filesystem raised as an OSError, without secrets of the URL."""
    from leadbyte.dataset._urls import describe

    return OSError(" ".join(describe(error, url).split()))


def shown(url: str) -> str:
    """Return a URL without its secrets."""
    from leadbyte.dataset._urls import redacted

    return redacted(url)
