"""Lowering of functions, classes, object literals and interfaces (see ``ecma.py``)."""

from __future__ import annotations

from tree_sitter import Node

from codeviews.core.facts import ABSTRACT, ASYNC, CLASSMETHOD, DECLARATION
from codeviews.core.languages.ecma_expressions import FUNCTION_NODES, ROOT_HINT, key_text, pattern
from codeviews.core.languages.ecma_types import lower_type
from codeviews.core.languages.ecma_unit import (
    EXPRESSIONS,
    Ir,
    Unit,
    dotted,
    expression,
    first_named,
    statement,
    through_errors,
)

ARROW, ASYNC_FUNCTION, GENERATOR = 1, 2, 4


def _flags(node: Node) -> int:
    flags = ARROW if node.type == "arrow_function" else 0
    if node.type.startswith("generator"):
        flags |= GENERATOR
    for child in node.children[:6]:
        if child.type == "async":
            flags |= ASYNC_FUNCTION
        elif child.type == "*":
            flags |= GENERATOR
    return flags


def lower_function(unit: Unit, node: Node, symbol: int) -> int:
    """Lower parameters and body into a function record and return its index.

    A record is ``(symbol or -1, parameters, body, flags, result type)``; a parameter is
    ``(pattern, type, is a field)``.
    """
    index = len(unit.functions)
    unit.functions.append(None)
    saved = unit.scope, unit.exported, unit.doc, unit.holder
    unit.scope = symbol if symbol >= 0 else unit.scope
    unit.exported, unit.doc, unit.holder = False, "", -1
    unit.inside += 1
    parameters = _parameters(unit, node)
    result = lower_type(unit, node.child_by_field_name("return_type"))
    body = _body(unit, node)
    unit.inside -= 1
    unit.scope, unit.exported, unit.doc, unit.holder = saved
    unit.functions[index] = (symbol, parameters, body, _flags(node), result)
    return index


def _body(unit: Unit, node: Node) -> Ir:
    body = node.child_by_field_name("body")
    if body is None:
        return None
    if body.type == "statement_block":
        return statement(unit, body)
    return ("block", (), (("ret", expression(unit, body)),))


def _parameters(unit: Unit, node: Node) -> tuple[Ir, ...]:
    single = node.child_by_field_name("parameter")
    if single is not None:
        return ((pattern(unit, single), None, False),)
    formal = node.child_by_field_name("parameters")
    if formal is None:
        return ()
    lowered = [_parameter(unit, child) for child in formal.named_children if not child.is_extra]
    return tuple(parameter for parameter in lowered if parameter[0] != ("this",))


def _parameter(unit: Unit, node: Node) -> Ir:
    if node.type not in ("required_parameter", "optional_parameter"):
        return (pattern(unit, node), None, False)
    inner = node.child_by_field_name("pattern")
    value = node.child_by_field_name("value")
    target = pattern(unit, inner) if inner is not None else None
    if value is not None:
        target = ("def", target, expression(unit, value))
    is_field = any(c.type in ("accessibility_modifier", "readonly") for c in node.children[:4])
    return (target, lower_type(unit, node.child_by_field_name("type")), is_field)


def _function_expression(unit: Unit, node: Node) -> Ir:
    hint, anchor = unit.take_hint()
    own = node.child_by_field_name("name")
    name = hint if hint and hint != ROOT_HINT else unit.text(own) if own is not None else ""
    if not name and hint == ROOT_HINT:
        name = "exports"
    symbol = unit.holder
    if name:
        symbol = _function_symbol(unit, node, name, anchor or node)
    index = lower_function(unit, node, symbol)
    return ("fn", index, unit.text(own) if own is not None else "")


def _function_symbol(unit: Unit, node: Node, name: str, anchor: Node) -> int:
    """The symbol of a function value; one put on ``this`` in a method belongs to the class."""
    flags = ASYNC if _flags(node) & ASYNC_FUNCTION else 0
    saved = unit.scope
    owner = unit.facts.symbols[unit.scope]
    kind = "method" if "." in name or owner.kind == "class" else "function"
    if name.startswith("this."):
        name = name.removeprefix("this.")
        unit.scope = owner.parent if owner.kind == "method" else unit.scope
    body = node.child_by_field_name("body")
    symbol = unit.add_symbol(name, kind, anchor, body=body, flags=flags)
    unit.scope = saved
    return symbol


def method(unit: Unit, node: Node, name: str, *, kind: str = "method", static: bool = False) -> int:
    """Add the symbol of a method and lower its body; returns the function index."""
    flags = CLASSMETHOD if static else 0
    flags |= ASYNC if _flags(node) & ASYNC_FUNCTION else 0
    if node.type != "method_definition":
        flags |= DECLARATION
    if node.type == "abstract_method_signature":
        flags |= ABSTRACT
    body = node.child_by_field_name("body")
    symbol = unit.add_symbol(name, kind, node, body=body, flags=flags)
    return lower_function(unit, node, symbol)


def _accessor(node: Node) -> str:
    for child in node.children[:5]:
        if child.type in ("get", "set"):
            return "g" if child.type == "get" else "t"
    return "m"


def _object(unit: Unit, node: Node) -> Ir:
    hint, _ = unit.take_hint()
    hint = hint.removeprefix("this.")
    members: list[Ir] = []
    for child in node.named_children:
        if child.type == "comment":
            unit.doc = clean_comment(unit.text(child))
        else:
            members.append(_member(unit, child, hint))
            unit.doc = ""
    return ("obj", tuple(members))


def _member(unit: Unit, node: Node, hint: str) -> Ir:
    match node.type:
        case "pair":
            return _pair(unit, node, hint)
        case "method_definition":
            key = node.child_by_field_name("name")
            name = key_text(unit, key) if key is not None else ""
            index = method(unit, node, _joined(hint, name))
            return (_accessor(node), name, ("fn", index, ""))
        case "shorthand_property_identifier":
            return ("p", unit.text(node), ("v", unit.text(node)))
        case "spread_element":
            return ("s", "", expression(unit, first_named(node)))
        case _:
            return ("p", "", expression(unit, node))


def _pair(unit: Unit, node: Node, hint: str) -> Ir:
    key = node.child_by_field_name("key")
    value = node.child_by_field_name("value")
    if key is None or value is None:
        return ("p", "", None)
    if key.type == "computed_property_name":
        inner = expression(unit, first_named(key))
        if inner is None or inner[0] != "k":
            return ("c", inner, expression(unit, value))
        name = str(inner[1])
    else:
        name = key_text(unit, key)
    if value.type in ("object", *FUNCTION_NODES) and (hint or value.type != "arrow_function"):
        unit.hint = _joined(hint, name) if hint or value.type != "object" else ""
        unit.anchor = node
    lowered = expression(unit, value)
    unit.take_hint()
    return ("p", name, lowered)


def _joined(hint: str, name: str) -> str:
    return f"{hint}.{name}" if hint and hint != ROOT_HINT else name


def lower_class(unit: Unit, node: Node, name: str, anchor: Node | None = None) -> int:
    """Lower a class into its record and return the index in ``classes``.

    A record is ``("class", symbol, own name, bases, implemented types, members, decorators, type
    parameters)``; a base is ``(expression, site, type arguments)``, a member ``(kind, name, static,
    value, type, key expression)``.
    """
    body = node.child_by_field_name("body")
    own = node.child_by_field_name("name")
    flags = ABSTRACT if node.type.startswith("abstract") else 0
    symbol = unit.add_symbol(name, "class", anchor or node, body=body, flags=flags)
    decorators = _decorators(unit, node, symbol)
    saved = unit.scope, unit.exported
    unit.scope, unit.exported = symbol, False
    bases, implemented = _heritage(unit, node)
    index = len(unit.classes)
    unit.classes.append(None)
    members = _class_members(unit, body) if body is not None else ()
    unit.scope, unit.exported = saved
    local = unit.text(own) if own is not None else ""
    open_types = _type_parameters(unit, node)
    unit.classes[index] = (
        *("class", symbol, local, bases, implemented),
        *(members, decorators, open_types),
    )
    return index


def _type_parameters(unit: Unit, node: Node) -> tuple[str, ...]:
    formal = node.child_by_field_name("type_parameters")
    names = [p.child_by_field_name("name") for p in formal.named_children] if formal else []
    return tuple(unit.text(name) for name in names if name is not None)


def _decorators(unit: Unit, node: Node, symbol: int) -> tuple[Ir, ...]:
    holders = [node]
    if node.parent is not None and node.parent.type == "export_statement":
        holders.append(node.parent)
    found = [c for holder in holders for c in holder.children[:12] if c.type == "decorator"]
    return tuple(decorator(unit, child, symbol) for child in found)


def decorator(unit: Unit, node: Node, symbol: int) -> Ir:
    """Lower one decorator; the site belongs to the decorated symbol."""
    lowered = expression(unit, first_named(node))
    target = lowered[1] if lowered is not None and lowered[0] == "call" else lowered
    saved, unit.scope = unit.scope, symbol
    site = unit.add_site("decorates", dotted(target), node.start_point[0] + 1)
    unit.scope = saved
    return (lowered, site)


def _heritage(unit: Unit, node: Node) -> tuple[tuple[Ir, ...], tuple[Ir, ...]]:
    bases: list[Ir] = []
    implemented: list[Ir] = []
    for child in node.children[:8]:
        if child.type != "class_heritage":
            continue
        for clause in child.named_children:
            if clause.type == "implements_clause":
                implemented += [_type_base(unit, item) for item in clause.named_children]
            elif clause.type == "extends_clause":
                value = clause.child_by_field_name("value")
                if value is not None:
                    arguments = clause.child_by_field_name("type_arguments")
                    bases.append(_value_base(unit, value, arguments))
            else:
                bases.append(_value_base(unit, clause))
    return tuple(bases), tuple(implemented)


def _value_base(unit: Unit, node: Node, arguments: Node | None = None) -> Ir:
    lowered = expression(unit, node)
    site = unit.add_site("inherits", dotted(lowered), node.start_point[0] + 1)
    given = arguments.named_children if arguments is not None else []
    return (lowered, site, tuple(lower_type(unit, item) for item in given))


def _type_base(unit: Unit, node: Node) -> Ir:
    lowered = lower_type(unit, node)
    name = str(lowered[1]) if lowered is not None and lowered[0] in "ng" else ""
    return (lowered, unit.add_site("inherits", name, node.start_point[0] + 1))


def _class_members(unit: Unit, body: Node) -> tuple[Ir, ...]:
    members: list[Ir] = []
    waiting: list[Node] = []
    for child in through_errors(body):
        if child.type == "comment":
            unit.doc = clean_comment(unit.text(child))
        elif child.type == "decorator":
            waiting.append(child)
        else:
            members += _class_member(unit, child, waiting)
            waiting, unit.doc = [], ""
    return tuple(members)


def _class_member(unit: Unit, node: Node, decorators: list[Node]) -> list[Ir]:
    if node.type == "class_static_block":
        body = node.child_by_field_name("body")
        return [("b", "", True, statement(unit, body) if body is not None else None, None, None)]
    key = node.child_by_field_name("name") or node.child_by_field_name("property")
    if key is None:
        return []
    name = key_text(unit, key)
    static = any(child.type == "static" for child in node.children[:6])
    first = len(unit.facts.symbols)
    if node.type in ("method_definition", "abstract_method_signature", "method_signature"):
        kind = _accessor(node)
        label = "property" if kind in "gt" else "method"
        index = method(unit, node, name, kind=label, static=static)
        found: list[Ir] = [(kind, name, static, index, None, None)]
    else:
        found = [_field(unit, node, name, static)]
    decorators = decorators + [c for c in node.children[:6] if c.type == "decorator"]
    for item in decorators:
        lowered = decorator(unit, item, min(first, len(unit.facts.symbols) - 1))
        found.append(("d", name, static, lowered, None, None))
    return found


def _field(unit: Unit, node: Node, name: str, static: bool) -> Ir:
    value = node.child_by_field_name("value")
    declared = lower_type(unit, node.child_by_field_name("type"))
    if value is not None and value.type in FUNCTION_NODES:
        unit.hint, unit.anchor = name, node
    else:
        unit.add_symbol(name, "field", node, flags=CLASSMETHOD if static else 0)
    lowered = expression(unit, value)
    unit.take_hint()
    return ("f", name, static, lowered, declared, None)


def _class_expression(unit: Unit, node: Node) -> Ir:
    hint, anchor = unit.take_hint()
    own = node.child_by_field_name("name")
    name = hint if hint and hint != ROOT_HINT else unit.text(own) if own is not None else "class"
    name = name.removeprefix("this.")
    return ("class", lower_class(unit, node, name, anchor))


def lower_interface(unit: Unit, node: Node, name: str) -> int:
    """Lower an interface to ``("interface", symbol, name, extended, members, type parameters)``.

    A member is ``(name, type, function index or -1)``.
    """
    body = node.child_by_field_name("body")
    symbol = unit.add_symbol(name, "interface", node, body=body, flags=DECLARATION)
    saved = unit.scope, unit.exported
    unit.scope, unit.exported = symbol, False
    extended = [
        _type_base(unit, item)
        for child in node.children[:8]
        if child.type in ("extends_type_clause", "extends_clause")
        for item in child.named_children
    ]
    members = _interface_members(unit, body) if body is not None else []
    unit.scope, unit.exported = saved
    index = len(unit.classes)
    open_types = _type_parameters(unit, node)
    unit.classes.append(("interface", symbol, name, tuple(extended), tuple(members), open_types))
    return index


def _interface_members(unit: Unit, body: Node) -> list[Ir]:
    members: list[Ir] = []
    for child in body.named_children:
        key = child.child_by_field_name("name")
        if child.type == "comment":
            unit.doc = clean_comment(unit.text(child))
        elif key is not None and child.type == "method_signature":
            members.append((unit.text(key), None, method(unit, child, unit.text(key))))
        elif key is not None and child.type == "property_signature":
            unit.add_symbol(unit.text(key), "field", child, flags=DECLARATION)
            declared = lower_type(unit, child.child_by_field_name("type"))
            members.append((unit.text(key), declared, -1))
    unit.doc = ""
    return members


def clean_comment(text: str) -> str:
    """A comment's words without its markers."""
    lines = [line.strip().lstrip("/*").rstrip("*/").strip() for line in text.splitlines()]
    return "\n".join(lines).strip()[:2000]


EXPRESSIONS.update(
    {
        "arrow_function": _function_expression,
        "function_expression": _function_expression,
        "function": _function_expression,
        "generator_function": _function_expression,
        "class": _class_expression,
        "object": _object,
    }
)
