"""Places that say a name, as ``impact_of`` lists them: by kind of file, each within its share."""

from __future__ import annotations

from collections.abc import Sequence

from codeviews.core.facts import TEST
from codeviews.core.languages import LANGUAGES
from codeviews.core.occurrences import FileOccurrences, Occurrences
from codeviews.core.render import Answer
from codeviews.servers.toolkit import Ask

PER_FILE = 20  # places of one file kept
SHOWN_PER_FILE = 4
GROUPS = ("code", "configuration", "prose", "tests")
PROSE = frozenset(["markdown", "rst", "text", "html"])


class Room:
    """Shares the budget among the sections, so that no one starves the others."""

    def __init__(self, chars: int, limit: int) -> None:
        self.chars = chars
        self.limit = limit

    def add(
        self, answer: Answer, title: str, items: Sequence[str], share: float, total: int = 0
    ) -> None:
        """A section with as many items as its share of the budget holds, at least one.

        ``total`` counts what exists when ``items`` are not all of it.
        """
        room = int(self.chars * share)
        kept: list[str] = []
        for item in items[: self.limit]:
            room -= len(item) + 1
            if room < 0 and kept:
                break
            kept.append(item)
        answer.add(title, kept)
        rest = max(total, len(items)) - len(kept)
        if kept and rest:
            answer.note(f"{title}: {rest:,} more (raise max_tokens or limit)")


def add_places(ask: Ask, answer: Answer, room: Room, said: Occurrences) -> None:
    """A section a kind of file; lines of files that changed meanwhile are withheld."""
    for group in GROUPS:
        files = [file for file in said.files if _group(file) == group]
        total = sum(file.total for file in files)
        shown = files[: room.limit]
        changed = ask.changed(file.file.path for file in shown)
        for path in sorted(changed):
            answer.note(f"{path} changed while this was answered; its lines are withheld")
        items = [_places_text(file) for file in shown if file.file.path not in changed]
        title = f"Name in {group}: {total:,} lines of {len(files):,} files"
        room.add(answer, title if files else "", items, 0.09, len(files))


def _group(file: FileOccurrences) -> str:
    record = file.file
    if record.marks & TEST:
        return "tests"
    if LANGUAGES.get(record.language):
        return "code"
    return "prose" if record.language in PROSE else "configuration"


def _places_text(file: FileOccurrences) -> str:
    path = file.file.path
    lines = [f"{path}:{place.line}  {place.text}" for place in file.places[:SHOWN_PER_FILE]]
    rest = file.places[SHOWN_PER_FILE:]
    if rest:
        more = f" and {file.total - PER_FILE} more" if file.total > PER_FILE else ""
        lines.append(f"{path}:{','.join(str(p.line) for p in rest)}{more}")
    return "\n".join(lines)
