"""Data that comes in pieces cut anywhere, as whole lines."""

from __future__ import annotations

from leadbyte._split import whole_length

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing_extensions import Buffer


class LineBuffer:
    """Holds back the line that is not complete.

    A line that is longer than ``max_bytes`` is not held back any more, but for a character that may not be
    complete. ``byte_count`` is the number of bytes that are held back.
    """

    def __init__(self, max_bytes: int | None = None) -> None:
        self.max_bytes = max_bytes
        self.byte_count = 0
        # There may be many pieces, which are joined once.
        self.pieces: list[bytes] = []

    def feed(self, data: Buffer) -> bytes:
        """Return the lines that the data completes."""
        piece = bytes(data)
        if end := piece.rfind(b"\n") + 1:
            lines = b"".join([*self.pieces, memoryview(piece)[:end]])
            self.clear()
            self.hold(piece[end:])
            return lines
        self.hold(piece)
        if self.max_bytes is None or self.byte_count <= self.max_bytes:
            return b""
        line = self.finish()
        end = whole_length(line)
        self.hold(line[end:])
        return line[:end]

    def hold(self, piece: bytes) -> None:
        """Hold a piece back."""
        if piece:
            self.pieces.append(piece)
            self.byte_count += len(piece)

    def finish(self) -> bytes:
        """Return all that is held back."""
        rest = b"".join(self.pieces)
        self.clear()
        return rest

    def clear(self) -> None:
        """Hold nothing back any more."""
        self.pieces.clear()
        self.byte_count = 0
