"""UTF-8 at the speed of the hardware: validate, count, locate errors, decode, encode, repair."""

from leadbyte._leadbyte import (
    BOM,
    Detection,
    Detector,
    EditableOffsetMap,
    ErrorSpan,
    IncrementalValidator,
    Location,
    OffsetMap,
    Position,
    Scan,
    Scanner,
    __version__,
    add_bom,
    casefold,
    ceil_boundary,
    chunks,
    count_chars,
    count_graphemes,
    count_newlines,
    count_utf16,
    count_widths,
    cpu_info,
    decode,
    decode_many,
    detect,
    detect_all,
    encode,
    encode_into,
    encode_many,
    encoded_length,
    floor_boundary,
    graphemes,
    has_bom,
    is_ascii,
    is_boundary,
    is_equivalent,
    is_normalized,
    is_valid,
    iter_errors,
    locate,
    normalize,
    repair,
    scan,
    search,
    sequence_length,
    strip_bom,
    to_well_formed,
    truncate,
    truncate_many,
    unidata_version,
    validate,
)

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from leadbyte import arrow as arrow
    from leadbyte import codec as codec
    from leadbyte import compat as compat
    from leadbyte import dataset as dataset
    from leadbyte import duckdb as duckdb
    from leadbyte import mojibake as mojibake
    from leadbyte import spark as spark
    from leadbyte import transcode as transcode
    from leadbyte import variants as variants
    from leadbyte import websocket as websocket
    from leadbyte._audit import Finding, Sanitizer, audit, sanitize
    from leadbyte._explain import Explanation, explain
    from leadbyte._explain_error import explain_error, install_excepthook
    from leadbyte._incremental import IncrementalDecoder, IncrementalEncoder
    from leadbyte._lines import lines
    from leadbyte._read_text import read_text
    from leadbyte._sizes import Sizes, compare_sizes
    from leadbyte._split import split_points
    from leadbyte._stream import StreamDecoder

__all__ = [
    "BOM",
    "Detection",
    "Detector",
    "EditableOffsetMap",
    "ErrorSpan",
    "Explanation",
    "Finding",
    "IncrementalDecoder",
    "IncrementalEncoder",
    "IncrementalValidator",
    "Location",
    "OffsetMap",
    "Position",
    "Sanitizer",
    "Scan",
    "Scanner",
    "Sizes",
    "StreamDecoder",
    "__version__",
    "add_bom",
    "audit",
    "casefold",
    "ceil_boundary",
    "chunks",
    "compare_sizes",
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
    "explain",
    "explain_error",
    "floor_boundary",
    "graphemes",
    "has_bom",
    "install_excepthook",
    "is_ascii",
    "is_boundary",
    "is_equivalent",
    "is_normalized",
    "is_valid",
    "iter_errors",
    "lines",
    "locate",
    "normalize",
    "read_text",
    "repair",
    "sanitize",
    "scan",
    "search",
    "sequence_length",
    "split_points",
    "strip_bom",
    "to_well_formed",
    "truncate",
    "truncate_many",
    "unidata_version",
    "validate",
]

# Names implemented in Python are imported on first use: importing leadbyte takes a millisecond.
_SUBMODULES = (
    *("arrow", "codec", "compat", "dataset", "duckdb", "mojibake", "spark", "transcode", "variants"),
    "websocket",
)
# Importing these registers methods with another library, which an attribute must not do by the way.
_REGISTERING = ("pandas", "polars")
_MODULES = {
    "Explanation": "leadbyte._explain",
    "Finding": "leadbyte._audit",
    "IncrementalDecoder": "leadbyte._incremental",
    "IncrementalEncoder": "leadbyte._incremental",
    "Sanitizer": "leadbyte._audit",
    "Sizes": "leadbyte._sizes",
    "StreamDecoder": "leadbyte._stream",
    "audit": "leadbyte._audit",
    "compare_sizes": "leadbyte._sizes",
    "explain": "leadbyte._explain",
    "explain_error": "leadbyte._explain_error",
    "install_excepthook": "leadbyte._explain_error",
    "lines": "leadbyte._lines",
    "read_text": "leadbyte._read_text",
    "sanitize": "leadbyte._audit",
    "split_points": "leadbyte._split",
}


if not TYPE_CHECKING:  # else any name would be one

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name in _SUBMODULES:
            return import_module(f"{__name__}.{name}")
        if name in _MODULES:
            value = globals()[name] = getattr(import_module(_MODULES[name]), name)
            return value
        message = f"module {__name__!r} has no attribute {name!r}"
        if name in _REGISTERING:
            message += f"; import leadbyte.{name} registers its methods"
        raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted({*__all__, *_SUBMODULES})
