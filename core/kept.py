"""Values computed from the whole index, kept in memory until the index changes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from codeviews.core.facts import IN_PART
from codeviews.core.store import FileRecord, Store

_T = TypeVar("_T")
_INDEXES = 4  # indexes whose values stay in memory
_VALUES = 64  # of one index; keys may hold what a caller typed
_lock = threading.Lock()
_cache: dict[Path, _Generation] = {}


@dataclass
class _Generation:
    number: str
    values: dict[str, Any] = field(default_factory=dict[str, Any])


def kept(store: Store, key: str, make: Callable[[], _T]) -> _T:
    """``make()``, called once for each generation of the index.

    It runs outside the lock: two callers may both compute a value, but neither waits.
    """
    number = store.generation()
    with _lock:
        values = _values(store.path, number)
        if key in values:
            return values[key]
    value = make()
    with _lock:
        values = _values(store.path, number)
        while len(values) >= _VALUES:
            del values[next(iter(values))]
        values[key] = value
    return value


def _values(path: Path, number: str) -> dict[str, Any]:
    found = _cache.get(path)
    if found is None or found.number != number:
        _cache.pop(path, None)
        while len(_cache) >= _INDEXES:
            del _cache[next(iter(_cache))]
        found = _cache[path] = _Generation(number)
    return found.values


def all_files(store: Store) -> list[FileRecord]:
    """All files in path order."""
    return kept(store, "files", store.files)


def files_in_part(store: Store) -> list[FileRecord]:
    """Files whose note says that calls in them may be missing, in path order."""

    def make() -> list[FileRecord]:
        return [r for r in all_files(store) if r.note and any(w in r.note for w in IN_PART)]

    return kept(store, "files in part", make)


def files_by_id(store: Store) -> dict[int, FileRecord]:
    """File id -> record."""
    return kept(store, "files by id", lambda: {r.id: r for r in all_files(store)})


def files_by_path(store: Store) -> dict[str, FileRecord]:
    """Path -> record."""
    return kept(store, "files by path", lambda: {r.path: r for r in all_files(store)})
