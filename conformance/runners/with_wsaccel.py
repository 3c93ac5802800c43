"""wsaccel: its validator of WebSocket messages."""

from __future__ import annotations

from importlib.metadata import version

import common
from wsaccel.utf8validator import Utf8Validator


def validate(data: bytes) -> bytes | None:
    """Return the data if it is valid."""
    is_valid, is_complete, *_ = Utf8Validator().validate(data)
    return data if is_valid and is_complete else None


common.run_each("wsaccel", version("wsaccel"), {"Utf8Validator": validate})
