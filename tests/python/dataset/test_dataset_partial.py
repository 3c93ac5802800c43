"""Results of parts of a scan, merged in any order, compared with a pass over each file."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import naive_dataset
import pytest
from hypothesis import given
from hypothesis import strategies as st
from leadbyte import Scanner
from leadbyte.dataset._partial import FileResult, Partial, Segment, TextState
from leadbyte.dataset._scan import ScanTask, ignore
from leadbyte.dataset._tasks import File, Piece, Task, cut
from strategies import data

if TYPE_CHECKING:
    import random

    from leadbyte.dataset._partial import State

CONTENTS = st.lists(st.one_of(data().map(lambda text: text[:60]), st.just(b"")), max_size=8)
LIMITS = st.sampled_from([0, 1, 2, 1000])
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class ScanBytes(ScanTask):
    """Scans files that are in memory; the pieces that start at some offsets fail."""

    contents: list[bytes] = field(default_factory=list)
    failing: frozenset[tuple[int, int]] = frozenset()

    def scan_piece(self, piece: Piece) -> State | str:
        if (piece.file.index, piece.start) in self.failing:
            return f"failed at {piece.start}"
        scanner = Scanner._keeping(self.max_errors)
        scanner.update(self.contents[piece.file.index][piece.start : piece.stop])
        return TextState(scanner)


def files_of(contents: list[bytes]) -> list[File]:
    return [File(f"mem://{index}", index, len(text), None, "text") for index, text in enumerate(contents)]


class Cluster:
    """Merges results in a random order; some are there twice, and some are sent to another process."""

    def __init__(self, scan: ScanTask, order: random.Random) -> None:
        self.scan = scan
        self.order = order
        self.completed: dict[int, FileResult] = {}

    def complete(self, result: FileResult) -> None:
        before = self.completed.setdefault(result.file.index, result)
        assert before == result

    def run(self, tasks: list[Task]) -> Partial:
        """Return the result of all tasks."""
        if len(tasks) == 1:
            found = self.scan(tasks[0])
        else:
            middle = self.order.randrange(1, len(tasks))
            left, right = self.run(tasks[:middle]), self.run(tasks[middle:])
            found = self.merge(left, right)
            for _ in range(self.order.choice([0, 0, 1, 2])):
                found = self.merge(found, self.order.choice([left, right, found]))
        return pickle.loads(pickle.dumps(found)) if self.order.random() < 0.2 else found

    def merge(self, left: Partial, right: Partial) -> Partial:
        if self.order.random() < 0.5:
            left, right = right, left
        return left.merge(right, self.complete)


@given(
    contents=CONTENTS.filter(len),
    blocksize=st.integers(1, 80),
    limit=LIMITS,
    order=st.randoms(use_true_random=False),
)
def test_any_order_gives_the_result_of_one_pass(
    contents: list[bytes], blocksize: int, limit: int, order: random.Random
) -> None:
    tasks = list(cut(files_of(contents), blocksize))
    cluster = Cluster(ScanBytes(limit, (), None, contents), order)
    mixed = order.sample(tasks, len(tasks))
    expected = naive_dataset.scan({f"mem://{index}": text for index, text in enumerate(contents)}, limit)
    assert cluster.run(mixed).result(len(tasks)) == expected
    assert cluster.run(tasks).result(len(tasks)) == expected


@given(
    contents=CONTENTS.filter(len),
    blocksize=st.integers(1, 30),
    order=st.randoms(use_true_random=False),
)
def test_files_that_failed(contents: list[bytes], blocksize: int, order: random.Random) -> None:
    tasks = list(cut(files_of(contents), blocksize))
    starts = [(piece.file.index, piece.start) for task in tasks for piece in task.pieces]
    failing = frozenset(order.sample(starts, order.randrange(len(starts) + 1)))
    first = {f"mem://{index}": f"failed at {start}" for index, start in sorted(failing, reverse=True)}
    files = {f"mem://{index}": text for index, text in enumerate(contents)}
    expected = naive_dataset.scan(files, 5, first)
    cluster = Cluster(ScanBytes(5, (), None, contents, failing), order)
    found = cluster.run(order.sample(tasks, len(tasks))).result(len(tasks))
    assert found == expected
    assert found.valid == (not failing and not found.error_count)


@given(contents=CONTENTS.filter(len), blocksize=st.integers(1, 80), order=st.randoms(use_true_random=False))
def test_each_file_is_completed(contents: list[bytes], blocksize: int, order: random.Random) -> None:
    tasks = list(cut(files_of(contents), blocksize))
    cluster = Cluster(ScanBytes(3, (), None, contents), order)
    partials = [complete_in_task(cluster, task) for task in tasks]
    order.shuffle(partials)
    total = partials[0]
    for partial in partials[1:]:
        total = cluster.merge(total, partial)
    assert sorted(cluster.completed) == list(range(len(contents)))
    for index, text in enumerate(contents):
        result = cluster.completed[index]
        assert result.counts.byte_count == len(text)
        assert result.bom == text.startswith(BOM)
        assert result.errors == tuple(naive_dataset.errors_of(f"mem://{index}", text)[:3])


def complete_in_task(cluster: Cluster, task: Task) -> Partial:
    """Return the result of a task, with its complete files added to the cluster's."""
    segment: Segment | None = None
    for piece in task.pieces:
        found = cluster.scan.scan_piece(piece)
        following = Segment.of(task.index, piece, found, 3, cluster.complete)
        segment = segment.join(following, 3, cluster.complete) if segment else following
    assert segment
    return Partial((segment,), 3)


def whole(*segments: tuple[int, int]) -> Partial:
    return Partial(tuple(Segment(*segment) for segment in segments), 1)


def test_results_that_overlap_are_refused() -> None:
    with pytest.raises(ValueError, match="results of tasks up to 3 and from 2 on overlap"):
        whole((0, 4)).merge(whole((2, 6)), ignore)


@pytest.mark.parametrize(
    ("segments", "missing"),
    [
        ([], "0 to 9"),
        ([(0, 9)], "9 to 9"),
        ([(1, 10)], "0 to 0"),
        ([(1, 3), (5, 8)], "0 to 0, 3 to 4, 8 to 9"),
    ],
)
def test_missing_tasks_are_named(segments: list[tuple[int, int]], missing: str) -> None:
    with pytest.raises(RuntimeError, match=f"no results of tasks {missing} of 10$"):
        whole(*segments).result(10)


def test_tasks_that_were_not_given_are_refused() -> None:
    with pytest.raises(RuntimeError, match="results of 11 tasks, but 10 were given"):
        whole((0, 11)).result(10)


def test_tasks_of_other_files_are_refused() -> None:
    scan = ScanBytes(1, (), None, [b"ab", b"cd"])
    first, _, third, _ = cut(files_of(scan.contents), 1)
    second = Task(1, third.pieces)
    with pytest.raises(ValueError, match="tasks 0 to 1 are not consecutive pieces"):
        scan(first).merge(scan(second), ignore)


def test_the_size_of_a_result_is_bounded() -> None:
    contents = [b"\xff" * 100] * 200
    scan = ScanBytes(10, (), None, contents)
    sizes = []
    total = Partial((), 10)
    for task in cut(files_of(contents), 70):
        total = total.merge(scan(task), ignore)
        sizes.append(len(pickle.dumps(total)))
    assert max(sizes) < 2 * sizes[2]
    assert total.result(len(sizes)).error_count == 20_000
