"""Utf8Validator, with the verdicts that wsaccel and autobahn give, and inside websocket-client."""

from __future__ import annotations

import importlib
import socket
import sys
import types
from typing import TYPE_CHECKING, Any

import oracle
import pytest
import strategies
from hypothesis import given
from leadbyte import websocket
from leadbyte.websocket import Utf8Validator

if TYPE_CHECKING:
    from collections.abc import Iterator

ACCEPT, REJECT = 0, 1


def naive(chunks: list[bytes]) -> Iterator[tuple[bool, bool, int, int]]:
    """Yield the verdicts on chunks, byte by byte, by asking CPython."""
    seen, total = b"", 0
    failed = False
    for chunk in chunks:
        if failed:
            yield not chunk, False, 0, total
            continue
        for index, byte in enumerate(chunk):
            seen += bytes([byte])
            if not is_prefix(seen):
                failed = True
                total += index
                yield False, False, index, total
                break
        else:
            total += len(chunk)
            yield True, not oracle.spans(seen), len(chunk), total


def is_prefix(data: bytes) -> bool:
    """Return whether something can be added to data so that they become UTF-8."""
    spans = oracle.spans(data)
    return not spans or spans[0][2] == "unexpected end of data"


def verdicts(chunks: list[bytes]) -> list[tuple[bool, bool, int, int]]:
    validator = Utf8Validator()
    return [validator.validate(chunk) for chunk in chunks]


def test_constants() -> None:
    assert (Utf8Validator.UTF8_ACCEPT, Utf8Validator.UTF8_REJECT) == (ACCEPT, REJECT)
    assert (websocket.UTF8_ACCEPT, websocket.UTF8_REJECT) == (ACCEPT, REJECT)


def test_examples() -> None:
    assert verdicts([b"abc", b"\xe2\x82", b"", b"\xacd"]) == [
        (True, True, 3, 3),
        (True, False, 2, 5),
        (True, False, 0, 5),
        (True, True, 2, 7),
    ]
    assert verdicts([b"abc", b"\xe2\x82", b"xA", b"abc", b"", b"\x80"]) == [
        (True, True, 3, 3),
        (True, False, 2, 5),
        (False, False, 0, 5),
        (False, False, 0, 5),
        (True, False, 0, 5),
        (False, False, 0, 5),
    ]


@pytest.mark.parametrize(
    ("data", "index"),
    [
        ("ff", 0), ("80", 0), ("61 62 c0 80", 2), ("61 ed a0 80", 2), ("f4 90", 1), ("e0 80 80", 1),
        ("f0 80", 1), ("f5", 0), ("e2 82 41", 2), ("f0 9f 98 41", 3), ("f0 9f 41", 2), ("c3 c3", 1),
    ],
)  # fmt: skip
def test_index_is_that_of_the_first_byte_that_cannot_follow(data: str, index: int) -> None:
    assert verdicts([bytes.fromhex(data)]) == [(False, False, index, index)]


@given(strategies.data(), strategies.cuts())
def test_validate(data: bytes, places: list[int]) -> None:
    chunks = strategies.cut(data[:300], places)
    assert verdicts(chunks) == list(naive(chunks))


@pytest.mark.parametrize("data", strategies.BROKEN, ids=repr)
def test_validate_cut_at_every_byte(data: bytes) -> None:
    data = "é€😀".encode() + data + b"a"
    for at in range(len(data) + 1):
        chunks = [data[:at], data[at:], b"more", b""]
        assert verdicts(chunks) == list(naive(chunks))


@pytest.mark.parametrize(
    ("char", "states"),
    [
        ("a", [0]), ("é", [2, 0]), ("\u0800", [4, 2, 0]), ("€", [3, 2, 0]), ("\ud7ff", [5, 2, 0]),
        ("\U00010000", [6, 3, 2, 0]), ("\U00040000", [7, 3, 2, 0]), ("\U0010ffff", [8, 3, 2, 0]),
    ],
)  # fmt: skip
def test_decode(char: str, states: list[int]) -> None:
    validator = Utf8Validator()
    for _ in range(2):
        assert [validator.decode(byte) for byte in char.encode()] == states
        assert validator.codepoint == ord(char)


def test_decode_agrees_with_validate() -> None:
    for data in strategies.all_sequences(strategies.BOUNDARY_BYTES, strategies.BOUNDARY_BYTES, b"\x80\xbfA"):
        validator = Utf8Validator()
        states = [validator.decode(byte) for byte in data]
        valid = [is_prefix(data[: length + 1]) for length in range(len(data))]
        assert [state != REJECT for state in states] == valid
        whole = [not oracle.spans(data[: length + 1]) for length in range(len(data))]
        assert [state == ACCEPT for state in states] == whole


def test_decode_and_validate_mixed() -> None:
    validator = Utf8Validator()
    assert validator.decode(0xE2) == 3
    # Indices count the bytes passed to validate.
    assert validator.validate(b"\x82") == (True, False, 1, 1)
    assert validator.decode(0xAC) == ACCEPT
    assert validator.codepoint == 0x20AC
    assert validator.validate(b"a\xff") == (False, False, 1, 2)
    assert validator.decode(0x41) == REJECT


@pytest.mark.parametrize("byte", [256, -1])
def test_decode_of_no_byte(byte: int) -> None:
    with pytest.raises(ValueError, match="range"):
        Utf8Validator().decode(byte)


@pytest.mark.parametrize("argument", ["text", 5, None])
def test_validate_of_no_bytes(argument: Any) -> None:  # noqa: ANN401
    with pytest.raises(TypeError):
        Utf8Validator().validate(argument)


def test_reset() -> None:
    validator = Utf8Validator()
    for chunk in (b"ab\xe2", b"ab\xff", b""):
        validator.validate(chunk)
        validator.reset()
        assert validator.validate(b"abc") == (True, True, 3, 3)
        validator.reset()


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_any_buffer(kind: type) -> None:
    validator = Utf8Validator()
    assert validator.validate(kind("€".encode())) == (True, True, 3, 3)
    assert validator.validate(kind(b"\xff")) == (False, False, 0, 3)


def test_subclass() -> None:
    class Named(Utf8Validator):
        pass

    assert Named().validate(b"a") == (True, True, 1, 1)


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401
    """Import websocket-client as if wsaccel were there, with the validator of this package."""
    for name in [name for name in sys.modules if name.partition(".")[0] in {"websocket", "wsaccel"}]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("wsaccel", "wsaccel.utf8validator"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["wsaccel.utf8validator"].Utf8Validator = Utf8Validator  # type: ignore[attr-defined]
    client = importlib.import_module("websocket")
    assert client._utils.Utf8Validator is Utf8Validator
    yield client
    for name in [name for name in sys.modules if name.partition(".")[0] == "websocket"]:
        monkeypatch.delitem(sys.modules, name)


def frame(opcode: int, payload: bytes, *, final: bool = True) -> bytes:
    """Return a frame that a server sends."""
    assert len(payload) < 126
    return bytes([opcode | (0x80 if final else 0), len(payload)]) + payload


TEXT, CONTINUATION = 1, 0
BROKEN = [data for data in strategies.BROKEN if oracle.spans(data)]


def received(client: Any, frames: bytes) -> str:  # noqa: ANN401
    """Return the message that a client makes of frames."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        connection = client.WebSocket()
        connection.sock, connection.connected = ours, True
        theirs.sendall(frames)
        message: str = connection.recv()
        return message


@pytest.mark.one_implementation
@pytest.mark.parametrize("text", ["", "plain", *[text[:30] for text in strategies.SCRIPTS.values()]])
def test_text_in_websocket_client(client: Any, text: str) -> None:  # noqa: ANN401
    payload = text.encode()
    assert received(client, frame(TEXT, payload)) == text
    for at in range(len(payload)):
        frames = frame(TEXT, payload[:at], final=False) + frame(CONTINUATION, payload[at:])
        assert received(client, frames) == text


@pytest.mark.once
@pytest.mark.one_implementation
@pytest.mark.parametrize("broken", BROKEN, ids=repr)
def test_broken_text_in_websocket_client(client: Any, broken: bytes) -> None:  # noqa: ANN401
    # A message that ends within a character is valid so far; it fails when it is made a str.
    refusal = UnicodeDecodeError if is_prefix(broken) else client.WebSocketPayloadException
    with pytest.raises(refusal):
        received(client, frame(TEXT, b"a" + broken))
    with pytest.raises(refusal):
        received(client, frame(TEXT, b"a", final=False) + frame(CONTINUATION, broken))
