"""Which words of a file each full-text row holds: a pure function of text and symbols.

The FTS tables are contentless, so a row can only be deleted by giving its old values again. The
same function therefore makes the rows of an insert and, from the stored text, those of a delete.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from codeviews.core.facts import GENERATED, Symbol
from codeviews.core.languages import LANGUAGES

OWN_ROW_KINDS = frozenset(
    "function method class struct union enum interface trait macro property namespace type "
    "heading key target module file variable".split()
)
"""Kinds whose text is taken out of their parent's row; fields and constants stay in it."""

_WHOLE_KINDS = ("function", "method")
_CATALOGUES = (".po", ".pot")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


SymbolRow = tuple[int, str, str, str, str, str, str]
"""One row of ``symbol_text``: the symbol's index in its file, then name, parts, path, signature,
doc and body."""
FileRow = tuple[str, str, str]
"""One row of ``file_text``: path, names and body."""


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


class _Source:
    """A file's text by byte offsets; plain ASCII is decoded once."""

    __slots__ = ("_bytes", "_text")

    def __init__(self, source: bytes) -> None:
        self._bytes = source
        self._text = source.decode("ascii") if source.isascii() else None

    def cut(self, start: int, end: int, holes: Sequence[tuple[int, int]]) -> str:
        """The text of ``start:end`` without the holes, which are in order."""
        spans = _spans(start, end, holes) if holes else [(start, end)]
        if self._text is not None:
            return "\n".join([self._text[a:b] for a, b in spans])
        return b"\n".join([self._bytes[a:b] for a, b in spans]).decode("utf-8", "replace")


def _spans(start: int, end: int, holes: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """What ``holes`` leave of ``start:end``."""
    spans: list[tuple[int, int]] = []
    for hole_start, hole_end in holes:
        if hole_start > start:
            spans.append((start, hole_start))
        start = max(start, hole_end)
    return [*spans, (start, end)]


def symbol_rows(
    path: str, source: bytes, symbols: Sequence[Symbol], language: str, marks: int
) -> list[SymbolRow]:
    """One row per symbol with a body of its own.

    A byte of a class or module belongs to the innermost row that spans it; functions keep the text
    of what is nested in them, because a closure explains its function.
    """
    if is_bulk(path, language, marks):
        own = symbols[0]
        return [(0, own.name, name_parts(path), path, own.signature, own.doc, "")]
    text, size, holes = _Source(source), len(source), _holes(symbols)
    return [
        (
            idx,
            symbol.name,
            name_parts(symbol.qualname or path),
            path,
            symbol.signature,
            symbol.doc,
            text.cut(symbol.start_byte, symbol.end_byte if idx else size, holes.get(idx, ())),
        )
        for idx, symbol in enumerate(symbols)
        if has_own_row(symbol)
    ]


def _holes(symbols: Sequence[Symbol]) -> dict[int, list[tuple[int, int]]]:
    """Index of a symbol -> spans in it that other rows hold, in order."""
    found: dict[int, list[tuple[int, int]]] = {}
    for symbol in symbols[1:]:
        if symbol.kind in OWN_ROW_KINDS and symbols[symbol.parent].kind not in _WHOLE_KINDS:
            found.setdefault(symbol.parent, []).append((symbol.start_byte, symbol.end_byte))
    for spans in found.values():
        spans.sort()
    return found


def is_bulk(path: str, language: str, marks: int) -> bool:
    """Whether a file is a message catalogue or generated data: found as a whole, by full text.

    Its entries are no definitions anybody asks for, and there are more of them than of code.
    """
    if LANGUAGES.get(language):
        return False
    return bool(marks & GENERATED) or path.endswith(_CATALOGUES)


def _searchable(name: str) -> str:
    """A name and, where the tokenizer would not split it, its parts."""
    return name if name.islower() or name.isupper() else f"{name} {name_parts(name)}"


def file_row(path: str, source: bytes, symbols: Sequence[Symbol]) -> FileRow:
    """The row of the whole file: its path, the names it defines, all of its text."""
    names = " ".join([_searchable(s.name) for s in symbols[1:]])
    return f"{path} {name_parts(path)}", names, source.decode("utf-8", "replace")
