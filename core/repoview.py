"""The index as resolvers see it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from codeviews.core.errors import UnreadableFileError
from codeviews.core.facts import SourceFile
from codeviews.core.files import read
from codeviews.core.languages import LANGUAGES
from codeviews.core.store import FileRecord, Store


class StoreView:
    """A :class:`codeviews.core.facts.RepoView` of one family over an open store."""

    def __init__(self, root: Path, store: Store, family: str) -> None:
        self._root = root
        self._store = store
        self._records = store.files()
        self._family = {r.path: r for r in self._records if LANGUAGES.get(r.language) == family}

    def name(self) -> str:
        """The name of the root folder."""
        return self._root.name

    def paths(self) -> Mapping[str, int]:
        """Every indexed path of any language, with its marks."""
        return {record.path: record.marks for record in self._records}

    def files(self) -> Iterator[SourceFile]:
        """The family's files in path order, loaded one at a time."""
        for record in self._family.values():
            yield self._load(record)

    def file(self, path: str) -> SourceFile | None:
        """One file of the family."""
        record = self._family.get(path)
        return None if record is None else self._load(record)

    def read(self, path: str) -> bytes:
        """Bytes of an indexed manifest as it was indexed; b"" when there is none."""
        record = self._store.file(path)
        if record is not None:
            return self._store.text(record.id)
        try:
            return read(self._root, path)
        except UnreadableFileError:
            return b""

    def summary(self, path: str) -> Any:
        """What an earlier resolution stored for that file, or None."""
        return self._store.summary(path)

    def symbols_named(self, name: str) -> list[tuple[str, int, str, int]]:
        """(path, id, kind, flags) of the family's definitions of that last name, in path order."""
        return [
            (found.path, found.id, found.kind, found.flags)
            for found in self._store.named(name)
            if found.path in self._family
        ]

    def registered(self, prefix: str) -> list[tuple[str, int, str]]:
        """(rule, target id, path of the source) of ``registers`` edges by the start of a rule."""
        found = self._store.registrations(prefix)
        return [row for row in found if row[2] in self._family]

    def _load(self, record: FileRecord) -> SourceFile:
        facts, ids = self._store.facts(record.id, record.language)
        return SourceFile(record.path, record.marks, facts, ids)
