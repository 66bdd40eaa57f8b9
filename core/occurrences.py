"""Every place that says a name, in any file: code, configuration and prose alike.

Full text finds the files that can hold it (by token), then a scan of their stored text finds the
places where the name stands between word boundaries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from codeviews.core.kept import files_by_id
from codeviews.core.store import FileRecord, Store, quote

_SHOWN = 200  # characters of a line
_LETTERS = frozenset(b"_0123456789" + bytes(range(65, 91)) + bytes(range(97, 123))) | frozenset(
    range(128, 256)
)


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
    records = files_by_id(store)
    ids = {i for name in names if re.search(r"\w", name) for i in store.files_with(quote(name))}
    known = [records[i] for i in ids if i in records]
    files = sorted(filter(keep, known), key=lambda record: record.path)
    words = [name.encode("utf-8", "replace") for name in names if name]
    out = Occurrences(unread=max(len(files) - max_files, 0))
    for record in files[:max_files]:
        places, total = _scan(store.text(record.id), words, per_file)
        if total:
            out.files.append(FileOccurrences(record, places, total))
    return out


def _scan(text: bytes, words: Sequence[bytes], bound: int) -> tuple[list[Occurrence], int]:
    """Lines with one of the words, one place a line; ``bytes.find`` outruns ``re`` here."""
    found = (at for word in words for at in _starts(text, word))
    starts = list(found) if len(words) == 1 else sorted(set(found))
    places: list[Occurrence] = []
    total, line, at, end = 0, 1, 0, -1
    for start in starts:
        if start < end:
            continue
        line += text.count(b"\n", at, start)
        at = start
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end
        total += 1
        if len(places) < bound:
            places.append(Occurrence(line, _line(text, at, end)))
    return places, total


def _starts(text: bytes, word: bytes) -> Iterator[int]:
    """Offsets where the word stands by itself; bytes above 127 count as letters."""
    head, tail = word[0] in _LETTERS, word[-1] in _LETTERS
    at = text.find(word)
    while at >= 0:
        after = at + len(word)
        inside = (head and at > 0 and text[at - 1] in _LETTERS) or (
            tail and after < len(text) and text[after] in _LETTERS
        )
        if not inside:
            yield at
        at = text.find(word, after)


def _line(text: bytes, at: int, end: int) -> str:
    """The line around ``at``; of an overlong line, the part around the place."""
    start = text.rfind(b"\n", 0, at) + 1
    start = max(start, at - _SHOWN // 2)
    shown = text[start : min(end, start + _SHOWN)].decode("utf-8", "replace").strip()
    return shown.replace("\r", " ").replace("\0", " ")
