"""Encodings by name, and Python's own error handlers."""

from __future__ import annotations

import codecs
import contextlib
import functools
import sys

from leadbyte._leadbyte import _Encoding, _read_mixed
from leadbyte.codec import CODECS, search

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    _Name: TypeAlias = str | int

# Windows code pages that Python does not call cp with their number.
CODE_PAGES = {
    1200: "utf-16-le",
    1201: "utf-16-be",
    10000: "mac-roman",
    10004: "mac-arabic",
    10006: "mac-greek",
    10007: "mac-cyrillic",
    10010: "mac-romanian",
    10017: "whatwg:x-mac-ukrainian",
    10029: "mac-latin2",
    10079: "mac-iceland",
    10081: "mac-turkish",
    10082: "mac-croatian",
    12000: "utf-32-le",
    12001: "utf-32-be",
    20127: "ascii",
    20866: "koi8-r",
    20932: "euc-jp",
    20936: "gb2312",
    21866: "koi8-u",
    **{28590 + part: f"iso8859-{part}" for part in (*range(1, 12), *range(13, 17))},
    38598: "iso8859-8",
    50220: "iso2022-jp",
    50221: "iso2022-jp-ext",
    50225: "iso2022-kr",
    51932: "euc-jp",
    51936: "gb2312",
    51949: "euc-kr",
    52936: "hz",
    54936: "gb18030",
    65000: "utf-7",
    65001: "utf-8",
}

# The names of the encoding that is detected in a source.
DETECTION = ("detect", "auto")

# The most digits of the number of a code page.
MAX_CODE_PAGE_DIGITS = 5

# The encodings that consume and write a byte order mark, and those that they are without one.
WITHOUT_SIGNATURE = {
    "utf-8-sig": "utf-8",
    "utf-16": f"utf-16-{sys.byteorder[0]}e",
    "utf-32": f"utf-32-{sys.byteorder[0]}e",
}

# Codecs of Python for names of domains, not for texts: pieces are not encoded to what the whole is.
OF_DOMAINS = {"idna", "punycode"}

# Codecs of Python that are not native and have a byte order mark.
WITH_BOM = {"cesu-8", "gb18030", "mutf-8", "utf-7", "wtf-8"}

# Handlers that run natively, unless another function is registered under their names.
BUILT_IN = {
    "strict": codecs.strict_errors,
    "ignore": codecs.ignore_errors,
    "replace": codecs.replace_errors,
    "backslashreplace": codecs.backslashreplace_errors,
    "xmlcharrefreplace": codecs.xmlcharrefreplace_errors,
    "namereplace": codecs.namereplace_errors,
    "surrogateescape": codecs.lookup_error("surrogateescape"),
    "surrogatepass": codecs.lookup_error("surrogatepass"),
}


class Encoding:
    """An encoding, with its native implementation, its codec in Python, or both."""

    def __init__(self, name: str, native: _Encoding | None, codec: codecs.CodecInfo | None) -> None:
        self.name = name
        self.native = native
        self.codec = codec

    def decode(self, data: bytes, errors: str) -> str:
        """Decode as ``bytes.decode`` does, also by codecs of leadbyte that are not registered."""
        if self.codec and self.name in CODECS:
            return self.codec.decode(data, errors)[0]
        return data.decode(self.name, errors)

    def encode(self, text: str, errors: str) -> bytes:
        """Encode as ``str.encode`` does, also by codecs of leadbyte that are not registered."""
        if self.codec and self.name in CODECS:
            return self.codec.encode(text, errors)[0]
        return text.encode(self.name, errors)

    @property
    def signatures(self) -> tuple[bytes, ...]:
        """The byte order marks that the encoding consumes at the start of a text."""
        return self.native.boms if self.native and self.name in WITHOUT_SIGNATURE else ()

    @property
    def has_bom(self) -> bool:
        """Whether a text in this encoding can begin with a byte order mark."""
        return bool(self.native.bom) if self.native else self.name in WITH_BOM


def look_up(name: _Name) -> Encoding:
    """Return the encoding of this name; LookupError if there is none."""
    if isinstance(name, int):
        return find_code_page(name)
    if not isinstance(name, str):
        message = f"an encoding is a name or the number of a code page, not {type(name).__name__}"
        raise TypeError(message)
    if name[:7].lower() == "whatwg:":
        return find_label(name[7:], name)
    try:
        codec = codecs.lookup(name)
    except LookupError:
        if name.isascii() and name.isdigit() and len(name) <= MAX_CODE_PAGE_DIGITS:
            return find_code_page(int(name))
        own = search(name.lower())
        if own is None:
            return find_label(name, name)
        codec = own
    if not codec._is_text_encoding:
        message = f"{name!r} is not a text encoding; use codecs.encode() or codecs.decode()"
        raise LookupError(message)
    if codec.name in OF_DOMAINS:
        # Without the decoder and the encoder of pieces.
        codec = codecs.CodecInfo(codec.encode, codec.decode, name=codec.name)
    return Encoding(codec.name, _Encoding.unicode(codec.name) or find_single_byte(codec), codec)


find: Callable[[_Name], Encoding] = functools.lru_cache(maxsize=256)(look_up)


def find_code_page(number: int) -> Encoding:
    """Return the encoding of a Windows code page."""
    try:
        return find(CODE_PAGES.get(number) or f"cp{number:03}")
    except LookupError:
        message = f"unknown code page: {number}"
        raise LookupError(message) from None


def find_label(label: str, name: str) -> Encoding:
    """Return the encoding that the WHATWG Encoding Standard has for a label."""
    native = _Encoding.whatwg(label)
    if native is None:
        message = f"unknown encoding: {name}"
        raise LookupError(message)
    return Encoding(native.name, native, None)


def find_single_byte(codec: codecs.CodecInfo) -> _Encoding | None:
    """Return the native equivalent of a codec of Python that has a table of 256 characters, or None."""
    module = sys.modules.get(getattr(codec.incrementaldecoder, "__module__", ""))
    if module is None or not module.__name__.startswith("encodings."):
        return None
    table = getattr(module, "decoding_table", None)
    if table is None or len(table) != 256 or table[:128] != "".join(map(chr, range(128))):
        return None
    # The native table encodes each character as the last of its bytes.
    bytes_of = {character: byte for byte, character in enumerate(table) if character != "\ufffe"}
    encoding_map = getattr(module, "encoding_map", None)
    if encoding_map is None:
        same = all(codec.encode(character)[0] == bytes([byte]) for character, byte in bytes_of.items())
    else:
        same = encoding_map == {ord(character): byte for character, byte in bytes_of.items()}
    return _Encoding.single_byte(codec.name, table[128:]) if same else None


def is_built_in(errors: str) -> bool:
    """Return whether the handler of this name is Python's own."""
    return errors == "strict" or (errors in BUILT_IN and codecs.lookup_error(errors) is BUILT_IN[errors])


def all_names() -> Iterator[str]:
    """Yield the names of all encodings, each followed by its other names."""
    import encodings
    import pkgutil
    from encodings.aliases import aliases

    others: dict[str, list[str]] = {}
    for alias, module in sorted(aliases.items()):
        others.setdefault(module, []).append(alias.replace("_", "-"))
    modules = {module.name for module in pkgutil.iter_modules(encodings.__path__)} - {
        "undefined",
        *OF_DOMAINS,
    }
    for module in sorted(modules | CODECS.keys()):
        with contextlib.suppress(LookupError):
            name = look_up(module).name
            known = [other for other in others.get(module, []) if other != name]
            yield f"{name} ({', '.join(known)})" if known else name
    yield "whatwg:LABEL, for a label of the WHATWG Encoding Standard"
    yield "NUMBER, for a Windows code page"


def find_fallback(name: _Name) -> _Encoding:
    """Return the encoding of lines that are not UTF-8.

    Raises LookupError if there is none of that name, ValueError for a form of Unicode, or without ASCII.
    """
    encoding = find(name)
    native = encoding.native or _Encoding.whatwg(encoding.name.replace("_", "-"))
    if native is None:
        message = (
            "fallback must be a legacy encoding that contains ASCII, such as windows-1252 or"
            f" whatwg:shift_jis, not {encoding.name}"
        )
        raise ValueError(message)
    _read_mixed(b"", native)
    return native
