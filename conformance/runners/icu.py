"""ICU4C, by its C interface: the converter and the functions for strings."""

from __future__ import annotations

import ctypes
import ctypes.util
import re
from typing import TYPE_CHECKING, Any

import common
from common import Decoder

if TYPE_CHECKING:
    from collections.abc import Callable

library = ctypes.util.find_library("icuuc") or "libicuuc.so"
suffix = "_" + re.sub(r".*\.so\.(\d+).*", r"\1", library)
uc = ctypes.CDLL(library)
U_BUFFER_OVERFLOW_ERROR = 15


def function(name: str, result: type | None, *arguments: type) -> Callable[..., Any]:
    """Return a function of ICU, whose names end with the version."""
    found: Callable[..., Any] = getattr(uc, name + suffix)
    found.restype, found.argtypes = result, arguments  # type: ignore[attr-defined]
    return found


pointer, error, size = ctypes.c_void_p, ctypes.POINTER(ctypes.c_int), ctypes.c_int32
ucnv_open = function("ucnv_open", pointer, ctypes.c_char_p, error)
ucnv_set_callback = function("ucnv_setToUCallBack", None, pointer, pointer, pointer, pointer, pointer, error)
ucnv_to_uchars = function("ucnv_toUChars", size, pointer, pointer, size, ctypes.c_char_p, size, error)
from_utf8 = function(
    "u_strFromUTF8", pointer, pointer, size, ctypes.POINTER(size), ctypes.c_char_p, size, error
)
lenient = function(
    "u_strFromUTF8Lenient", pointer, pointer, size, ctypes.POINTER(size), ctypes.c_char_p, size, error
)
with_sub = function(
    "u_strFromUTF8WithSub",
    *(pointer, pointer, size, ctypes.POINTER(size), ctypes.c_char_p, size, size, pointer, error),
)


def text(units: ctypes.Array[ctypes.c_uint16], length: int) -> str:
    """Return the text of UTF-16 code units."""
    return bytes(units)[: 2 * length].decode("utf-16-le", "surrogatepass")


def converter(callback: str) -> Decoder:
    """Return a decoder by the converter, with the callback of this name for malformed bytes."""
    code = ctypes.c_int(0)
    made = ucnv_open(b"UTF-8", code)
    call = ctypes.cast(getattr(uc, f"UCNV_TO_U_CALLBACK_{callback}{suffix}"), pointer)
    ucnv_set_callback(made, call, None, None, None, code)
    assert code.value <= 0

    def decode(data: bytes) -> str | None:
        code, units = ctypes.c_int(0), (ctypes.c_uint16 * (2 * len(data) + 8))()
        length = ucnv_to_uchars(made, units, len(units), data, len(data), code)
        return text(units, length) if code.value <= 0 else None

    return decode


def by(call: Callable[..., Any], *more: object) -> Decoder:
    """Return a decoder by a function for strings."""

    def decode(data: bytes) -> str | None:
        code, length = ctypes.c_int(0), ctypes.c_int32(0)
        units = (ctypes.c_uint16 * (2 * len(data) + 8))()
        call(units, len(units), length, data, len(data), *more, code)
        return text(units, length.value) if code.value <= 0 else None

    return decode


version = (ctypes.c_uint8 * 4)()
function("u_getVersion", None, pointer)(version)
common.run_each(
    "ICU",
    f"{version[0]}.{version[1]}",
    {
        "ucnv_toUChars, STOP": converter("STOP"),
        "u_strFromUTF8": by(from_utf8),
        "ucnv_toUChars, SUBSTITUTE": converter("SUBSTITUTE"),
        "u_strFromUTF8WithSub": by(with_sub, 0xFFFD, None),
        "u_strFromUTF8Lenient": by(lenient),
        "ucnv_toUChars, SKIP": converter("SKIP"),
    },
)
