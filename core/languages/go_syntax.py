"""Lowering of Go types, expressions and statements to flow facts.

Types: ``("n", name)``, ``("q", package, name)``, ``("g", type, args)``, ``("*", T)``,
``("[]", T)``, ``("map", K, V)``, ``("chan", T)``, ``("fn", params, results)``, ``("struct",
fields)``, ``("iface", methods, embedded)``. Expressions: v (name), ``.`` (selector), call, idx,
slice, lit (composite), fn (literal), ty (a type), as (assertion), recv, bin, b (basic literal),
seq. Statements: x, def (``:=``), var, set, range, block, if, for, tsw (type switch), sw, ret.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tree_sitter import Node

from codeviews.core.facts import FileFacts, Site

Ir = Any

MAX_DEPTH = 90
NAME_LIMIT = 160


@dataclass(slots=True)
class GoUnit:
    """A Go file under lowering."""

    source: bytes
    facts: FileFacts
    scope: int = 0
    depth: int = 0
    cut: bool = False
    qualnames: dict[str, int] = field(default_factory=dict[str, int])
    repeats: dict[str, int] = field(default_factory=dict[str, int])

    def text(self, node: Node) -> str:
        """The node's source text."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def add_site(self, kind: str, name: str, line: int) -> int:
        """Record a site in the current scope and return its index."""
        self.facts.sites.append(Site(kind, name[:NAME_LIMIT], line, self.scope))
        return len(self.facts.sites) - 1


def lower_type(unit: GoUnit, node: Node | None) -> Ir:
    """Lower a type; None when it has no members to look up."""
    if node is None:
        return None
    if unit.depth >= MAX_DEPTH:
        unit.cut = True
        return None
    unit.depth += 1
    handler = TYPES.get(node.type)
    lowered = handler(unit, node) if handler is not None else None
    unit.depth -= 1
    return lowered


def _name(unit: GoUnit, node: Node) -> Ir:
    return ("n", unit.text(node))


def _qualified(unit: GoUnit, node: Node) -> Ir:
    package, name = node.child_by_field_name("package"), node.child_by_field_name("name")
    if package is None or name is None:
        return None
    return ("q", unit.text(package), unit.text(name))


def _pointer(unit: GoUnit, node: Node) -> Ir:
    return ("*", lower_type(unit, first_named(node)))


def _element(unit: GoUnit, node: Node) -> Ir:
    return ("[]", lower_type(unit, node.child_by_field_name("element")))


def _map(unit: GoUnit, node: Node) -> Ir:
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    return ("map", lower_type(unit, key), lower_type(unit, value))


def _channel(unit: GoUnit, node: Node) -> Ir:
    return ("chan", lower_type(unit, node.child_by_field_name("value")))


def _generic(unit: GoUnit, node: Node) -> Ir:
    base = lower_type(unit, node.child_by_field_name("type"))
    arguments = node.child_by_field_name("type_arguments")
    found = [lower_type(unit, c) for c in arguments.named_children] if arguments else []
    return ("g", base, tuple(found))


def _inner(unit: GoUnit, node: Node) -> Ir:
    children = node.named_children
    return lower_type(unit, children[0]) if len(children) == 1 else None


def _function_type(unit: GoUnit, node: Node) -> Ir:
    parameters = [kind for _, kind in lower_parameters(unit, node)]
    return ("fn", tuple(parameters), tuple(kind for _, kind in lower_results(unit, node)))


def lower_parameters(unit: GoUnit, node: Node, label: str = "parameters") -> list[tuple[str, Ir]]:
    """(name, type) of each parameter; a variadic one has a slice type."""
    formal = node.child_by_field_name(label)
    found: list[tuple[str, Ir]] = []
    for child in formal.named_children if formal is not None else []:
        declared = lower_type(unit, child.child_by_field_name("type"))
        if child.type == "variadic_parameter_declaration":
            declared = ("[]", declared)
        names = child.children_by_field_name("name")
        if child.type.endswith("parameter_declaration"):
            found += [(unit.text(name), declared) for name in names] or [("", declared)]
    return found


def lower_results(unit: GoUnit, node: Node) -> list[tuple[str, Ir]]:
    """(name or "", type) of each result."""
    result = node.child_by_field_name("result")
    if result is None:
        return []
    if result.type == "parameter_list":
        return lower_parameters(unit, node, "result")
    return [("", lower_type(unit, result))]


def _struct(unit: GoUnit, node: Node) -> Ir:
    """``("struct", ((name, type, embedded), ...))``."""
    fields: list[Ir] = []
    body = first_named(node)
    for child in body.named_children if body is not None else []:
        if child.type != "field_declaration":
            continue
        declared = lower_type(unit, child.child_by_field_name("type"))
        names = child.children_by_field_name("name")
        fields += [(unit.text(name), declared, False) for name in names]
        if not names:
            fields.append((embedded_name(declared), declared, True))
    return ("struct", tuple(fields))


def embedded_name(declared: Ir) -> str:
    """The field name that an embedded type gives."""
    while declared is not None and declared[0] in ("*", "g"):
        declared = declared[1]
    return str(declared[-1]) if declared is not None and declared[0] in ("n", "q") else ""


def _interface(unit: GoUnit, node: Node) -> Ir:
    """``("iface", ((method, function type), ...), embedded types)``."""
    methods: list[Ir] = []
    embedded: list[Ir] = []
    for child in node.named_children:
        name = child.child_by_field_name("name")
        if child.type == "method_elem" and name is not None:
            methods.append((unit.text(name), _function_type(unit, child)))
        elif child.type == "type_elem":
            lowered = _inner(unit, child)
            if lowered is not None:
                embedded.append(lowered)
    return ("iface", tuple(methods), tuple(embedded))


TYPES: dict[str, Callable[[GoUnit, Node], Ir]] = {
    "type_identifier": _name,
    "identifier": _name,
    "qualified_type": _qualified,
    "pointer_type": _pointer,
    "slice_type": _element,
    "array_type": _element,
    "implicit_length_array_type": _element,
    "map_type": _map,
    "channel_type": _channel,
    "generic_type": _generic,
    "parenthesized_type": _inner,
    "type_elem": _inner,
    "type_constraint": _inner,
    "negated_type": _inner,
    "function_type": _function_type,
    "struct_type": _struct,
    "interface_type": _interface,
}


def first_named(node: Node | None) -> Node | None:
    """The first named child that is not a comment."""
    if node is None:
        return None
    return next((child for child in node.named_children if not child.is_extra), None)


def dotted(ir: Ir, depth: int = 0) -> str:
    """The callee as written, without arguments."""
    if ir is None or depth > 12:
        return ""
    match ir[0]:
        case "v":
            return str(ir[1])
        case ".":
            owner = dotted(ir[1], depth + 1)
            return f"{owner}.{ir[2]}" if owner else str(ir[2])
        case "call":
            return dotted(ir[1], depth + 1) + "()"
        case "idx":
            return dotted(ir[1], depth + 1) + "[]"
        case "as":
            return dotted(ir[1], depth + 1) + ".()"
        case _:
            return ""
