"""Lowering of JavaScript and TypeScript expressions and patterns (see ``ecma.py``)."""

from __future__ import annotations

from tree_sitter import Node

from codeviews.core.languages.ecma_types import lower_arguments, lower_type
from codeviews.core.languages.ecma_unit import (
    EXPRESSIONS,
    Ir,
    Unit,
    children_effects,
    dotted,
    effects,
    expression,
    first_named,
    string_value,
)

LITERALS = {
    "string": "string",
    "number": "number",
    "true": "boolean",
    "false": "boolean",
    "regex": "regexp",
}
ROOT_HINT = "."  # the value is the module's public object: its members need no prefix
_CONTAINERS = frozenset(["Array", "Map", "Set", "WeakMap", "WeakSet"])
COMMON_JS = ("module.exports", "exports.")
FUNCTION_NODES = frozenset(
    ["arrow_function", "function_expression", "generator_function", "function", "class"]
)


def _string(unit: Unit, node: Node) -> Ir:
    return ("k", unit.text(node)[1:-1])


def _number(unit: Unit, node: Node) -> Ir:
    return ("k", unit.text(node)) if node.end_byte - node.start_byte < 12 else ("lit", "number")


def _literal(unit: Unit, node: Node) -> Ir:
    return ("lit", LITERALS[node.type])


def _identifier(unit: Unit, node: Node) -> Ir:
    return ("v", unit.text(node))


def _this(unit: Unit, node: Node) -> Ir:
    return ("this",)


def _super(unit: Unit, node: Node) -> Ir:
    return ("super",)


def _member(unit: Unit, node: Node) -> Ir:
    owner = expression(unit, node.child_by_field_name("object"))
    name = node.child_by_field_name("property")
    return (".", owner, unit.text(name) if name else "", node.end_point[0] + 1)


def _subscript(unit: Unit, node: Node) -> Ir:
    owner = expression(unit, node.child_by_field_name("object"))
    index = expression(unit, node.child_by_field_name("index"))
    if index is not None and index[0] == "k":
        return (".", owner, index[1], node.end_point[0] + 1)
    return ("[", owner, index, node.end_point[0] + 1)


def _arguments(unit: Unit, node: Node | None) -> tuple[Ir, ...]:
    if node is None:
        return ()
    if node.type != "arguments":  # a tagged template
        return (None, *(expression(unit, child) for child in node.named_children))
    return tuple(expression(unit, child) for child in node.named_children if not child.is_extra)


def _name_line(callee: Node) -> int:
    name = callee.child_by_field_name("property")
    return (name or callee).start_point[0] + 1


def _call(unit: Unit, node: Node) -> Ir:
    function = node.child_by_field_name("function")
    if function is None:
        return children_effects(unit, node)
    arguments = node.child_by_field_name("arguments")
    if function.type == "import":
        return _dynamic_import(unit, node, arguments)
    callee = expression(unit, function)
    if callee == ("v", "require"):
        _note_require(unit, arguments)
    site = unit.add_site("calls", dotted(callee), _name_line(function))
    return ("call", callee, _arguments(unit, arguments), site)


def _dynamic_import(unit: Unit, node: Node, arguments: Node | None) -> Ir:
    first = first_named(arguments)
    module = string_value(unit, first) if first is not None else None
    if module is None:
        return children_effects(unit, node)
    unit.add_import(module, "", "", node.start_point[0] + 1)
    return ("import", module)


def _note_require(unit: Unit, arguments: Node | None) -> None:
    first = first_named(arguments)
    module = string_value(unit, first) if first is not None else None
    if module is not None and arguments is not None:
        unit.add_import(module, "", "", arguments.start_point[0] + 1)


def _new(unit: Unit, node: Node) -> Ir:
    constructor = node.child_by_field_name("constructor")
    if constructor is None:
        return children_effects(unit, node)
    callee = expression(unit, constructor)
    site = unit.add_site("calls", "new " + dotted(callee), _name_line(constructor))
    made = ("new", callee, _arguments(unit, node.child_by_field_name("arguments")), site)
    types = node.child_by_field_name("type_arguments")
    name = unit.text(constructor)
    if types is None or name not in _CONTAINERS:
        return made
    return ("as", made, ("g", name, lower_arguments(unit, types)))


def _parenthesized(unit: Unit, node: Node) -> Ir:
    children = [child for child in node.named_children if not child.is_extra]
    return expression(unit, children[0]) if len(children) == 1 else children_effects(unit, node)


def _sequence(unit: Unit, node: Node) -> Ir:
    parts = [expression(unit, child) for child in node.named_children]
    return effects(parts[:-1], parts[-1]) if parts else None


def _ternary(unit: Unit, node: Node) -> Ir:
    condition = expression(unit, node.child_by_field_name("condition"))
    branches = (
        expression(unit, node.child_by_field_name("consequence")),
        expression(unit, node.child_by_field_name("alternative")),
    )
    return effects([condition], ("or", branches))


def _binary(unit: Unit, node: Node) -> Ir:
    """Operands along the left spine, without recursion: sums of a thousand strings exist."""
    operands: list[Node] = []
    logical = False
    current: Node | None = node
    while current is not None and current.type == "binary_expression":
        operator = current.child_by_field_name("operator")
        logical = logical or (operator is not None and operator.type in ("||", "??", "&&"))
        right = current.child_by_field_name("right")
        if right is not None:
            operands.append(right)
        current = current.child_by_field_name("left")
    if current is not None:
        operands.append(current)
    lowered = [expression(unit, operand) for operand in reversed(operands)]
    if logical:
        return ("or", tuple(lowered))
    return effects(lowered)


def _assignment(unit: Unit, node: Node) -> Ir:
    left = node.child_by_field_name("left")
    right = node.child_by_field_name("right")
    if left is None or right is None:
        return children_effects(unit, node)
    target = pattern(unit, left)
    saved = unit.exported
    if dotted(target).startswith(COMMON_JS):
        unit.exported = unit.inside == 0
        _mark_common_js(unit, right)
    if right.type in FUNCTION_NODES or right.type == "object":
        unit.hint = binding_name(unit, target)
        unit.anchor = node
    value = expression(unit, right)
    unit.take_hint()
    unit.exported = saved
    return ("=", target, value)


def _mark_common_js(unit: Unit, value: Node) -> None:
    """Names handed to ``module.exports`` are exported."""
    if value.type == "identifier":
        unit.mark_exported(unit.text(value))
    for child in value.named_children if value.type == "object" else []:
        named = child if child.type == "shorthand_property_identifier" else None
        if child.type == "pair":
            named = child.child_by_field_name("value")
        if named is not None and "identifier" in named.type:
            unit.mark_exported(unit.text(named))


def binding_name(unit: Unit, target: Ir) -> str:
    """The qualified name under which a function assigned to ``target`` is known, or ""."""
    name = dotted(target)
    if "[]" in name or "()" in name or not name:
        return ""
    for prefix in ("module.exports.", "exports."):
        if name.startswith(prefix):
            return name[len(prefix) :]
    if name == "module.exports":
        return ROOT_HINT
    return name.replace(".prototype.", ".").removesuffix(".prototype")


def _augmented(unit: Unit, node: Node) -> Ir:
    operator = node.child_by_field_name("operator")
    if operator is not None and operator.type in ("||=", "&&=", "??="):
        left = node.child_by_field_name("left")
        right = expression(unit, node.child_by_field_name("right"))
        if left is not None:
            target = pattern(unit, left)
            return ("=", target, ("or", (target, right)))
    return children_effects(unit, node)


def _await(unit: Unit, node: Node) -> Ir:
    inner = children_effects(unit, node) if node.named_child_count != 1 else None
    return inner if inner is not None else ("await", expression(unit, first_named(node)))


def _yield(unit: Unit, node: Node) -> Ir:
    return ("yield", expression(unit, first_named(node)))


def _spread(unit: Unit, node: Node) -> Ir:
    return ("...", expression(unit, first_named(node)))


def _array(unit: Unit, node: Node) -> Ir:
    return ("arr", tuple(expression(unit, child) for child in node.named_children))


def _template(unit: Unit, node: Node) -> Ir:
    text = string_value(unit, node)
    if text is not None:
        return ("k", text)
    parts = [children_effects(unit, child) for child in node.named_children]
    return effects(parts, ("lit", "string"))


def _cast(unit: Unit, node: Node) -> Ir:
    children = node.named_children
    value = expression(unit, children[0])
    declared = lower_type(unit, children[1]) if len(children) > 1 else None
    return ("as", value, declared) if declared is not None else value


def _assertion(unit: Unit, node: Node) -> Ir:
    children = node.named_children
    if len(children) != 2:
        return children_effects(unit, node)
    inner = first_named(children[0])
    return ("as", expression(unit, children[1]), lower_type(unit, inner) if inner else None)


def _first(unit: Unit, node: Node) -> Ir:
    return expression(unit, first_named(node))


def _jsx(unit: Unit, node: Node) -> Ir:
    head = node.child_by_field_name("open_tag") or node
    name = head.child_by_field_name("name")
    children = [child for child in node.named_children if child.type != "jsx_closing_element"]
    attributes = head.children_by_field_name("attribute")
    parts = [children_effects(unit, attribute) for attribute in attributes]
    content = [child for child in children if child != head and child not in attributes]
    parts += [expression(unit, child) for child in content if child != name]
    if name is None or not _is_component(unit.text(name)):
        return effects(parts, ("lit", "jsx"))
    tag = expression(unit, name)
    site = unit.add_site("calls", dotted(tag), name.start_point[0] + 1, "jsx")
    return effects([("jsx", tag, site), *parts], ("lit", "jsx"))


def _is_component(tag: str) -> bool:
    return tag[:1].isupper() or "." in tag


def pattern(unit: Unit, node: Node) -> Ir:
    """Lower an assignment target or a binding pattern."""
    match node.type:
        case "identifier" | "shorthand_property_identifier_pattern":
            return ("v", unit.text(node))
        case "array_pattern" | "array":
            return ("arrp", _array_pattern(unit, node))
        case "object_pattern" | "object":
            return ("objp", tuple(_property_pattern(unit, c) for c in node.named_children))
        case "assignment_pattern" | "object_assignment_pattern" | "assignment_expression":
            return _default_pattern(unit, node)
        case "rest_pattern" | "spread_element":
            inner = first_named(node)
            return ("...", pattern(unit, inner) if inner is not None else None)
        case "non_null_expression" | "parenthesized_expression" | "as_expression":
            inner = first_named(node)
            return pattern(unit, inner) if inner is not None else None
        case _:
            return expression(unit, node)


def _array_pattern(unit: Unit, node: Node) -> tuple[Ir, ...]:
    items: list[Ir] = []
    pending = True
    for child in node.children[1:-1]:
        if child.type == ",":
            if pending:
                items.append(None)
            pending = True
        elif not child.is_extra:
            items.append(pattern(unit, child))
            pending = False
    return tuple(items)


def _default_pattern(unit: Unit, node: Node) -> Ir:
    left = node.child_by_field_name("left")
    right = node.child_by_field_name("right")
    target = pattern(unit, left) if left is not None else None
    return ("def", target, expression(unit, right))


def _property_pattern(unit: Unit, node: Node) -> Ir:
    match node.type:
        case "pair_pattern" | "pair":
            key = node.child_by_field_name("key")
            value = node.child_by_field_name("value")
            target = pattern(unit, value) if value is not None else None
            return (key_text(unit, key) if key is not None else "", target)
        case "shorthand_property_identifier_pattern" | "shorthand_property_identifier":
            return (unit.text(node), ("v", unit.text(node)))
        case "object_assignment_pattern":
            lowered = _default_pattern(unit, node)
            return (dotted(lowered[1]), lowered)
        case "rest_pattern" | "spread_element":
            return ("...", pattern(unit, node)[1])
        case _:
            return ("", None)


def key_text(unit: Unit, node: Node) -> str:
    """The property name that a key spells; computed keys keep their brackets."""
    if node.type == "string":
        return unit.text(node)[1:-1]
    return unit.text(node)


EXPRESSIONS.update(
    {
        "string": _string,
        "number": _number,
        "true": _literal,
        "false": _literal,
        "regex": _literal,
        "identifier": _identifier,
        "shorthand_property_identifier": _identifier,
        "this": _this,
        "super": _super,
        "member_expression": _member,
        "nested_identifier": _member,
        "subscript_expression": _subscript,
        "call_expression": _call,
        "new_expression": _new,
        "parenthesized_expression": _parenthesized,
        "sequence_expression": _sequence,
        "ternary_expression": _ternary,
        "binary_expression": _binary,
        "assignment_expression": _assignment,
        "augmented_assignment_expression": _augmented,
        "await_expression": _await,
        "yield_expression": _yield,
        "spread_element": _spread,
        "array": _array,
        "template_string": _template,
        "as_expression": _cast,
        "satisfies_expression": _cast,
        "type_assertion": _assertion,
        "non_null_expression": _first,
        "jsx_element": _jsx,
        "jsx_self_closing_element": _jsx,
    }
)
