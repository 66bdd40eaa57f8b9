"""C++ syntax nodes as short texts: types, declarators and expressions.

The text of an expression is what resolution evaluates: a head (``name``, ``ns::name``, ``this`` or
``{type}`` when the type of the head is known here) followed by ``.member``, ``->member``, ``()``,
``[]`` and ``@`` (dereference). ``?`` is an expression nothing is known of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tree_sitter import Node

UNKNOWN = "?"
_SPACES = re.compile(r"\s+")
_NOISE = re.compile(
    r"\b(?:const|constexpr|consteval|constinit|volatile|static|inline|extern|mutable|typename|struct"
    r"|class|enum|union|thread_local|register|virtual|explicit|friend)\b"
)
CASTS = ("static_cast<", "dynamic_cast<", "const_cast<", "reinterpret_cast<")
_DECLARATORS = frozenset(
    [
        "pointer_declarator",
        "reference_declarator",
        "array_declarator",
        "parenthesized_declarator",
        "init_declarator",
        "function_declarator",
        "attributed_declarator",
        "abstract_pointer_declarator",
        "abstract_reference_declarator",
        "abstract_function_declarator",
        "abstract_array_declarator",
    ]
)
_LITERALS = {
    "number_literal": "int",
    "string_literal": "char*",
    "raw_string_literal": "char*",
    "concatenated_string": "char*",
    "char_literal": "char",
    "true": "bool",
    "false": "bool",
    "null": "nullptr",
    "nullptr": "nullptr",
}


_EXPORT = re.compile(
    r"\b(class|struct|union)\s+((?:[A-Z][A-Z0-9_]{2,}(?:\([^()]*\))?\s+|__attribute__\s*\(\(.*?\)\)\s*"
    r"|__declspec\([^()]*\)\s*|alignas\([^()]*\)\s*)+)(?=[A-Za-z_][\w:]*\s*(?:final\s*)?[:{])"
)
_PREFIX = re.compile(
    r"^[ \t]*([A-Z][A-Z0-9]*_(?:EXPORT|API|PUBLIC|DLL|INLINE)[A-Z_]*)\b(?!\s*[(;])", re.M
)
_ANNOTATION = re.compile(
    r"(?<=[\w)\]])(?<!return)(?<!else)(?<!throw)(?<!case)(?<!do)"
    r"(\s+[A-Z][A-Z0-9_]{3,}\([^();{}]*\))(?=\s*(?:[;{]|[A-Z][A-Z0-9_]{3,}\())"
)


def without_macros(code: str) -> str:
    """Code without export macros and annotations that the grammar cannot know; same length."""
    for pattern in (_EXPORT, _PREFIX, _ANNOTATION):
        code = pattern.sub(_blank_last, code)
    return code


def _blank_last(match: re.Match[str]) -> str:
    group = match.lastindex or 0
    start, end = match.start(group) - match.start(), match.end(group) - match.start()
    blank = re.sub(r"[^\n]", " ", match[group])
    return match[0][:start] + blank + match[0][end:]


def template_names(node: Node) -> frozenset[str]:
    """The type parameters of a ``template<...>``."""
    parameters = node.child_by_field_name("parameters")
    names = [declared[-1] for declared in _words(parameters) if declared]
    return frozenset(names)


def _words(parameters: Node | None) -> list[list[str]]:
    children = parameters.named_children if parameters else []
    kinds = ("type_parameter_declaration", "optional_type_parameter_declaration")
    return [
        re.findall(r"\w+", text_of(child).split("=")[0])
        for child in children
        if child.type in kinds
    ]


def text_of(node: Node | None) -> str:
    """A node's bytes as text ("" for no node)."""
    if node is None or node.text is None:
        return ""
    return node.text.decode("latin-1")


def name_text(node: Node) -> str:
    """A name without white space (``ns :: f`` is ``ns::f``)."""
    return _SPACES.sub("", text_of(node))


def type_text(text: str) -> str:
    """A type without qualifiers and white space."""
    return _SPACES.sub("", _NOISE.sub(" ", text)).lstrip(":")


def declarator_name(node: Node | None) -> tuple[Node | None, str]:
    """The name node inside a declarator and what it adds to the type: ``*``, ``&`` or ``()``."""
    added = ""
    while node is not None and node.type in _DECLARATORS:
        if "pointer" in node.type:
            added = "*"
        elif "reference" in node.type:
            added = added or "&"
        elif "function" in node.type:
            added = "()"
        elif node.type == "array_declarator":
            added = "*"
        node = node.child_by_field_name("declarator") or _last_named(node)
    return node, added


def _last_named(node: Node) -> Node | None:
    children = node.named_children
    return children[-1] if children else None


def function_declarator(node: Node | None) -> Node | None:
    """The ``function_declarator`` in a declarator chain, unless it declares a pointer to one."""
    while node is not None and node.type != "function_declarator":
        if node.type not in _DECLARATORS:
            return None
        node = node.child_by_field_name("declarator") or _last_named(node)
    if node is None:
        return None
    inner = node.child_by_field_name("declarator")
    if inner is not None and inner.type == "parenthesized_declarator":
        name, added = declarator_name(inner)
        return None if added == "*" or name is None else node
    return node


def parameter_types(parameters: Node | None) -> tuple[list[str], int, dict[str, str]]:
    """(types, how many are required, name -> type) of a parameter list; ``...`` ends the types."""
    types: list[str] = []
    names: dict[str, str] = {}
    required = 0
    for node in parameters.named_children if parameters else ():
        if node.type not in ("parameter_declaration", "optional_parameter_declaration"):
            if "variadic" in node.type:
                types.append("...")
            continue
        kind, name = declared_parameter(node)
        if kind == "void" and not name:
            continue
        types.append(kind)
        required += node.type == "parameter_declaration"
        if name:
            names[name] = kind
    if parameters is not None and "..." not in types and "..." in text_of(parameters)[-8:]:
        types.append("...")
    return types, required, names


def declared_parameter(node: Node) -> tuple[str, str]:
    """(type, name) of a parameter."""
    name, added = declarator_name(node.child_by_field_name("declarator"))
    kind = type_text(text_of(node.child_by_field_name("type"))) + added
    if name is None or name.type not in ("identifier", "field_identifier"):
        return kind, ""
    return kind, text_of(name)


def expression(node: Node | None, local: Mapping[str, str], depth: int = 0) -> str:
    """The text that resolution evaluates; see the module."""
    if node is None or depth > 40:
        return UNKNOWN
    kind = node.type
    if kind in ("identifier", "field_identifier"):
        return typed(text_of(node), local)
    if kind == "this":
        return "this"
    if kind in ("qualified_identifier", "template_function", "type_identifier"):
        return name_text(node)
    if kind in _LITERALS:
        return "{" + _literal(node) + "}"
    build = _EXPRESSIONS.get(kind)
    return build(node, local, depth + 1) if build else UNKNOWN


def typed(name: str, local: Mapping[str, str]) -> str:
    """A name, or the type a local of that name has."""
    kind = local.get(name)
    if kind is None:
        return name
    return kind[1:] if kind.startswith("=") else "{" + kind + "}"


def _literal(node: Node) -> str:
    if node.type == "number_literal":
        text = text_of(node).lower()
        is_float = ("." in text or "e" in text) and not text.startswith("0x")
        return "double" if is_float else "int"
    return _LITERALS[node.type]


def _field(node: Node, local: Mapping[str, str], depth: int) -> str:
    base = expression(node.child_by_field_name("argument"), local, depth)
    operator = "->" if text_of(node.child_by_field_name("operator")) == "->" else "."
    field = node.child_by_field_name("field")
    name = name_text(field).rsplit("::", 1)[-1] if field else UNKNOWN
    return base + operator + name


def _call(node: Node, local: Mapping[str, str], depth: int) -> str:
    function = node.child_by_field_name("function")
    name = name_text(function) if function else ""
    if function and function.type == "template_function" and name.startswith(CASTS):
        return "{" + type_text(name[name.index("<") + 1 : -1]) + "}"
    if name.split("<", 1)[0] in ("std::move", "std::forward", "std::ref", "std::cref"):
        return _inner(node.child_by_field_name("arguments") or node, local, depth)
    return expression(function, local, depth) + "()"


def _subscript(node: Node, local: Mapping[str, str], depth: int) -> str:
    return expression(node.child_by_field_name("argument"), local, depth) + "[]"


def _pointer(node: Node, local: Mapping[str, str], depth: int) -> str:
    inner = expression(node.child_by_field_name("argument"), local, depth)
    return inner + "@" if text_of(node.children[0]) == "*" else inner + "&"


def _inner(node: Node, local: Mapping[str, str], depth: int) -> str:
    children = node.named_children
    return expression(children[0] if children else None, local, depth)


def _typed(node: Node, local: Mapping[str, str], depth: int) -> str:
    pointer = "*" if node.type == "new_expression" else ""
    return "{" + type_text(text_of(node.child_by_field_name("type"))) + pointer + "}"


def _conditional(node: Node, local: Mapping[str, str], depth: int) -> str:
    return expression(node.child_by_field_name("consequence"), local, depth)


_EXPRESSIONS = {
    "field_expression": _field,
    "call_expression": _call,
    "subscript_expression": _subscript,
    "pointer_expression": _pointer,
    "parenthesized_expression": _inner,
    "argument": _inner,
    "new_expression": _typed,
    "cast_expression": _typed,
    "compound_literal_expression": _typed,
    "conditional_expression": _conditional,
}
