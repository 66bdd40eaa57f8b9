"""Symbols of a Python file: names, spans, signatures and docstrings from syntax nodes."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from typing import Any, cast

from codeviews.core.facts import ABSTRACT, ASYNC, CLASSMETHOD, ENTRY, EXPORTED, STATIC, Symbol
from codeviews.core.languages.python_repair import Parsed

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

new_symbol = partial(
    cast("Callable[[type[Symbol], tuple[Any, ...]], Symbol]", tuple.__new__), Symbol
)
"""A symbol of all its values: without the defaults it takes half the time."""

_COMMENT = re.compile(r"#[^\n]*")
_SPACE = re.compile(r"\s+")
_DOC_LIMIT = 20_000
_SIGNATURE_LIMIT = 400
_PROPERTY_NAMES = frozenset(
    ["property", "cached_property", "classproperty", "lazy_attribute", "cached_attribute", "reify"]
)
_PLAIN_DECORATORS = _PROPERTY_NAMES | frozenset(
    [
        "abstractmethod",
        "classmethod",
        "deleter",
        "getter",
        "lru_cache",
        "cache",
        "overload",
        "override",
        "setter",
        "staticmethod",
        "wraps",
        "contextmanager",
        "dataclass",
        "total_ordering",
        "final",
        "asynccontextmanager",
        "abstractproperty",
    ]
)


class SymbolTable:
    """Collects the symbols of one file; qualified names are unique (``name#2``)."""

    def __init__(self, parsed: Parsed) -> None:
        source = parsed.source
        self.source = source
        self.starts = line_starts(source)
        self.bom, self.width, self.size = parsed.bom, parsed.width, parsed.size
        self.characters = self._characters() if parsed.width else []
        lines = source.count(b"\n") + (not source.endswith(b"\n") and bool(source))
        module = Symbol("", "", "module", 1, max(1, lines), 0, parsed.size, "", "", -1)
        self.symbols: list[Symbol] = [module]
        self.seen: dict[str, int] = {}
        self.lambdas: dict[int, int] = {}
        self.stubs: dict[str, list[int]] = {}  # name -> definitions that only declare an overload

    def _characters(self) -> list[int]:
        """How many characters precede each line."""
        stops = [*self.starts[1:], len(self.source)]
        pairs = zip(self.starts, stops, strict=True)
        counts = [len(self.source[a:b].decode("utf-8", "replace")) for a, b in pairs]
        return [0, *accumulate(counts)]

    def module(self, name: str, tree: ast.Module) -> None:
        """Give the module its name and docstring."""
        self.symbols[0] = self.symbols[0]._replace(name=name, doc=_docstring(tree.body))

    def qualname(self, name: str, parent: int) -> str:
        """A name unique in the file for a definition inside ``parent``."""
        outer = self.symbols[parent].qualname
        full = f"{outer}.{name}" if outer else name
        count = self.seen[full] = self.seen.get(full, 0) + 1
        return full if count == 1 else f"{full}#{count}"

    def define(self, node: Definition, parent: int, kind: str, flags: int) -> int:
        """Add a class, function or method; its span includes the decorators."""
        decorators = node.decorator_list
        first, column = node.lineno, node.col_offset
        if decorators:
            first = min(first, *[item.lineno for item in decorators])
            column = self._indent(self._position(first, 0))
        start = self.offset(first, column)
        end_line = node.end_lineno or node.lineno
        end = self.offset(end_line, node.end_col_offset or 0)
        qualname = self.qualname(node.name, parent)
        if decorators and any(decorator_name(item) == "overload" for item in decorators):
            self.stubs.setdefault(qualname.partition("#")[0], []).append(len(self.symbols))
        doc = _docstring(node.body)
        signature = self._signature(node)
        flags |= self._exported(node.name, parent)
        values = (node.name, qualname, kind, first, end_line, start, end)
        self.symbols.append(new_symbol((*values, signature, doc, parent, flags)))
        return len(self.symbols) - 1

    def name_implementations(self) -> None:
        """An implementation takes the plain name of its overloads, and the first of them its own.

        To be called when all symbols are known: what is inside an implementation moves with it.
        """
        for name, stubs in self.stubs.items():
            last = stubs[-1] + 1
            made = f"{name}#{len(stubs) + 1}"
            found = next((i for i in range(last, len(self.symbols)) if self._is(i, made)), None)
            if found is None or not self._is(stubs[0], name):
                continue
            self.symbols[stubs[0]] = self.symbols[stubs[0]]._replace(qualname=made)
            for index in range(found, len(self.symbols)):
                symbol = self.symbols[index]
                if symbol.qualname == made or symbol.qualname.startswith(f"{made}."):
                    qualname = name + symbol.qualname.removeprefix(made)
                    self.symbols[index] = symbol._replace(qualname=qualname)

    def _is(self, index: int, qualname: str) -> bool:
        return self.symbols[index].qualname == qualname

    def lambda_(self, node: ast.Lambda, parent: int) -> int:
        """Add a lambda, numbered within its enclosing definition."""
        number = self.lambdas[parent] = self.lambdas.get(parent, 0) + 1
        return self._span(node, f"<lambda{number}>", "function", parent, 0)

    def variable(self, node: ast.stmt, name: str, kind: str, parent: int) -> None:
        """Add a variable, constant or field unless the name is already defined there."""
        outer = self.symbols[parent].qualname
        full = f"{outer}.{name}" if outer else name
        if full not in self.seen:
            self._span(node, name, kind, parent, self._exported(name, parent))

    def offset(self, line: int, column: int) -> int:
        """Byte offset in the file of a line (from 1) and a UTF-8 column."""
        if not self.width and line <= len(self.starts):
            return min(self.starts[line - 1] + column + self.bom, self.size)
        position = self._position(line, column)
        if self.width and line <= len(self.starts):
            start = self.starts[line - 1]
            inside = len(self.source[start:position].decode("utf-8", "replace"))
            position = (self.characters[line - 1] + inside) * self.width
        return min(position + self.bom, self.size)

    def _position(self, line: int, column: int) -> int:
        """The same in the text as UTF-8."""
        if line > len(self.starts):
            return len(self.source)
        return min(self.starts[line - 1] + column, len(self.source))

    def _span(
        self, node: ast.stmt | ast.expr, name: str, kind: str, parent: int, flags: int
    ) -> int:
        end_line = node.end_lineno or node.lineno
        start = self.offset(node.lineno, node.col_offset)
        end = self.offset(end_line, node.end_col_offset or 0)
        qualname = self.qualname(name, parent)
        first = self._position(node.lineno, node.col_offset)
        last = self._position(end_line, node.end_col_offset or 0)
        text = self.source[first : min(last, first + 160)].decode("utf-8", "replace")
        signature = text.split("\n", 1)[0].rstrip()
        values = (name, qualname, kind, node.lineno, end_line, start, end, signature, "")
        self.symbols.append(new_symbol((*values, parent, flags)))
        return len(self.symbols) - 1

    def _indent(self, start: int) -> int:
        line = self.source[start : start + 200]
        return len(line) - len(line.lstrip(b" \t\x0c"))

    def _signature(self, node: Definition) -> str:
        start = self._position(node.lineno, node.col_offset)
        body = node.body[0]
        first = body.lineno
        if isinstance(body, Definition) and body.decorator_list:
            first = body.decorator_list[0].lineno
        stop = self._position(first, body.col_offset if first == node.lineno else 0)
        text = self.source[start:stop].decode("utf-8", "replace")
        if "\n" in text.rstrip():
            text = _SPACE.sub(" ", _COMMENT.sub("", text))
        return text.strip().removesuffix(":").rstrip()[:_SIGNATURE_LIMIT]

    def _exported(self, name: str, parent: int) -> int:
        private = name.startswith("_") and not name.endswith("__")
        visible = parent == 0 or self.symbols[parent].flags & EXPORTED
        return 0 if private or not visible else EXPORTED


def decorator_name(node: ast.expr) -> str:
    """The last name of a decorator expression: ``setter`` of ``@x.setter``."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def is_property(names: list[str]) -> bool:
    """Whether these decorator names make a method a property."""
    if not names:
        return False
    return any(name in _PROPERTY_NAMES or name.lower().endswith("property") for name in names)


def symbol_flags(node: Definition, names: list[str], parent_kind: str) -> int:
    """STATIC, CLASSMETHOD, ABSTRACT, ASYNC and ENTRY of a definition."""
    flags = ASYNC if isinstance(node, ast.AsyncFunctionDef) else 0
    if "staticmethod" in names:
        flags |= STATIC
    if "classmethod" in names or node.name in ("__init_subclass__", "__class_getitem__"):
        flags |= CLASSMETHOD
    if names and any(name.startswith("abstract") for name in names):
        flags |= ABSTRACT
    if _is_entry(node.name, names, parent_kind):
        flags |= ENTRY
    return flags


def _is_entry(name: str, decorators: list[str], parent_kind: str) -> bool:
    if name.startswith("test") or not _PLAIN_DECORATORS.issuperset(decorators):
        return True
    if name == "main":
        return parent_kind == "module"
    return parent_kind == "class" and name.startswith("__") and name.endswith("__")


def _docstring(body: list[ast.stmt]) -> str:
    if not body or not isinstance(body[0], ast.Expr):
        return ""
    value = body[0].value
    if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
        return ""
    doc = value.value[:_DOC_LIMIT]
    return inspect.cleandoc(doc) if "\n" in doc else doc.strip()


def line_starts(source: bytes) -> list[int]:
    """Byte offset of every line, by Python's own line ends."""
    if b"\r" in source:
        return [0, *(match.end() for match in re.finditer(rb"\r\n|\n|\r", source))]
    return (
        [0, *accumulate(map(len, source.splitlines(keepends=True)))]
        if (b"\x0b" not in source and b"\x0c" not in source and b"\x1c" not in source)
        else [0, *(match.end() for match in re.finditer(rb"\n", source))]
    )
