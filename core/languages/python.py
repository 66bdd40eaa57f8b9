"""Python: symbols, call sites, imports and flow facts of one file.

The file is parsed with the standard library's ``ast``. What it rejects is repaired line by line
(``python_repair``), so that the rest of the file still answers; a note says so.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import PurePosixPath

from codeviews.core.facts import CALLABLE_KINDS, DECLARATION, FileFacts, Symbol
from codeviews.core.languages.python_repair import Parsed, fallback, parse
from codeviews.core.languages.python_stmt import Walker
from codeviews.core.languages.python_symbols import SymbolTable

_DEPTH = 12_000  # frames; pure Python calls use no C stack


def extract(path: str, source: bytes) -> FileFacts:
    """Everything the resolver and the views need of one Python file. Never raises."""
    parsed = parse(source)
    return _walked(path, parsed) or _walked(path, parse(source, True)) or fallback(path, parsed)


def _walked(path: str, parsed: Parsed) -> FileFacts | None:
    """The facts of a parsed file; None when it was not parsed or is too deep for the walk."""
    try:
        with _deep_recursion():
            return _facts(path, parsed, parsed.tree) if parsed.tree else None
    except (RecursionError, MemoryError):
        return None


def _facts(path: str, parsed: Parsed, tree: ast.Module) -> FileFacts:
    table = SymbolTable(parsed)
    table.module(module_name(path), tree)
    walker = Walker(table)
    walker.run(tree)
    table.name_implementations()
    flow = {
        "nodes": walker.nodes.table,
        "functions": walker.functions,
        "classes": walker.classes,
        "bindings": walker.module.visible(),
        "finals": walker.module.finals(),
        "stars": walker.stars,
        "all": walker.exported,
        "calls": walker.calls,
        "reads": walker.reads,
        "implicit": walker.implicit,
        "effects": walker.effects,
    }
    symbols = _declared(table.symbols) if path.endswith(".pyi") else table.symbols
    return FileFacts("python", symbols, walker.sites, walker.imports, flow, parsed.notes)


def _declared(symbols: list[Symbol]) -> list[Symbol]:
    """A stub's callables, marked as declared only."""
    return [
        s._replace(flags=s.flags | DECLARATION) if s.kind in CALLABLE_KINDS else s for s in symbols
    ]


def module_name(path: str) -> str:
    """The last part of a module's dotted name: ``forms`` of ``app/forms/__init__.py``."""
    pure = PurePosixPath(path)
    return pure.parent.name if pure.stem == "__init__" and pure.parent.name else pure.stem


@contextmanager
def _deep_recursion() -> Generator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
