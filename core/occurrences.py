"""Every place that says a name, in any file: code, configuration and prose alike.

Full text finds the files that can hold it (by token), then a scan of their stored text finds the
places where the name stands between word boundaries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from codeviews.core.store import FileRecord, Store, quote

_SHOWN = 200  # characters of a line


class Occurrence(NamedTuple):
    """A 1-based line and its text, stripped and shortened."""

    line: int
    text: str


class FileOccurrences(NamedTuple):
    """The places in one file, in order; ``total`` counts also those above the bound."""

    file: FileRecord
    places: list[Occurrence]
    total: int


@dataclass
class Occurrences:
    """All places of a name. ``unread`` files were not scanned because the bound was reached."""

    files: list[FileOccurrences] = field(default_factory=list[FileOccurrences])
    unread: int = 0

    @property
    def total(self) -> int:
        """Places in the files that were scanned."""
        return sum(file.total for file in self.files)


def occurrences(
    store: Store,
    names: Sequence[str],
    keep: Callable[[FileRecord], bool],
    max_files: int,
    per_file: int,
) -> Occurrences:
    """Places of any of ``names`` in the files that ``keep`` accepts, in path order.

    At most ``max_files`` files are scanned and ``per_file`` places of each are returned.
    """
    ids = {i for name in names if re.search(r"\w", name) for i in store.files_with(quote(name))}
    files = sorted((r for r in store.file_paths(ids).values() if keep(r)), key=lambda r: r.path)
    pattern = _pattern(names)
    out = Occurrences(unread=max(len(files) - max_files, 0))
    for record in files[:max_files]:
        places, total = _scan(store.text(record.id), pattern, per_file)
        if total:
            out.files.append(FileOccurrences(record, places, total))
    return out


def _pattern(names: Sequence[str]) -> re.Pattern[bytes]:
    """Any of the names, longest first, not inside a longer word (bytes above 127 are letters)."""
    ordered = sorted(names, key=lambda name: (-len(name), name))
    words = b"|".join(re.escape(name.encode("utf-8", "replace")) for name in ordered)
    return re.compile(rb"(?<![\w\x80-\xff])(?:" + words + rb")(?![\w\x80-\xff])")


def _scan(text: bytes, pattern: re.Pattern[bytes], bound: int) -> tuple[list[Occurrence], int]:
    """Lines with a match, one place a line."""
    places: list[Occurrence] = []
    total, line, at, end = 0, 1, 0, -1
    for match in pattern.finditer(text):
        if match.start() < end:
            continue
        line += text.count(b"\n", at, match.start())
        at = match.start()
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end
        total += 1
        if len(places) < bound:
            places.append(Occurrence(line, _line(text, at, end)))
    return places, total


def _line(text: bytes, at: int, end: int) -> str:
    """The line around ``at``; of an overlong line, the part around the place."""
    start = text.rfind(b"\n", 0, at) + 1
    start = max(start, at - _SHOWN // 2)
    shown = text[start : min(end, start + _SHOWN)].decode("utf-8", "replace").strip()
    return shown.replace("\r", " ").replace("\0", " ")
