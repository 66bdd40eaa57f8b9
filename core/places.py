"""Which files of an index a path or module name of a report may mean."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

from codeviews.core import config
from codeviews.core.facts import TEST
from codeviews.core.store import Store

PACKAGE_STEMS = frozenset(["__init__", "index", "mod"])
HEADERS = (".h", ".hh", ".hpp", ".hxx")


class Paths:
    """The index's paths by their last part; tests are left out unless the report names one."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @cached_property
    def by_name(self) -> dict[str, list[tuple[list[str], int, int]]]:
        """Last part, and last part without its suffix (with a dot), -> path parts, id, marks."""
        out: dict[str, list[tuple[list[str], int, int]]] = defaultdict(list)
        for record in self._store.places():
            parts = record.path.split("/")
            out[parts[-1]].append((parts, record.id, record.marks))
            stem = parts[-1].partition(".")[0]
            alias = parts[-2] if stem in PACKAGE_STEMS and len(parts) > 1 else stem
            out[f"{alias}."].append((parts, record.id, record.marks))
        return out

    def ending(self, path: str) -> list[int]:
        """Files whose path shares the longest tail with ``path``; [] when only the bare name of a
        common file agrees."""
        wanted = path.split("/")
        shared = [
            (_shared_tail(parts, wanted), found) for parts, found, _ in self.by_name[wanted[-1]]
        ]
        best = max((n for n, _ in shared), default=0)
        files = [found for n, found in shared if n == best]
        enough = best == len(wanted) or best > 1 or len(files) == 1
        return files if enough and len(files) <= config.COMMON // 2 else []

    @cached_property
    def _by_folder(self) -> dict[str, list[int]]:
        out: dict[str, list[int]] = defaultdict(list)
        for name, places in self.by_name.items():
            if not name.endswith("."):
                for parts, found, marks in places:
                    for folder in set(parts[:-1]) if not marks & TEST else ():
                        out[folder].append(found)
        return out

    def inside(self, folder: str) -> list[int]:
        """Files in or below the folders of this name, without tests."""
        return self._by_folder.get(folder, [])

    def exactly(self, path: str) -> int | None:
        """The file of this very path."""
        parts = path.split("/")
        return next((found for p, found, _ in self.by_name[parts[-1]] if p == parts), None)

    def of_module(self, parts: Sequence[str]) -> list[int]:
        """Files that ``a.b.c`` may mean: ``a/b/c.ext`` or ``a/b/c/__init__.py``."""
        wanted = [*parts[:-1]]
        found: list[int] = []
        for path, file, marks in self.by_name[f"{parts[-1]}."]:
            stem = path[-1].partition(".")[0]
            folders = path[:-2] if stem in PACKAGE_STEMS else path[:-1]
            if not marks & TEST and folders[len(folders) - len(wanted) :] == wanted:
                found.append(file)
        return found if len(found) <= config.COMMON // 2 else []


def _shared_tail(left: Sequence[str], right: Sequence[str]) -> int:
    n = 0
    for a, b in zip(reversed(left), reversed(right), strict=False):
        if a != b:
            break
        n += 1
    return n
