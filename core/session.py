"""An open index that keeps itself true: what every tool and command works on."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import threading
import time
import zlib
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from codeviews.core.builder import BUSY, last_words, lock_path, start_build, stop_build
from codeviews.core.config import (
    FIRST_WAIT_S,
    FLOW_QUIET_S,
    INLINE_REFRESH_FILES,
    LOCK_WAIT_S,
    REBUILD_PAUSE_S,
)
from codeviews.core.errors import CodeviewsError, StorageError
from codeviews.core.history import is_current
from codeviews.core.ignore import is_cache, is_rule_file
from codeviews.core.index import Changes, Indexer, Progress, Report, holds, silent, sweep
from codeviews.core.kept import files_by_path
from codeviews.core.location import discard, index_path
from codeviews.core.lock import writer_lock
from codeviews.core.repository import Entry, Walk, find_root
from codeviews.core.store import FileRecord, Store
from codeviews.core.watch import Watcher


@dataclass
class Snapshot:
    """How fresh and how complete the index is at the moment of an answer."""

    root: Path
    files: int = 0
    age_s: float = 0.0
    phase: str = ""
    done: int = 0
    total: int = 0
    stale: list[str] = field(default_factory=list[str])
    notices: list[str] = field(default_factory=list[str])

    @property
    def complete(self) -> bool:
        """Whether every file that counts is in the index and its calls are resolved."""
        return not self.phase

    def line(self) -> str:
        """The first line of every answer (DESIGN 7.1)."""
        state = f"{self.files:,} files, {self.age_s:.0f} s old"
        if self.phase:
            share = f"{100 * self.done // self.total} % " if self.total else ""
            state = f"indexing {share}({self.phase}; {self.files:,} files so far)"
        stale = f" · stale: {', '.join(self.stale[:5])}" if self.stale else ""
        more = f" and {len(self.stale) - 5} more" if len(self.stale) > 5 else ""
        return f"root {self.root} · snapshot {state}{stale}{more}"

    def coverage(self) -> dict[str, object]:
        """The same for ``--json``."""
        return {
            "root": str(self.root),
            "files": self.files,
            "age_s": round(self.age_s, 1),
            "complete": self.complete,
            "phase": self.phase,
            "done": self.done,
            "total": self.total,
            "stale": self.stale,
        }


class Session:
    """One working tree and its index. Thread-safe; answers run inside :meth:`reading`."""

    def __init__(self, root: Path, home: Path | None = None) -> None:
        """``root`` may be any path inside the tree.

        Raises:
            MisuseError: ``root`` is not a directory.
        """
        self.root = find_root(root)
        self.database = index_path(self.root, home)
        self._lock = threading.RLock()
        self._store: Store | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._awaited: subprocess.Popen[bytes] | None = None
        self._child_started = 0.0
        self._opened = (0, 0)  # device and inode of the open database
        self._watcher: Watcher | None = None
        self._must_sweep = False
        self._checked = 0.0
        self._edited = 0.0
        self._failure = ""
        self._notices: list[str] = []  # for the next answer
        self._said: set[str] = set()

    @property
    def store(self) -> Store:
        """The open database."""
        with self._lock:
            if self._store is None:
                self._store = Store(self.database)
                self._store.db  # noqa: B018  (makes the file)
                state = self.database.stat()
                self._opened = (state.st_dev, state.st_ino)
            return self._store

    def close(self) -> None:
        """Stop watching, end the background build, close the database."""
        with self._lock:
            self._end_child()
            if self._watcher is not None:
                self._watcher.close()
            if self._store is not None:
                self._store.close()
                self._store = None

    # --- building ---------------------------------------------------------------------------------
    def build(
        self, jobs: int | None = None, progress: Progress = silent, resolver: str = "static"
    ) -> Report:
        """Build or refresh in this process; waits for another writer to finish first.

        Raises:
            CodeviewsError: another process kept the lock.
        """
        with writer_lock(lock_path(self.database), wait_s=600.0) as held:
            if not held:
                raise CodeviewsError(
                    "another process has been indexing this tree for ten minutes; "
                    "wait for it, or end it and run 'codeviews index' again"
                )
            return self._build(jobs, progress, resolver)

    def _build(self, jobs: int | None, progress: Progress, resolver: str) -> Report:
        try:
            indexer = Indexer(self.root, self.database, jobs, progress, resolver)
            report = indexer.build()
        except (sqlite3.DatabaseError, zlib.error) as error:
            if not is_damage(error):
                raise StorageError(str(self.database.parent), str(error)) from error
            discard(self.database)
            indexer = Indexer(self.root, self.database, jobs, progress, resolver)
            report = indexer.build()
        indexer.writer.close()
        self._checked = time.monotonic()
        return report

    def start(self) -> None:
        """Make sure an index exists or is being built; returns at once."""
        with self._lock:
            if not self.ready():
                self._start_child()

    def ready(self) -> bool:
        """Whether a complete index of this version exists."""
        with self._lock:
            if not self._same_file():
                self._forget_store()
            if not self.database.exists():
                return False
            for _ in range(2):
                try:
                    if self.store.current():
                        return self.store.meta("built_ns") != ""
                except sqlite3.DatabaseError:
                    pass
                # A rebuild replaces the file: an open one would show the old version for ever.
                self._forget_store()
        return False

    def _start_child(self) -> None:
        if self._child is not None and self._child.poll() is None:
            return
        self._reap()
        again = self._failure or self.database.exists()
        if (
            again
            and time.monotonic() - self._child_started < REBUILD_PAUSE_S
            and self._child_started
        ):
            return
        self._child_started = time.monotonic()
        self._child = start_build(self.root, self.database)

    def _end_child(self) -> None:
        if self._child is not None:
            stop_build(self._child)
            self._child = None

    def _reap(self) -> None:
        """Learn how the last background build ended."""
        if self._child is None or self._child.poll() is None:
            return
        code = self._child.returncode
        self._end_child()
        if code in (0, BUSY):
            self._failure = ""
            return
        why = last_words(self.database) or f"exit code {code}"
        self._failure = f"the last index build failed ({why}); run 'codeviews doctor'"

    # --- answering --------------------------------------------------------------------------------
    @contextmanager
    def reading(self) -> Generator[Store]:
        """One consistent view of the database for the length of an answer."""
        store = self.store
        store.db.execute("BEGIN")
        try:
            yield store
        finally:
            store.db.rollback()

    def snapshot(self) -> Snapshot:
        """Bring the index up to date as far as that is quick, and say how fresh it is."""
        with self._lock:
            self._reap()
            shot = Snapshot(self.root)
            if not self.ready() and not self._built_in_a_moment():
                self._describe_build(shot)
            else:
                self._catch_up(shot)
            if self._failure:
                shot.notices.append(self._failure)
            return shot

    def _built_in_a_moment(self) -> bool:
        """Start a build; a small tree is worth the wait, which is made once a build."""
        self._start_child()
        if self._child is None or self._child is self._awaited:
            return False
        self._awaited = self._child
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(FIRST_WAIT_S)
        self._reap()
        return self.ready()

    def build_anew(self) -> None:
        """Throw a damaged index away and build it again in the background."""
        with self._lock:
            self._end_child()
            self._forget_store()
            discard(self.database)
            self._start_child()

    def _describe_build(self, shot: Snapshot) -> None:
        shot.phase = "starting"
        try:
            if self.database.exists() and self.store.current():
                state = self.store.progress()
                shot.phase = state.get("phase") or "scan"
                shot.done, shot.total = state.get("done", 0), state.get("total", 0)
                shot.files = self.store.file_count()
        except sqlite3.DatabaseError:
            self._forget_store()

    def _same_file(self) -> bool:
        """Whether the open database is the one on disk: a deleted one could be read for ever."""
        try:
            state = self.database.stat()
        except OSError:
            return False
        return (state.st_dev, state.st_ino) == self._opened

    def _forget_store(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def _catch_up(self, shot: Snapshot) -> None:
        changes = self._changes()
        total = len(changes.entries) + len(changes.removed)
        if total > INLINE_REFRESH_FILES:
            self._start_child()
            shot.stale = sorted([e.path for e in changes.entries] + changes.removed)
            self._must_sweep = True
        elif changes:
            shot.stale = self._refresh(changes)
        if self.store.meta("stale_flow") == "1":
            if time.monotonic() - self._edited > FLOW_QUIET_S:
                self._start_child()
            shot.notices.append(
                "value-flow edges of other files may lag behind the last edit until the next pass "
                "('codeviews index' makes it now)"
            )
        if not is_current(self.root, self.store.meta("history")):
            self._start_child()  # answers go on with the commits that are known
        shot.files = self.store.file_count()
        shot.age_s = max(0.0, time.monotonic() - self._checked)
        shot.notices += [n for n in self.store.meta("notices").split("\n") if n]
        shot.notices += self._notices
        self._notices = []

    def _refresh(self, changes: Changes) -> list[str]:
        """Apply the changes; returns the paths that stay stale because another writer is busy.

        An edit goes before a background pass of this session: that is ended and starts again later.
        """
        self._edited = time.monotonic()
        self._end_child()
        with writer_lock(lock_path(self.database), LOCK_WAIT_S) as held:
            if not held:
                self._must_sweep = True  # the notifications are spent
                return sorted([e.path for e in changes.entries] + changes.removed)
            indexer = Indexer(self.root, self.database, jobs=1)
            try:
                indexer.refresh(changes)
            except StorageError as error:
                self._notices.append(str(error))
                self._must_sweep = True
                return sorted([e.path for e in changes.entries] + changes.removed)
            finally:
                indexer.writer.close()
        return []

    def _changes(self) -> Changes:
        """What changed since the last look: by notification where possible, else by a sweep."""
        if self._watcher is None or not self._watcher.works or self._must_sweep:
            return self._sweep()
        touched = {path for path in self._watcher.poll() if not is_cache(path)}
        if not touched:
            self._checked = time.monotonic()
            return Changes([], [], set())
        known = self.store.stamps()
        if touched <= known.keys() and not any(map(is_rule_file, touched)):
            self._checked = time.monotonic()
            return self._stat(touched, known)
        return self._sweep()

    def _stat(self, touched: set[str], known: dict[str, tuple[int, int, int]]) -> Changes:
        entries: list[Entry] = []
        for path in sorted(touched):
            try:
                state = (self.root / path).lstat()
            except OSError:
                return self._sweep()
            entry = Entry(path, state.st_size, state.st_mtime_ns)
            if (entry.size, entry.mtime_ns) != known[path][:2] or not self._holds(entry):
                entries.append(entry)
        return Changes(entries, [], set())

    def _holds(self, entry: Entry) -> bool:
        """Whether a touched file has its old bytes: an equal size and time prove nothing then."""
        known = self.store.file(entry.path)
        return known is None or holds(self.root, entry, known)

    def _sweep(self) -> Changes:
        """Compare the whole tree; every directory is watched before it is listed."""
        watcher = self._watcher if self._watcher is not None else Watcher(self.root)
        self._watcher = watcher
        self._must_sweep = True  # should this one fail
        changes = sweep(self.root, self.store.stamps(), Walk(self.root, on_folder=watcher.add))
        if watcher.reason and watcher.reason not in self._said:
            self._said.add(watcher.reason)
            self._notices.append(watcher.reason)
        self._must_sweep = False
        self._checked = time.monotonic()
        return changes

    def pending(self) -> list[str]:
        """Files whose bytes are not what was indexed, or that are gone; stores nothing."""
        found = sweep(self.root, self.store.stamps(), Walk(self.root))
        changed = list(found.removed)
        for entry in found.entries:
            known = self.store.file(entry.path)
            if known is None or not holds(self.root, entry, known):
                changed.append(entry.path)
        return sorted(changed)

    def changed_since(self, paths: Iterable[str]) -> set[str]:
        """Paths among these whose file on disk is not what the index holds (CASES 1)."""
        known, root = files_by_path(self.store), str(self.root)
        return {path for path in set(paths) if _stamp(f"{root}/{path}") != _indexed(known, path)}


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        state = os.lstat(path)
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns


def _indexed(known: Mapping[str, FileRecord], path: str) -> tuple[int, int]:
    record = known.get(path)
    return (-1, -1) if record is None else (record.size, record.mtime_ns)


def is_damage(error: Exception) -> bool:
    """Whether an error tells that the index file itself is broken."""
    text = str(error)
    return isinstance(error, zlib.error) or "malformed" in text or "not a database" in text
