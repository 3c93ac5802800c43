"""Bytes to test with: fixed samples and hypothesis strategies."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, TypeAlias

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Arguments and results of functions that are tested with arguments of all types.
Anything: TypeAlias = Any

SCRIPTS = {
    "english": "The quick brown fox\njumps over the lazy dog. ",
    "french": "Dès Noël où un zéphyr haï me vêt de glaçons würmiens\n",
    "russian": "Съешь ещё этих мягких французских булок, да выпей чаю\n",
    "hindi": "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा\n",
    "chinese": "視野無限廣,窗外有藍天\n",
    "emoji": "😀🎉👩\u200d👩\u200d👧\u200d👦 🀄𐍈𠜎\n",
    "edges": "\0\x7f\x80\u07ff\u0800\ud7ff\ue000\ufeff\uffff\U00010000\U0010ffff\n",
}
TEXT = "".join(SCRIPTS.values()).encode()
LARGE, CHUNK_BYTES = 128 << 10, 1 << 20

# The bytes at which the rules of UTF-8 change.
BOUNDARY_BYTES = bytes.fromhex(
    "00 7F 80 8F 90 9F A0 BF C0 C1 C2 DF E0 E1 EC ED EE EF F0 F1 F3 F4 F5 F7 F8 FB FC FD FE FF"
)
BROKEN = [
    bytes.fromhex(sequence)
    for sequence in [
        "80", "BF", "80 80", "80 80 80", "80 80 80 80", "C0", "C1", "C0 B1", "C1 BF", "C2", "C2 C2", "DF 41",
        "E0", "E0 80", "E0 80 B1", "E0 9F BF", "E0 A0", "E1 80", "E2 82", "E2 82 0A", "ED A0", "ED A0 80",
        "ED A0 BD ED B8 80", "ED BF BF", "EF BB", "EF BF", "F0", "F0 80 80 B1", "F0 8F BF BF", "F0 90",
        "F0 90 80", "F0 9F 98", "F0 9F 98 C3 A9", "F1 80 80", "F3 BF BF", "F4 8F BF", "F4 90", "F4 90 80 80",
        "F4 BF BF BF", "F5", "F5 80 80 80", "F7 BF BF BF", "F8 88 80 80 80", "FB BF BF BF BF",
        "FC 84 80 80 80 80", "FD BF BF BF BF BF", "FE", "FF", "FF FE", "FE FF", "FE 80 80 80 80 80 80",
        "FF 80 80 80 80 80 80 80", "0A 80 0A", "EF BB BF EF BB BF",
    ]
]  # fmt: skip


def all_sequences(*positions: Sequence[int]) -> Iterator[bytes]:
    """Yield every sequence of bytes, one of each position's."""
    return map(bytes, itertools.product(*positions))


def filled(length: int, pattern: bytes = TEXT) -> bytearray:
    """Return this many bytes of a repeated pattern."""
    return bytearray((pattern * (length // len(pattern) + 1))[:length])


def texts() -> st.SearchStrategy[bytes]:
    """Yield valid text of one script, from nothing to a few hundred bytes."""
    one_script = st.sampled_from(list(SCRIPTS.values())).flatmap(
        lambda script: st.text(st.sampled_from(script), max_size=40)
    )
    run = st.builds(lambda char, n: char * n, st.sampled_from("aé€😀\n"), st.integers(1, 150))
    return st.one_of(one_script, run, st.text(max_size=10)).map(str.encode)


def mutated() -> st.SearchStrategy[bytes]:
    """Yield text with one byte changed, deleted or inserted, or cut off at either end."""

    def change(text: bytes, at: int, byte: int, how: str) -> bytes:
        at %= len(text) + 1
        return {
            "change": text[:at] + bytes([byte]) + text[at + 1 :],
            "insert": text[:at] + bytes([byte]) + text[at:],
            "delete": text[:at] + text[at + 1 :],
            "head": text[:at],
            "tail": text[at:],
        }[how]

    how = st.sampled_from(["change", "insert", "delete", "head", "tail"])
    return st.builds(change, texts(), st.integers(0, 1 << 16), st.sampled_from(BOUNDARY_BYTES), how)


def pieces() -> st.SearchStrategy[bytes]:
    """Yield a piece of anything that data may be made of."""
    noise = st.lists(st.sampled_from(BOUNDARY_BYTES), max_size=12).map(bytes)
    return st.one_of(texts(), mutated(), st.sampled_from(BROKEN), noise, st.binary(max_size=20))


def data() -> st.SearchStrategy[bytes]:
    """Yield valid text, noise and broken text, mixed, up to a few KB."""
    return st.one_of(pieces(), st.lists(pieces(), max_size=20).map(b"".join))


def cuts() -> st.SearchStrategy[list[int]]:
    """Yield places to cut, to be taken modulo the length."""
    return st.lists(st.integers(0, 1 << 16), max_size=8)


def cut(whole: bytes, at: list[int]) -> list[bytes]:
    """Cut data into pieces, some of them empty."""
    places = sorted([0, len(whole), *(place % (len(whole) + 1) for place in at)])
    return [whole[start:end] for start, end in itertools.pairwise(places)]


def large_samples() -> Iterator[tuple[str, bytes]]:
    """Yield data, with names, that work detached, in steps of a mebibyte, and errors at their edges."""
    for length in (LARGE - 1, LARGE, LARGE + 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES + 5):
        yield f"text of {length}", bytes(filled(length))
    for script, text in SCRIPTS.items():
        yield f"{script}, 1.2 MB", bytes(filled(1_200_000, text.encode()))
    for broken in ("FF", "80 80 80 80 80 80", "E2 82", "F0 9F 98", "C0 B1", "ED A0 80", "F4 90 80 80"):
        for before in range(5):
            sample = filled(2 * CHUNK_BYTES + 100, b"a")
            at = CHUNK_BYTES - before
            sample[at : at + len(bytes.fromhex(broken))] = bytes.fromhex(broken)
            yield f"{broken} {before} before a step", bytes(sample)
    for char in "é€😀":
        for before in range(5):
            encoded = char.encode()
            yield (
                f"{char} {before} before a step",
                b"a" * (CHUNK_BYTES - before) + encoded * (LARGE // len(encoded)),
            )
    yield "continuation bytes over a step", b"a" * (CHUNK_BYTES - 50) + b"\xbf" * 100
    yield "an error at the end", bytes(filled(CHUNK_BYTES + 20, b"a")) + b"\xe2\x82"
    yield "errors everywhere", bytes(filled(LARGE + 20, b"".join(BROKEN)))


def surrogates() -> st.SearchStrategy[str]:
    """Yield text with surrogates and without."""
    parts = st.one_of(
        st.text(st.sampled_from("\ud800\ud83d\udbff\udc00\ude00\udfff"), max_size=9),
        st.sampled_from(list(SCRIPTS.values())),
        st.text(max_size=70),
    )
    return st.lists(parts, max_size=6).map("".join)
