"""Where brackets end, in time linear in the file and in spite of ``#ifdef`` twins."""

from __future__ import annotations

import re

from codeviews.core.languages.c_text import Text

_BRACES = re.compile(r"[{}]")
_PARENS = re.compile(r"[()]")
# Something other than a label, a brace or white space in the first column: a new item.
_COLUMN_ZERO = re.compile(r"\n(?![\w ]+:)[^\s{}]")
_PAREN_REACH = 200_000


def match_paren(text: Text, start: int, limit: int) -> int:
    """Offset of the ``)`` that closes the ``(`` at ``start``, or -1 when not before ``limit``."""
    limit = min(limit, start + _PAREN_REACH, start + max(text.budget, 0))
    depth = 0
    for match in _PARENS.finditer(text.code, start, limit):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            text.budget -= match.start() - start
            return match.start()
    text.budget -= limit - start
    return -1


def column_end(text: Text, start: int) -> int:
    """Offset of the next ``}`` in the first column after ``start``, or the file's length."""
    if text.column_end != -1 and text.column_end < start:
        text.column_end = text.code.find("\n}", start)
    return len(text.code) if text.column_end < 0 else text.column_end + 1


def match_brace(text: Text, start: int) -> int:
    """Offset of the ``}`` that closes the ``{`` at ``start``; the last offset when none does."""
    code = text.code
    first = code.find("}", start + 1)
    if first < 0:
        return len(code) - 1
    if code.find("{", start + 1, first) < 0:
        return first
    column = column_end(text, start)
    if column < len(code):
        if _is_whole_block(code, start, column):
            return column
        if text.branch_between(start, column) and not _is_indented(code, start):
            return column
    return _scan_brace(text, start, column)


def _is_whole_block(code: str, start: int, end: int) -> bool:
    if _COLUMN_ZERO.search(code, start + 1, end):
        return False
    return code.count("{", start, end) == code.count("}", start, end) + 1


def _is_indented(code: str, start: int) -> bool:
    """Whether the line that opens the block is indented, so its end is not in the first column."""
    return code[code.rfind("\n", max(0, start - 1000), start) + 1 :][:1] in " \t"


def _scan_brace(text: Text, start: int, column: int) -> int:
    end = min(len(text.code), start + max(text.budget, 1000))
    depth = 0
    for match in _BRACES.finditer(text.code, start, end):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            text.budget -= match.start() - start
            return match.start()
    text.budget -= end - start
    return min(column, len(text.code) - 1)
