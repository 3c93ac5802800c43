"""A base of classes whose instances cannot be copied."""

from __future__ import annotations

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing import NoReturn


class NotCopyable:
    """A base of classes whose instances cannot be copied or pickled, as copies would share their state."""

    __slots__ = ()

    def __reduce__(self) -> NoReturn:
        """Raise the TypeError that CPython raises for objects that cannot be pickled."""
        message = f"cannot pickle {type(self).__name__!r} object"
        raise TypeError(message)
