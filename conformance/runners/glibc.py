"""The GNU C library, by iconv(3)."""

from __future__ import annotations

import ctypes

import common
from common import Decoder

lib = ctypes.CDLL(None, use_errno=True)
lib.iconv_open.restype = ctypes.c_void_p
lib.iconv_open.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
lib.iconv.restype = ctypes.c_size_t
lib.iconv.argtypes = [ctypes.c_void_p] + 4 * [ctypes.c_void_p]
lib.mbsrtowcs.restype = ctypes.c_size_t
lib.gnu_get_libc_version.restype = ctypes.c_char_p
EILSEQ, FAILED = 84, ctypes.c_size_t(-1).value


def converter(target: bytes) -> Decoder:
    """Return a decoder by iconv to an encoding."""
    made = lib.iconv_open(target, b"UTF-8")
    ignores = target.endswith(b"IGNORE")

    def decode(data: bytes) -> str | None:
        out = ctypes.create_string_buffer(4 * len(data) + 16)
        start, left = ctypes.c_char_p(data), ctypes.c_size_t(len(data))
        end, free = ctypes.c_void_p(ctypes.addressof(out)), ctypes.c_size_t(len(out))
        lib.iconv(made, None, None, None, None)
        pointers = [ctypes.byref(each) for each in (start, left, end, free)]
        result = lib.iconv(made, *pointers)
        if result == FAILED and not (ignores and (ctypes.get_errno() == EILSEQ or left.value)):
            return None
        written = out.raw[: len(out) - free.value]
        return written.decode("utf-32-le", "surrogatepass")

    return decode


common.run_each(
    "glibc",
    lib.gnu_get_libc_version().decode(),
    {"iconv": converter(b"UTF-32LE"), "iconv, //IGNORE": converter(b"UTF-32LE//IGNORE")},
)
