"""Syntax trees on request: one file's tree as lines, and tree-sitter queries over one file.

Pure functions of bytes. A query is the caller's text and may be wrong or explode, so
``core/tree_worker.py`` runs them in a process of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node, Parser, Query, QueryCursor, QueryError, Tree

from codeviews.core.config import TREE_LINES, TREE_MATCHES
from codeviews.core.errors import MisuseError
from codeviews.core.grammars import EXAMPLES, grammar

_PLACE = re.compile(r"at row (\d+), column (\d+)")
_TEXT = 120  # characters of a captured node or leaf shown


class Capture(NamedTuple):
    """One captured node; lines are 1-based, columns 0-based bytes."""

    name: str
    line: int
    column: int
    end_line: int
    text: str


class Found(NamedTuple):
    """The captures of one file; ``partial`` when the query had too many matches in progress."""

    captures: list[Capture]
    partial: bool


@dataclass
class TreeText:
    """A syntax tree as indented lines; ``errors`` are (line, what) of broken or missing nodes."""

    lines: list[str] = field(default_factory=list[str])
    errors: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    hidden: int = 0  # named nodes below the depth
    cut: bool = False


def compiled(language: str, query: str) -> Query:
    """A compiled query.

    Raises:
        MisuseError: it is wrong; the sentence shows where, and one that works.
    """
    try:
        return Query(grammar(language), query)
    except QueryError as error:
        raise MisuseError(_explain(language, query, str(error))) from error


def _explain(language: str, query: str, message: str) -> str:
    place = _PLACE.search(message)
    lines = query.split("\n")
    row = int(place[1]) if place else len(lines) - 1
    column = int(place[2]) if place else len(lines[row])
    row = min(row, len(lines) - 1)
    start = max(column - 60, 0)
    shown = lines[row][start : column + 60]
    what = _PLACE.sub("", message).replace(" :", ":").strip()
    return (
        f"the query is wrong at line {row + 1}, column {column + 1}: {what}\n"
        f"    {shown}\n    {' ' * (column - start)}^\n"
        f"a query that works for {language}: {EXAMPLES[language]}"
    )


def run_query(language: str, query: Query, source: bytes) -> Found:
    """Captures of one file in order of place.

    Bounded only by matches in progress: the binding's progress callback crashes the interpreter
    (0.26.1), so the time is kept by whoever runs this in a process of its own.
    """
    tree = Parser(grammar(language)).parse(source)
    cursor = QueryCursor(query, match_limit=TREE_MATCHES)
    matches = cursor.matches(tree.root_node)
    found = {
        (node.start_byte, node.end_byte, name): node
        for _, captures in matches
        for name, nodes in captures.items()
        for node in nodes
    }
    ordered = sorted(found.items(), key=lambda item: (item[0][0], -item[0][1], item[0][2]))
    captures = [_capture(key[2], node, source) for key, node in ordered]
    return Found(captures, bool(cursor.did_exceed_match_limit))


def _capture(name: str, node: Node, source: bytes) -> Capture:
    start, end = node.start_point, node.end_point
    return Capture(name, start.row + 1, start.column, end.row + 1, _text(node, source))


def _text(node: Node, source: bytes) -> str:
    """The node's first line, shortened."""
    piece = source[node.start_byte : min(node.end_byte, node.start_byte + 4 * _TEXT)]
    text = piece.decode("utf-8", "replace")
    first = text.partition("\n")[0].rstrip()
    whole = len(first) <= _TEXT and node.end_byte - node.start_byte <= len(piece)
    return first[:_TEXT] if whole and first == text.rstrip() else first[:_TEXT] + " …"


def tree_text(language: str, source: bytes, depth: int, first: int, last: int) -> TreeText:
    """Named nodes of lines ``first``..``last`` down to ``depth``, in order, without recursion."""
    tree = Parser(grammar(language)).parse(source)
    out = TreeText()
    for level, name, node in _walk(tree, depth, first - 1, last - 1, out):
        if len(out.lines) >= TREE_LINES:
            out.cut = True
            break
        out.lines.append(_line(level, name, node, source))
    out.errors = _errors(tree)
    return out


def _walk(
    tree: Tree, depth: int, first: int, last: int, out: TreeText
) -> Iterator[tuple[int, str, Node]]:
    """(level, field name, node) of the nodes shown."""
    cursor = tree.walk()
    level = 0
    while True:
        node = cursor.node
        shown = (
            node is not None
            and (node.is_named or node.is_missing)
            and node.end_point.row >= first
            and node.start_point.row <= last
        )
        if shown and node is not None:
            yield level, cursor.field_name or "", node
            if level < depth and cursor.goto_first_child():
                level += 1
                continue
            out.hidden += node.named_child_count
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            level -= 1


def _line(level: int, name: str, node: Node, source: bytes) -> str:
    start, end = node.start_point, node.end_point
    mark = "MISSING " if node.is_missing else ""
    place = f"{start.row + 1}:{start.column}-{end.row + 1}:{end.column}"
    leaf = f"  {_text(node, source)!r}" if not node.named_child_count else ""
    label = f"{name}: " if name else ""
    return f"{place:<14} {'  ' * min(level, 40)}{label}{mark}{node.type}{leaf}"


def _errors(tree: Tree) -> list[tuple[int, str]]:
    """Places of ERROR and MISSING nodes, by descending only where there are some."""
    out: list[tuple[int, str]] = []
    stack = [tree.root_node]
    while stack and len(out) < 200:
        node = stack.pop()
        if node.is_missing:
            out.append((node.start_point.row + 1, f"missing {node.type!r}"))
        elif node.is_error:
            lines = node.end_point.row - node.start_point.row + 1
            out.append((node.start_point.row + 1, f"not understood ({lines} lines)"))
        elif node.has_error:
            stack += reversed(node.children)
    return out
