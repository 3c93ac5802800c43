"""Objects with a state that their copies would share."""

from __future__ import annotations

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from typing import NoReturn


class NotCopied:
    """What cannot be copied or pickled, as files cannot."""

    __slots__ = ()

    def __reduce__(self) -> NoReturn:
        """Raise TypeError, as CPython does for objects that cannot be pickled."""
        message = f"cannot pickle {type(self).__name__!r} object"
        raise TypeError(message)
