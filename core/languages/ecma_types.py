"""Lowering of TypeScript type annotations to what member look-up needs.

Types: ``("n", "Foo")`` a name (dotted when qualified), ``("g", name, args)`` generic,
``("[]", element)`` array, ``("|", parts)`` union or intersection, ``("fn", result, parameters)``,
``("{", ((name, type), ...))`` object type, ``("typeof", name)``, ``("p", name)`` primitive.
"""

from __future__ import annotations

from tree_sitter import Node

from codeviews.core.languages.ecma_unit import Ir, Unit, first_named

MAX_TYPE_DEPTH = 12
WRAPPERS = frozenset(
    [
        "type_annotation",
        "parenthesized_type",
        "readonly_type",
        "optional_type",
        "rest_type",
        "asserts_annotation",
        "omitting_type_annotation",
        "opting_type_annotation",
    ]
)


def lower_type(unit: Unit, node: Node | None, depth: int = 0) -> Ir:
    """Lower a type; None when nothing can be looked up in it."""
    if node is None or depth > MAX_TYPE_DEPTH:
        return None
    if node.type in WRAPPERS:
        return lower_type(unit, first_named(node), depth + 1)
    match node.type:
        case "type_identifier" | "nested_type_identifier" | "identifier":
            return ("n", unit.text(node))
        case "predefined_type":
            return ("p", unit.text(node))
        case "literal_type" | "template_literal_type":
            return ("p", "string")
        case "this_type":
            return ("this",)
        case "array_type":
            return ("[]", lower_type(unit, first_named(node), depth + 1))
        case "tuple_type":
            return ("[]", _any_of(unit, node, depth))
        case "union_type" | "intersection_type":
            return _any_of(unit, node, depth)
        case _:
            return _compound(unit, node, depth)


def _compound(unit: Unit, node: Node, depth: int) -> Ir:
    match node.type:
        case "generic_type":
            return _generic(unit, node, depth)
        case "function_type":
            return _function(unit, node, depth)
        case "object_type":
            return _object(unit, node, depth)
        case "type_query":
            inner = first_named(node)
            return ("typeof", unit.text(inner)) if inner is not None else None
        case _:
            return None


def _any_of(unit: Unit, node: Node, depth: int) -> Ir:
    parts = [lower_type(unit, child, depth + 1) for child in node.named_children]
    kept = tuple(part for part in parts if part is not None)
    if len(kept) == 1:
        return kept[0]
    return ("|", kept) if kept else None


def _generic(unit: Unit, node: Node, depth: int) -> Ir:
    name = node.child_by_field_name("name")
    if name is None:
        return None
    arguments = node.child_by_field_name("type_arguments")
    return ("g", unit.text(name), lower_arguments(unit, arguments, depth))


def lower_arguments(unit: Unit, arguments: Node | None, depth: int = 0) -> tuple[Ir, ...]:
    """Lower the types between angle brackets."""
    given = arguments.named_children if arguments is not None else []
    return tuple(lower_type(unit, child, depth + 1) for child in given)


def _object(unit: Unit, node: Node, depth: int) -> Ir:
    """An object type; one whose keys are only typed is a table."""
    members = _members(unit, node, depth)
    for child in node.named_children:
        if child.type == "index_signature":
            held = lower_type(unit, child.child_by_field_name("type"), depth + 1)
            table = ("g", "Record", (None, held))
            return ("|", (table, ("{", members))) if members else table
    return ("{", members)


def _members(unit: Unit, node: Node, depth: int) -> tuple[Ir, ...]:
    members: list[Ir] = []
    for child in node.named_children[:200]:
        name = child.child_by_field_name("name")
        if name is None:
            continue
        if child.type == "property_signature":
            declared = lower_type(unit, child.child_by_field_name("type"), depth + 1)
            members.append((unit.text(name), declared))
        elif child.type == "method_signature":
            members.append((unit.text(name), _function(unit, child, depth)))
    return tuple(members)


def _function(unit: Unit, node: Node, depth: int) -> Ir:
    result = lower_type(unit, node.child_by_field_name("return_type"), depth + 1)
    formal = node.child_by_field_name("parameters")
    parameters = formal.named_children[:12] if formal is not None else []
    given = [lower_type(unit, p.child_by_field_name("type"), depth + 1) for p in parameters]
    return ("fn", result, tuple(given))
