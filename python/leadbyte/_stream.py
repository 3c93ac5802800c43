"""Text that arrives in pieces."""

from __future__ import annotations

from leadbyte._arguments import check_handler
from leadbyte._incremental import IncrementalDecoder

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

    from typing_extensions import Buffer

__all__ = ["StreamDecoder"]


class StreamDecoder:
    r"""Decodes text that arrives in pieces: tokens of a language model, chunks of a response.

    A character whose bytes are not all there is kept back, not replaced. ``errors`` names a handler, as
    for :func:`decode`; an unknown name raises LookupError at once. If the handler raises, it is as if the
    piece had not come. A copy is independent; the decoder can be pickled.

    >>> decoder = leadbyte.StreamDecoder()
    >>> decoder.feed(b"5 \xe2\x82"), decoder.pending, decoder.feed(b"\xac"), decoder.finish()
    ('5 ', b'\xe2\x82', '€', '')
    >>> list(decoder.iter_text([b"caf\xc3", b"\xa9 \xff", b"\xe2\x82"]))
    ['caf', 'é �', '�']
    """

    __module__ = "leadbyte"
    __slots__ = ("_decoder",)

    def __init__(self, *, errors: str = "replace") -> None:
        check_handler(errors, "StreamDecoder")
        self._decoder = IncrementalDecoder(errors)

    def __getstate__(self) -> tuple[str, tuple[bytes, int]]:
        """Return the name of the error handler and the state of the decoder."""
        return self._decoder.errors, self._decoder.getstate()

    def __setstate__(self, state: tuple[str, tuple[bytes, int]]) -> None:
        """Restore a state."""
        errors, decoder = state
        self._decoder = IncrementalDecoder(errors)
        self._decoder.setstate(decoder)

    def feed(self, data: Buffer, /) -> str:
        """Return the text that ``data``, any bytes-like object, completes."""
        return self._decoder.decode(data)

    def finish(self) -> str:
        """Return the error handler's replacement of an incomplete character, if there is one; start again."""
        try:
            return self._decoder.decode(b"", final=True)
        finally:
            self._decoder.reset()

    @property
    def pending(self) -> bytes:
        """The bytes of an incomplete character: none, or up to three."""
        return self._decoder.buffer

    def iter_text(self, chunks: Iterable[Buffer], /) -> Iterator[str]:
        """Yield the text of chunks to their end, as it becomes complete, no empty strings."""
        for chunk in chunks:
            if text := self.feed(chunk):
                yield text
        if text := self.finish():
            yield text

    async def aiter_text(self, chunks: AsyncIterable[Buffer], /) -> AsyncIterator[str]:
        """Yield the text of asynchronous chunks to their end, as it becomes complete, no empty strings."""
        async for chunk in chunks:
            if text := self.feed(chunk):
                yield text
        if text := self.finish():
            yield text
