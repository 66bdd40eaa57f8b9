"""Lowering of Go statements and function literals (forms are listed in ``go_syntax``)."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from codeviews.core.languages.go_expressions import EXPRESSIONS, collect_calls, expression
from codeviews.core.languages.go_syntax import (
    MAX_DEPTH,
    GoUnit,
    Ir,
    first_named,
    lower_parameters,
    lower_results,
    lower_type,
)


def _function_literal(unit: GoUnit, node: Node) -> Ir:
    parameters = tuple(lower_parameters(unit, node))
    results = tuple(lower_results(unit, node))
    return ("fn", parameters, results, block(unit, node.child_by_field_name("body")))


def statement(unit: GoUnit, node: Node | None) -> Ir:
    """Lower a statement; None when it does nothing of interest."""
    if node is None:
        return None
    handler = STATEMENTS.get(node.type)
    if handler is None:
        lowered = expression(unit, node)
        return None if lowered is None or lowered[0] == "b" else ("x", lowered)
    if unit.depth >= MAX_DEPTH:
        return collect_calls(unit, node)
    unit.depth += 1
    lowered = handler(unit, node)
    unit.depth -= 1
    return lowered


def block(unit: GoUnit, node: Node | None) -> Ir:
    """``("block", statements)``."""
    if node is None:
        return None
    lowered: list[Ir] = []
    waiting = list(reversed(node.named_children))
    while waiting:
        child = waiting.pop()
        if child.type == "statement_list":
            waiting.extend(reversed(child.named_children))
        elif not child.is_extra:
            found = statement(unit, child)
            if found is not None:
                lowered.append(found)
    return ("block", tuple(lowered))


def _expressions(unit: GoUnit, node: Node | None) -> tuple[Ir, ...]:
    if node is None:
        return ()
    if node.type != "expression_list":
        return (expression(unit, node),)
    return tuple(expression(unit, child) for child in node.named_children if not child.is_extra)


def _short(unit: GoUnit, node: Node) -> Ir:
    right = _expressions(unit, node.child_by_field_name("right"))
    return ("def", _expressions(unit, node.child_by_field_name("left")), right)


def _assignment(unit: GoUnit, node: Node) -> Ir:
    right = _expressions(unit, node.child_by_field_name("right"))
    return (
        "set",
        _expressions(unit, node.child_by_field_name("left")),
        right,
        node.start_point[0] + 1,
    )


def _var(unit: GoUnit, node: Node) -> Ir:
    specs: list[Node] = []
    for child in node.named_children:
        specs += child.named_children if child.type.endswith("_list") else [child]
    lowered = [value_spec(unit, spec) for spec in specs if spec.type in ("var_spec", "const_spec")]
    return ("block!", tuple(lowered))


def value_spec(unit: GoUnit, node: Node) -> Ir:
    """``("var", names, type, values)`` of one declaration."""
    names = tuple(unit.text(name) for name in node.children_by_field_name("name") if name.is_named)
    declared = lower_type(unit, node.child_by_field_name("type"))
    return ("var", names, declared, _expressions(unit, node.child_by_field_name("value")))


def _if(unit: GoUnit, node: Node) -> Ir:
    """An if with its else-if chain, flat: ``("if", ((init, condition, body), ...), else)``."""
    arms: list[Ir] = []
    current: Node | None = node
    while current is not None and current.type == "if_statement":
        init = statement(unit, current.child_by_field_name("initializer"))
        condition = expression(unit, current.child_by_field_name("condition"))
        arms.append((init, condition, block(unit, current.child_by_field_name("consequence"))))
        current = current.child_by_field_name("alternative")
    return ("if", tuple(arms), block(unit, current))


def _for(unit: GoUnit, node: Node) -> Ir:
    body = node.child_by_field_name("body")
    head = next((c for c in node.named_children if c != body and not c.is_extra), None)
    if head is not None and head.type == "range_clause":
        right = expression(unit, head.child_by_field_name("right"))
        left = _expressions(unit, head.child_by_field_name("left"))
        defines = any(child.type == ":=" for child in head.children)
        return ("range", left, defines, right, block(unit, body))
    parts: list[Ir] = []
    if head is not None and head.type == "for_clause":
        labels = ("initializer", "condition", "update")
        parts = [statement(unit, head.child_by_field_name(label)) for label in labels]
    elif head is not None:
        parts = [statement(unit, head)]
    return ("for", tuple(part for part in parts if part is not None), block(unit, body))


def _type_switch(unit: GoUnit, node: Node) -> Ir:
    alias = node.child_by_field_name("alias")
    name = first_named(alias)
    cases: list[Ir] = []
    for case in node.named_children:
        if case.type in ("type_case", "default_case"):
            types = tuple(
                lower_type(unit, kind)
                for kind in case.children_by_field_name("type")
                if kind.is_named
            )
            cases.append((types, _case_body(unit, case)))
    init = statement(unit, node.child_by_field_name("initializer"))
    value = expression(unit, node.child_by_field_name("value"))
    return ("tsw", init, unit.text(name) if name is not None else "", value, tuple(cases))


def _case_body(unit: GoUnit, case: Node) -> Ir:
    lists = [child for child in case.named_children if child.type == "statement_list"]
    return block(unit, lists[0]) if lists else None


def _switch(unit: GoUnit, node: Node) -> Ir:
    init = statement(unit, node.child_by_field_name("initializer"))
    value = expression(unit, node.child_by_field_name("value"))
    cases: list[Ir] = []
    for case in node.named_children:
        if case.type in ("expression_case", "default_case"):
            tests = _expressions(unit, case.child_by_field_name("value"))
            cases.append((tests, _case_body(unit, case)))
    return ("sw", init, value, tuple(cases))


def _select(unit: GoUnit, node: Node) -> Ir:
    cases: list[Ir] = []
    for case in node.named_children:
        if case.type in ("communication_case", "default_case"):
            heard = statement(unit, case.child_by_field_name("communication"))
            parts = [part for part in (heard, _case_body(unit, case)) if part is not None]
            cases.append(("block", tuple(parts)))
    return ("block", tuple(cases))


def _receive(unit: GoUnit, node: Node) -> Ir:
    left = _expressions(unit, node.child_by_field_name("left"))
    right = expression(unit, node.child_by_field_name("right"))
    if not left:
        return ("x", right)
    defines = any(child.type == ":=" for child in node.children)
    return ("def" if defines else "set", left, (right,), node.start_point[0] + 1)


def _return(unit: GoUnit, node: Node) -> Ir:
    return ("ret", _expressions(unit, first_named(node)))


def _wrapped(unit: GoUnit, node: Node) -> Ir:
    return statement(unit, first_named(node))


def _labeled(unit: GoUnit, node: Node) -> Ir:
    children = node.named_children
    return statement(unit, children[-1]) if len(children) > 1 else None


def _local_type(unit: GoUnit, node: Node) -> Ir:
    """Types declared inside functions: ``("type", ((name, type), ...))``."""
    found: list[Ir] = []
    for spec in node.named_children:
        name = spec.child_by_field_name("name")
        if name is not None:
            found.append((unit.text(name), lower_type(unit, spec.child_by_field_name("type"))))
    return ("type", tuple(found))


STATEMENTS: dict[str, Callable[[GoUnit, Node], Ir]] = {
    "block": block,
    "expression_statement": _wrapped,
    "short_var_declaration": _short,
    "assignment_statement": _assignment,
    "var_declaration": _var,
    "const_declaration": _var,
    "type_declaration": _local_type,
    "if_statement": _if,
    "for_statement": _for,
    "type_switch_statement": _type_switch,
    "expression_switch_statement": _switch,
    "select_statement": _select,
    "receive_statement": _receive,
    "return_statement": _return,
    "go_statement": _wrapped,
    "defer_statement": _wrapped,
    "labeled_statement": _labeled,
}
EXPRESSIONS["func_literal"] = _function_literal
