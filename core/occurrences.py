"""Every place that says a name, in any file: code, configuration and prose alike.

Full text finds the files that can hold it (by token), then a scan of their stored text finds the
places where the name stands between word boundaries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from codeviews.core.kept import files_by_id
from codeviews.core.store import FileRecord, Store, quote

_SHOWN = 200  # characters of a line
_LETTER = rb"[A-Za-z0-9_\x80-\xff]"


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
    """Lines with one of the words, one place a line, and how many such lines there are."""
    spans = _spans(text, words)
    places: list[Occurrence] = []
    line, at = 1, 0
    for start, end in islice(spans, bound):
        line += text.count(b"\n", at, start)
        at = start
        places.append(Occurrence(line, _line(text, start, end)))
    return places, len(places) + sum(1 for _ in spans)


def _spans(text: bytes, words: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """From the first place of a word to the end of its line, for each line."""
    if len(words) == 1:
        yield from (match.span() for match in _pattern(words[0]).finditer(text))
        return
    last = -1
    for start, end in sorted(m.span() for word in words for m in _pattern(word).finditer(text)):
        if start >= last:
            yield start, end
            last = end


@lru_cache(maxsize=64)
def _pattern(word: bytes) -> re.Pattern[bytes]:
    """A word that stands by itself, and the rest of its line; bytes above 127 count as letters.

    What stands before it is looked at last: a pattern that begins with plain text is sought fast.
    """
    plain = re.escape(word)
    before = rb"(?<!%b%b)" % (_LETTER, plain) if re.match(_LETTER, word[:1]) else b""
    after = rb"(?!%b)" % _LETTER if re.match(_LETTER, word[-1:]) else b""
    return re.compile(plain + before + after + rb"[^\n]*")


def _line(text: bytes, at: int, end: int) -> str:
    """The line around ``at``; of an overlong line, the part around the place."""
    start = text.rfind(b"\n", 0, at) + 1
    start = max(start, at - _SHOWN // 2)
    shown = text[start : min(end, start + _SHOWN)].decode("utf-8", "replace").strip()
    return shown.replace("\r", " ").replace("\0", " ")
