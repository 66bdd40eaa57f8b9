"""Answers as text within a token budget, and as JSON (DESIGN sections 7 and 9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
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

    def text(self, max_tokens: int) -> str:
        """The answer in at most ``max_tokens`` (characters / 4)."""
        budget = max_tokens * CHARS_PER_TOKEN
        footer = "\n".join(self.footer)
        header = _clip(self.header, budget // 3)
        footer = _clip(footer, budget // 3)
        body = _body(self.sections, budget - len(header) - len(footer) - 4)
        return "\n".join(part for part in (header, body, footer) if part)


def _clip(text: str, room: int) -> str:
    return text if len(text) <= room else text[: max(room - 2, 0)] + " …"


def _body(sections: Sequence[Section], room: int) -> str:
    lines: list[str] = []
    cut: list[str] = []
    for section in sections:
        kept, used = _fill(section, room - _CUT_ROOM)
        total = section.total if section.total is not None else len(section.items) + section.offset
        shown = section.offset + kept.count
        if kept.lines:
            lines += kept.lines
            room -= used
        if shown < total and section.items:
            cut.append(f"{section.title or 'list'}: {total - shown} more (cursor={shown})")
    if cut:
        lines.append(_clip("[cut] " + "; ".join(cut), _CUT_ROOM))
    return "\n".join(lines)


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
