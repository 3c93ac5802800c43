"""The engines that do the tasks of a scan; each module is one, over the same two functions.

An engine is a callable ``engine(tasks, scan, merge)``:

- ``tasks`` is an iterator of tasks, at least one, to be taken as they are needed: there may be millions. The
  part of a scan that was done is known by the tasks that were taken, so only some more than there are workers
  are taken ahead;
- ``scan(task)`` returns the result of a task;
- ``merge(left, right)`` returns the result of two results, in any order. Data that was scanned twice counts
  once.

It returns the result of all tasks. Tasks, results and both functions can be pickled, and a task that failed
because its worker was lost can be done again. ``functools.reduce(merge, map(scan, tasks))`` is an engine.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from leadbyte._engines import CLUSTERS, LOCAL

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# The classes, by their modules, whose instances are clusters.
CLIENTS = {"distributed": ("Client", "dask"), "pyspark.sql": ("SparkSession", "spark")}


def find(engine: Any) -> Callable[..., Any]:  # noqa: ANN401 - engines bring their own types
    """Return the engine of a name, a name and an address, a client or a session; or a callable as it is.

    Raises ValueError for another name, TypeError for another object, ImportError for an engine that is not
    installed.
    """
    if isinstance(engine, str):
        name, colon, address = engine.partition(":")
        if name in LOCAL and not colon:
            return imported(name)
        if name in CLUSTERS:
            return partial(imported(name), cluster=address or None)
        names = ", ".join(map(repr, LOCAL + CLUSTERS))
        message = f"engine must be one of {names}, or one of the last three with an address, not {engine!r}"
        raise ValueError(message)
    for module, (client, name) in CLIENTS.items():
        # Without its module there is no client.
        if isinstance(engine, getattr(sys.modules.get(module), client, ())):
            return partial(imported(name), cluster=engine)
    if callable(engine):
        return engine  # type: ignore[no-any-return]
    message = f"engine must be a name, a client of Dask, a SparkSession or a callable, not {engine!r}"
    raise TypeError(message)


def imported(name: str) -> Callable[..., Any]:
    """Return the function of an engine; raise ImportError that names the extra if it is not installed."""
    try:
        found: Callable[..., Any] = import_module(f"{__name__}.{name}").run
    except ImportError as error:
        message = f'the engine {name!r} requires {error.name}: pip install "leadbyte[{name}]"'
        raise ImportError(message, name=error.name) from error
    return found
