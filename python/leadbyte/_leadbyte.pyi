# The types of the extension module. Docstrings are in its source, python/src.

from collections.abc import Callable, Iterable, Iterator
from io import FileIO
from types import GenericAlias
from typing import (
    Any,
    Final,
    Generic,
    Literal,
    SupportsIndex,
    TypeAlias,
    TypedDict,
    TypeVar,
    final,
    overload,
    type_check_only,
)

import polars as pl
import pyarrow as pa
from typing_extensions import Buffer

__all__ = [
    "BOM",
    "ChunkIterator",
    "Detection",
    "Detector",
    "EditableOffsetMap",
    "ErrorIterator",
    "ErrorSpan",
    "IncrementalValidator",
    "LineIterator",
    "Location",
    "OffsetMap",
    "Position",
    "Scan",
    "Scanner",
    "_ArrowArray",
    "_ArrowItems",
    "_ArrowStream",
    "_Audit",
    "_DoubleByteDecoder",
    "_DoubleByteEncoder",
    "_Encoding",
    "_FileReader",
    "_JsonLines",
    "_MojibakeBlocks",
    "_Transcoder",
    "__version__",
    "_announced_length",
    "_arrow_audit",
    "_arrow_count",
    "_arrow_decode",
    "_arrow_detect",
    "_arrow_detect_rows",
    "_arrow_errors",
    "_arrow_is_valid",
    "_arrow_normalize",
    "_arrow_repair",
    "_arrow_repair_mojibake",
    "_arrow_sanitize",
    "_arrow_transcode",
    "_arrow_truncate",
    "_census",
    "_count_replacements",
    "_decode_integers",
    "_decode_prefix",
    "_decode_universal",
    "_decode_variant",
    "_decode_variant_prefix",
    "_detect_whole",
    "_detectable_encodings",
    "_encode_integers",
    "_encode_variant",
    "_floor_cluster",
    "_is_valid_variant",
    "_read",
    "_read_mixed",
    "_repair_chunk",
    "_split_points",
    "_substitutions",
    "_transcode",
    "_undo_mojibake",
    "_undo_mojibake_of_column",
    "add_bom",
    "casefold",
    "ceil_boundary",
    "chunks",
    "count_chars",
    "count_graphemes",
    "count_newlines",
    "count_utf16",
    "count_widths",
    "cpu_info",
    "decode",
    "decode_many",
    "detect",
    "detect_all",
    "encode",
    "encode_into",
    "encode_many",
    "encoded_length",
    "floor_boundary",
    "graphemes",
    "has_bom",
    "is_ascii",
    "is_boundary",
    "is_equivalent",
    "is_normalized",
    "is_valid",
    "iter_errors",
    "locate",
    "normalize",
    "repair",
    "scan",
    "search",
    "sequence_length",
    "strip_bom",
    "to_well_formed",
    "truncate",
    "truncate_many",
    "unidata_version",
    "validate",
]

_Kind: TypeAlias = Literal[
    "unexpected_continuation",
    "overlong",
    "too_large",
    "invalid_start",
    "surrogate",
    "truncated",
    "missing_continuation",
]

_Unit: TypeAlias = Literal["byte", "char", "utf16"]
_UnitOrEncoding: TypeAlias = Literal["byte", "char", "utf16", "utf-8", "utf-32", "utf-16"]
_T = TypeVar("_T", str, bytes)
_B = TypeVar("_B", bound=Buffer)

_Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]

_LimitUnit: TypeAlias = Literal["byte", "char", "utf16", "grapheme"]

# The programs whose number of replacements an error gets.
_Substitution: TypeAlias = Literal["whatwg", "java", "okio", "go", "go-runs"]
_Side: TypeAlias = Literal["end", "start", "middle"]

class _CpuInfo(TypedDict):
    detected: list[str]
    implementations: list[str]
    override: str | None
    functions: dict[str, str]

__version__: Final[str]
unidata_version: Final[str]
BOM: Final[bytes]

def is_valid(data: Buffer, /) -> bool: ...
def validate(data: Buffer, /) -> None: ...
def is_ascii(data: Buffer, /) -> bool: ...
def count_chars(data: Buffer, /) -> int: ...
def count_widths(data: Buffer, /) -> tuple[int, int, int, int]: ...
def count_utf16(data: Buffer, /) -> int: ...
def count_newlines(data: Buffer, /) -> int: ...
def sequence_length(lead_byte: SupportsIndex, /) -> int: ...
def scan(data: Buffer, /, *, threads: SupportsIndex = 1) -> Scan: ...
@overload
def iter_errors(data: Buffer, /, *, locations: Literal[True]) -> Iterator[_LocatedErrorSpan]: ...
@overload
def iter_errors(data: Buffer, /, *, locations: Literal[False] = False) -> ErrorIterator: ...
@overload
def iter_errors(data: Buffer, /, *, locations: bool) -> Iterator[ErrorSpan]: ...
def locate(data: Buffer, /, offset: SupportsIndex, *, unit: _Unit = "byte") -> Location: ...
def has_bom(data: Buffer, /) -> bool: ...
def strip_bom(data: Buffer, /) -> bytes: ...
def add_bom(data: Buffer, /) -> bytes: ...
def is_boundary(data: Buffer, /, i: SupportsIndex) -> bool: ...
def floor_boundary(data: Buffer, /, i: SupportsIndex) -> int: ...
def ceil_boundary(data: Buffer, /, i: SupportsIndex) -> int: ...
def cpu_info() -> _CpuInfo: ...
def decode(data: Buffer, /, *, errors: str = "strict") -> str: ...
def encode(text: str, /, *, errors: str = "strict") -> bytes: ...
def encode_into(
    text: str, buffer: Buffer, /, *, offset: SupportsIndex = 0, errors: str = "strict"
) -> tuple[int, int]: ...
def encoded_length(text: str, /) -> int: ...
@overload
def decode_many(items: Iterable[Buffer], /, *, errors: str = "strict") -> list[str]: ...
@overload
def decode_many(items: Iterable[Buffer | None], /, *, errors: str = "strict") -> list[str | None]: ...
@overload
def encode_many(items: Iterable[str], /, *, errors: str = "strict") -> list[bytes]: ...
@overload
def encode_many(items: Iterable[str | None], /, *, errors: str = "strict") -> list[bytes | None]: ...
def repair(
    data: Buffer, /, *, replacement: str = "\ufffd", substitution: _Substitution = "whatwg"
) -> bytes: ...
def to_well_formed(text: str, /) -> str: ...
@overload
def normalize(form: _Form, text_or_data: str, /) -> str: ...
@overload
def normalize(form: _Form, text_or_data: Buffer, /) -> bytes: ...
def is_normalized(form: _Form, text_or_data: str | Buffer, /) -> bool: ...
@overload
def casefold(text_or_data: str, /) -> str: ...
@overload
def casefold(text_or_data: Buffer, /) -> bytes: ...
def count_graphemes(text_or_data: str | Buffer, /) -> int: ...
@overload
def truncate(
    text_or_data: str,
    limit: SupportsIndex,
    /,
    *,
    unit: _LimitUnit,
    boundary: Literal["char", "grapheme"] = "char",
    ellipsis: str = "",
    side: _Side = "end",
) -> str: ...
@overload
def truncate(
    text_or_data: Buffer,
    limit: SupportsIndex,
    /,
    *,
    unit: _LimitUnit,
    boundary: Literal["char", "grapheme"] = "char",
    ellipsis: str = "",
    side: _Side = "end",
) -> bytes: ...
@overload
def truncate_many(
    items: Iterable[str],
    limit: SupportsIndex,
    /,
    *,
    unit: _LimitUnit,
    boundary: Literal["char", "grapheme"] = "char",
    ellipsis: str = "",
    side: _Side = "end",
) -> list[str]: ...
@overload
def truncate_many(
    items: Iterable[Buffer],
    limit: SupportsIndex,
    /,
    *,
    unit: _LimitUnit,
    boundary: Literal["char", "grapheme"] = "char",
    ellipsis: str = "",
    side: _Side = "end",
) -> list[bytes]: ...
@overload
def truncate_many(  # type: ignore[overload-overlap] # None alone may be of either type
    items: Iterable[str | None],
    limit: SupportsIndex,
    /,
    *,
    unit: _LimitUnit,
    boundary: Literal["char", "grapheme"] = "char",
    ellipsis: str = "",
    side: _Side = "end",
) -> list[str | None]: ...
@overload
def truncate_many(
    items: Iterable[Buffer | None],
    limit: SupportsIndex,
    /,
    *,
    unit: _LimitUnit,
    boundary: Literal["char", "grapheme"] = "char",
    ellipsis: str = "",
    side: _Side = "end",
) -> list[bytes | None]: ...
@overload
def truncate_many(
    items: Iterable[str | Buffer | None],
    limit: SupportsIndex,
    /,
    *,
    unit: _LimitUnit,
    boundary: Literal["char", "grapheme"] = "char",
    ellipsis: str = "",
    side: _Side = "end",
) -> list[str | bytes | None]: ...
def chunks(
    data: Buffer, max_bytes: SupportsIndex, /, *, boundary: Literal["char", "line", "grapheme"] = "char"
) -> ChunkIterator: ...
@overload
def graphemes(text_or_data: str, /) -> list[str]: ...
@overload
def graphemes(text_or_data: Buffer, /) -> list[bytes]: ...
def is_equivalent(a: str | Buffer, b: str | Buffer, /, form: _Form = "NFC") -> bool: ...
def search(
    text_or_data: str | Buffer,
    needle: str | Buffer,
    /,
    start: int = 0,
    *,
    ignore_case: bool = False,
    ignore_marks: bool = False,
) -> tuple[int, int] | None: ...

@final
class ErrorSpan:
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def reason(self) -> str: ...
    @property
    def kind(self) -> _Kind: ...
    @property
    def data(self) -> bytes: ...
    @property
    def message(self) -> str: ...
    @property
    def location(self) -> Location | None: ...
    def as_dict(self) -> dict[str, Any]: ...
    def __hash__(self) -> int: ...
    # Private, for unpickling.
    @staticmethod
    def _restore(
        start: int, kind: str, data: bytes, following: bytes, location: Location | None
    ) -> ErrorSpan: ...

@final
class ChunkIterator:
    def __iter__(self) -> ChunkIterator: ...
    def __next__(self) -> memoryview: ...

@type_check_only
class _LocatedErrorSpan(ErrorSpan):  # type: ignore[misc]  # an ErrorSpan that has a location
    @property
    def location(self) -> Location: ...

@final
class ErrorIterator:
    def __iter__(self) -> ErrorIterator: ...
    def __next__(self) -> ErrorSpan: ...

@final
class LineIterator:
    def __new__(
        cls,
        source: Buffer | Callable[[int], Buffer | None],
        /,
        *,
        decoder: object | None,
        errors: str,
        newline: int,
        skips_bom: bool,
        release: Callable[[], object] | None,
        block_bytes: int,
    ) -> LineIterator: ...
    def __iter__(self) -> LineIterator: ...
    def __next__(self) -> str: ...
    def __enter__(self) -> LineIterator: ...
    def __exit__(self, *_exception: object) -> None: ...
    def batches(self, n: SupportsIndex, /) -> Iterator[list[str]]: ...
    def close(self) -> None: ...
    # Private: what batches calls.
    def _take(self, n: int, /) -> list[str]: ...

@final
class Location:
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def utf16_column(self) -> int: ...
    @property
    def char_offset(self) -> int: ...
    @property
    def byte_offset(self) -> int: ...
    def as_dict(self) -> dict[str, int]: ...
    def __hash__(self) -> int: ...

@final
class Position:
    def __new__(cls, line: int, character: int) -> Position: ...
    @property
    def line(self) -> int: ...
    @property
    def character(self) -> int: ...
    def as_dict(self) -> dict[str, int]: ...
    def __iter__(self) -> Iterator[int]: ...
    def __lt__(self, value: Position, /) -> bool: ...
    def __le__(self, value: Position, /) -> bool: ...
    def __gt__(self, value: Position, /) -> bool: ...
    def __ge__(self, value: Position, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class OffsetMap(Generic[_T]):
    def __class_getitem__(cls, key: object) -> GenericAlias: ...
    @overload
    def __new__(
        cls,
        text_or_data: str,
        /,
        *,
        newlines: Literal["universal", "lf"] = "universal",
        threads: SupportsIndex = 1,
    ) -> OffsetMap[str]: ...
    @overload
    def __new__(
        cls,
        text_or_data: Buffer,
        /,
        *,
        newlines: Literal["universal", "lf"] = "universal",
        threads: SupportsIndex = 1,
    ) -> OffsetMap[bytes]: ...
    @property
    def byte_count(self) -> int: ...
    @property
    def char_count(self) -> int: ...
    @property
    def utf16_count(self) -> int: ...
    @property
    def line_count(self) -> int: ...
    def convert(
        self,
        offset: SupportsIndex,
        /,
        source: _UnitOrEncoding,
        target: _UnitOrEncoding,
        *,
        strict: bool = False,
    ) -> int: ...
    @overload
    def convert_many(
        self, offsets: Buffer, /, source: _UnitOrEncoding, target: _UnitOrEncoding, *, out: None = None
    ) -> memoryview[int]: ...
    @overload
    def convert_many(
        self,
        offsets: Iterable[SupportsIndex],
        /,
        source: _UnitOrEncoding,
        target: _UnitOrEncoding,
        *,
        out: None = None,
    ) -> list[int]: ...
    @overload
    def convert_many(
        self,
        offsets: Buffer | Iterable[SupportsIndex],
        /,
        source: _UnitOrEncoding,
        target: _UnitOrEncoding,
        *,
        out: _B,
    ) -> _B: ...
    def position(
        self,
        offset: SupportsIndex,
        /,
        *,
        unit: _UnitOrEncoding = "byte",
        column_unit: _UnitOrEncoding = "utf16",
    ) -> Position: ...
    def offset(
        self,
        line: SupportsIndex,
        character: SupportsIndex,
        /,
        *,
        unit: _UnitOrEncoding = "byte",
        column_unit: _UnitOrEncoding = "utf16",
    ) -> int: ...
    def slice(self, start: SupportsIndex, end: SupportsIndex, /, *, unit: _UnitOrEncoding) -> _T: ...
    def __copy__(self) -> OffsetMap[_T]: ...
    def __deepcopy__(self, memo: object, /) -> OffsetMap[_T]: ...

@final
class EditableOffsetMap(Generic[_T]):
    def __class_getitem__(cls, key: object) -> GenericAlias: ...
    @overload
    def __new__(
        cls,
        text_or_data: str,
        /,
        *,
        newlines: Literal["universal", "lf"] = "universal",
    ) -> EditableOffsetMap[str]: ...
    @overload
    def __new__(
        cls,
        text_or_data: Buffer,
        /,
        *,
        newlines: Literal["universal", "lf"] = "universal",
    ) -> EditableOffsetMap[bytes]: ...
    @property
    def text(self) -> _T: ...
    @property
    def byte_count(self) -> int: ...
    @property
    def char_count(self) -> int: ...
    @property
    def utf16_count(self) -> int: ...
    @property
    def line_count(self) -> int: ...
    def convert(
        self,
        offset: SupportsIndex,
        /,
        source: _UnitOrEncoding,
        target: _UnitOrEncoding,
        *,
        strict: bool = False,
    ) -> int: ...
    @overload
    def convert_many(
        self, offsets: Buffer, /, source: _UnitOrEncoding, target: _UnitOrEncoding, *, out: None = None
    ) -> memoryview[int]: ...
    @overload
    def convert_many(
        self,
        offsets: Iterable[SupportsIndex],
        /,
        source: _UnitOrEncoding,
        target: _UnitOrEncoding,
        *,
        out: None = None,
    ) -> list[int]: ...
    @overload
    def convert_many(
        self,
        offsets: Buffer | Iterable[SupportsIndex],
        /,
        source: _UnitOrEncoding,
        target: _UnitOrEncoding,
        *,
        out: _B,
    ) -> _B: ...
    def position(
        self,
        offset: SupportsIndex,
        /,
        *,
        unit: _UnitOrEncoding = "byte",
        column_unit: _UnitOrEncoding = "utf16",
    ) -> Position: ...
    def offset(
        self,
        line: SupportsIndex,
        character: SupportsIndex,
        /,
        *,
        unit: _UnitOrEncoding = "byte",
        column_unit: _UnitOrEncoding = "utf16",
    ) -> int: ...
    def slice(self, start: SupportsIndex, end: SupportsIndex, /, *, unit: _UnitOrEncoding) -> _T: ...
    def replace(self, start: SupportsIndex, end: SupportsIndex, data: str | Buffer, /) -> None: ...

@final
class Scan:
    @property
    def byte_count(self) -> int: ...
    @property
    def char_count(self) -> int: ...
    @property
    def utf16_count(self) -> int: ...
    @property
    def newline_count(self) -> int: ...
    @property
    def ascii(self) -> bool: ...
    @property
    def max_char_width(self) -> int: ...
    @property
    def bom(self) -> bool: ...
    @property
    def valid(self) -> bool: ...
    @property
    def error(self) -> ErrorSpan | None: ...
    @property
    def error_count(self) -> int: ...
    def as_dict(self) -> dict[str, Any]: ...
    def __hash__(self) -> int: ...

@final
class Detection:
    @property
    def encoding(self) -> str | None: ...
    @property
    def language(self) -> str | None: ...
    @property
    def declared(self) -> str | None: ...
    @property
    def bom(self) -> bool: ...
    @property
    def valid_utf8(self) -> bool: ...
    @property
    def truncated(self) -> bool: ...
    @property
    def confidence(self) -> float: ...
    @property
    def kind(self) -> str: ...
    def as_dict(self) -> dict[str, Any]: ...
    def __hash__(self) -> int: ...

def detect(data: Buffer, /, *, encodings: Iterable[str | int] | None = None) -> Detection: ...
def detect_all(data: Buffer, /, *, encodings: Iterable[str | int] | None = None) -> list[Detection]: ...

@final
class Detector:
    def __new__(cls, *, encodings: Iterable[str | int] | None = None) -> Detector: ...
    @property
    def done(self) -> bool: ...
    def update(self, data: Buffer, /) -> bool: ...
    def finish(self) -> Detection: ...
    def _finish_whole(self) -> Detection: ...

# Private: detect for a text that is known to be complete; and for the argument encodings.
def _detect_whole(data: Buffer, encodings: Iterable[str | int] | None = None) -> Detection: ...
def _detectable_encodings() -> list[str]: ...

@final
class Scanner:
    def __new__(cls) -> Scanner: ...
    @property
    def byte_count(self) -> int: ...
    def update(self, data: Buffer, /) -> None: ...
    def merge(self, other: Scanner, /) -> None: ...
    def finish(self) -> Scan: ...
    # Private, for the command: a Scanner that keeps this many errors, and those it kept.
    @staticmethod
    def _keeping(errors: int) -> Scanner: ...
    def _errors(self) -> Iterator[tuple[ErrorSpan, int, int, bytes, bytes]]: ...

# Private: the kind, start and end, code point, reason and location of a finding.
_Found: TypeAlias = tuple[
    Literal[
        "nul",
        "control",
        "bidi_control",
        "tag",
        "invisible",
        "variation_selector",
        "noncharacter",
        "private_use",
        "unassigned",
        "four_byte",
        "inner_bom",
        "line_separator",
        "surrogate",
        "confusable_newline",
        "invalid",
    ],
    int,
    int,
    int,
    str,
    Location,
]

# Private: a search for hidden characters in pieces of text that end with lines.
@final
class _Audit:
    def __new__(
        cls,
        policy: str | Iterable[str],
        /,
        *,
        is_str: bool,
        extension: str | None = None,
        function: str = "audit",
    ) -> _Audit: ...
    def next(self, data: bytes, /) -> _Found | None: ...
    def count_rest(self, data: bytes, /) -> int: ...
    def sanitize(
        self, data: bytes, replacement: str, limit: int, /
    ) -> tuple[bytes | None, int, list[_Found]]: ...
    def next_piece(self, data: bytes, /) -> _Audit: ...

# Private: a finding in JSON lines: kind, start, end, line, column, bytes, JSON Pointer, whether in a key.
_JsonFinding: TypeAlias = tuple[str, int, int, int, int, bytes, str | None, bool]
# Private: a record with findings: start, line, kind and start of the first, its JSON Pointer, their number.
_JsonRecord: TypeAlias = tuple[int, int, str, int, str | None, int]

# Private: a search for what programs that load JSON lines refuse, in pieces of text that are cut anywhere.
@final
class _JsonLines:
    def __new__(
        cls, limit: int, /, *, replacement: str | None = None, records: bool = False
    ) -> _JsonLines: ...
    def update(self, data: Buffer, /) -> bytes | None: ...
    def finish(self) -> bytes | None: ...
    @property
    def finding_count(self) -> int: ...
    @property
    def invalid_record_count(self) -> int: ...
    @property
    def is_truncated(self) -> bool: ...
    def findings(self) -> list[_JsonFinding]: ...
    def take_records(self) -> list[_JsonRecord]: ...

# Private, for the command: the files of paths, as (path, named, result).
@final
class _FileReader:
    def __new__(
        cls,
        paths: list[str],
        task: str,
        /,
        *,
        directories: bool,
        ignore: bool,
        hidden: bool,
        exclude: list[str],
        jobs: int,
        errors: int,
        binary: bool,
        tables: tuple[list[str], list[bytes], bool],
        waiting: Callable[[], None],
    ) -> _FileReader: ...
    def __iter__(self) -> _FileReader: ...
    def __next__(
        self,
    ) -> tuple[bytes | str, bool, Scanner | Detection | str | OSError | tuple[int, int, int] | None]: ...
    def _take_byte_count(self) -> int: ...

# Private, for the command: a description of an error by its bytes and those that follow.
def _announced_length(lead: int, /) -> int: ...
def _census(text_or_data: str | Buffer, /) -> list[tuple[int, int, str]]: ...

@final
class IncrementalValidator:
    # Private, for unpickling.
    @staticmethod
    def _restore(
        taken: int, pending: bytes, error: ErrorSpan | None, location: Location | None, finished: bool
    ) -> IncrementalValidator: ...
    def __new__(cls, *, locations: bool = False) -> IncrementalValidator: ...
    @property
    def error(self) -> ErrorSpan | None: ...
    @property
    def pending(self) -> bytes: ...
    def update(self, data: Buffer, /) -> bool: ...
    def finish(self) -> bool: ...
    def reset(self) -> None: ...

# Private, for the codec and the commands: a piece of a text, and how many of its bytes are finished.
def _decode_prefix(data: Buffer, errors: str | None = None, last: bool = False, /) -> tuple[str, int]: ...
def _decode_universal(data: bytes, /) -> str | None: ...
def _read(file: FileIO, length: int, /) -> bytes: ...
def _split_points(
    data: Buffer, n: SupportsIndex, boundary: Literal["char", "line", "grapheme"], /
) -> list[int]: ...
def _floor_cluster(
    window: bytes, to: int, walk: tuple[int | None, int] | None, /
) -> tuple[int, int, int] | None: ...
def _repair_chunk(
    data: Buffer, start: int, replacement: str, substitution: _Substitution, last: bool, /
) -> tuple[bytes, int]: ...
def _count_replacements(data: bytes, start: int, end: int, substitution: _Substitution, /) -> int: ...
def _substitutions() -> tuple[_Substitution, ...]: ...

# Private, for leadbyte.transcode and the command convert. A fault: its offset in the input in bytes, its
# bytes, and the reason.
_Fault: TypeAlias = tuple[int, bytes, str]

@final
class _Encoding:
    @staticmethod
    def unicode(name: str) -> _Encoding | None: ...
    @staticmethod
    def single_byte(name: str, high: str) -> _Encoding | None: ...
    @staticmethod
    def whatwg(label: str) -> _Encoding | None: ...
    @property
    def name(self) -> str: ...
    @property
    def definition(self) -> str: ...
    @property
    def bom(self) -> bytes: ...
    @property
    def boms(self) -> tuple[bytes, ...]: ...

@final
class _DoubleByteDecoder:
    def __new__(cls, singles: str, pairs: str, /) -> _DoubleByteDecoder: ...
    def decode_from(self, data: bytes, at: int, /) -> tuple[str, int]: ...

@final
class _DoubleByteEncoder:
    def __new__(cls, table: str, /) -> _DoubleByteEncoder: ...
    def encode_from(self, text: str, at: int, /) -> tuple[bytes, int]: ...

@final
class _Transcoder:
    def __new__(
        cls,
        source: _Encoding | None,
        target: _Encoding | None,
        errors: str,
        bom: str | None,
        /,
        *,
        collect_faults: bool = False,
    ) -> _Transcoder: ...
    def feed(self, data: Buffer, /, *, last: bool) -> bytes: ...
    def feed_with_faults(self, data: Buffer, /, *, last: bool) -> tuple[bytes, list[_Fault]]: ...

def _transcode(
    data: Buffer, source: _Encoding, target: _Encoding, errors: str, bom: str | None, /
) -> bytes: ...

# Private, for leadbyte.mojibake and its command: the repaired text, and for each repaired part its span, its
# first and last line, the encodings of its layers, the numbers of sequences and of undamaged characters, the
# language, and the bits before and after; the text of lines in several encodings, and of each line that is
# not UTF-8 the number, the encoding, and whether only a part of it is in that.
_Part: TypeAlias = tuple[
    tuple[int, int],
    tuple[int, int],
    list[tuple[str, str]],
    tuple[int, int],
    str | None,
    tuple[float, float],
]
_MixedLine: TypeAlias = tuple[int, str, bool]

@final
class _MojibakeBlocks:
    def __new__(cls, languages: Iterable[str] | None, /) -> _MojibakeBlocks: ...
    def read(self, lines: bytes) -> tuple[bytes, list[_MixedLine]]: ...
    def repair(self, text: bytes, is_last: bool) -> tuple[bytes, list[_Part], int]: ...

def _undo_mojibake(
    text: str, function: str, languages: Iterable[str] | None = None, /
) -> tuple[str, list[_Part]]: ...
def _undo_mojibake_of_column(
    texts: Iterable[str | None], languages: Iterable[str] | None, /
) -> list[str | None]: ...
def _read_mixed(data: Buffer, fallback: _Encoding | None = None, /) -> tuple[str, list[_MixedLine]]: ...

# Private, for leadbyte.arrow, which exports the classes without the prefix: columns with the Arrow PyCapsule
# interface, the name of one in a table, and the number of threads.
@final
class _ArrowArray:
    @property
    def null_count(self) -> int: ...
    def to_pylist(self) -> list[Any]: ...
    def to_pyarrow(self) -> pa.Array: ...
    def to_polars(self) -> pl.Series: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

@final
class _ArrowItems:
    def __iter__(self) -> Iterator[Any]: ...
    def __next__(self) -> object: ...

@final
class _ArrowStream:
    @property
    def num_chunks(self) -> int: ...
    @property
    def null_count(self) -> int: ...
    def to_pylist(self) -> list[Any]: ...
    def to_pyarrow(self) -> pa.ChunkedArray: ...
    def to_polars(self) -> pl.Series: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

def _arrow_count(
    values: object, column: str | None, threads: SupportsIndex, unit: str, /
) -> _ArrowArray | _ArrowStream: ...
def _arrow_decode(
    values: object, column: str | None, threads: SupportsIndex, errors: str, /
) -> _ArrowArray | _ArrowStream: ...
def _arrow_detect(
    values: object,
    column: str | None,
    threads: SupportsIndex,
    encodings: Iterable[str | int] | None,
    /,
) -> Detection: ...
def _arrow_detect_rows(
    values: object,
    column: str | None,
    threads: SupportsIndex,
    encodings: Iterable[str | int] | None,
    /,
) -> _ArrowArray | _ArrowStream: ...
def _arrow_audit(
    values: object, column: str | None, policy: str | Iterable[str], /
) -> _ArrowArray | _ArrowStream: ...
def _arrow_sanitize(
    values: object,
    column: str | None,
    threads: SupportsIndex,
    policy: str | Iterable[str],
    replacement: str,
    /,
) -> _ArrowArray | _ArrowStream: ...
def _arrow_errors(values: object, column: str | None, /) -> _ArrowArray | _ArrowStream: ...
def _arrow_is_valid(
    values: object, column: str | None, threads: SupportsIndex, /
) -> _ArrowArray | _ArrowStream: ...
def _arrow_normalize(
    form: str, values: object, column: str | None, threads: SupportsIndex, /
) -> _ArrowArray | _ArrowStream: ...
def _arrow_repair(
    values: object, column: str | None, threads: SupportsIndex, replacement: str, /
) -> _ArrowArray | _ArrowStream: ...
def _arrow_repair_mojibake(
    values: object, column: str | None, threads: SupportsIndex, languages: Iterable[str] | None, /
) -> _ArrowArray | _ArrowStream: ...
def _arrow_transcode(
    values: object,
    column: str | None,
    threads: SupportsIndex,
    source: _Encoding,
    target: _Encoding,
    errors: str,
    bom: str | None,
    /,
) -> _ArrowArray | _ArrowStream: ...
def _arrow_truncate(
    values: object,
    column: str | None,
    threads: SupportsIndex,
    limit: SupportsIndex,
    /,
    *,
    unit: _LimitUnit,
    boundary: Literal["char", "grapheme"] = ...,
    ellipsis: str = ...,
    side: _Side = ...,
) -> _ArrowArray | _ArrowStream: ...

# Private, for leadbyte.variants and the codecs: a variant is "cesu-8", "mutf-8" or "wtf-8".
def _is_valid_variant(variant: str, data: Buffer, /) -> bool: ...
def _decode_variant(variant: str, data: Buffer, errors: str | None = None, /) -> str: ...
def _decode_variant_prefix(
    variant: str, data: Buffer, errors: str | None = None, last: bool = False, /
) -> tuple[str, int]: ...
def _encode_variant(variant: str, text: str, errors: str | None = None, /) -> bytes: ...

# The same for integers: forms are "rfc2279" or "extended".
def _decode_integers(forms: str, data: Buffer, last: bool, /) -> tuple[bytes, int]: ...
def _encode_integers(
    forms: str, integers: Buffer, size: int, signed: bool, least: SupportsIndex, /
) -> bytes: ...
