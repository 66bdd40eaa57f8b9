"""Worker processes that survive bad files: one file can stall or kill a worker, never the build.

``concurrent.futures`` gives up the whole pool when one worker dies and cannot stop a task that runs
too long; here the parent sees which file a worker is at, kills the worker when that file's CPU time
is spent, records the file as skipped and carries on with the rest of the batch.
"""

from __future__ import annotations

import gc
import marshal
import multiprocessing
import os
import time
from collections import deque
from collections.abc import Iterator, MutableSequence, Sequence
from dataclasses import dataclass, field
from mmap import mmap
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from codeviews.core.config import BATCH_BYTES, BATCH_FILES, FILE_CPU_SECONDS, ROOM_BYTES
from codeviews.core.extract import Skip, extract_file
from codeviews.core.files import FolderReader
from codeviews.core.repository import Entry
from codeviews.core.store_write import Extracted

Outcome = Extracted | tuple[str, str]
"""An extracted file, or (path, reason it was skipped)."""
Place = MutableSequence[float]
"""Shared memory of a worker: which file of its batch it is at, and its CPU seconds before it."""


_ORPHAN_CHECK_S = 2.0  # an idle worker notices this soon that its parent is gone


def default_jobs() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def extract_one(reader: FolderReader, entry: Entry) -> Outcome:
    """Extract in this process; an unexpected error skips the file and says what it was."""
    try:
        return extract_file(reader, entry)
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


def _work(root: Path, pipe: Connection, at: Place, room: mmap | None, parent: int) -> None:
    gc.disable()  # syntax trees have no cycles; scanning them costs a quarter of the parse
    while True:
        while not pipe.poll(_ORPHAN_CHECK_S):
            if os.getppid() != parent:
                return
        batch: list[Entry] = pipe.recv()
        done: list[tuple[Any, ...]] = []
        with FolderReader(root) as reader:
            for i, entry in enumerate(batch):
                at[0], at[1] = i, time.process_time()
                done.append(tuple(extract_one(reader, entry)))
        message = marshal.dumps(done)
        done.clear()
        _send(pipe, message, room)
        gc.collect(0)


def _send(pipe: Connection, message: bytes, room: mmap | None) -> None:
    """Large messages go through shared memory: a pipe copies them four times."""
    if room is None or len(message) > len(room):
        pipe.send(0)
        pipe.send_bytes(message)
    else:
        room[: len(message)] = message
        pipe.send(len(message))


def _receive(pipe: Connection, room: mmap | None) -> bytes:
    size: int = pipe.recv()
    return room[:size] if room is not None and size else pipe.recv_bytes()


def _outcomes(message: bytes) -> list[Outcome]:
    """What a worker sent: pairs are refusals, longer tuples extracted files."""
    return [(i[0], i[1]) if len(i) == 2 else Extracted._make(i) for i in marshal.loads(message)]


@dataclass
class _Worker:
    root: Path
    batch: list[Entry] = field(default_factory=list[Entry])
    file: int = 0
    since: float = 0.0

    def __post_init__(self) -> None:
        self.pipe, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("fork" if os.name == "posix" else "spawn")
        self.at: Place = context.RawArray("d", 2)
        self.room: mmap | None = mmap(-1, ROOM_BYTES) if os.name == "posix" else None
        # Whose child it is must be known before it runs: its parent may be gone by then, and a
        # worker that is left behind holds the writer's lock for ever.
        arguments = (self.root, theirs, self.at, self.room, os.getpid())
        self.process = context.Process(target=_work, args=arguments, daemon=True)
        self.process.start()
        theirs.close()

    def give(self, batch: list[Entry]) -> None:
        self.batch, self.file, self.since = batch, -1, time.monotonic()
        self.at[0], self.at[1] = 0, float("inf")
        self.pipe.send(batch)

    def poll(self, ready: bool) -> tuple[list[Outcome] | None, str]:
        """A finished batch, or why the file at hand must be given up ("" when all is well)."""
        if not ready:
            return None, self._overdue()
        try:
            done = _outcomes(_receive(self.pipe, self.room))
        except (EOFError, OSError):
            return None, "the parser crashed on it"
        self.batch = []
        return done, ""

    def _overdue(self) -> str:
        # Wall time only raises the question; CPU time decides, because machines are shared.
        if self.file != int(self.at[0]):
            self.file, self.since = int(self.at[0]), time.monotonic()
        if time.monotonic() - self.since < FILE_CPU_SECONDS:
            return ""
        if _cpu_seconds(self.process.pid) - self.at[1] < FILE_CPU_SECONDS:
            return ""
        return f"took more than {FILE_CPU_SECONDS:.0f} s of CPU time"

    def kill(self) -> tuple[Entry, list[Entry]] | None:
        """Stop; returns the file it was at and the rest of its batch, for another worker."""
        self.process.kill()
        self.process.join()
        self.pipe.close()
        if self.room is not None:
            self.room.close()
        at = int(self.at[0])
        return (self.batch[at], self.batch[:at] + self.batch[at + 1 :]) if self.batch else None


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
            with FolderReader(root) as reader:
                done = [extract_one(reader, entry) for entry in batch]
            yield done
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
            elif failure and (left := worker.kill()):
                yield [(left[0].path, failure)]
                if left[1]:
                    queue.appendleft(left[1])
                workers[workers.index(worker)] = _Worker(root)
