"""Which words of a file each full-text row holds: a pure function of text and symbols.

The FTS tables are contentless, so a row can only be deleted by giving its old values again. The
same function therefore makes the rows of an insert and, from the stored text, those of a delete.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from codeviews.core.facts import GENERATED
from codeviews.core.languages import LANGUAGES

OWN_ROW_KINDS = frozenset(
    "function method class struct union enum interface trait macro property namespace type "
    "heading key target module file variable".split()
)
"""Kinds whose text is taken out of their parent's row; fields and constants stay in it.

A macro without parentheses has no row: a kernel has 200,000 that are plain numbers.
"""

_WHOLE_KINDS = ("function", "method")
_CATALOGUES = (".po", ".pot")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


SymbolTuple = tuple[str, str, str, int, int, int, int, str, str, int, int]
"""A :class:`codeviews.core.facts.Symbol`, or its values as a worker sends them."""
SymbolRow = tuple[int, str, str, str, str, str, str]
"""One row of ``symbol_text``: the symbol's index in its file, then name, parts, path, signature,
doc and body."""
FileRow = tuple[str, str, str]
"""One row of ``file_text``: path, names and body."""


def name_parts(name: str) -> str:
    """``getHTTPResponse_code`` -> ``get http response code`` (lower case, space separated)."""
    if name.islower() or name.isupper():
        return name.lower().replace("_", " ")
    return " ".join(filter(None, map(_words, name.split("."))))


@lru_cache(maxsize=8192)
def _words(name: str) -> str:
    """The same of one component: those of classes and folders come again and again."""
    return " ".join(_CAMEL.findall(name)).lower()


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
    path: str, source: bytes, symbols: Sequence[SymbolTuple], language: str, marks: int
) -> list[SymbolRow]:
    """One row per symbol with a body of its own.

    A byte of a class or module belongs to the innermost row that spans it; functions keep the text
    of what is nested in them, because a closure explains its function.
    """
    if is_bulk(path, language, marks):
        name, *_, signature, doc, _, _ = symbols[0]
        return [(0, name, name_parts(path), path, signature, doc, "")]
    cut, size, holes = _Source(source).cut, len(source), _holes(symbols)
    rows: list[SymbolRow] = []
    for idx, (name, qualname, kind, _, _, start, end, signature, doc, _, _) in enumerate(symbols):
        if kind in OWN_ROW_KINDS and (kind != "macro" or "(" in signature):
            body = cut(start, end if idx else size, holes.get(idx, ()))
            rows.append((idx, name, name_parts(qualname or path), path, signature, doc, body))
    return rows


def _holes(symbols: Sequence[SymbolTuple]) -> dict[int, list[tuple[int, int]]]:
    """Index of a symbol -> spans in it that other rows hold, in order."""
    found: dict[int, list[tuple[int, int]]] = {}
    for _, _, kind, _, _, start, end, _, _, parent, _ in symbols[1:]:
        if kind in OWN_ROW_KINDS and symbols[parent][2] not in _WHOLE_KINDS:
            found.setdefault(parent, []).append((start, end))
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


def file_row(path: str, source: bytes, symbols: Sequence[SymbolTuple]) -> FileRow:
    """The row of the whole file: its path, the names it defines, all of its text."""
    names = " ".join([_searchable(symbol[0]) for symbol in symbols[1:]])
    return f"{path} {name_parts(path)}", names, source.decode("utf-8", "replace")
