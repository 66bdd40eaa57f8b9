"""State of one JavaScript or TypeScript file while it is lowered to flow facts.

Lowering turns syntax into nested tuples (``ecma.py`` lists them) that the resolver interprets. The
handlers of node types live in ``ecma_expressions``, ``ecma_statements`` and ``ecma_functions``;
they register themselves here, because statements, expressions and functions nest in each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from tree_sitter import Node

from codeviews.core.facts import DECLARATION, EXPORTED, FileFacts, Import, Site, Symbol

Ir = Any
Handler = Callable[["Unit", Node], Ir]

EXPRESSIONS: dict[str, Handler] = {}
STATEMENTS: dict[str, Handler] = {}

MAX_DEPTH = 90  # nesting that is lowered; deeper code keeps its call sites without flow
SIGNATURE_LIMIT = 240
DOC_LIMIT = 2000
NAME_LIMIT = 160


@dataclass(slots=True)
class Unit:
    """A file under lowering: the facts so far and where in the symbol tree the walk stands."""

    source: bytes
    facts: FileFacts
    functions: list[Ir] = field(default_factory=list[Ir])
    classes: list[Ir] = field(default_factory=list[Ir])
    exports: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    qualnames: dict[str, int] = field(default_factory=dict[str, int])
    repeats: dict[str, int] = field(default_factory=dict[str, int])
    scope: int = 0
    depth: int = 0
    exported: bool = False
    doc: str = ""
    hint: str = ""
    anchor: Node | None = None
    holder: int = -1
    inside: int = 0
    bindings: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    hoists: list[list[tuple[str, int]]] = field(default_factory=list[list[tuple[str, int]]])
    cut: bool = False

    def text(self, node: Node) -> str:
        """The node's source text."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def take_doc(self) -> str:
        """The comment that stands right before the definition at hand; taken once."""
        doc, self.doc = self.doc, ""
        return doc

    def take_hint(self) -> tuple[str, Node | None]:
        """The name a function or class value is being bound to and its node; taken once."""
        hint, anchor = self.hint, self.anchor
        self.hint, self.anchor = "", None
        return hint, anchor

    def add_symbol(
        self, name: str, kind: str, node: Node, *, body: Node | None = None, flags: int = 0
    ) -> int:
        """Add a definition under the current scope; ``name`` may be dotted (``A.m``)."""
        name = name[:NAME_LIMIT]
        wanted = self._qualify(name)
        known = self.qualnames.get(wanted)
        if known is not None and self.facts.symbols[known].flags & DECLARATION:
            if flags & DECLARATION:
                return known
            qualname, index = wanted, known
        else:
            qualname, index = self._unique(wanted), len(self.facts.symbols)
        parent = self._parent_of(name)
        flags |= EXPORTED if self.exported else 0
        symbol = Symbol(
            name.rpartition(".")[2],
            qualname,
            kind,
            node.start_point[0] + 1,
            node.end_point[0] + 1,
            node.start_byte,
            node.end_byte,
            self.signature(node, body),
            self.take_doc(),
            parent,
            flags,
        )
        self._store(index, symbol)
        return index

    def _store(self, index: int, symbol: Symbol) -> None:
        if index == len(self.facts.symbols):
            self.facts.symbols.append(symbol)
        else:
            old = self.facts.symbols[index]
            self.facts.symbols[index] = symbol._replace(doc=symbol.doc or old.doc)
        self.qualnames.setdefault(symbol.qualname, index)

    def _qualify(self, name: str) -> str:
        outer = self.facts.symbols[self.scope].qualname
        return f"{outer}.{name}" if outer else name

    def _unique(self, wanted: str) -> str:
        if wanted not in self.qualnames:
            return wanted
        number = self.repeats.get(wanted, 1) + 1
        while f"{wanted}#{number}" in self.qualnames:
            number += 1
        self.repeats[wanted] = number
        return f"{wanted}#{number}"

    def _parent_of(self, name: str) -> int:
        holder = name.rpartition(".")[0]
        return self.qualnames.get(self._qualify(holder), self.scope) if holder else self.scope

    def signature(self, node: Node, body: Node | None) -> str:
        """The head of a definition on one line, without its body."""
        end = body.start_byte if body is not None else node.end_byte
        end = min(end, node.start_byte + 4 * SIGNATURE_LIMIT)
        head = self.source[node.start_byte : end].decode("utf-8", "replace")
        return " ".join(head.split())[:SIGNATURE_LIMIT].removesuffix("=>").rstrip(" {=")

    def mark_exported(self, name: str) -> None:
        """Flag a module-level definition that is exported by name elsewhere in the file."""
        index = self.qualnames.get(name)
        if index is not None:
            symbol = self.facts.symbols[index]
            self.facts.symbols[index] = symbol._replace(flags=symbol.flags | EXPORTED)

    def add_site(self, kind: str, name: str, line: int, extra: str = "") -> int:
        """Record a site in the current scope and return its index."""
        self.facts.sites.append(Site(kind, name[:NAME_LIMIT], line, self.scope, extra))
        return len(self.facts.sites) - 1

    def add_import(self, module: str, name: str, alias: str, line: int) -> None:
        """Record one imported name."""
        self.facts.imports.append(Import(module, name, alias, line, 0, self.scope))


def expression(unit: Unit, node: Node | None) -> Ir:
    """Lower an expression; None when it holds nothing that matters to calls."""
    if node is None:
        return None
    handler = EXPRESSIONS.get(node.type)
    if handler is None:
        return children_effects(unit, node) if node.named_child_count else None
    if unit.depth >= MAX_DEPTH:
        return collect_calls(unit, node)
    unit.depth += 1
    lowered = handler(unit, node)
    unit.depth -= 1
    return lowered


def statement(unit: Unit, node: Node) -> Ir:
    """Lower a statement; None when it does nothing of interest."""
    handler = STATEMENTS.get(node.type)
    if handler is None:
        effect = expression(unit, node)
        return None if effect is None else ("x", effect)
    if unit.depth >= MAX_DEPTH:
        return collect_calls(unit, node)
    unit.depth += 1
    lowered = handler(unit, node)
    unit.depth -= 1
    return lowered


def children_effects(unit: Unit, node: Node) -> Ir:
    """Evaluate the children for what they call; the value is unknown."""
    if unit.depth >= MAX_DEPTH:
        return collect_calls(unit, node)
    unit.depth += 1
    parts = [expression(unit, child) for child in node.named_children]
    unit.depth -= 1
    return effects(parts)


def effects(parts: list[Ir], value: Ir = None) -> Ir:
    """A sequence whose parts run and whose value is ``value``."""
    kept = tuple(part for part in parts if part is not None and part[0] != "lit")
    if not kept:
        return value
    return ("seq", kept, value)


def collect_calls(unit: Unit, node: Node) -> None:
    """Keep the call sites of code nested too deeply to lower, without recursion."""
    unit.cut = True
    stack = [node]
    while stack:
        current = stack.pop()
        if current.type == "call_expression":
            callee = current.child_by_field_name("function")
            if callee is not None and callee.type == "identifier":
                unit.add_site("calls", unit.text(callee), callee.start_point[0] + 1)
        stack.extend(current.named_children)


def first_named(node: Node | None) -> Node | None:
    """The first named child that is not a comment."""
    if node is None:
        return None
    return next((child for child in node.named_children if not child.is_extra), None)


def through_errors(node: Node) -> list[Node]:
    """The named children, with those of syntax errors in place of the errors."""
    if not node.has_error:
        return node.named_children
    found: list[Node] = []
    waiting = list(reversed(node.named_children))
    while waiting:
        child = waiting.pop()
        if child.is_error:
            waiting.extend(reversed(child.named_children))
        else:
            found.append(child)
    return found


def string_value(unit: Unit, node: Node) -> str | None:
    """The text of a string literal or of a template without substitutions."""
    if node.type == "string":
        return unit.text(node)[1:-1]
    if node.type == "template_string" and not any(
        child.type == "template_substitution" for child in node.named_children
    ):
        return unit.text(node)[1:-1]
    return None


def dotted(ir: Ir, depth: int = 0) -> str:
    """The callee as written, without arguments: ``this.inner.close``, ``make().run``."""
    if not isinstance(ir, tuple) or depth > 12:
        return ""
    parts = cast("tuple[Any, ...]", ir)
    match parts[0]:
        case "v":
            return str(parts[1])
        case "this" | "super":
            return str(parts[0])
        case ".":
            owner = dotted(parts[1], depth + 1)
            return f"{owner}.{parts[2]}" if owner else str(parts[2])
        case "[":
            return dotted(parts[1], depth + 1) + "[]"
        case "call" | "new":
            return dotted(parts[1], depth + 1) + "()"
        case "as" | "await":
            return dotted(parts[1], depth + 1)
        case _:
            return ""
