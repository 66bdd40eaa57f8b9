"""Calls, constructions and registrations inside one C++ function body.

A site's ``name`` is the callee as written. Its ``extra`` is the callee as an expression to evaluate
(see :mod:`codeviews.core.languages.cpp_text`) and the arguments' types, separated by ``\\x1f``.
A construction is ``new T`` (``T`` a type), the end of an object ``delete`` and an expression.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

import tree_sitter_cpp
from tree_sitter import Language, Node, Query, QueryCursor

from codeviews.core.facts import Site
from codeviews.core.languages.c_file import File, add
from codeviews.core.languages.c_heads import PRIMITIVES
from codeviews.core.languages.c_text import words
from codeviews.core.languages.cpp_text import (
    CASTS,
    UNKNOWN,
    declarator_name,
    declared_parameter,
    expression,
    function_declarator,
    name_text,
    parameter_types,
    text_of,
    type_text,
)

SEPARATOR = "\x1f"
_QUERIES = "codeviews.core.languages"
_LAST_NAME = re.compile(r"\w+\Z")
_OPERATORS = "+ - * / % == != < > <= >= << >> && || | & ^ ! ~ ++ -- <=>"
_OVERLOADABLE = frozenset(_OPERATORS.split())


@cache
def language() -> Language:
    """The grammar."""
    return Language(tree_sitter_cpp.language())


@cache
def _query() -> Query:
    source = files(_QUERIES).joinpath("queries/cpp.scm").read_text("utf-8")
    return Query(language(), source)


class BodyScan:
    """Reads one function body; named lambdas become functions of their own."""

    def __init__(
        self, file: File, scope: int, local: dict[str, str], params: tuple[str, ...] = ()
    ) -> None:
        self.file = file
        self.params = params
        self.templates: frozenset[str] = frozenset()
        self.is_file_level = file.symbols[scope].kind == "variable"
        self.local = dict(local)
        self.spans = [(-1, 1 << 62, scope)]

    def forget_templates(self) -> None:
        """A value of a template parameter's type may be anything."""
        for name, kind in self.local.items():
            if kind.rstrip("*&") in self.templates:
                self.local[name] = UNKNOWN

    def run(self, node: Node) -> None:
        """Append the sites below ``node`` in source order."""
        captures = QueryCursor(_query()).captures(node)
        events = [(n.start_byte, -n.end_byte, kind, n) for kind, ns in captures.items() for n in ns]
        events.sort(key=lambda event: event[:3])
        for _, _, kind, found in events:
            handler = _HANDLERS.get(kind)
            if handler:
                handler(self, found)

    def site(self, kind: str, name: str, at: Node, extra: str) -> None:
        """Append a site of the innermost function around ``at``."""
        line = self.file.text.line(at.start_byte)
        self.file.sites.append(Site(kind, name, line, self.scope(at.start_byte), extra))

    def scope(self, offset: int) -> int:
        """The symbol whose body holds a byte: the function or a named lambda in it."""
        held = [span for span in self.spans if span[0] <= offset < span[1]]
        return min(held, key=lambda span: span[1] - span[0])[2]

    def arguments(self, node: Node | None) -> list[str]:
        """The argument types of a call, ``=expression`` when they must be evaluated."""
        if node is None:
            return []
        values = [child for child in node.named_children if child.type != "comment"]
        return [self.value_type(child) for child in values]

    def value_type(self, node: Node) -> str:
        """The type of a value: known here, or ``=expression``, or ``?``."""
        found = expression(node, self.local)
        if found.startswith("{") and found.endswith("}"):
            return found[1:-1]
        return found if UNKNOWN in found else f"={found}"


def _call(scan: BodyScan, node: Node) -> None:
    function = _through_pointer(node.child_by_field_name("function"))
    if function is None or function.type in ("primitive_type", "lambda_expression"):
        return
    name = name_text(function)
    if function.type == "template_function" and name.startswith(CASTS):
        return
    callee = expression(function, scan.local)
    if name in scan.params and function.type == "identifier":
        callee = f"param {scan.params.index(name)} {callee}"
    arguments = node.child_by_field_name("arguments")
    extra = SEPARATOR.join([callee, *scan.arguments(arguments)])
    scan.site("calls", name[:200], _name_node(function), extra)
    _register_arguments(scan, name, arguments)


def _through_pointer(function: Node | None) -> Node | None:
    """``f`` of ``(*f)(x)`` when f is a plain name."""
    if function is None or function.type != "parenthesized_expression":
        return function
    inner = function.named_children[0] if function.named_children else None
    if inner is None or inner.type != "pointer_expression":
        return function
    name = inner.child_by_field_name("argument")
    return name if name is not None and name.type == "identifier" else function


def _name_node(function: Node) -> Node:
    return function.child_by_field_name("field") or function


def _register_arguments(scan: BodyScan, callee: str, arguments: Node | None) -> None:
    last = _LAST_NAME.search(callee.split("<", 1)[0])
    for index, node in enumerate(arguments.named_children if arguments else ()):
        _register(scan, node, f"{last[0] if last else callee}#{index}")


def _register(scan: BodyScan, node: Node | None, where: str) -> None:
    if node is not None and node.type == "pointer_expression":
        node = node.child_by_field_name("argument")
    if node is None or node.type not in ("identifier", "qualified_identifier"):
        return
    name = name_text(node)
    if name not in scan.local:
        scan.site("registers", name, node, where)


def _new(scan: BodyScan, node: Node) -> None:
    kind = type_text(text_of(node.child_by_field_name("type")))
    arguments = node.child_by_field_name("arguments")
    scan.site("calls", kind, node, SEPARATOR.join([f"new {kind}", *scan.arguments(arguments)]))
    _register_arguments(scan, kind, arguments)


def _literal(scan: BodyScan, node: Node) -> None:
    kind = type_text(text_of(node.child_by_field_name("type")))
    values = scan.arguments(node.child_by_field_name("value"))
    scan.site("calls", kind, node, SEPARATOR.join([f"new {kind}", *values]))


def _delete(scan: BodyScan, node: Node) -> None:
    children = node.named_children
    if children:
        callee = expression(children[-1], scan.local)
        scan.site("implicit", f"delete {text_of(children[-1])}"[:200], node, f"delete {callee}")


def _declaration(scan: BodyScan, node: Node) -> None:
    kind = type_text(text_of(node.child_by_field_name("type")))
    kind = UNKNOWN if kind in scan.templates else kind
    for declarator in node.children_by_field_name("declarator"):
        value = declarator.child_by_field_name("value")
        _declare(scan, kind, declarator, value or node.child_by_field_name("value"))


def _declare(scan: BodyScan, kind: str, declarator: Node, value: Node | None) -> None:
    function = function_declarator(declarator)
    if function is not None and value is None:
        _vexing(scan, kind, function)
        return
    name, added = declarator_name(declarator)
    if name is None or name.type != "identifier":
        return
    if value is not None and value.type == "lambda_expression":
        _named_lambda(scan, text_of(name), value)
        return
    is_auto = kind.startswith(("auto", "decltype"))
    scan.local[text_of(name)] = _auto(scan, value) if is_auto else kind + added
    if not scan.is_file_level:
        _register(scan, value, f"=~{text_of(name)}")
    if not is_auto and not added and kind != UNKNOWN:
        _construct(scan, kind, name, value)


def _auto(scan: BodyScan, value: Node | None) -> str:
    return UNKNOWN if value is None else scan.value_type(value)


def _vexing(scan: BodyScan, kind: str, function: Node) -> None:
    """``T name(x);`` in a body is read as a function by the grammar but constructs in most code."""
    name = function.child_by_field_name("declarator")
    parameters = function.child_by_field_name("parameters")
    if name is None or name.type != "identifier" or parameters is None:
        return
    types = parameter_types(parameters)[0]
    if types and all(t in scan.local for t in types):
        scan.local[text_of(name)] = kind
        arguments = [scan.local[t] for t in types]
        scan.site("calls", kind, name, SEPARATOR.join([f"new {kind}", *arguments]))


def _construct(scan: BodyScan, kind: str, name: Node, value: Node | None) -> None:
    if value is not None and value.type not in ("argument_list", "initializer_list"):
        return
    scan.site("calls", kind, name, SEPARATOR.join([f"new {kind}", *scan.arguments(value)]))
    _register_arguments(scan, kind, value)


def _named_lambda(scan: BodyScan, name: str, node: Node) -> None:
    file = scan.file
    parent = scan.scope(node.start_byte)
    outer = file.symbols[parent].qualname
    start, end = node.start_byte, node.end_byte
    signature = words(file.text.code[start:end].split("{", 1)[0], 120)
    qualname = f"{outer}.{name}" if outer else name
    index = add(file, name, "function", start, end, signature, 0, "", parent, qualname)
    scan.spans.append((node.start_byte, node.end_byte, index))
    scan.local[name] = f"lambda:{index}"


def _parameter(scan: BodyScan, node: Node) -> None:
    kind, name = declared_parameter(node)
    if name:
        scan.local[name] = UNKNOWN if kind.startswith("auto") else kind


def _range(scan: BodyScan, node: Node) -> None:
    kind = type_text(text_of(node.child_by_field_name("type")))
    name, added = declarator_name(node.child_by_field_name("declarator"))
    if name is None or name.type != "identifier":
        return
    if kind.startswith("auto"):
        inner = expression(node.child_by_field_name("right"), scan.local)
        kind, added = (UNKNOWN, "") if UNKNOWN in inner else (f"={inner}[]", "")
    scan.local[text_of(name)] = kind + added


def _assignment(scan: BodyScan, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or text_of(node.child_by_field_name("operator")) != "=":
        return
    if left.type == "field_expression":
        holder = expression(left.child_by_field_name("argument"), scan.local)
        field = name_text(left.child_by_field_name("field") or left)
        _register(scan, right, f"{holder.strip('{}').rstrip('*&')}>{field}")
    elif left.type == "identifier":
        mark = "=~" if text_of(left) in scan.local else "="
        _register(scan, right, f"{mark}{text_of(left)}")


def _operator(scan: BodyScan, node: Node) -> None:
    operator = text_of(node.child_by_field_name("operator"))
    operand = node.child_by_field_name("left") or node.child_by_field_name("argument")
    if node.type == "subscript_expression":
        operator = "[]"
    elif operator not in _OVERLOADABLE:
        return
    left = expression(operand, scan.local)
    if left.startswith("{") and left[1:-1] in PRIMITIVES:
        return
    if UNKNOWN in left or left.endswith("*}") or left == "{nullptr}":
        return
    right = node.child_by_field_name("right")
    values = [scan.value_type(right)] if right else []
    scan.site("implicit", f"operator{operator}", node, SEPARATOR.join([left, *values]))


def _member(scan: BodyScan, node: Node) -> None:
    """``A::A() : Base(1), field(2)``: a base's constructor or a field's."""
    children = node.named_children
    if children:
        name = name_text(children[0])
        values = scan.arguments(children[1]) if len(children) > 1 else []
        scan.site("calls", name, node, SEPARATOR.join([f"member {name}", *values]))
        _register_arguments(scan, name, children[1] if len(children) > 1 else None)


def _pair(scan: BodyScan, node: Node) -> None:
    designator = node.child_by_field_name("designator")
    if designator is not None:
        field = text_of(designator).lstrip(".")
        _register(scan, node.child_by_field_name("value"), f">{field}")


_HANDLERS = {
    "call": _call,
    "new": _new,
    "delete": _delete,
    "declaration": _declaration,
    "parameter": _parameter,
    "range": _range,
    "assignment": _assignment,
    "operator": _operator,
    "member": _member,
    "literal": _literal,
    "pair": _pair,
}
