"""Which words of a file each full-text row holds: a pure function of text and symbols.

The FTS tables are contentless, so a row can only be deleted by giving its old values again. The
same function therefore makes the rows of an insert and, from the stored text, those of a delete.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from codeviews.core.facts import Symbol

OWN_ROW_KINDS = frozenset(
    "function method class struct union enum interface trait macro property namespace type "
    "heading key target module file variable".split()
)
"""Kinds whose text is taken out of their parent's row; fields and constants stay in it."""

_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


class SymbolRow(NamedTuple):
    """One row of ``symbol_text``; ``idx`` is the symbol's index in its file."""

    idx: int
    name: str
    parts: str
    path: str
    signature: str
    doc: str
    body: str


class FileRow(NamedTuple):
    """One row of ``file_text``."""

    path: str
    names: str
    body: str


def has_own_row(symbol: Symbol) -> bool:
    """Whether a symbol's text is a row. A kernel has 200,000 macros that are plain numbers."""
    if symbol.kind == "macro":
        return "(" in symbol.signature
    return symbol.kind in OWN_ROW_KINDS


def name_parts(name: str) -> str:
    """``getHTTPResponse_code`` -> ``get http response code`` (lower case, space separated)."""
    if name.islower() or name.isupper():
        return name.lower().replace("_", " ")
    return " ".join(part.lower() for part in _CAMEL.findall(name))


def _cut(source: bytes, start: int, end: int, holes: list[tuple[int, int]]) -> str:
    pieces: list[bytes] = []
    for hole_start, hole_end in holes:
        if hole_start > start:
            pieces.append(source[start:hole_start])
        start = max(start, hole_end)
    pieces.append(source[start:end])
    return b"\n".join(pieces).decode("utf-8", "replace")


def symbol_rows(path: str, source: bytes, symbols: Sequence[Symbol]) -> list[SymbolRow]:
    """One row per symbol with a body of its own.

    A byte of a class or module belongs to the innermost row that spans it; functions keep the text
    of what is nested in them, because a closure explains its function.
    """
    holes: list[list[tuple[int, int]]] = [[] for _ in symbols]
    for symbol in symbols[1:]:
        if symbol.kind in OWN_ROW_KINDS and symbols[symbol.parent].kind not in (
            "function",
            "method",
        ):
            holes[symbol.parent].append((symbol.start_byte, symbol.end_byte))
    rows: list[SymbolRow] = []
    for idx, symbol in enumerate(symbols):
        if not has_own_row(symbol):
            continue
        end = len(source) if idx == 0 else symbol.end_byte
        body = _cut(source, symbol.start_byte, end, sorted(holes[idx]))
        parts = name_parts(symbol.qualname or path)
        rows.append(SymbolRow(idx, symbol.name, parts, path, symbol.signature, symbol.doc, body))
    return rows


def _searchable(name: str) -> str:
    """A name and, where the tokenizer would not split it, its parts."""
    return name if name.islower() or name.isupper() else f"{name} {name_parts(name)}"


def file_row(path: str, source: bytes, symbols: Sequence[Symbol]) -> FileRow:
    """The row of the whole file: its path, the names it defines, all of its text."""
    names = " ".join(_searchable(s.name) for s in symbols[1:])
    return FileRow(f"{path} {name_parts(path)}", names, source.decode("utf-8", "replace"))
