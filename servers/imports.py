"""The imports of a file or of one definition in it, as node answers list them."""

from __future__ import annotations

import re
from collections.abc import Callable

from codeviews.core.store import Definition, ImportRecord
from codeviews.servers.nodes import Group
from codeviews.servers.toolkit import Ask

_WORD = re.compile(r"\w+")
_KEYWORDS = frozenset("as const export from import include let pub require static use var".split())
_STATEMENT_LINES = 60


def import_groups(ask: Ask, definition: Definition) -> list[Group]:
    """What the file (or, of its imports, the definition) imports, and who imports the file."""
    imports = ask.store.imports_of([definition.path])
    if definition.qualname:
        imports = _named_in(ask, definition, imports)
    used = "Imports that it names" if definition.qualname else "Imports"
    into = ask.store.importers_of([definition.path])
    return [
        _group(ask, "imports", used, [i for i in imports if i.target], out_line),
        _group(ask, "external", "External", [i for i in imports if not i.target], _external_line),
        _group(ask, "imported_by", f"Files that import {definition.path}", into, in_line),
    ]


def _group(
    ask: Ask,
    key: str,
    title: str,
    items: list[ImportRecord],
    line: Callable[[ImportRecord], str],
) -> Group:
    page = ask.page(items)
    return Group(key, title, list(map(line, page)), [i._asdict() for i in page], len(items))


def out_line(item: ImportRecord) -> str:
    """An import seen from the importing file."""
    return f"{item.path}:{item.line}  {item.target}  ({item.module})"


def in_line(item: ImportRecord) -> str:
    """An import seen from the imported file."""
    return f"{item.path}:{item.line}  ({item.module})"


def _external_line(item: ImportRecord) -> str:
    return f"{item.path}:{item.line}  {item.module}"


def _named_in(ask: Ask, definition: Definition, imports: list[ImportRecord]) -> list[ImportRecord]:
    """The imports whose statement brings in a name that the definition says; star imports too.

    Statements are read from the text: unpacking the facts of a large file takes 30 ms.
    """
    source = ask.store.text(definition.file_id)
    body = source[definition.start_byte : definition.end_byte].decode("utf-8", "replace")
    said = set(_WORD.findall(body))
    lines = source.decode("utf-8", "replace").split("\n")
    return [i for i in imports if said & _local_names(_statement(lines, i.line), i.module, said)]


def _statement(lines: list[str], first: int) -> str:
    """The text from a line to where its brackets are closed."""
    text = ""
    for line in lines[first - 1 : first - 1 + _STATEMENT_LINES]:
        text += line + "\n"
        if sum(map(text.count, "([{")) <= sum(map(text.count, ")]}")):
            break
    return text


def _local_names(statement: str, module: str, said: set[str]) -> set[str]:
    """Names that the statement brings in: its words without keywords and the module's path."""
    path = _WORD.findall(module)
    if "*" in statement:
        return said
    return set(_WORD.findall(statement)) - _KEYWORDS - set(path) or {*path[:1], *path[-1:]}
