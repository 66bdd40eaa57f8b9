"""A C file as a run of file-level items: declarations, functions, types and tables.

A hand-written splitter instead of a grammar: file-level code of real projects is full of macros
that no grammar knows, and items are found several times faster this way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from codeviews.core.languages.c_blocks import column_end, match_brace, match_paren
from codeviews.core.languages.c_text import Text

_DELIMITER = re.compile(r"[;{}]")
_WORD = re.compile(r"\S")
_SEMICOLON_OR_BRACE = re.compile(r"[;{]")
_INVOCATION = re.compile(r"[A-Za-z_]\w*\s*\(")
_MACRO_CALL = re.compile(r"[A-Z_][A-Z0-9_]*\s*\(")
_STARTS_ITEM = re.compile(r"[A-Za-z]|__\w+\s*\(")
_LINKAGE = re.compile(r'extern\s*"[^"]*"\s*$')
_ATTRIBUTE = re.compile(r"__attribute__\s*\(\(.*?\)\)|\b[A-Z_a-z]\w*\s*\([^()]*\)", re.S)
_TYPE_HEAD = re.compile(
    r"(?:\b(?:typedef|static|const|extern|volatile)\s+)*(?:struct|union|enum)\b"
)
_ASSIGN = re.compile(r"(?<![=!<>+\-*/%&|^])=(?!=)")
_KR_HEAD = re.compile(r"[\w\s*]*?\w+\s*\(\s*\w+(?:\s*,\s*\w+)*\s*\)\s*\w+[\s*]+\**\s*\w[^()=]*$")
_KR_TAIL = re.compile(r"[\w\s*,;\[\]]*\{")

DECLARATION = "declaration"
FUNCTION = "function"
TYPE = "type"
TABLE = "table"


class Item(NamedTuple):
    """One file-level item: ``start:head`` is its head, ``body:end`` its braces (equal: none).

    ``stop`` is where the next item begins.
    """

    kind: str
    start: int
    head: int
    body: int
    end: int
    stop: int


def items(text: Text) -> Iterator[Item]:
    """Every file-level item in order; what is not understood is skipped up to the next one."""
    position = 0
    size = len(text.code)
    while position < size:
        first = _WORD.search(text.code, position)
        if first is None:
            return
        item = _item(text, first.start())
        if item is None:
            return
        if item.kind:
            yield item
        position = max(item.stop, position + 1)


def _item(text: Text, start: int) -> Item | None:
    code = text.code
    call = _INVOCATION.match(code, start)
    if call:
        closed = _bare_call(text, call.end() - 1)
        if closed:
            return Item(DECLARATION, start, closed, closed, closed, closed)
    at = _delimiter(text, start)
    if at is None:
        return None
    if code[at] == ";":
        return _old_style(text, start, at) or Item(DECLARATION, start, at, at, at, at + 1)
    if code[at] == "}":
        return Item("", start, at, at, at, at + 1)
    head = code[start:at]
    if _LINKAGE.search(head):
        return Item("", start, at, at, at, at + 1)
    return _braced(text, start, at, head)


def _bare_call(text: Text, opened: int) -> int:
    """One past a file-level macro call that no semicolon follows, or 0."""
    code = text.code
    closed = match_paren(text, opened, column_end(text, opened)) + 1
    if not closed:
        return 0
    after = _WORD.search(code, closed)
    if after is None:
        return closed
    if _MACRO_CALL.match(code, after.start()):
        return closed
    if "\n" not in code[closed : after.start()] or not _STARTS_ITEM.match(code, after.start()):
        return 0
    tail = _KR_TAIL.match(code, closed)
    return 0 if tail and ";" in tail[0] else closed


def _delimiter(text: Text, start: int) -> int | None:
    """The first ``;`` or brace after ``start`` that no parenthesis holds."""
    code = text.code
    match = _DELIMITER.search(code, start)
    if match is None:
        return None
    at = match.start()
    if code.count("(", start, at) == code.count(")", start, at):
        return at
    return _after_parens(text, start, at)


def _after_parens(text: Text, start: int, at: int) -> int | None:
    code = text.code
    limit = column_end(text, start)
    position = start
    while True:
        opened = code.find("(", position, limit)
        match = _DELIMITER.search(code, position)
        if match is None:
            return None
        if opened < 0 or match.start() < opened:
            return match.start()
        closed = match_paren(text, opened, limit)
        if closed < 0:
            return at
        position = closed + 1


def _old_style(text: Text, start: int, at: int) -> Item | None:
    """A function whose parameters are declared between its head and its body."""
    head = text.code[start:at]
    closed = head.find(")")
    if closed < 0 or len(head) > 500 or not head[closed + 1 :].strip() or "=" in head:
        return None
    if not _KR_HEAD.match(head):
        return None
    tail = _KR_TAIL.match(text.code, at)
    if tail is None:
        return None
    end = match_brace(text, tail.end() - 1)
    return Item(FUNCTION, start, start + closed + 1, tail.end() - 1, end + 1, end + 1)


def _braced(text: Text, start: int, at: int, head: str) -> Item:
    bare = _ATTRIBUTE.sub("", head) if "(" in head else head
    kind = FUNCTION
    if _ASSIGN.search(bare):
        kind = TABLE
    elif _TYPE_HEAD.match(bare.lstrip()) and "(" not in bare and not _returns_struct(head):
        kind = TYPE
    elif ")" not in head:
        return Item("", start, at, at, at, at + 1)
    end = match_brace(text, at)
    stop = end + 1 if kind == FUNCTION else _semicolon(text, end + 1)
    return Item(kind, start, at, at, end + 1, stop)


_TYPE_ATTRIBUTE = re.compile(
    r"__(?:aligned|attribute|attribute__|packed|section|designated_init|declspec)\Z|alignas\Z"
)
_RETURNS_STRUCT = re.compile(r"(?:struct|union|enum)\s+\w+(?:\s+[\s*]*|\s*\*[\s*]*)(\w+)\s*\(")


def _returns_struct(head: str) -> bool:
    match = _RETURNS_STRUCT.search(head)
    return match is not None and not _TYPE_ATTRIBUTE.match(match[1])


def _semicolon(text: Text, start: int) -> int:
    """One past the ``;`` that ends a braced declaration, past the blocks in between."""
    for _ in range(1000):
        match = _SEMICOLON_OR_BRACE.search(text.code, start)
        if match is None:
            return len(text.code)
        if match[0] == ";":
            return match.end()
        between = text.code[start : match.start()]
        if "=" not in between and (")" in between or "\n" in between.strip()):
            return start
        start = match_brace(text, match.start()) + 1
    return start
