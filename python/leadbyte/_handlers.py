"""Error handlers by name."""

from __future__ import annotations

import codecs


def check_handler(errors: str, function: str) -> None:
    """Raise LookupError unless there is a handler of this name, TypeError if it is no str."""
    check_handler_name(errors, function)
    codecs.lookup_error(errors)


def check_handler_name(errors: str, function: str) -> None:
    """Raise TypeError, as CPython does for its own functions, if the name of a handler is no str."""
    if not isinstance(errors, str):
        given = "None" if errors is None else type(errors).__name__
        message = f"{function}() argument 'errors' must be str, not {given}"
        raise TypeError(message)
