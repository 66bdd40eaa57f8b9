"""Lowering of JavaScript and TypeScript statements (see ``ecma.py``)."""

from __future__ import annotations

from tree_sitter import Node

from codeviews.core.facts import ASYNC, DECLARATION
from codeviews.core.languages.ecma_expressions import FUNCTION_NODES, ROOT_HINT, pattern
from codeviews.core.languages.ecma_functions import (
    clean_comment,
    lower_class,
    lower_function,
    lower_interface,
)
from codeviews.core.languages.ecma_types import lower_type
from codeviews.core.languages.ecma_unit import (
    STATEMENTS,
    Ir,
    Unit,
    children_effects,
    expression,
    first_named,
    statement,
    through_errors,
)


def block(unit: Unit, node: Node) -> Ir:
    """Lower the statements of a block: ``("block", hoisted functions, statements)``."""
    unit.hoists.append([])
    lowered: list[Ir] = []
    last_comment = -2
    for child in through_errors(node):
        if child.type == "comment":
            text = clean_comment(unit.text(child))
            joined = child.start_point[0] == last_comment + 1 and unit.doc
            unit.doc = f"{unit.doc}\n{text}" if joined else text
            last_comment = child.end_point[0]
            continue
        if unit.doc and child.start_point[0] > last_comment + 1:
            unit.doc = ""
        found = statement(unit, child)
        unit.doc = ""
        if found is not None:
            lowered.append(found)
    return ("block", tuple(unit.hoists.pop()), tuple(lowered))


def _body(unit: Unit, node: Node | None) -> Ir:
    return statement(unit, node) if node is not None else None


def _function_declaration(unit: Unit, node: Node) -> Ir:
    name = node.child_by_field_name("name")
    text = unit.text(name) if name is not None else "default"
    flags = ASYNC if node.children[0].type == "async" else 0
    if node.type == "function_signature":
        flags |= DECLARATION
    body = node.child_by_field_name("body")
    symbol = unit.add_symbol(text, "function", node, body=body, flags=flags)
    unit.hoists[-1].append((text, lower_function(unit, node, symbol)))
    return None


def _class_declaration(unit: Unit, node: Node) -> Ir:
    name = node.child_by_field_name("name")
    text = unit.text(name) if name is not None else "default"
    return ("class", text, lower_class(unit, node, text))


def _variables(unit: Unit, node: Node) -> Ir:
    kind = node.children[0].type if node.child_count else "var"
    doc = unit.doc
    declarators = [child for child in node.named_children if child.type == "variable_declarator"]
    lowered: list[Ir] = []
    for child in declarators:
        unit.doc = doc
        lowered.append(_declarator(unit, child, kind, node if len(declarators) == 1 else child))
    return lowered[0] if len(lowered) == 1 else ("many", tuple(lowered))


def _declarator(unit: Unit, node: Node, kind: str, anchor: Node) -> Ir:
    name = node.child_by_field_name("name")
    value = node.child_by_field_name("value")
    target = pattern(unit, name) if name is not None else None
    declared = lower_type(unit, node.child_by_field_name("type"))
    lowered = _initial(unit, name, value, kind, anchor)
    return ("let", target, lowered, declared, kind)


def _initial(unit: Unit, name: Node | None, value: Node | None, kind: str, anchor: Node) -> Ir:
    plain = name is not None and name.type == "identifier"
    text = unit.text(name) if name is not None and plain else ""
    if value is not None and text and value.type in FUNCTION_NODES:
        unit.hint, unit.anchor = text, anchor
        lowered = expression(unit, value)
        unit.take_hint()
        return lowered
    symbol = -1
    if text and _at_module_level(unit) and not _is_require(unit, value):
        label = "constant" if kind == "const" else "variable"
        symbol = unit.add_symbol(text, label, anchor, body=value)
    if value is not None and value.type == "object" and text:
        unit.hint, unit.anchor = text, anchor
    if value is not None and value.type == "call_expression" and symbol >= 0:
        return _wrapped_value(unit, value, symbol)
    lowered = expression(unit, value)
    unit.take_hint()
    return lowered


def _wrapped_value(unit: Unit, value: Node, symbol: int) -> Ir:
    """A value such as ``memo(() => ...)``: the wrapped function is known by the variable's name."""
    callee = value.child_by_field_name("function")
    arguments = value.child_by_field_name("arguments")
    first = first_named(arguments)
    if callee is None or first is None or first.type not in FUNCTION_NODES:
        return expression(unit, value)
    owner = callee.child_by_field_name("object")
    if callee.type == "member_expression" and (owner is None or owner.type != "identifier"):
        return expression(unit, value)
    unit.holder = symbol
    lowered = expression(unit, value)
    unit.holder = -1
    return lowered


def _at_module_level(unit: Unit) -> bool:
    names = unit.facts.symbols[unit.scope].qualname.count(".") + 2
    depth = names if unit.facts.symbols[unit.scope].kind == "namespace" else 1
    return unit.inside == 0 and len(unit.hoists) <= depth


def _is_require(unit: Unit, value: Node | None) -> bool:
    if value is None or value.type != "call_expression":
        return False
    callee = value.child_by_field_name("function")
    return callee is not None and unit.text(callee) == "require"


def _expression_statement(unit: Unit, node: Node) -> Ir:
    doc = unit.doc
    inner = first_named(node)
    if inner is not None and inner.type in STATEMENTS:  # a namespace reads as an expression
        return statement(unit, inner)
    lowered = children_effects(unit, node) if node.named_child_count != 1 else None
    if lowered is None:
        unit.doc = doc
        lowered = expression(unit, first_named(node))
    return ("x", lowered) if lowered is not None else None


def _if(unit: Unit, node: Node) -> Ir:
    """An if with its else-if chain, flat: ``("if", ((condition, body), ...), last else)``."""
    arms: list[Ir] = []
    current: Node | None = node
    while current is not None and current.type == "if_statement":
        condition = expression(unit, current.child_by_field_name("condition"))
        arms.append((condition, _body(unit, current.child_by_field_name("consequence"))))
        alternative = current.child_by_field_name("alternative")
        current = first_named(alternative)
    return ("if", tuple(arms), _body(unit, current))


def _loop(unit: Unit, node: Node) -> Ir:
    head = [
        _body(unit, node.child_by_field_name(name))
        for name in ("initializer", "condition", "increment")
    ]
    return ("loop", tuple(head), _body(unit, node.child_by_field_name("body")))


def _for_in(unit: Unit, node: Node) -> Ir:
    left = node.child_by_field_name("left")
    operator = node.child_by_field_name("operator")
    kind = node.child_by_field_name("kind")
    iterable = expression(unit, node.child_by_field_name("right"))
    target = pattern(unit, left) if left is not None else None
    body = _body(unit, node.child_by_field_name("body"))
    word = operator.type if operator is not None else "of"
    declared = kind.type if kind is not None else ""
    return ("for", word, declared, target, iterable, body, node.start_point[0] + 1, unit.scope)


def _try(unit: Unit, node: Node) -> Ir:
    handler = node.child_by_field_name("handler")
    finalizer = node.child_by_field_name("finalizer")
    body = _body(unit, node.child_by_field_name("body"))
    caught = _body(unit, handler.child_by_field_name("body")) if handler is not None else None
    final = _body(unit, finalizer.child_by_field_name("body")) if finalizer is not None else None
    return ("try", body, caught, final)


def _switch(unit: Unit, node: Node) -> Ir:
    value = expression(unit, node.child_by_field_name("value"))
    body = node.child_by_field_name("body")
    cases = body.named_children if body is not None else []
    arms: list[Ir] = []
    for case in cases:
        test = case.child_by_field_name("value")
        condition = expression(unit, test)
        rest = [c for c in case.named_children if c != test and not c.is_extra]
        unit.hoists.append([])
        body_ir = tuple(s for s in (statement(unit, c) for c in rest) if s is not None)
        arms.append((condition, ("block", tuple(unit.hoists.pop()), body_ir)))
    return ("switch", value, tuple(arms))


def _return(unit: Unit, node: Node) -> Ir:
    value = first_named(node)
    if value is not None and value.type == "object":
        unit.hint = ROOT_HINT
    lowered = expression(unit, value)
    unit.take_hint()
    return ("ret", lowered)


def _throw(unit: Unit, node: Node) -> Ir:
    return ("throw", expression(unit, first_named(node)))


def _labeled(unit: Unit, node: Node) -> Ir:
    return _body(unit, node.child_by_field_name("body"))


def _ambient(unit: Unit, node: Node) -> Ir:
    lowered = [statement(unit, child) for child in node.named_children]
    return ("many", tuple(part for part in lowered if part is not None))


def _interface(unit: Unit, node: Node) -> Ir:
    name = node.child_by_field_name("name")
    if name is None:
        return None
    text = unit.text(name)
    return ("interface", text, lower_interface(unit, node, text))


def _alias(unit: Unit, node: Node) -> Ir:
    name = node.child_by_field_name("name")
    value = node.child_by_field_name("value")
    if name is None:
        return None
    unit.add_symbol(unit.text(name), "type", node)
    return ("alias", unit.text(name), lower_type(unit, value))


def _enum(unit: Unit, node: Node) -> Ir:
    name = node.child_by_field_name("name")
    body = node.child_by_field_name("body")
    if name is None:
        return None
    symbol = unit.add_symbol(unit.text(name), "enum", node, body=body)
    saved, unit.scope = unit.scope, symbol
    members: list[Ir] = []
    for child in body.named_children if body is not None else []:
        key = child.child_by_field_name("name") if child.type == "enum_assignment" else child
        if key is not None and key.type == "property_identifier":
            unit.add_symbol(unit.text(key), "constant", child)
            members.append(("p", unit.text(key), ("lit", "number")))
    unit.scope = saved
    return ("let", ("v", unit.text(name)), ("obj", tuple(members)), None, "const")


def _namespace(unit: Unit, node: Node) -> Ir:
    name = node.child_by_field_name("name")
    body = node.child_by_field_name("body")
    if name is None or body is None or name.type == "string":
        return _body(unit, body)
    text = unit.text(name)
    symbol = unit.add_symbol(text, "namespace", node, body=body)
    saved = unit.scope, unit.exported, unit.exports
    unit.scope, unit.exported, unit.exports = symbol, False, []
    lowered = _body(unit, body)
    exported = tuple(item[1] for item in unit.exports if item[0] == "local")
    unit.scope, unit.exported, unit.exports = saved
    return ("namespace", text, lowered, exported)


STATEMENTS.update(
    {
        "statement_block": block,
        "program": block,
        "function_declaration": _function_declaration,
        "generator_function_declaration": _function_declaration,
        "function_signature": _function_declaration,
        "class_declaration": _class_declaration,
        "abstract_class_declaration": _class_declaration,
        "lexical_declaration": _variables,
        "variable_declaration": _variables,
        "expression_statement": _expression_statement,
        "if_statement": _if,
        "for_statement": _loop,
        "while_statement": _loop,
        "do_statement": _loop,
        "for_in_statement": _for_in,
        "try_statement": _try,
        "switch_statement": _switch,
        "return_statement": _return,
        "throw_statement": _throw,
        "labeled_statement": _labeled,
        "ambient_declaration": _ambient,
        "interface_declaration": _interface,
        "type_alias_declaration": _alias,
        "enum_declaration": _enum,
        "internal_module": _namespace,
        "module": _namespace,
    }
)
