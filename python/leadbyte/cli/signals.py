"""Signals that end the command: as exceptions, which remove temporary files on their way.

The module signal is imported by functions: --version and the like do without it.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False  # the module typing would take as long to import as all of leadbyte
if TYPE_CHECKING:
    from types import FrameType

# The numbers of the signals that raise exceptions now.
raising: list[int] = []
# Signals often come in pairs: a terminal that is closed sends SIGHUP, and so does its shell. For so long
# after one, others do not interrupt the removal of temporary files.
REPEATED_SECONDS = 1.0


class Terminated(BaseException):
    """A signal ends the process, but not the one of Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Raiser:
    """A handler of signals that raises exceptions."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.raised = float("-inf")

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        """Raise the exception of a signal, unless another one was raised just before."""
        import signal

        if number != signal.SIGINT and os.getpid() != self.process:
            # A fork, as engines have them for their tasks.
            die_of(number)
        now = time.monotonic()
        if now < self.raised + REPEATED_SECONDS:
            return
        self.raised = now
        raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)


def raise_for_signals() -> None:
    """Have the signals that end the process raise exceptions.

    One that does something else is left alone: it is ignored in the background, or below nohup.
    """
    import signal

    raiser = Raiser()
    for name, usual in (
        ("SIGINT", signal.default_int_handler), ("SIGTERM", signal.SIG_DFL), ("SIGHUP", signal.SIG_DFL),
    ):  # fmt: skip
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == usual:
            signal.signal(number, raiser)
            raising.append(number)


def raise_no_more() -> None:
    """Have these signals end the process at once, as nothing is left to be removed."""
    while raising:
        import signal

        number = raising.pop()
        if isinstance(signal.getsignal(number), Raiser):
            signal.signal(number, signal.SIG_DFL)


def die_of(number: int) -> None:
    """End the process by a signal, as if it had not been handled."""
    import signal

    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
