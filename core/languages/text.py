"""Any other text: one symbol for the file; titles where it is written like reStructuredText."""

from __future__ import annotations

from itertools import islice

from codeviews.core.facts import FileFacts
from codeviews.core.languages.outline import MAX_SYMBOLS, Lines, file_symbol, paragraph_after
from codeviews.core.languages.rst import items_of, outline_of

TITLES = 2
"""Fewer underlined titles than this may be a table or a separator."""


def extract(path: str, source: bytes) -> FileFacts:
    """The file as a whole; for prose (``.txt``) also its titles and first paragraph."""
    if not path.lower().endswith(".txt"):
        return FileFacts("text", [file_symbol(path, source)])
    lines = Lines(source)
    items = list(islice(items_of(lines), MAX_SYMBOLS + 1))
    if sum(item.kind == "heading" for item in items) >= TITLES:
        return outline_of("text", path, lines, items)
    return FileFacts("text", [file_symbol(path, source, paragraph_after(lines, 0))])
