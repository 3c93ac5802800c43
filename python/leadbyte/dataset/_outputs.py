"""Repair and conversion of the files of a dataset: one output a file, complete or not at all."""

from __future__ import annotations

from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING, Literal

from leadbyte._engines import LOCAL
from leadbyte.dataset import _manifest
from leadbyte.dataset._commit import commit_repairs
from leadbyte.dataset._jobs import DatasetOutput, Job, PartialOutput
from leadbyte.dataset._json_lines import is_json_lines
from leadbyte.dataset._plan import Plan
from leadbyte.dataset._quarantine import QuarantineDirectory, check_format
from leadbyte.dataset._store import Store
from leadbyte.dataset._transforms import Convert, Repair
from leadbyte.dataset.engines import find

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from leadbyte.dataset._plan import OutputTask
    from leadbyte.dataset._transforms import Transform
    from leadbyte.dataset._urls import Source, Url
    from leadbyte.transcode import _BomPolicy

    Engine: TypeAlias = Literal["threads", "processes"]

# The number of files after which their records are joined.
JOINED_FILES = 10_000


def repair(
    urls: Source | Iterable[Source],
    output: Url | None = None,
    *,
    commit: bool = False,
    engine: Engine = "threads",
    replacement: str = "\ufffd",
    binary: bool = False,
    rows: Literal["repair", "drop"] = "repair",
    quarantine: Url | None = None,
    quarantine_format: Literal["jsonl", "parquet"] = "jsonl",
    format: Literal["jsonl"] | None = None,  # noqa: A002 - as in scan
) -> DatasetOutput:
    r"""Write all files of URLs with bytes that are not UTF-8 replaced, as :func:`leadbyte.repair` does it.

    ``urls`` are the same as for :func:`scan`. Each file becomes one below the directory ``output``, which is
    new or the directory of an earlier call, and keeps its path below the directory or the glob that it was
    found by. Valid files are copied as they are. Compressed files are written with the same compression. Of
    Parquet files the columns of strings are repaired. Binary files are copied and reported as skipped: those
    with a NUL in their first 8 KiB, the byte order mark of UTF-16 or the signature of a binary format, and
    what has controls and is not text in any encoding. With ``binary`` they are repaired as text.

    With the rows "drop", lines of texts, which end with line feeds, and rows of tables are left out if they
    have errors. ``quarantine`` is another directory, where such rows are written as they were: the rows of
    ``a/b.txt`` to ``a/b.txt.jsonl``, as lines of JSON with the data in Base64, or to Parquet files. A record
    has the file, the line or the row group, the row and the column, the offset in bytes of the first error
    (in the text, or in the value of the table), its kind, and the number of errors. A file with a line of
    more than 64 MiB fails then.

    With ``format="jsonl"`` files are JSON lines, and what programs refuse to load is repaired, too: see
    :func:`scan`. A file whose last record is truncated fails, unless such rows are dropped or have a
    quarantine.

    An output appears when it is complete. A call that was stopped, whatever stopped it, is continued by the
    same call: outputs that are there are not written again, unless their files have changed. ``engine`` is
    "threads" or "processes".

    With ``commit`` and without an output, ``urls`` is a Delta table, as a URL or a ``DeltaTable``, or an
    Iceberg table that its catalog has loaded, and its files with errors are replaced in one commit by the
    package of its format. The table changes as a whole or not at all: OSError is raised if a file cannot be
    repaired.

    A file that cannot be read or written, or that changes meanwhile, is in ``failures`` of the result, and
    has no output. Raises ValueError if two files have the same output or if ``output`` belongs to another
    call, FileExistsError if it has other files, RuntimeError if another process is writing there, and OSError
    if nothing can be written.

    >>> import fsspec
    >>> files = fsspec.filesystem("memory")
    >>> files.pipe({"/texts/a.txt": b"caf\xc3\xa9\n", "/texts/b.txt": b"caf\xe9\n"})
    >>> done = leadbyte.dataset.repair("memory://texts", "memory://repaired")
    >>> done.file_count, done.error_count, files.cat("/repaired/b.txt")
    (2, 1, b'caf\xef\xbf\xbd\n')
    >>> leadbyte.dataset.repair("memory://texts", "memory://repaired").written_count
    0
    """
    check_format(quarantine_format)
    kept = None if quarantine is None else QuarantineDirectory(Store(quarantine), quarantine_format)
    transform = Repair(replacement, binary, rows, kept, jsonl=is_json_lines(format))
    if commit != (output is None):
        message = (
            "a commit has no output" if commit else "output must be a directory, or commit=True be given"
        )
        raise ValueError(message)
    if output is None:
        check_engine(engine)
        return commit_repairs(urls, transform, find(engine), kept)
    return run(urls, output, transform, engine, kept)


def convert(
    urls: Source | Iterable[Source],
    output: Url,
    source: str | int,
    target: str | int = "utf-8",
    *,
    engine: Engine = "threads",
    errors: str = "strict",
    bom: _BomPolicy = None,
    min_confidence: float = 0.9,
    force: bool = False,
    binary: bool = False,
    fallback: str | int | None = None,
) -> DatasetOutput:
    r"""Write all text files of URLs in another encoding, as :func:`leadbyte.transcode.transcode` converts.

    ``urls``, ``output`` and ``engine`` are the same as for :func:`repair`, and so are the guarantees.
    ``source``, ``target``, ``errors`` and ``bom`` are the same as for ``transcode``. With the source "detect"
    or "auto" the encoding of each file is detected; a file fails if the confidence is below
    ``min_confidence``. Without ``force`` a file fails, too, that is UTF-8 already, or in the target encoding
    by its byte order mark. Binary files, with a NUL in the text of their first 8 KiB or in an encoding that
    is not detected, are copied and reported as skipped, unless ``binary`` is given.

    A file with text that cannot be converted fails; the message has the line, the column and the offset in
    bytes. Raises what :func:`repair` does, and LookupError for an unknown encoding or error handler.

    >>> import fsspec
    >>> files = fsspec.filesystem("memory")
    >>> files.pipe("/old/a.txt", b"caf\xe9\n")
    >>> done = leadbyte.dataset.convert("memory://old", "memory://new", "cp1252")
    >>> done.written_count, files.cat("/new/a.txt")
    (1, b'caf\xc3\xa9\n')
    >>> done = leadbyte.dataset.convert("memory://old", "memory://ascii", "cp1252", "ascii")
    >>> done.failures[0].message
    'line 1, column 4, byte 3: not in ascii: "é" U+00E9 LATIN SMALL LETTER E WITH ACUTE'
    """
    return run(
        urls, output, Convert(source, target, errors, bom, min_confidence, force, binary, fallback), engine
    )


def run(
    urls: Source | Iterable[Source],
    output: Url,
    transform: Transform,
    engine: Engine,
    quarantine: QuarantineDirectory | None = None,
) -> DatasetOutput:
    """Write the outputs of all files that are not yet there."""
    check_engine(engine)
    store = Store(output)
    check_directory(store, transform)
    if quarantine:
        quarantine.check(store)
    with closing(Plan()) as plan:
        plan.add_files(urls, store, quarantine.store if quarantine else None)
        store.make_directory(_manifest.DIRECTORY)
        with _manifest.locked(store), ExitStack() as stack:
            if quarantine:
                stack.enter_context(quarantine.owned_by(store))
            if not check_directory(store, transform):
                _manifest.start(store, transform.settings)
            _manifest.recover(store)
            plan.add_records(_manifest.read_joined(store), store)
            total = write_all(plan, Job(store, transform), engine)
    return total.output(plan.file_count)


def check_engine(engine: Engine) -> None:
    """Raise ValueError for an engine that is not one of this machine."""
    if engine not in LOCAL:
        message = f"engine must be one of {', '.join(LOCAL)}, not {engine!r}"
        raise ValueError(message)


def check_directory(store: Store, transform: Transform) -> bool:
    """Return whether earlier calls have written to the directory.

    Raises FileExistsError if something else has, ValueError if they did something else with the files.
    """
    settings = _manifest.read_settings(store)
    if settings is None:
        _manifest.check_new(store, "outputs are written to a new directory")
        return False
    if settings != transform.settings:
        message = f"{store.shown()} has the outputs of another call ({settings}): write to a new directory"
        raise ValueError(message)
    return True


def write_all(plan: Plan, job: Job, engine: Engine) -> PartialOutput:
    """Write the outputs of a plan by an engine, and leave no temporary file, whatever happens."""

    def tasks() -> Iterator[OutputTask]:
        for task in plan.tasks():
            if task.index and not task.index % JOINED_FILES:
                _manifest.join(job.store)
            yield task

    if not plan.file_count:
        return PartialOutput()
    try:
        total: PartialOutput = find(engine)(tasks(), job, PartialOutput.merge)
    except BaseException:
        job.stop()
        # The next call recovers the rest, for example after a full disk.
        with suppress(OSError):
            _manifest.recover(job.store)
        raise
    _manifest.recover(job.store)
    return total
