"""CESU-8, Modified UTF-8 and WTF-8: against naive codecs, a JDK and ICU."""

from __future__ import annotations

import codecs
import io
import itertools
import threading
from typing import TYPE_CHECKING

import handlers
import leadbyte
import leadbyte.codec
import naive_variants
import outcomes
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from leadbyte.variants import cesu8, mutf8, wtf8
from outcomes import outcome
from reduced import IS_REDUCED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import ModuleType

    from strategies import Anything

leadbyte.codec.register()
MODULES: dict[str, ModuleType] = {"cesu-8": cesu8, "mutf-8": mutf8, "wtf-8": wtf8}
every = pytest.mark.parametrize("name", MODULES)

SEQUENCES = [
    bytes.fromhex(sequence)
    for sequence in [
        "ED A0 BD ED B8 80", "ED A0 BD", "ED B8 80", "ED A0 BD ED A0 BD ED B8 80", "ED A0 BD ED B8",
        "ED A0 BD ED", "ED A0 BD ED 80 80", "ED A0 41", "ED A0", "ED", "ED BF BF ED AF BF", "C0 80", "C0",
        "C0 81", "C0 80 C0 80", "00", "F0 9F 98 80", "F0 9F 98", "F4 8F BF BF", "F4 90 80 80", "E2 82", "FF",
        "80", "E2 82 ED A0 BD", "ED A0 BD C0 80", "EE 80 80", "ED 9F BF",
    ]
]  # fmt: skip
TEXTS = [
    "", "a", "\0", "a\0b\0", "é\0", "€\0", "😀", "😀\0", "\U0010ffff", "\U00020000", "\ud83d", "\ude00",
    "\ud83d\ude00", "\ude00\ud83d", "😀\ud83d\ude00", "a\ud83d\ud83d\ude00b", "é\ud800",
    "".join(strategies.SCRIPTS.values()),
]  # fmt: skip


def samples() -> st.SearchStrategy[bytes]:
    """Give text of variants, noise and sequences that variants treat differently, mixed."""
    piece = st.one_of(st.sampled_from(SEQUENCES), strategies.pieces())
    return st.lists(piece, max_size=12).map(b"".join)


def any_text() -> st.SearchStrategy[str]:
    """Give text with surrogates and nulls."""
    chars = st.one_of(
        st.sampled_from("\0aé€😀\ud83d\ude00\U0010ffff"), st.characters(exclude_categories=()), st.just("\0")
    )
    return st.lists(st.one_of(chars, st.builds(str.__mul__, chars, st.integers(1, 100)))).map("".join)


@pytest.mark.parametrize("vector", naive_variants.vectors(), ids=lambda vector: ascii(vector.text[:8]))
def test_vectors_of_jdk_and_icu(vector: naive_variants.Vector) -> None:
    assert mutf8.encode(vector.text) == vector.mutf8
    assert mutf8.decode(vector.mutf8) == vector.text
    assert mutf8.is_valid(vector.mutf8)
    if vector.cesu8 is None:
        assert outcome(cesu8.encode, vector.text)[0] is UnicodeEncodeError
    else:
        assert cesu8.encode(vector.text) == vector.cesu8
        assert cesu8.decode(vector.cesu8) == vector.text
        assert cesu8.is_valid(vector.cesu8)


def test_vectors_are_there() -> None:
    vectors = naive_variants.vectors()
    planes = {ord(char) >> 16 for vector in vectors for char in vector.text}
    assert planes == set(range(17))
    assert sum(vector.cesu8 is None for vector in vectors) > 50


def check_decoding(name: str, data: bytes, errors: str = "strict") -> None:
    """Compare what decoding comes to with what it should."""
    expected = outcome(naive_variants.decode, name, data, errors)
    found = outcome(MODULES[name].decode, data, errors=errors)
    # The naive codec raises where it is; ours is native.
    assert found == expected
    if errors == "strict":
        assert MODULES[name].is_valid(data) is not issubclass(expected[0], UnicodeDecodeError)


@pytest.mark.once
@every
@pytest.mark.parametrize("errors", handlers.FOR_DECODING)
def test_decode(name: str, errors: str) -> None:
    for data in [*SEQUENCES, *strategies.BROKEN, strategies.TEXT]:
        check_decoding(name, data, errors)
        check_decoding(name, b"a" + data + b"\xc3\xa9", errors)
    for first, second in itertools.product(SEQUENCES, repeat=2):
        check_decoding(name, first + second, errors)


@every
@given(samples(), st.sampled_from(handlers.FOR_DECODING))
def test_decode_anything(name: str, data: bytes, errors: str) -> None:
    check_decoding(name, data, errors)


@every
@given(any_text())
def test_encode(name: str, text: str) -> None:
    if name == "cesu-8" and any("\ud800" <= char <= "\udfff" for char in text):
        expected = outcome(str.encode, text, "utf-8")
        assert outcome(cesu8.encode, text)[2] == expected[2]
        return
    data = MODULES[name].encode(text)
    assert data == naive_variants.encode(name, text)
    assert MODULES[name].is_valid(data)
    back = MODULES[name].decode(data)
    if name == "wtf-8":
        assert back.encode("utf-16", "surrogatepass") == text.encode("utf-16", "surrogatepass")
    else:
        assert naive_variants.encode(name, back) == data


@pytest.mark.parametrize("errors", handlers.FOR_ENCODING)
def test_errors_of_encoding_are_those_of_utf_8(errors: str) -> None:
    for text in [*TEXTS, *(f"é{text}\0{text}" for text in TEXTS)]:
        if any(char > "\uffff" for char in text):
            continue
        expected = list(outcome(outcomes.encode, text, errors))
        found = outcome(cesu8.encode, text, errors=errors)
        if issubclass(expected[0], UnicodeEncodeError):
            expected = [
                part.replace("utf-8", "cesu-8") if isinstance(part, str) else part for part in expected
            ]
            assert found[:2] == tuple(expected[:2])
            assert found[4:] == ("cesu-8", *expected[5:9], found[9], found[10])
        else:
            assert list(found) == expected


def test_errors_of_encoding_beside_pairs() -> None:
    assert cesu8.encode("😀\ud83d😀", errors="replace") == cesu8.encode("😀") + b"?" + cesu8.encode("😀")
    assert cesu8.encode("😀\ud83d", errors="surrogatepass") == cesu8.encode("😀") + b"\xed\xa0\xbd"
    with pytest.raises(UnicodeEncodeError) as raised:
        cesu8.encode("😀a\ud83d\ude00")
    assert (raised.value.encoding, raised.value.start, raised.value.end) == ("cesu-8", 2, 4)


@pytest.mark.parametrize("name", ["mutf-8", "wtf-8"])
@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_encode_all_texts(name: str, text: str) -> None:
    for errors in handlers.BUILT_IN:
        assert MODULES[name].encode(text, errors=errors) == naive_variants.encode(name, text)


@every
def test_storage_of_a_str(name: str) -> None:
    for text in TEXTS:
        data = naive_variants.encode(
            name, text.replace("\ud83d", "?").replace("\ude00", "?").replace("\ud800", "?")
        )
        expected = outcomes.of_str(naive_variants.decode(name, data))
        assert outcomes.of_str(MODULES[name].decode(data)) == expected


@pytest.mark.one_implementation
@pytest.mark.once
@every
def test_sequences_anywhere_in_long_text(name: str) -> None:
    module = MODULES[name]
    for place in (4090, 4096, 65_530, 65_536, strategies.CHUNK_BYTES):
        text = bytes(strategies.filled(place, "é€".encode()))[: place - place % 5]
        if place == strategies.CHUNK_BYTES:
            sequences = SEQUENCES[:1]
        else:
            sequences = SEQUENCES[::3] if IS_REDUCED and place > 5000 else SEQUENCES
        for sequence in sequences:
            data = text + sequence + text[:2000]
            assert outcome(module.decode, data) == outcome(naive_variants.decode, name, data)


@pytest.mark.once
@pytest.mark.one_implementation
@every
@given(samples(), strategies.cuts())
def test_incremental_decoder(name: str, data: bytes, cuts: list[int]) -> None:
    for errors in ("replace", "surrogateescape", "backslashreplace"):
        if name == "mutf-8" and errors == "surrogateescape":
            continue  # it does not escape a null byte
        decoder = codecs.getincrementaldecoder(name)(errors)
        pieces = [decoder.decode(piece) for piece in strategies.cut(data, cuts)]
        assert "".join(pieces) + decoder.decode(b"", final=True) == MODULES[name].decode(data, errors=errors)


@every
def test_incremental_decoder_cut_at_every_byte(name: str) -> None:
    for first, second in itertools.product(SEQUENCES, repeat=2):
        data = b"a" + first + second + b"z"
        expected = outcome(naive_variants.decode, name, data)
        for at in range(len(data) + 1):
            decoder = codecs.getincrementaldecoder(name)()

            def decode(at: int = at, data: bytes = data, decoder: Anything = decoder) -> str:
                before: str = decoder.decode(data[:at])
                assert len(decoder.getstate()[0]) <= 5
                return before + str(decoder.decode(data[at:], True))

            found = outcome(decode)
            if issubclass(expected[0], str):
                assert found == expected
            else:
                assert (found[0], found[-3]) == (expected[0], expected[-3])


@every
def test_state_of_an_incremental_decoder(name: str) -> None:
    decoder = codecs.getincrementaldecoder(name)()
    assert decoder.decode(b"a\xed\xa0\xbd\xed\xb8") == "a"
    state = decoder.getstate()
    assert state == (b"\xed\xa0\xbd\xed\xb8", 0)
    decoder.reset()
    assert decoder.decode(b"b", True) == "b"
    decoder.setstate(state)
    assert outcome(decoder.decode, b"\x80") == outcome(
        naive_variants.decode, name, b"\xed\xa0\xbd\xed\xb8\x80"
    )


def test_incremental_encoder_of_wtf_8_joins_pairs() -> None:
    encoder = codecs.getincrementalencoder("wtf-8")()
    assert [encoder.encode(text) for text in ("a\ud83d", "", "\ude00", "\ud83d")] == [
        b"a",
        b"",
        "😀".encode(),
        b"",
    ]
    state = encoder.getstate()
    assert type(state) is int
    encoder.reset()
    assert encoder.encode("b", True) == b"b"
    encoder.setstate(state)
    assert encoder.encode("", final=True) == b"\xed\xa0\xbd"


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("cesu8", "cesu-8"), ("CESU_8", "cesu-8"), ("mutf8", "mutf-8"), ("modified-utf-8", "mutf-8"),
        ("Modified UTF-8", "mutf-8"), ("java-modified-utf-8", "mutf-8"), ("WTF-8", "wtf-8"),
        ("wtf8", "wtf-8"),
    ],
)  # fmt: skip
def test_names_of_codecs(spelling: str, name: str) -> None:
    assert codecs.lookup(spelling).name == name


@every
def test_codec(name: str) -> None:
    text = "a\0é€😀"
    data = naive_variants.encode(name, text)
    assert text.encode(name) == data
    assert data.decode(name) == text
    for kind in (bytes, bytearray, memoryview):
        assert codecs.lookup(name).decode(kind(data)) == (text, len(data))
    raw = io.BytesIO()
    writer = codecs.getwriter(name)(raw)
    writer.writelines([text, "b"])
    assert raw.getvalue() == data + b"b"
    for size in (-1, 1, 2, 3):
        reader = codecs.getreader(name)(io.BytesIO(data))
        pieces = []
        while piece := reader.read(size):
            pieces.append(piece)
        assert "".join(pieces) == text


def test_a_pair_in_two_writes() -> None:
    raw = io.BytesIO()
    writer = codecs.getwriter("wtf-8")(raw)
    writer.write("a\ud83d")
    writer.write("\ude00")
    assert raw.getvalue() == "a😀".encode()
    writer.write("\ud83d")
    writer.reset()
    writer.write("\ude00")
    assert raw.getvalue() == "a😀".encode() + b"\xed\xa0\xbd\xed\xb8\x80"
    writer.write("0123\ud83d")
    writer.seek(0)
    writer.write("b")
    assert raw.getvalue() == b"b" + "a😀".encode()[1:] + b"\xed\xa0\xbd\xed\xb8\x800123\xed\xa0\xbd"


@pytest.mark.parametrize("with_statement", [False, True])
def test_high_surrogate_at_the_end_of_a_file(tmp_path: Path, *, with_statement: bool) -> None:
    path = tmp_path / "file"
    writer = codecs.getwriter("wtf-8")(path.open("wb"))
    if with_statement:
        with writer:
            writer.write("a\ud83d")
    else:
        writer.write("a\ud83d")
        writer.close()
    assert path.read_bytes() == b"a\xed\xa0\xbd"


@every
def test_readers_read_to_the_end(name: str) -> None:
    if name != "cesu-8":
        data = naive_variants.encode(name, "a\nb\ud83d")
        assert codecs.getreader(name)(io.BytesIO(data)).read() == "a\nb\ud83d"
        assert list(codecs.getreader(name)(io.BytesIO(data))) == ["a\n", "b\ud83d"]
    for read in (codecs.StreamReader.read, codecs.StreamReader.readlines, list):
        with pytest.raises(UnicodeDecodeError, match="unexpected end of data"):
            read(codecs.getreader(name)(io.BytesIO(b"a\nb\xe2\x82")))


@every
def test_open(name: str, tmp_path: Path) -> None:
    text = "раз\n\0€\n😀𠜎\n" * 5000
    path = tmp_path / "file"
    with path.open("w", encoding=name, newline="\n") as file:
        file.write(text[:7])
        file.write(text[7:])
    assert path.read_bytes() == naive_variants.encode(name, text)
    with path.open(encoding=name, newline="\n") as file:
        assert file.readline() == "раз\n"
        place = file.tell()
        assert file.read() == text[4:]
        file.seek(place)
        assert file.read(10) == text[4:14]


def test_names_of_the_package_mutf8() -> None:
    assert mutf8.encode_modified_utf8("a\0😀") == b"a\xc0\x80\xed\xa0\xbd\xed\xb8\x80"
    assert mutf8.decode_modified_utf8(s=b"\xed\xa1\x80\xed\xb0\x80") == "\U00020000"
    assert mutf8.encode_modified_utf8(u="\U00020000") == b"\xed\xa1\x80\xed\xb0\x80"


def test_utf_8_refuses_what_the_variants_have() -> None:
    for name, text in itertools.product(MODULES, ("\0", "😀", "\ud83d")):
        if name == "cesu-8" and text == "\ud83d":
            continue
        data = naive_variants.encode(name, text)
        if data in {b"\0", "😀".encode()}:
            continue
        assert not leadbyte.is_valid(data)
        assert outcome(leadbyte.decode, data) == outcome(outcomes.decode, data)


@every
@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_other_buffers(name: str, kind: Callable[[bytes], Anything]) -> None:
    for data in SEQUENCES:
        assert outcome(MODULES[name].decode, kind(data)) == outcome(MODULES[name].decode, data)
        assert MODULES[name].is_valid(kind(data)) is MODULES[name].is_valid(data)


@every
def test_wrong_arguments(name: str) -> None:
    module = MODULES[name]
    for wrong in ("text", None, 5, [1]):
        for function in (module.decode, module.is_valid):
            with pytest.raises(TypeError):
                function(wrong)
    for no_text in (b"bytes", None, 5):
        with pytest.raises(TypeError):
            module.encode(no_text)
    with pytest.raises(TypeError):
        module.decode(b"", errors=5)
    with pytest.raises(BufferError):
        module.decode(memoryview(b"abcd")[::2])
    with pytest.raises(LookupError):
        module.decode(b"\xff", errors="unknown")
    assert module.decode(b"a", errors="unknown") == "a"


@pytest.mark.one_implementation
@pytest.mark.once
@every
def test_memory_that_changes(name: str) -> None:
    module = MODULES[name]
    data = bytearray(strategies.filled(300_000, "a€\ud83d".encode("utf-8", "surrogatepass")))
    finished = threading.Event()

    def change() -> None:
        for index in itertools.cycle(range(0, len(data), 97)):
            data[index] ^= 0x80
            if finished.is_set():
                return

    other = threading.Thread(target=change)
    other.start()
    try:
        for _ in range(10 if IS_REDUCED else 30):
            module.is_valid(data)
            text = module.decode(data, errors="replace")
            assert text == str(text.encode("utf-8", "surrogatepass"), "utf-8", "surrogatepass")
    finally:
        finished.set()
        other.join()


@pytest.mark.parametrize("before", range(8))
def test_pairs_are_joined_wherever_long_text_is_cut(before: int) -> None:
    text = "a" * (strategies.CHUNK_BYTES - before)
    assert wtf8.encode(f"{text}\ud83d\ude00\ud83d") == f"{text}\U0001f600".encode() + b"\xed\xa0\xbd"
