"""The imports of a file or of one definition in it, as node answers list them."""

from __future__ import annotations

import re
from collections.abc import Callable

from codeviews.core.facts import Import
from codeviews.core.store import Definition, ImportRecord
from codeviews.servers.nodes import Group
from codeviews.servers.toolkit import Ask

_WORD = re.compile(r"\w+")


def import_groups(ask: Ask, definition: Definition) -> list[Group]:
    """What the file (or, of its imports, the definition) imports, and who imports the file."""
    imports = ask.store.imports_of([definition.path])
    if definition.qualname:
        lines = _lines_used(ask, definition)
        imports = [i for i in imports if i.line in lines]
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


def _lines_used(ask: Ask, definition: Definition) -> set[int]:
    """Lines of the file's imports whose local name the definition says, star imports too."""
    body = ask.store.text(definition.file_id)[definition.start_byte : definition.end_byte]
    written = ask.store.written_imports(definition.file_id)
    words = set(_WORD.findall(body.decode("utf-8", "replace")))
    return {i.line for i in written if i.name == "*" or words & _local_names(i)}


def _local_names(item: Import) -> set[str]:
    """The names an import can be used by; of a whole module its first or last component."""
    if item.alias or item.name:
        return {item.alias or item.name}
    parts = _WORD.findall(item.module)
    return {parts[0], parts[-1]} if parts else set()
