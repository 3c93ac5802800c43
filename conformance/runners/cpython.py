"""CPython: bytes.decode."""

import platform

import common

common.run_each(
    platform.python_implementation(),
    platform.python_version(),
    {
        'bytes.decode("utf-8")': common.attempt(bytes.decode, UnicodeDecodeError),
        'errors="replace"': lambda data: data.decode("utf-8", "replace"),
        'errors="ignore"': lambda data: data.decode("utf-8", "ignore"),
    },
)
