"""Lowering of Go expressions (forms are listed in ``go_syntax``)."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from codeviews.core.languages.go_syntax import (
    MAX_DEPTH,
    TYPES,
    GoUnit,
    Ir,
    dotted,
    first_named,
    lower_type,
)

BASIC = {
    "interpreted_string_literal": "string",
    "raw_string_literal": "string",
    "int_literal": "int",
    "float_literal": "float64",
    "rune_literal": "rune",
    "imaginary_literal": "complex128",
    "true": "bool",
    "false": "bool",
    "iota": "int",
}
COMPARISONS = frozenset(["==", "!=", "<", "<=", ">", ">=", "&&", "||"])


def expression(unit: GoUnit, node: Node | None) -> Ir:
    """Lower an expression; None when nothing is known of it."""
    if node is None:
        return None
    basic = BASIC.get(node.type)
    if basic is not None:
        return ("b", basic)
    handler = EXPRESSIONS.get(node.type)
    if unit.depth >= MAX_DEPTH:
        return collect_calls(unit, node)
    unit.depth += 1
    if handler is not None:
        lowered = handler(unit, node)
    elif node.type in TYPES:
        lowered = ("ty", lower_type(unit, node))
    else:
        lowered = _effects(unit, node)
    unit.depth -= 1
    return lowered


def _effects(unit: GoUnit, node: Node) -> Ir:
    parts = [expression(unit, child) for child in node.named_children]
    kept = tuple(part for part in parts if part is not None and part[0] != "b")
    return ("seq", kept) if kept else None


def collect_calls(unit: GoUnit, node: Node) -> None:
    """Keep the call sites of code nested too deeply to lower, without recursion."""
    unit.cut = True
    stack = [node]
    while stack:
        current = stack.pop()
        callee = current.child_by_field_name("function")
        is_call = current.type == "call_expression" and callee is not None
        if is_call and callee is not None and callee.type == "identifier":
            unit.add_site("calls", unit.text(callee), callee.start_point[0] + 1)
        stack.extend(current.named_children)


def _identifier(unit: GoUnit, node: Node) -> Ir:
    return ("v", unit.text(node))


def _selector(unit: GoUnit, node: Node) -> Ir:
    operand = expression(unit, node.child_by_field_name("operand"))
    name = node.child_by_field_name("field")
    return (".", operand, unit.text(name) if name is not None else "")


def _call(unit: GoUnit, node: Node) -> Ir:
    function = node.child_by_field_name("function")
    callee = expression(unit, function)
    arguments = node.child_by_field_name("arguments")
    name = function.child_by_field_name("field") if function is not None else None
    at = name or function or node
    site = unit.add_site("calls", dotted(callee), at.start_point[0] + 1)
    given = [c for c in arguments.named_children if not c.is_extra] if arguments else []
    lowered = tuple(expression(unit, child) for child in given)
    if node.child_by_field_name("type_arguments") is not None:
        types = node.child_by_field_name("type_arguments")
        found = tuple(lower_type(unit, c) for c in types.named_children) if types else ()
        callee = ("idx", callee, tuple(("ty", kind) for kind in found))
    return ("call", callee, lowered, site)


def _conversion(unit: GoUnit, node: Node) -> Ir:
    """``T(x)`` with a type that only generics or brackets spell: maybe a generic call."""
    declared = lower_type(unit, node.child_by_field_name("type"))
    operand = expression(unit, node.child_by_field_name("operand"))
    if declared is None or declared[0] != "g":
        return ("seq", (operand,) if operand is not None else (), declared)
    callee = ("idx", _as_expression(declared[1]), tuple(("ty", kind) for kind in declared[2]))
    site = unit.add_site("calls", dotted(callee[1]), node.start_point[0] + 1)
    return ("call", callee, (operand,), site)


def _as_expression(declared: Ir) -> Ir:
    if declared is not None and declared[0] == "q":
        return (".", ("v", declared[1]), declared[2])
    return ("v", declared[1]) if declared is not None and declared[0] == "n" else None


def _index(unit: GoUnit, node: Node) -> Ir:
    operand = expression(unit, node.child_by_field_name("operand"))
    indexes = node.children_by_field_name("index")
    return ("idx", operand, tuple(expression(unit, child) for child in indexes))


def _instantiation(unit: GoUnit, node: Node) -> Ir:
    children = node.named_children
    operand = expression(unit, children[0]) if children else None
    return ("idx", operand, tuple(("ty", lower_type(unit, c)) for c in children[1:]))


def _slice(unit: GoUnit, node: Node) -> Ir:
    operand = expression(unit, node.child_by_field_name("operand"))
    labels = ("start", "end", "capacity")
    bounds = tuple(expression(unit, node.child_by_field_name(label)) for label in labels)
    return ("slice", operand, bounds) if any(bounds) else operand


def _assertion(unit: GoUnit, node: Node) -> Ir:
    operand = expression(unit, node.child_by_field_name("operand"))
    return ("as", operand, lower_type(unit, node.child_by_field_name("type")))


def _unary(unit: GoUnit, node: Node) -> Ir:
    operator = node.child_by_field_name("operator")
    operand = expression(unit, node.child_by_field_name("operand"))
    if operator is not None and operator.type == "<-":
        return ("recv", operand)
    return operand


def _binary(unit: GoUnit, node: Node) -> Ir:
    """Operands along the left spine, without recursion."""
    operands: list[Node] = []
    current: Node | None = node
    compares = False
    while current is not None and current.type == "binary_expression":
        operator = current.child_by_field_name("operator")
        compares = compares or (operator is not None and operator.type in COMPARISONS)
        right = current.child_by_field_name("right")
        operands += [right] if right is not None else []
        current = current.child_by_field_name("left")
    operands += [current] if current is not None else []
    lowered = tuple(expression(unit, operand) for operand in reversed(operands))
    return ("bin", lowered, compares)


def _parenthesized(unit: GoUnit, node: Node) -> Ir:
    return expression(unit, first_named(node))


def _composite(unit: GoUnit, node: Node) -> Ir:
    declared = lower_type(unit, node.child_by_field_name("type"))
    return (
        "lit",
        declared,
        _elements(unit, node.child_by_field_name("body")),
        node.start_point[0] + 1,
    )


def _elements(unit: GoUnit, body: Node | None) -> tuple[Ir, ...]:
    found: list[Ir] = []
    for child in body.named_children if body is not None else []:
        if child.type == "keyed_element":
            parts = [part for part in child.named_children if not part.is_extra]
            if len(parts) == 2:
                found.append((_item(unit, parts[0]), _item(unit, parts[1])))
        elif not child.is_extra:
            found.append((None, _item(unit, child)))
    return tuple(found)


def _item(unit: GoUnit, node: Node) -> Ir:
    inner = first_named(node) if node.type == "literal_element" else node
    if inner is not None and inner.type == "literal_value":
        if unit.depth >= MAX_DEPTH:
            return collect_calls(unit, inner)
        unit.depth += 1
        lowered = ("lit", None, _elements(unit, inner), inner.start_point[0] + 1)
        unit.depth -= 1
        return lowered
    return expression(unit, inner)


EXPRESSIONS: dict[str, Callable[[GoUnit, Node], Ir]] = {
    "identifier": _identifier,
    "selector_expression": _selector,
    "call_expression": _call,
    "type_conversion_expression": _conversion,
    "index_expression": _index,
    "type_instantiation_expression": _instantiation,
    "slice_expression": _slice,
    "type_assertion_expression": _assertion,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "parenthesized_expression": _parenthesized,
    "composite_literal": _composite,
}
