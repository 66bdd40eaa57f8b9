"""The source window of one symbol: at most L lines, a class header for methods (A.6)."""

from __future__ import annotations

import re
from typing import NamedTuple

from codeviews.core.facts import TYPE_KINDS
from codeviews.core.render import numbered
from codeviews.core.store import Definition, Store
from codeviews.servers.curaloc.settings import Settings


class Window(NamedTuple):
    """Numbered source, whether the symbol goes on after it, and what was odd."""

    text: str
    truncated: bool
    warning: str = ""


def window(store: Store, definition: Definition, source: bytes, settings: Settings) -> Window:
    """The symbol's lines with context within L lines, after its class's header."""
    start, end, warning = _place(definition, source, settings)
    if warning and not start:
        return Window(numbered(source, 1, settings.fallback_lines), True, warning)
    total = source.count(b"\n") + 1
    context = min(settings.context_lines, max(settings.window_lines - 1, 0) // 2)
    first = max(start - context, 1)
    last = min(end + settings.context_lines, total, first + settings.window_lines - 1)
    header = _header(store, definition, source, first, settings)
    return Window(header + numbered(source, first, last), last < end, warning)


def _place(definition: Definition, source: bytes, settings: Settings) -> tuple[int, int, str]:
    """Lines of a symbol; sought by name where the index has none; 0 when it is nowhere."""
    if definition.start_line > 0 and definition.end_line >= definition.start_line:
        return definition.start_line, definition.end_line, ""
    name = re.escape(definition.name.encode())
    found = re.search(
        rb"^.*\b(?:def|class|func|function|fn|struct)\s+" + name + rb"\b", source, re.M
    )
    if not found:
        return 0, 0, f"{definition.address} was not found in its file; its first lines are shown"
    line = source.count(b"\n", 0, found.start()) + 1
    return line, line + settings.window_lines, "the place was sought by name"


def _header(
    store: Store, definition: Definition, source: bytes, first: int, settings: Settings
) -> str:
    """The first lines of the class around a method, as far as they stand before the window."""
    owner = store.definitions([definition.parent or -1]).get(definition.parent or -1)
    if owner is None or owner.kind not in TYPE_KINDS:
        return ""
    last = min(owner.start_line + settings.header_lines - 1, first - 1, definition.start_line - 1)
    if last < owner.start_line:
        return ""
    return numbered(source, owner.start_line, last) + "\n      …\n"
