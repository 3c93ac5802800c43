"""A panic in any function of the extension module is a SystemError, and everything works afterwards.

For a build with the feature panic-injection, as the session ``debug`` makes it.
"""

from __future__ import annotations

import io
import types
from functools import partial
from typing import TYPE_CHECKING, Any

import public_functions
import pytest
from c_data import Rows
from leadbyte import _leadbyte
from leadbyte._double_byte import decoding_table, encoding_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from strategies import Anything

with_injection = pytest.mark.skipif(
    not hasattr(_leadbyte, "_panic_in_next_call"), reason="a build without panic-injection"
)

lb: Any = _leadbyte
# None of these is short and exact, so that no fast path takes it.
DATA = bytearray(b"caf\xc3\xa9 \xff")
BYTES = bytes(DATA)
AUDIT = lb._Audit("json", is_str=False)
TEXT = "caf\xe9 \ud800"
COLUMN, VALID_COLUMN = Rows([b"caf\xc3\xa9 \xff", None]), Rows([b"caf\xc3\xa9"])


def encodings() -> tuple[Any, Any]:
    return lb._Encoding.unicode("utf-8"), lb._Encoding.unicode("utf-16-le")


# Each function with a call of it.
FUNCTIONS: dict[str, Callable[[], Any]] = {
    **{
        name: partial(function.call, TEXT if function.takes_text else DATA)
        for name, function in public_functions.FUNCTIONS.items()
        if hasattr(_leadbyte, name)
    },
    "validate": lambda: lb.validate(b"text"),
    "encoded_length": lambda: lb.encoded_length("text"),
    "normalize": lambda: lb.normalize("NFC", TEXT),
    "is_normalized": lambda: lb.is_normalized("NFC", TEXT),
    "is_equivalent": lambda: lb.is_equivalent(TEXT, TEXT),
    "_detect_whole": lambda: lb._detect_whole(DATA),
    "_detectable_encodings": lb._detectable_encodings,
    "_arrow_count": lambda: lb._arrow_count(COLUMN, None, 1, "char"),
    "_arrow_decode": lambda: lb._arrow_decode(COLUMN, None, 1, "replace"),
    "_arrow_detect": lambda: lb._arrow_detect(COLUMN, None, 1, None),
    "_arrow_detect_rows": lambda: lb._arrow_detect_rows(COLUMN, None, 1, None),
    "_arrow_audit": lambda: lb._arrow_audit(COLUMN, None, "json"),
    "_arrow_sanitize": lambda: lb._arrow_sanitize(COLUMN, None, 1, "json", ""),
    "_arrow_errors": lambda: lb._arrow_errors(COLUMN, None),
    "_arrow_is_valid": lambda: lb._arrow_is_valid(COLUMN, None, 1),
    "_arrow_normalize": lambda: lb._arrow_normalize("NFC", VALID_COLUMN, None, 1),
    "_arrow_repair": lambda: lb._arrow_repair(COLUMN, None, 1, "?"),
    "_arrow_repair_mojibake": lambda: lb._arrow_repair_mojibake(VALID_COLUMN, None, 1, None),
    "_arrow_transcode": lambda: lb._arrow_transcode(COLUMN, None, 1, *ENCODINGS, "replace", None),
    "_arrow_truncate": lambda: lb._arrow_truncate(COLUMN, None, 1, 2, unit="byte"),
    "_announced_length": lambda: lb._announced_length(65),
    "_census": lambda: lb._census(TEXT),
    "_decode_prefix": lambda: lb._decode_prefix(DATA, "replace", True),
    "_decode_universal": lambda: lb._decode_universal(b"a\r\n"),
    "_floor_cluster": lambda: lb._floor_cluster(b"text", 2, None),
    "_split_points": lambda: lb._split_points(DATA, 2, "char"),
    "_read": lambda: lb._read(io.BytesIO(b"text"), 4),
    "_count_replacements": lambda: lb._count_replacements(b"\xff", 0, 1, "java"),
    "_repair_chunk": lambda: lb._repair_chunk(DATA, 0, "?", "whatwg", True),
    "_substitutions": lb._substitutions,
    "_transcode": lambda: lb._transcode(DATA, *ENCODINGS, "replace", None),
    "_undo_mojibake": lambda: lb._undo_mojibake(TEXT, "repair"),
    "_undo_mojibake_of_column": lambda: lb._undo_mojibake_of_column([TEXT], None),
    "_read_mixed": lambda: lb._read_mixed(DATA),
    "_is_valid_variant": lambda: lb._is_valid_variant("cesu-8", DATA),
    "_decode_variant": lambda: lb._decode_variant("cesu-8", DATA, "replace"),
    "_decode_variant_prefix": lambda: lb._decode_variant_prefix("cesu-8", DATA, "replace", True),
    "_encode_variant": lambda: lb._encode_variant("wtf-8", TEXT),
    "_decode_integers": lambda: lb._decode_integers("rfc2279", b"text", True),
    "_encode_integers": lambda: lb._encode_integers("rfc2279", b"text", 1, False, 1),
}
SPAN: Any = next(lb.iter_errors(b"\xff"))


ENCODINGS: Any = encodings()


class Streamed:
    """A column that is a stream only."""

    def __init__(self, array: Anything) -> None:
        self.__arrow_c_stream__ = array.__arrow_c_stream__


def scanner() -> Anything:
    scanner = lb.Scanner()
    scanner.update(b"text\xff")
    return scanner


def pipe() -> Anything:
    return lb._Transcoder(*encodings(), "strict", None)


def file_reader() -> Anything:
    choices = {"directories": True, "ignore": True, "hidden": False, "binary": False}
    counts = {"jobs": 1, "errors": 1}
    return lb._FileReader(
        [__file__], "list", exclude=[], tables=([], [], False), waiting=lambda: None, **choices, **counts
    )


def line_iterator() -> Anything:
    options = {"decoder": None, "errors": "strict", "skips_bom": False, "release": None, "block_bytes": 9}
    return lb.LineIterator(b"text", newline=0, **options)


def picklable(value: Anything) -> dict[str, Callable[[], Any]]:
    name = type(value).__name__
    restore, arguments = value.__reduce__()
    return {
        f"{name}.__reduce__": value.__reduce__,
        f"{name}.__repr__": lambda: repr(value),
        f"{name}._restore": lambda: restore(*arguments),
        **({f"{name}.as_dict": value.as_dict} if hasattr(value, "as_dict") else {}),
    }


OFFSETS, EDITABLE, POSITION = lb.OffsetMap(TEXT), lb.EditableOffsetMap(TEXT), lb.Position(1, 2)
SCANNER, OTHER_SCANNER, VALIDATOR = scanner(), scanner(), lb.IncrementalValidator()
ASCII = "".join(map(chr, range(128)))
DECODING_TABLE, ENCODING_TABLE = decoding_table("gbk"), encoding_table("gbk")
TRANSCODER, ERRORS, FILES = pipe(), lb.iter_errors(b"\xff" * 9), file_reader()
ARROW_ARRAY = lb._arrow_decode(COLUMN, None, 1, "replace")
ARROW_STREAM = lb._arrow_decode(Streamed(ARROW_ARRAY), None, 1, "strict")
# Each method with a call of it. What PyO3 derives, and getters of fields, have no code that could panic.
METHODS: dict[str, Callable[[], Any]] = {
    **picklable(SPAN),
    **picklable(lb.locate(b"text", 1)),
    **picklable(lb.scan(b"text\xff")),
    **picklable(lb.detect(b"text")),
    "Array.__arrow_c_array__": ARROW_ARRAY.__arrow_c_array__,
    "Array.__arrow_c_schema__": ARROW_ARRAY.__arrow_c_schema__,
    "Array.__arrow_c_stream__": ARROW_ARRAY.__arrow_c_stream__,
    "Array.__len__": lambda: len(ARROW_ARRAY),
    "Array.__repr__": lambda: repr(ARROW_ARRAY),
    "Array.to_polars": ARROW_ARRAY.to_polars,
    "Array.to_pyarrow": ARROW_ARRAY.to_pyarrow,
    "Array.to_pylist": ARROW_ARRAY.to_pylist,
    "Stream.__arrow_c_schema__": ARROW_STREAM.__arrow_c_schema__,
    "Stream.__arrow_c_stream__": ARROW_STREAM.__arrow_c_stream__,
    "Stream.__len__": lambda: len(ARROW_STREAM),
    "Stream.__repr__": lambda: repr(ARROW_STREAM),
    "Stream.to_polars": ARROW_STREAM.to_polars,
    "Stream.to_pyarrow": ARROW_STREAM.to_pyarrow,
    "Stream.to_pylist": ARROW_STREAM.to_pylist,
    "_ArrowItems.__next__": lambda: next(iter(ARROW_ARRAY)),
    "_Audit.__new__": lambda: lb._Audit("json", is_str=False),
    "_Audit.count_rest": lambda: AUDIT.count_rest(BYTES),
    "_Audit.next": lambda: AUDIT.next(BYTES),
    "_Audit.next_piece": lambda: AUDIT.next_piece(BYTES),
    "_Audit.sanitize": lambda: AUDIT.sanitize(BYTES, "", 1),
    "Detector.__new__": lb.Detector,
    "Detector.__reduce__": lambda: lb.Detector().__reduce__(),
    "Detector._restore": lambda: lb.Detector._restore(None, b"", None, (False, False, False)),
    "Detector._finish_whole": lambda: lb.Detector()._finish_whole(),
    "Detector.finish": lambda: lb.Detector().finish(),
    "Detector.update": lambda: lb.Detector().update(DATA),
    **picklable(SCANNER),
    "ChunkIterator.__next__": lambda: next(lb.chunks(DATA, 4)),
    "LineIterator.__exit__": lambda: line_iterator().__exit__(None, None, None),
    "LineIterator.__new__": line_iterator,
    "LineIterator.__next__": lambda: next(line_iterator()),
    "LineIterator._take": lambda: line_iterator()._take(1),
    "LineIterator.batches": lambda: line_iterator().batches(1),
    "LineIterator.close": lambda: line_iterator().close(),
    "Position.__reduce__": POSITION.__reduce__,
    "Position.__repr__": lambda: repr(POSITION),
    "Position.as_dict": POSITION.as_dict,
    **picklable(OFFSETS),
    "Position.__new__": lambda: lb.Position(1, 2),
    **picklable(EDITABLE),
    "EditableOffsetMap.__new__": lambda: lb.EditableOffsetMap(TEXT),
    "EditableOffsetMap.convert": lambda: EDITABLE.convert(1, "byte", "char"),
    "EditableOffsetMap.convert_many": lambda: EDITABLE.convert_many([1], "byte", "char"),
    "EditableOffsetMap.offset": lambda: EDITABLE.offset(0, 1),
    "EditableOffsetMap.position": lambda: EDITABLE.position(1),
    "EditableOffsetMap.replace": lambda: EDITABLE.replace(0, 0, "a"),
    "EditableOffsetMap.slice": lambda: EDITABLE.slice(0, 1, unit="byte"),
    "OffsetMap.__sizeof__": OFFSETS.__sizeof__,
    "OffsetMap.__new__": lambda: lb.OffsetMap(TEXT),
    "OffsetMap.convert": lambda: OFFSETS.convert(1, "byte", "char"),
    "OffsetMap.convert_many": lambda: OFFSETS.convert_many([1], "byte", "char"),
    "OffsetMap.offset": lambda: OFFSETS.offset(0, 1),
    "OffsetMap.position": lambda: OFFSETS.position(1),
    "OffsetMap.slice": lambda: OFFSETS.slice(0, 1, unit="byte"),
    "ErrorIterator.__next__": lambda: next(ERRORS),
    "Scanner.__new__": lb.Scanner,
    "Scanner._keeping": lambda: lb.Scanner._keeping(5),
    "Scanner._errors": SCANNER._errors,
    "Scanner.finish": OTHER_SCANNER.finish,
    "Scanner.merge": lambda: SCANNER.merge(OTHER_SCANNER),
    "Scanner.update": lambda: SCANNER.update(DATA),
    "_JsonLines.__new__": lambda: lb._JsonLines(1),
    "_JsonLines.update": lambda: lb._JsonLines(1).update(DATA),
    "_JsonLines.finish": lambda: lb._JsonLines(1).finish(),
    "_JsonLines.findings": lambda: lb._JsonLines(1).findings(),
    "_JsonLines.take_records": lambda: lb._JsonLines(1).take_records(),
    "_MojibakeBlocks.__new__": lambda: lb._MojibakeBlocks(None),
    "_MojibakeBlocks.read": lambda: lb._MojibakeBlocks(None).read(b"caf\xe9\n"),
    "_MojibakeBlocks.repair": lambda: lb._MojibakeBlocks(None).repair(b"text", is_last=True),
    "IncrementalValidator.__new__": lb.IncrementalValidator,
    "IncrementalValidator.__reduce__": VALIDATOR.__reduce__,
    "IncrementalValidator._restore": lambda: lb.IncrementalValidator._restore(0, b"", None, None, False),
    "IncrementalValidator.finish": VALIDATOR.finish,
    "IncrementalValidator.reset": VALIDATOR.reset,
    "IncrementalValidator.update": lambda: lb.IncrementalValidator.update(VALIDATOR, DATA),
    "_Encoding.single_byte": lambda: lb._Encoding.single_byte(
        "cp1251", bytes(range(128, 256)).decode("cp1251", "replace")
    ),
    "_Encoding.unicode": lambda: lb._Encoding.unicode("utf-8"),
    "_Encoding.whatwg": lambda: lb._Encoding.whatwg("gbk"),
    "_FileReader.__new__": file_reader,
    "_FileReader.__next__": lambda: next(FILES),
    "_FileReader._take_byte_count": FILES._take_byte_count,
    "_DoubleByteDecoder.__new__": lambda: lb._DoubleByteDecoder(f"{ASCII:\uffff<256}", "\uffff" * 65536),
    "_DoubleByteDecoder.decode_from": lambda: DECODING_TABLE.decode_from(b"text", 0),
    "_DoubleByteEncoder.__new__": lambda: lb._DoubleByteEncoder(f"{ASCII:\uffff<65536}"),
    "_DoubleByteEncoder.encode_from": lambda: ENCODING_TABLE.encode_from("text", 0),
    "_Transcoder.__new__": lambda: lb._Transcoder(*ENCODINGS, "strict", None),
    "_Transcoder.feed": lambda: TRANSCODER.feed(b"text", last=False),
    "_Transcoder.feed_with_faults": lambda: TRANSCODER.feed_with_faults(b"text", last=False),
}
# Those that return what they are called on, and what PyO3 derives from fields.
OTHERS = {
    "__class_getitem__",
    "__copy__",
    "__deepcopy__",
    "__enter__",
    "__iter__",
    "__slotnames__",
    "__hash__",
    "__doc__",
    "__module__",
    *(f"__{name}__" for name in ["eq", "ne", "lt", "le", "gt", "ge"]),
}


def functions() -> set[str]:
    return {
        name
        for name, value in vars(_leadbyte).items()
        if callable(value) and not isinstance(value, type) and name != "_panic_in_next_call"
    }


def test_all_functions_are_called() -> None:
    assert functions() == set(FUNCTIONS)


def test_all_methods_are_called() -> None:
    classes = [value for value in vars(_leadbyte).values() if isinstance(value, type)]
    methods = {
        f"{cls.__name__}.{name}"
        for cls in classes
        for name, value in vars(cls).items()
        if name not in OTHERS and not isinstance(value, types.GetSetDescriptorType)
    }
    assert methods == set(METHODS)


@with_injection
@pytest.mark.parametrize("name", [*FUNCTIONS, *METHODS])
def test_panic(name: str) -> None:
    for package in ("polars", "pyarrow"):
        if name.endswith(f".to_{package}"):
            pytest.importorskip(package)
    call = {**FUNCTIONS, **METHODS}[name]
    lb._panic_in_next_call(True)
    try:
        with pytest.raises(SystemError, match="internal error, please report it: injected") as raised:
            call()
    finally:
        lb._panic_in_next_call(False)
    assert type(raised.value) is SystemError
    if name.startswith("IncrementalValidator"):
        VALIDATOR.reset()
    call()
