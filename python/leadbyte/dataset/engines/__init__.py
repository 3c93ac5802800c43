"""The engines that do the tasks of a scan; each module is one, over the same two functions.

An engine is a callable ``engine(tasks, scan, merge)``:

- ``tasks`` is an iterator of tasks, to be taken as they are needed: there may be millions. The part of a scan
  that was done is known by the tasks that were taken, so only some more than there are workers are taken
  ahead;
- ``scan(task)`` returns the result of a task;
- ``merge(left, right)`` returns the result of two results, in any order. What was scanned twice counts once.

It returns the result of all tasks. Tasks, results and both functions can be pickled, and a task that failed
because its worker was lost can be done again. ``functools.reduce(merge, map(scan, tasks))`` is an engine.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

NAMES = ("threads", "processes")


def find(engine: Any) -> Callable[..., Any]:  # noqa: ANN401 - engines bring their own types
    """Return the engine of a name, or a callable as it is; raise ValueError for another name."""
    if engine in NAMES:
        found: Callable[..., Any] = import_module(f"{__name__}.{engine}").run
        return found
    if callable(engine):
        return engine  # type: ignore[no-any-return]
    message = f"engine must be one of {', '.join(NAMES)}, or a callable, not {engine!r}"
    raise ValueError(message)
