"""Functions that take the text of an output."""

from __future__ import annotations

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from typing_extensions import Buffer

    _Write: TypeAlias = Callable[[Buffer], object]


def discard(_: Buffer) -> None:
    """Discard text."""
