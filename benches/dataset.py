#!/usr/bin/env python3
"""Scans of files by threads and processes, on one core and on two, beside plain reading of the same files.

    python benches/dataset.py [--texts DIR] [--size BYTES] [--rounds N] [--folder DIR] [--record]

The files are read from the page cache, and again after it was dropped; many small ones by the command and the
engines of clusters, too. Merges, and tasks without work, are measured, and a model of a cluster of 100
machines is computed from them. Times are the wall's, the start of processes included.
"""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import leadbyte
from harness import Times, argument_parser, in_turns, print_table, write_record
from leadbyte import dataset
from leadbyte.dataset import engines
from leadbyte.dataset._scan import Merge, ScanTask
from leadbyte.dataset._tasks import File, Piece, Task, cut
from leadbyte.dataset.engines._cluster import FAN_IN, LEVELS

sys.path.append(str(Path(__file__).parent.parent / "tests/python/support"))
from spark_sessions import local_session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from leadbyte.dataset._partial import Partial

FILES = 8
BLOCKSIZE = 64 << 20
READ_BYTES = 512 << 10
MAX_ERRORS = 100
CORES = (1, 2)
BATCH: int = FAN_IN**LEVELS  # results of which the driver merges one
TASKS = 2_000  # of an engine, to measure what a task costs
SMALL_FILES = 10_000
SMALL_LINES = 50

# The model: machines of a cloud of 2026, of which the network bounds what a store delivers.
MACHINES = 100
CORES_A_MACHINE = 16
NETWORK_BYTES_A_SECOND = 25e9 / 8


def write_files(folder: Path, texts: Path, size: int) -> list[Path]:
    """Write the texts into some files, again and again."""
    data = b"".join(source.read_bytes() for source in sorted(texts.glob("*.txt")))
    paths = [folder / f"{index}.txt" for index in range(FILES)]
    for path in paths:
        with path.open("wb") as file:
            while file.tell() < size // FILES:
                file.write(data)
    return paths


def drop_cache(paths: Sequence[Path]) -> None:
    """Have the next reader of some files wait for the disk."""
    for path in paths:
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read(piece: tuple[Path, int]) -> int:
    """Read a part of a file, as the scan does; return the number of bytes."""
    path, start = piece
    buffer = bytearray(READ_BYTES)
    count = 0
    with path.open("rb", buffering=0) as file:
        file.seek(start)
        while count < BLOCKSIZE and (read_bytes := file.readinto(buffer)):
            count += read_bytes
    return count


def read_all(paths: Sequence[Path], cores: int) -> None:
    """Read files by as many threads as cores."""
    pieces = [(path, start) for path in paths for start in range(0, path.stat().st_size, BLOCKSIZE)]
    with ThreadPoolExecutor(cores) as pool:
        sum(pool.map(read, pieces))


def scan_all(paths: Sequence[Path], engine: str) -> dataset.DatasetScan:
    """Scan files."""
    return dataset.scan(map(str, paths), engine=engine, blocksize=BLOCKSIZE)


def on_cores(count: int, work: Callable[[], object], before: Callable[[], object] | None) -> float:
    """Run with a number of cores; return the seconds."""
    every = os.sched_getaffinity(0)
    if before:
        before()
    os.sched_setaffinity(0, sorted(every)[:count])
    try:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start
    finally:
        os.sched_setaffinity(0, every)


def measure_files(paths: Sequence[Path], rounds: int) -> tuple[list[dict[str, str]], dict[str, float]]:
    """Return the rows of reading and scanning, and the best speeds in bytes a second."""
    size = sum(path.stat().st_size for path in paths)
    rows = []
    speeds = {}
    for cache in ("warm", "cold"):
        before = functools.partial(drop_cache, paths) if cache == "cold" else None
        turns: dict[str, Callable[[], float]] = {}
        for cores in (count for count in CORES if count <= len(os.sched_getaffinity(0))):
            works: dict[str, Callable[[], object]] = {
                "read": functools.partial(read_all, paths, cores),
                "threads": functools.partial(scan_all, paths, "threads"),
                "processes": functools.partial(scan_all, paths, "processes"),
            }
            for name, work in works.items():
                turns[f"{name} {cores}"] = functools.partial(on_cores, cores, work, before)
        for name, taken in in_turns(turns, rounds=rounds).items():
            work_name, cores_used = name.split()
            speeds[f"{cache} {name}"] = size / taken.best
            rows.append(speed_row(work_name, int(cores_used), cache, size, taken))
    return rows, speeds


def speed_row(name: str, cores: int, cache: str, size: int, taken: Times) -> dict[str, str]:
    """Return the figures of reading or scanning, for the table and the record."""
    return {
        "what": "read" if name == "read" else f"scan by {name}",
        "cores": str(cores),
        "cache": cache,
        "best_s": f"{taken.best:.3f}",
        "median_s": f"{taken.median:.3f}",
        "gb_s": f"{size / taken.best / 1e9:.2f}",
        "gb_s_a_core": f"{size / taken.best / 1e9 / cores:.2f}",
    }


def measure_small(folder: Path, rounds: int) -> list[dict[str, str]]:
    """Return the rows of scans of many small files by the command, by the engines, and by a bag of Dask."""
    folder.mkdir()
    text = "soup 5 €, café\n".encode() * SMALL_LINES
    paths = [folder / f"{index:05}.txt" for index in range(SMALL_FILES)]
    for path in paths:
        path.write_bytes(text)
    command = [sys.executable, "-m", "leadbyte", "check", "--quiet", str(folder)]

    def scan(engine: object) -> None:
        found = dataset.scan(folder, engine=engine)
        assert found.valid
        assert found.byte_count == len(text) * SMALL_FILES

    works: dict[str, Callable[[], object]] = {
        "leadbyte check, the process as a whole": functools.partial(subprocess.run, command, check=True),
        "scan by threads": functools.partial(scan, "threads"),
        "bytes.decode in a loop": lambda: sum(map(decode_file, map(str, paths))),
    }
    # Clusters take time of this process, also while they wait.
    taken = in_turns({name: functools.partial(seconds, work) for name, work in works.items()}, rounds=rounds)
    in_clusters: dict[str, Callable[[], object]] = {}
    with contextlib.ExitStack() as stack:
        if find_spec("distributed"):
            in_clusters["scan by Dask"] = functools.partial(scan, stack.enter_context(dask_client()))
            for partitions in (None, 10):
                name = f"Dask's bag of bytes.decode, {partitions or 'its own number of'} partitions"
                in_clusters[name] = functools.partial(decode_bag, [*map(str, paths)], partitions)
        if find_spec("ray"):
            stack.enter_context(ray_cluster())
            in_clusters["scan by Ray"] = functools.partial(scan, "ray")
        if find_spec("pyspark") and shutil.which("java"):
            in_clusters["scan by Spark"] = functools.partial(
                scan, stack.enter_context(local_session("local[2]"))
            )
        turns = {name: functools.partial(seconds, work) for name, work in in_clusters.items()}
        taken |= in_turns(turns, rounds=rounds)
    return [
        {
            "files": f"{SMALL_FILES:,} files of {len(text):,} bytes",
            "by": name,
            "best_s": f"{found.best:.3f}",
            "median_s": f"{found.median:.3f}",
        }
        for name, found in taken.items()
    ]


@contextlib.contextmanager
def dask_client() -> Iterator[Any]:
    """Start a cluster of Dask of two processes."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, Client(cluster) as client:
        yield client


@contextlib.contextmanager
def ray_cluster() -> Iterator[None]:
    """Start a cluster of Ray of two CPUs."""
    import ray

    os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=100 << 20)
    try:
        yield
    finally:
        ray.shutdown()


def decode_bag(paths: list[str], partitions: int | None) -> int:
    """Decode files in a bag of Dask, of a number of partitions; return the number of their characters."""
    import dask.bag

    bag: Any = dask.bag
    characters: int = bag.from_sequence(paths, npartitions=partitions).map(decode_file).sum().compute()
    return characters


def decode_file(path: str) -> int:
    """Decode a file as a whole; return the number of its characters."""
    with open(path, "rb") as file:
        return len(file.read().decode())


def seconds(work: Callable[[], object]) -> float:
    """Return the seconds that some work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def results(error_count: int) -> list[Partial]:
    """Return the results of neighbouring pieces of a file, each with a number of errors."""
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        block = b"caf\xe9 and more\n" * error_count + b"text\n" * (2_000 - error_count)
        file.write(block * BATCH)
        file.flush()
        whole = File(file.name, 0, len(block) * BATCH, None, "text")
        scan = ScanTask(MAX_ERRORS, (), None)
        pieces = (Piece(whole, len(block) * index, len(block) * (index + 1)) for index in range(BATCH))
        return [scan(Task(index, (piece,))) for index, piece in enumerate(pieces)]


def measure_merges() -> tuple[list[dict[str, str]], dict[str, float]]:
    """Return the rows of merges, and the most seconds of one, and bytes of a result."""
    rows = []
    seconds, size = 0.0, 0
    for error_count in (0, MAX_ERRORS):
        found = results(error_count)

        def merge_all(found: list[Partial] = found) -> float:
            start = time.perf_counter()
            functools.reduce(Merge(None), (pickle.loads(pickle.dumps(result)) for result in found))
            return (time.perf_counter() - start) / (BATCH - 1)

        taken = in_turns({"merge": merge_all}, rounds=5)["merge"]
        result_size = max(len(pickle.dumps(result)) for result in found)
        seconds, size = max(seconds, taken.best), max(size, result_size)
        rows.append(
            {
                "what": f"merge of pieces with {error_count} errors, with pickling",
                "best_us": f"{taken.best * 1e6:.0f}",
                "median_us": f"{taken.median * 1e6:.0f}",
                "result_bytes": str(result_size),
            }
        )
    return rows, {"merge": seconds, "result": float(size)}


def scan_nothing(task: Task) -> int:
    """Return a result without work."""
    return task.index


def some_tasks() -> Iterator[Task]:
    """Return tasks of a piece each."""
    size = TASKS * BLOCKSIZE
    return cut([File("s3://bucket/folder/large.txt", 0, size, "0123456789abcdef", "text")], BLOCKSIZE)


def merge_nothing(left: int, right: int) -> int:
    """Return a result of two without work."""
    return max(left, right)


def seconds_a_task(engine: object) -> float:
    """Return what a task without work takes of an engine."""
    run = engines.find(engine)
    for _ in range(2):  # the first time starts workers
        start = time.perf_counter()
        run(some_tasks(), scan_nothing, merge_nothing)
    return (time.perf_counter() - start) / TASKS


def measure_tasks() -> tuple[list[dict[str, str]], dict[str, float]]:
    """Return the rows of tasks without work, and the seconds of one by engine."""
    start = time.perf_counter()
    for task in some_tasks():
        pickle.dumps(task)
    taken = {"cutting and pickling": (time.perf_counter() - start) / TASKS}
    taken["threads"] = seconds_a_task("threads")
    if find_spec("distributed"):
        with dask_client() as client:
            taken["Dask on this machine"] = seconds_a_task(client)
    rows = [
        {"what": f"a task without work: {name}", "best_us": f"{seconds * 1e6:.0f}"}
        for name, seconds in taken.items()
    ]
    return rows, taken


def model(speed_a_core: float, merge: float, result: float, task: float) -> tuple[list[dict[str, str]], str]:
    """Return the speeds that each part of a cluster could have, in bytes a second, and what bounds it."""
    reading = MACHINES * NETWORK_BYTES_A_SECOND
    rows = []
    bounds = []
    for blocksize in (BLOCKSIZE, 4 * BLOCKSIZE, 16 * BLOCKSIZE):
        limits = {
            "network of the machines": reading,
            "scanning by their cores": MACHINES * CORES_A_MACHINE * speed_a_core,
            "merges on their cores": MACHINES * CORES_A_MACHINE * blocksize / merge,
            "network for results": MACHINES * NETWORK_BYTES_A_SECOND * blocksize / result,
            "merges on the driver": BATCH * blocksize / merge,
            "driver and scheduler, a task at a time": blocksize / task,
        }
        bound = min(limits, key=limits.__getitem__)
        bounds.append(f"{blocksize >> 20} MiB: {bound}, {limits[bound] / 1e9:.0f} GB/s")
        rows += [
            {"blocksize": f"{blocksize >> 20} MiB", "what": name, "gb_s": f"{limit / 1e9:.0f}"}
            for name, limit in limits.items()
        ]
    return rows, "; ".join(bounds)


def main() -> None:
    """Make the files, measure, print, and record if requested."""
    parser = argument_parser("Scans of datasets beside plain reading.")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="how often everything runs")
    parser.add_argument("--size", type=int, default=4 * 10**9, metavar="BYTES", help="of all files")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where to make the files")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="leadbyte-", dir=arguments.folder) as made:
        folder = arguments.texts
        if folder is None:
            folder = Path(made, "texts")
            writer = [sys.executable, str(Path(__file__).with_name("texts.py")), str(folder)]
            subprocess.run(writer, check=True, stdout=subprocess.DEVNULL)
        paths = write_files(Path(made), folder, arguments.size)
        whole = [leadbyte.scan(path.read_bytes()) for path in paths]
        for engine in ("threads", "processes"):
            found = scan_all(paths, engine)
            assert found.valid
            assert found.char_count == sum(scan.char_count for scan in whole)
            assert found.newline_count == sum(scan.newline_count for scan in whole)
        speed_rows, speeds = measure_files(paths, arguments.rounds)
        small_rows = measure_small(Path(made, "small"), arguments.rounds)
    merge_rows, merges = measure_merges()
    task_rows, tasks = measure_tasks()
    speed_a_core = speeds[f"warm threads {CORES[0]}"]
    task = max(tasks.values())
    model_rows, bound = model(speed_a_core, merges["merge"], merges["result"], task)

    machines = f"{MACHINES} machines of {CORES_A_MACHINE} cores and {NETWORK_BYTES_A_SECOND / 1e9} GB/s"
    print_table(
        f"{FILES} files, {arguments.size / 1e9:.1f} GB, by pieces of {BLOCKSIZE >> 20} MiB", speed_rows
    )
    print_table("small files", small_rows)
    print_table("merges", merge_rows)
    print_table("tasks", task_rows)
    print_table(f"what each part of {machines} could do", model_rows)
    print(f"\nthe bound: {bound}")
    if arguments.record:
        facts = {
            "isa": leadbyte.cpu_info()["functions"]["scan"],
            "files": f"{FILES} of {arguments.size / FILES / 1e9:.1f} GB",
            "model": f"{machines}, where a core scans {speed_a_core / 1e9:.2f} GB/s, a merge takes"
            f" {merges['merge'] * 1e6:.0f} us, a result has {merges['result']:.0f} bytes, and driver and"
            f" scheduler take {task * 1e6:.0f} us for a task",
            "bound of the model": bound,
        }
        rows = speed_rows + merge_rows + task_rows + model_rows
        write_record("small-files", {"isa": facts["isa"]}, small_rows)
        columns = dict.fromkeys(key for row in rows for key in row)
        write_record("dataset", facts, [{key: row.get(key, "") for key in columns} for row in rows])


if __name__ == "__main__":
    main()
