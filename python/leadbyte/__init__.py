"""UTF-8 at the speed of the hardware: validate, count, locate errors, decode, encode, repair."""

from leadbyte._files import read_text
from leadbyte._incremental import IncrementalDecoder, IncrementalEncoder
from leadbyte._leadbyte import (
    BOM,
    Detection,
    ErrorSpan,
    IncrementalValidator,
    Location,
    Scan,
    Scanner,
    __version__,
    add_bom,
    ceil_boundary,
    count_chars,
    count_graphemes,
    count_newlines,
    count_utf16,
    count_widths,
    cpu_info,
    decode,
    decode_many,
    detect,
    encode,
    encode_many,
    encoded_len,
    find_text,
    floor_boundary,
    graphemes,
    has_bom,
    is_ascii,
    is_boundary,
    is_normalized,
    is_valid,
    iter_errors,
    locate,
    normalize,
    repair,
    same_text,
    scan,
    sequence_length,
    strip_bom,
    to_well_formed,
    unicode_version,
    validate,
)
from leadbyte._stream import StreamDecoder

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from leadbyte._explain import Explanation, explain
    from leadbyte._sizes import Sizes, compare_sizes

__all__ = [
    "BOM",
    "Detection",
    "ErrorSpan",
    "Explanation",
    "IncrementalDecoder",
    "IncrementalEncoder",
    "IncrementalValidator",
    "Location",
    "Scan",
    "Scanner",
    "Sizes",
    "StreamDecoder",
    "__version__",
    "add_bom",
    "ceil_boundary",
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
    "encode",
    "encode_many",
    "encoded_len",
    "explain",
    "find_text",
    "floor_boundary",
    "graphemes",
    "has_bom",
    "is_ascii",
    "is_boundary",
    "is_normalized",
    "is_valid",
    "iter_errors",
    "locate",
    "normalize",
    "read_text",
    "repair",
    "same_text",
    "scan",
    "sequence_length",
    "strip_bom",
    "to_well_formed",
    "unicode_version",
    "validate",
]

# What not every program needs is imported when it is asked for.
_MODULES = {
    "Explanation": "leadbyte._explain",
    "Sizes": "leadbyte._sizes",
    "compare_sizes": "leadbyte._sizes",
    "explain": "leadbyte._explain",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
