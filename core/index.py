"""Building and refreshing an index: sweep -> extract -> store -> resolve.

A refresh is a build that finds little to do, so both give the same answers (CASES 24). A build that
was killed leaves a database that says it is not complete; the next one keeps every file whose bytes
are unchanged and goes on from there.
"""

from __future__ import annotations

import gc
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeVar

from codeviews.core.config import FEW_FILES, FULL_RESOLVE_SHARE, RACY_NS
from codeviews.core.errors import NotFoundError, UnreadableFileError
from codeviews.core.extract import content_hash
from codeviews.core.facts import FileEdges
from codeviews.core.files import read
from codeviews.core.history import State, update_history
from codeviews.core.languages import LANGUAGES, language_of
from codeviews.core.pool import Outcome, default_jobs, extract_all
from codeviews.core.repository import Entry, Walk
from codeviews.core.repoview import StoreView
from codeviews.core.resolve import resolver
from codeviews.core.store_base import FileRecord
from codeviews.core.store_edges import Removed, writing
from codeviews.core.store_write import Extracted, Writer

Progress = Callable[[str, int, int], None]
"""(phase, done, total): phases are ``scan``, ``extract``, ``resolve``."""

MANIFESTS = frozenset(
    "go.mod go.work tsconfig.json jsconfig.json package.json Cargo.toml pyproject.toml setup.cfg "
    "composer.json compile_commands.json pnpm-workspace.yaml".split()
)
"""A change of one of these can move any import, so everything is resolved anew."""

_EDGE_BATCH = 400
_COMMIT_BATCHES = 32
_T = TypeVar("_T")


class Changes(NamedTuple):
    """What a sweep found against the index."""

    entries: list[Entry]
    removed: list[str]
    added: set[str]

    def __bool__(self) -> bool:
        return bool(self.entries or self.removed)


@dataclass
class Report:
    """What ``codeviews index --json`` prints (DESIGN section 9)."""

    files: int = 0
    symbols: int = 0
    edges: int = 0
    unresolved: int = 0
    skipped: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_rss_mb: float = 0.0
    db_mb: float = 0.0
    extracted: int = 0
    history: str = ""
    notices: list[str] = field(default_factory=list[str])


def silent(phase: str, done: int, total: int) -> None:
    """No progress shown."""


def sweep(root: Path, writer_stamps: dict[str, tuple[int, int, int]], walk: Walk) -> Changes:
    """Compare the tree with the index by size and modification time.

    Raises:
        NotFoundError: the repository's folder is gone; its index is kept.
    """
    entries: list[Entry] = []
    added: set[str] = set()
    seen: set[str] = set()
    for entry in walk:
        seen.add(entry.path)
        known = writer_stamps.get(entry.path)
        if known is None:
            added.add(entry.path)
            entries.append(entry)
        elif (entry.size, entry.mtime_ns) != known[:2] or known[2] - entry.mtime_ns < RACY_NS:
            entries.append(entry)
    removed = sorted(writer_stamps.keys() - seen)
    if not seen and not root.is_dir():
        raise NotFoundError(
            f"the repository's folder {root} is gone or cannot be entered; put it back, or start "
            "again with the folder it is in now"
        )
    return Changes(entries, removed, added)


def holds(root: Path, entry: Entry, known: FileRecord) -> bool:
    """Whether a file still has the bytes that were indexed; an unreadable one has not."""
    if known.size != entry.size:
        return False
    try:
        return content_hash(read(root, entry.path)) == known.hash
    except UnreadableFileError:
        return False


class Indexer:
    """One build or refresh of one working tree; the caller holds the writer lock."""

    def __init__(
        self,
        root: Path,
        database: Path,
        jobs: int | None = None,
        progress: Progress = silent,
        mode: str = "static",
    ) -> None:
        """``mode`` is ``static``, or ``jedi`` to resolve Python as the study did."""
        self.root = root
        self.writer = Writer(database)
        self.jobs = jobs or default_jobs()
        self.progress = progress
        self.mode = mode
        self.report = Report()
        self._failed: dict[str, str] = {}

    # --- the two entry points ---------------------------------------------------------------------
    def build(self) -> Report:
        """Bring the index up to date with the tree, flow-sensitive edges included.

        Raises:
            StorageError: the disk is full; what was committed is kept.
        """
        collecting = gc.isenabled()
        gc.disable()  # facts are millions of tuples without cycles
        try:
            with writing(self.writer.path):
                return self._build()
        finally:
            if collecting:
                gc.enable()

    def _build(self) -> Report:
        started, cpu = time.monotonic(), _cpu()
        self._prepare()
        walk = Walk(self.root)
        self._say("scan", 0, 0)
        changes = sweep(self.root, self.writer.stamps(), walk)
        affected = self._apply(changes)
        self.writer.set_refused(walk.skipped)
        many = affected is not None and len(affected) > FEW_FILES
        self._resolve(None if many else affected)  # many would need the whole pass afterwards
        if self.writer.meta("stale_flow") == "1":
            self._resolve(None)
        update_history(self.root, self.writer)
        self._finish(walk, started, cpu)
        return self.report

    def refresh(self, changes: Changes) -> None:
        """Apply a small change in one transaction: readers see the tree before it or after it.

        Flow-sensitive edges of other files may stay a build behind.

        Raises:
            StorageError: the disk is full; the index is as it was.
        """
        with writing(self.writer.path), self.writer.transaction():
            self._resolve(self._apply(changes))
            self.writer.set_meta("built_ns", str(time.time_ns()))

    # --- steps ------------------------------------------------------------------------------------
    def _prepare(self) -> None:
        if not self.writer.current():
            self.writer.close()
            for suffix in ("", "-wal", "-shm"):
                Path(f"{self.writer.path}{suffix}").unlink(missing_ok=True)
            self.writer.create()
        self.writer.bulk()

    def _apply(self, changes: Changes) -> set[str] | None:
        """Extract and store; returns the paths to resolve, or None for all."""
        entries = self._unless_same(changes)
        touched = {entry.path for entry in entries} | set(changes.removed)
        importers = {i.path for i in self.writer.importers_of(changes.removed)}
        names = self.writer.remove_files(changes.removed)
        self.writer.tracking = self._resolved() and self._resolvers_current()
        for outcome in self._extract(entries):
            names.names.update(outcome.names)
            names.ids.update(outcome.ids)
        manifest = any(PurePosixPath(path).name in MANIFESTS for path in touched)
        if manifest or not self.writer.tracking or not self._resolved():
            return None
        moved = changes.added | set(changes.removed)
        affected = touched | importers | self.writer.affected_by(names)
        affected |= self.writer.importing_outside(_module_words(moved))
        return affected - set(changes.removed)

    def _resolvers_current(self) -> bool:
        """Whether the stored edges were made, without failure, by the resolvers of this version."""
        made = json.loads(self.writer.meta("resolvers", "{}"))
        return all(made.get(name) == resolver(name).VERSION for name in self._families())

    def _families(self) -> list[str]:
        languages = {record.language for record in self.writer.files()}
        return sorted({LANGUAGES.get(language, "") for language in languages} - {""})

    def _resolved(self) -> bool:
        return self.writer.meta("resolved") == "1"

    def _unless_same(self, changes: Changes) -> list[Entry]:
        """Drop entries whose bytes are what was indexed; their stamps are corrected."""
        kept: list[Entry] = []
        same: list[tuple[int, int, int, str]] = []
        for entry in changes.entries:
            known = None if entry.path in changes.added else self.writer.file(entry.path)
            now = time.time_ns()
            if known is not None and holds(self.root, entry, known):
                same.append((entry.size, entry.mtime_ns, now, entry.path))
            else:
                kept.append(entry)
        self.writer.touch(same)
        return kept

    def _extract(self, entries: Sequence[Entry]) -> Iterator[Removed]:
        if not entries:
            return
        total, done = len(entries), 0
        if total > _EDGE_BATCH:
            with self.writer.transaction():
                self.writer.set_meta("resolved", "0")
        by_path = {entry.path: entry for entry in entries}
        jobs = self.jobs if total > 8 else 1
        for outcomes in self._committing(extract_all(self.root, entries, jobs)):
            yield self.writer.write_files([o for o in outcomes if isinstance(o, Extracted)])
            for refused in (o for o in outcomes if not isinstance(o, Extracted)):
                yield self._skip(by_path[refused[0]], refused[1])
            done += len(outcomes)
            self.report.extracted = done
            self._say("extract", done, total)
        self.report.peak_rss_mb = _peak_rss_mb(jobs)  # the workers are gone when edges are resolved

    def _committing(self, batches: Iterator[list[Outcome]]) -> Iterator[list[Outcome]]:
        """Commit every few batches: often enough to resume from, rarely enough to be cheap."""
        for group in _grouped(batches, _COMMIT_BATCHES):
            with self.writer.transaction():
                yield from group

    def _skip(self, entry: Entry, reason: str) -> Removed:
        changed = self.writer.remove_files([entry.path])
        with self.writer.transaction():
            self.writer.skip(entry.path, reason, entry.size, entry.mtime_ns)
        return changed

    def _resolve(self, affected: set[str] | None) -> None:
        """Resolve the affected files, or everything when None, in one transaction a family."""
        records = self.writer.files()
        if affected is not None and len(affected) > FULL_RESOLVE_SHARE * max(len(records), 40):
            affected = None
        if affected is None:
            self._resolve_all()
            return
        with self.writer.transaction():
            for family in self._families():
                self._resolve_family(family, affected)
            self.writer.set_meta("resolved", "1")

    def _resolve_all(self) -> None:
        families = self._families()
        self.writer.slim()
        with self.writer.all_edges_anew():
            self.writer.set_meta("stale_flow", "0")
            for i, family in enumerate(families):
                self._say("resolve", i, len(families))
                self._resolve_family(family, None)
            good = {f: resolver(f).VERSION for f in families if f not in self._failed}
            self.writer.set_meta("resolvers", json.dumps(good))
            self.writer.set_meta("resolved", "1")

    def _resolve_family(self, family: str, affected: set[str] | None) -> None:
        only = None
        if affected is not None:
            only = frozenset(p for p in affected if LANGUAGES[language_of(p)] == family)
            if not only:
                return
        try:
            self._store_edges(family, only)
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
            # One file must not cost the whole repository its index.
            self._failed[family] = f"{type(error).__name__}: {error}"

    def _edges_of(
        self, family: str, view: StoreView, only: frozenset[str] | None
    ) -> Iterator[FileEdges]:
        if self.mode == "jedi" and family == "python" and only is None:
            return import_module("codeviews.core.resolve.jedi").resolve_all(self.root, view)
        return resolver(family).resolve(view, only)

    def _store_edges(self, family: str, only: frozenset[str] | None) -> None:
        view = StoreView(self.root, self.writer, family)
        ids = {record.path: record.id for record in self.writer.files()}
        moved = False
        for batch in _batched(self._edges_of(family, view, only)):
            if only is not None:
                self.writer.clear_edges(item.path for item in batch)
            moved |= self.writer.write_edges(batch, ids)
            # An edited file may pass other values to the rest, which its own summary does not say.
            moved |= any(item.summary is not None for item in batch)
        if moved and only is not None:
            self.writer.set_meta("stale_flow", "1")

    def _finish(self, walk: Walk, started: float, cpu: float) -> None:
        with self.writer.transaction():
            self.writer.set_meta("root", str(self.root))
            self.writer.set_meta("built_ns", str(time.time_ns()))
            self.writer.set_meta("notices", "\n".join(self._notices(walk)))
        self.writer.set_progress("", 0, 0)
        self.writer.settle()
        counts = self.writer.counts()
        report = self.report
        report.files, report.symbols = counts["files"], counts["symbols"]
        report.edges, report.unresolved = counts["edges"], counts["unresolved"]
        report.skipped = [{"path": p, "reason": r} for p, r in self.writer.skipped()]
        report.history = State.of(self.writer.meta("history")).text
        report.notices = self._notices(walk)
        report.db_mb = round(self.writer.path.stat().st_size / 1e6, 2)
        report.seconds = round(time.monotonic() - started, 3)
        report.cpu_seconds = round(_cpu() - cpu, 3)
        report.peak_rss_mb = round(max(report.peak_rss_mb, _peak_rss_mb(0)), 1)

    def _notices(self, walk: Walk) -> list[str]:
        failures = [
            f"Edges of {family} code are incomplete: its resolver failed ({why})"
            for family, why in self._failed.items()
        ]
        return [notice for notice in (walk.remark(), *failures) if notice]

    def _say(self, phase: str, done: int, total: int) -> None:
        self.progress(phase, done, total)
        if not self.writer.db.in_transaction and not self._resolved():
            self.writer.set_progress(phase, done, total)


def _module_words(paths: Iterable[str]) -> set[str]:
    """Words by which an import may mean these files: their stem and their folder's name."""
    words: set[str] = set()
    for path in map(PurePosixPath, paths):
        words.update((path.name.partition(".")[0], path.parent.name))
    return words - {"", "__init__", "index", "mod"}


def _grouped(items: Iterator[_T], size: int) -> Iterator[Iterator[_T]]:
    """Runs of at most ``size`` items, each consumed before the next is asked for."""
    for first in items:
        yield chain((first,), islice(items, size - 1))


def _batched(items: Iterable[FileEdges]) -> Iterator[list[FileEdges]]:
    batch: list[FileEdges] = []
    for item in items:
        batch.append(item)
        if len(batch) >= _EDGE_BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _cpu() -> float:
    """CPU seconds of this process and of its finished children."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _peak_rss_mb(jobs: int) -> float:
    """Upper bound until now: this process's peak plus ``jobs`` times the largest child's."""
    try:
        import resource
    except ImportError:  # not on Windows
        return 0.0
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return (own + jobs * child) * 1024 / 1e6
