"""Answers as text within a token budget, and as JSON (DESIGN sections 7 and 9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from codeviews.core.config import CHARS_PER_TOKEN

_MAX_LINE = 400  # characters of one source line shown: minified files exist


@dataclass
class Section:
    """A titled list. Items are cut from the end when the budget is spent, never in the middle,
    except that the last source item is cut by lines. ``offset`` items were skipped by a cursor."""

    title: str = ""
    items: list[str] = field(default_factory=list[str])
    total: int | None = None
    offset: int = 0


@dataclass
class Answer:
    """One tool's answer. ``found`` False is a normal answer of a thing that is not there."""

    header: str = ""
    sections: list[Section] = field(default_factory=list[Section])
    footer: list[str] = field(default_factory=list[str])
    data: dict[str, Any] = field(default_factory=dict[str, Any])
    found: bool = True

    def add(self, title: str, items: Iterable[str], total: int | None = None) -> Section:
        """Append a section; ``total`` counts what exists when ``items`` is only a page of it."""
        section = Section(title, list(items), total)
        self.sections.append(section)
        return section

    def note(self, sentence: str) -> None:
        """A closing line: what was left out, what could change the answer."""
        if sentence and sentence not in self.footer:
            self.footer.append(sentence)

    def text(self, max_tokens: int, pages: bool = True) -> str:
        """The answer in at most ``max_tokens`` (characters / 4).

        ``pages`` says whether the tool takes a cursor: then all lists are cut at the same place, so
        that one cursor goes on in each of them and nothing is shown twice or never.
        """
        budget = max_tokens * CHARS_PER_TOKEN
        footer = "\n".join(self.footer)
        header = _clip(self.header, budget // 3)
        footer = _clip(footer, budget // 3)
        body = _body(self.sections, budget - len(header) - len(footer) - 4, pages)
        return "\n".join(part for part in (header, body, footer) if part)

    def next_cursor(self) -> str | None:
        """Where the lists of ``--json``, which no budget cuts, go on; None at their end."""
        whole = [_Kept(count=len(section.items)) for section in self.sections]
        places = _places(self.sections, whole)
        return str(min(places)) if places else None


def _clip(text: str, room: int) -> str:
    return text if len(text) <= room else text[: max(room - 2, 0)] + " …"


def _body(sections: Sequence[Section], room: int, pages: bool) -> str:
    filled = _filled(sections, room)
    if pages and sum(shown < total for shown, total in map(_counts, sections, filled)) > 1:
        filled = _evenly(sections, room) or filled
    lines = [line for kept in filled for line in kept.lines]
    cut = _cut_line(sections, filled, pages)
    return "\n".join([*lines, cut] if cut else lines)


def _filled(sections: Sequence[Section], room: int) -> list[_Kept]:
    """What fits of each section, the first ones first."""
    out: list[_Kept] = []
    for section in sections:
        kept, used = _fill(section, room - _CUT_ROOM)
        room -= used
        out.append(kept)
    return out


def _evenly(sections: Sequence[Section], room: int) -> list[_Kept] | None:
    """The same number of items of every section, the most that fit; None when not even one does."""
    best: list[_Kept] | None = None
    low, high = 1, max((len(section.items) for section in sections), default=0)
    while low <= high:
        middle = (low + high) // 2
        pages = [replace(section, items=section.items[:middle]) for section in sections]
        filled = _filled(pages, room)
        if all(k.count == len(p.items) for k, p in zip(filled, pages, strict=True)):
            best, low = filled, middle + 1
        else:
            high = middle - 1
    return best


def _counts(section: Section, kept: _Kept) -> tuple[int, int]:
    """(how many items were shown so far, how many there are)."""
    total = section.total if section.total is not None else len(section.items) + section.offset
    return (section.offset + kept.count, total) if section.items else (total, total)


def _cut_line(sections: Sequence[Section], filled: Sequence[_Kept], pages: bool) -> str:
    cut: list[str] = []
    for section, kept in zip(sections, filled, strict=True):
        shown, total = _counts(section, kept)
        if shown < total:
            cut.append(f"{(section.title or 'list')[:60]}: {total - shown} more")
    places = _places(sections, filled)
    if not cut:
        return ""
    how = (
        f" (cursor={min(places)})"
        if pages and min(places, default=0)
        else " (raise max_tokens or limit)"
    )
    return _clip("[cut] " + "; ".join(cut), _CUT_ROOM - len(how)) + how


def _places(sections: Sequence[Section], filled: Sequence[_Kept]) -> list[int]:
    """Where each list that was cut goes on. On later pages a list that is repeated, such as the
    definitions, is not gone on with."""
    page = max((section.offset for section in sections), default=0)
    out: list[int] = []
    for section, kept in zip(sections, filled, strict=True):
        shown, total = _counts(section, kept)
        if shown < total and section.offset == page:
            out.append(shown if kept.count else 0)
    return out


_CUT_ROOM = 160


@dataclass
class _Kept:
    lines: list[str] = field(default_factory=list[str])
    count: int = 0


def _fill(section: Section, room: int) -> tuple[_Kept, int]:
    kept = _Kept()
    used = 0
    title = [f"## {section.title}"] if section.title else []
    for item in section.items:
        size = len(item) + 1 + (len(title[0]) + 1 if title and not kept.lines else 0)
        if used + size > room:
            part = _head_of(item, room - used - 40) if not kept.count or "\n" in item else ""
            if part:
                kept.lines += ([*title] if not kept.lines else []) + [part]
                used += len(part) + 1
            break
        kept.lines += ([*title] if not kept.lines else []) + [item]
        kept.count += 1
        used += size
    if not section.items and title and len(title[0]) < room:
        kept.lines, used = title, len(title[0]) + 1
    return kept, used


def _head_of(item: str, room: int) -> str:
    """The first whole lines of an item, with a word that it goes on; "" when hardly any fit."""
    lines = item.split("\n")
    out: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        out.append(line)
    if len(out) < 3 or len(out) == len(lines):
        return ""
    return "\n".join(out) + f"\n… {len(lines) - len(out)} more lines"


def numbered(source: bytes, start_line: int, end_line: int, first: int = 1) -> str:
    """Lines ``start_line``..``end_line`` of ``source`` as hosts print them: ``   12\\tcode``.

    ``first`` is the line number of the source's first line.
    """
    lines = source.decode("utf-8", "replace").split("\n")
    picked = lines[start_line - first : end_line - first + 1]
    return "\n".join(f"{start_line + i:>5}\t{_line(line)}" for i, line in enumerate(picked))


def _line(line: str) -> str:
    line = line.rstrip("\r")
    return line if len(line) <= _MAX_LINE else f"{line[:_MAX_LINE]} … ({len(line):,} characters)"
