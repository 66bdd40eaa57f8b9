"""Worker processes that survive bad files: one file can stall or kill a worker, never the build.

``concurrent.futures`` gives up the whole pool when one worker dies and cannot stop a task that runs
too long; here the parent sees which file a worker is at, kills the worker when that file's CPU time
is spent, records the file as skipped and carries on with the rest of the batch.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path

from codeviews.core.config import BATCH_BYTES, BATCH_FILES, FILE_CPU_SECONDS
from codeviews.core.extract import Skip, extract_file
from codeviews.core.repository import Entry
from codeviews.core.store_write import Extracted

Outcome = Extracted | tuple[str, str]
"""An extracted file, or (path, reason it was skipped)."""


_ORPHAN_CHECK_S = 2.0  # an idle worker notices this soon that its parent is gone


def default_jobs() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def extract_one(root: Path, entry: Entry) -> Outcome:
    """Extract in this process; an unexpected error skips the file and says what it was."""
    try:
        return extract_file(root, entry)
    except Skip as reason:
        return entry.path, str(reason)
    except (MemoryError, RecursionError) as error:
        return entry.path, f"too deep or too large to parse ({type(error).__name__})"
    except Exception as error:
        return entry.path, f"extractor failed: {type(error).__name__}: {error}"


def batches(entries: Sequence[Entry]) -> deque[list[Entry]]:
    """Entries in order, cut so that a message holds a bounded amount of source."""
    out: deque[list[Entry]] = deque()
    size = 0
    for entry in entries:
        if not out or size + entry.size > BATCH_BYTES or len(out[-1]) >= BATCH_FILES:
            out.append([])
            size = 0
        out[-1].append(entry)
        size += entry.size
    return out


def _work(root: Path, pipe: Connection) -> None:
    parent = os.getppid()
    gc.disable()  # syntax trees have no cycles; scanning them costs a quarter of the parse
    while True:
        while not pipe.poll(_ORPHAN_CHECK_S):
            if os.getppid() != parent:
                return
        batch: list[Entry] = pipe.recv()
        done: list[Outcome] = []
        for i, entry in enumerate(batch):
            pipe.send(i)
            done.append(extract_one(root, entry))
        pipe.send(done)
        gc.collect(0)


@dataclass
class _Worker:
    root: Path
    batch: list[Entry] = field(default_factory=list[Entry])
    at: int = 0
    since: float = 0.0
    cpu: float = 0.0

    def __post_init__(self) -> None:
        self.pipe, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("fork" if os.name == "posix" else "spawn")
        self.process = context.Process(target=_work, args=(self.root, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def give(self, batch: list[Entry]) -> None:
        self.batch, self.at, self.since = batch, 0, time.monotonic()
        self.cpu = _cpu_seconds(self.process.pid)
        self.pipe.send(batch)

    def poll(self, ready: bool) -> tuple[list[Outcome] | None, str]:
        """A finished batch, or why the file at hand must be given up ("" when all is well)."""
        if not ready:
            return None, self._overdue()
        try:
            message = self.pipe.recv()
        except (EOFError, OSError):
            return None, "the parser crashed on it"
        if isinstance(message, int):
            self.at, self.since = message, time.monotonic()
            self.cpu = _cpu_seconds(self.process.pid)
            return None, ""
        self.batch = []
        return message, ""

    def _overdue(self) -> str:
        # Wall time only raises the question; CPU time decides, because machines are shared.
        if time.monotonic() - self.since < FILE_CPU_SECONDS:
            return ""
        if _cpu_seconds(self.process.pid) - self.cpu < FILE_CPU_SECONDS:
            return ""
        return f"took more than {FILE_CPU_SECONDS:.0f} s of CPU time"

    def kill(self) -> list[Entry]:
        """Stop; returns the batch without the file it was at, to be done by another worker."""
        self.process.kill()
        self.process.join()
        self.pipe.close()
        return self.batch[: self.at] + self.batch[self.at + 1 :]


def _cpu_seconds(pid: int | None) -> float:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return time.monotonic()


def extract_all(root: Path, entries: Sequence[Entry], jobs: int) -> Iterator[list[Outcome]]:
    """Extract all entries with ``jobs`` processes (1: in this one); yields as batches finish."""
    queue = batches(entries)
    if jobs <= 1 or len(queue) <= 1:
        for batch in queue:
            yield [extract_one(root, entry) for entry in batch]
        return
    workers = [_Worker(root) for _ in range(min(jobs, len(queue)))]
    try:
        yield from _drive(root, queue, workers)
    finally:
        for worker in workers:
            worker.kill()


def _drive(
    root: Path, queue: deque[list[Entry]], workers: list[_Worker]
) -> Iterator[list[Outcome]]:
    while queue or any(worker.batch for worker in workers):
        for worker in workers:
            if queue and not worker.batch:
                worker.give(queue.popleft())
        busy = [worker for worker in workers if worker.batch]
        ready = set(wait([worker.pipe for worker in busy], timeout=1.0))
        for worker in busy:
            done, failure = worker.poll(worker.pipe in ready)
            if done is not None:
                yield done
            elif failure:
                yield [(worker.batch[worker.at].path, failure)]
                if rest := worker.kill():
                    queue.appendleft(rest)
                workers[workers.index(worker)] = _Worker(root)
