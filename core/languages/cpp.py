"""C++: namespaces, classes, methods in and out of class, templates, calls.

``flow`` is ``{"classes": {symbol: [scope, bases, fields, final]}, "functions": {symbol: [scope,
return type, parameter types, required, virtual]}, "usings": [[scope, kind, name, target]],
"variables": {name: type}, "alias": ...}``, the last as in C. A scope is a dotted prefix (``ns.A``).
"""

from __future__ import annotations

from tree_sitter import Node, Parser

from codeviews.core.facts import DECLARATION, ENTRY, STATIC, FileFacts, Site
from codeviews.core.languages.c_file import File, add, add_directive, apply_flags, flow, open_file
from codeviews.core.languages.c_text import read, words
from codeviews.core.languages.cpp_body import BodyScan, language
from codeviews.core.languages.cpp_text import (
    declarator_name,
    expression,
    function_declarator,
    name_text,
    parameter_types,
    template_names,
    text_of,
    type_text,
    without_macros,
)

_CLASSES = {"class_specifier": "class", "struct_specifier": "struct", "union_specifier": "union"}
_DESCEND = frozenset(["declaration_list", "linkage_specification", "ERROR", "translation_unit"])
_MAX_DEPTH = 60


def extract(path: str, source: bytes) -> FileFacts:
    """Facts of a C++ file."""
    text = read(source, is_cpp=True)
    file = open_file(path, text, len(source))
    for directive in text.directives:
        add_directive(file, directive)
    tree = Parser(language()).parse(without_macros(text.code).encode("latin-1"))
    reader = _Reader(file)
    reader.walk(tree.root_node, "", 0, 0, False)
    apply_flags(file)
    _definitions_first(file)
    file.sites.sort(key=lambda site: site.line)
    notes = [_note(tree.root_node)] if tree.root_node.has_error else []
    return FileFacts("cpp", file.symbols, file.sites, file.imports, reader.flow(), notes)


def _definitions_first(file: File) -> None:
    """A definition takes the plain name, an earlier declaration of it the numbered one."""
    groups: dict[str, list[int]] = {}
    for index, symbol in enumerate(file.symbols):
        plain = symbol.qualname.partition("#")[0]
        if file.taken.get(plain, 0) > 1:
            groups.setdefault(plain, []).append(index)
    for plain, members in groups.items():
        members.sort(key=lambda i: bool(file.symbols[i].flags & DECLARATION))
        for count, index in enumerate(members, 1):
            name = plain if count == 1 else f"{plain}#{count}"
            file.symbols[index] = file.symbols[index]._replace(qualname=name)


def _note(root: Node) -> str:
    node = root
    while not node.is_error and not node.is_missing:
        inner = next((child for child in node.children if child.has_error), None)
        if inner is None:
            break
        node = inner
    return f"syntax not understood near line {node.start_point[0] + 1}: the rest was read"


class _Reader:
    """Walks declarations; bodies go to :class:`BodyScan`."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.classes: dict[int, list[object]] = {}
        self.functions: dict[int, list[object]] = {}
        self.usings: list[list[str]] = []
        self.templates: frozenset[str] = frozenset()

    def flow(self) -> dict[str, object]:
        """The file's ``flow``."""
        parts = flow(self.file)
        parts["classes"] = self.classes
        parts["functions"] = self.functions
        parts["usings"] = self.usings
        return {name: part for name, part in parts.items() if part}

    def walk(self, node: Node, scope: str, parent: int, depth: int, hidden: bool) -> None:
        """Read the declarations below ``node``; ``hidden`` inside an unnamed namespace."""
        if depth > _MAX_DEPTH:
            return
        for child in node.named_children:
            self._one(child, scope, parent, depth, hidden)

    def _one(self, node: Node, scope: str, parent: int, depth: int, hidden: bool) -> None:
        kind = node.type
        if kind in _DESCEND:
            self.walk(node, scope, parent, depth + 1, hidden)
        elif kind == "template_declaration":
            self._template(node, scope, parent, depth, hidden)
        elif kind == "friend_declaration":
            self._friend(node, scope, hidden)
        elif kind == "namespace_definition":
            self._namespace(node, scope, parent, depth, hidden)
        elif kind in _CLASSES:
            self._class(node, scope, parent, depth, hidden)
        elif kind == "enum_specifier":
            self._enum(node, scope, parent)
        elif kind == "function_definition":
            self._function(node, scope, parent, hidden)
        elif kind in ("declaration", "field_declaration"):
            self._declaration(node, scope, parent, depth, hidden)
        elif kind in ("using_declaration", "alias_declaration", "type_definition"):
            self._using(node, scope, parent, depth, hidden)

    def _template(self, node: Node, scope: str, parent: int, depth: int, hidden: bool) -> None:
        outer = self.templates
        self.templates = outer | template_names(node)
        self.walk(node, scope, parent, depth + 1, hidden)
        self.templates = outer

    def _friend(self, node: Node, scope: str, hidden: bool) -> None:
        """A friend defined in a class belongs to the namespace around it."""
        for child in node.named_children:
            if child.type == "function_definition":
                self._function(child, scope.rpartition(".")[0], 0, hidden)

    def _namespace(self, node: Node, scope: str, parent: int, depth: int, hidden: bool) -> None:
        name_node = node.child_by_field_name("name")
        name = name_text(name_node).replace("::", ".") if name_node else ""
        body = node.child_by_field_name("body")
        if body is None:
            return
        inner = _join(scope, name)
        index = parent
        if name:
            index = self._add(name.rsplit(".", 1)[-1], inner, "namespace", node, parent)
        self.walk(body, inner, index, depth + 1, hidden or not name)

    def _class(self, node: Node, scope: str, parent: int, depth: int, hidden: bool) -> int:
        body = node.child_by_field_name("body")
        name_node = node.child_by_field_name("name")
        if body is None:
            return 0
        name = _plain_name(name_node) if name_node else ""
        if not name:
            self.walk(body, scope, parent, depth + 1, hidden)
            return 0
        inner = _join(scope, name.replace("::", "."))
        index = self._add(name.rsplit("::", 1)[-1], inner, _CLASSES[node.type], node, parent)
        bases = self._bases(node, index)
        final = " final" in text_of(node)[: body.start_byte - node.start_byte]
        self.classes[index] = [inner, bases, {}, final]
        self.walk(body, inner, index, depth + 1, hidden)
        return index

    def _bases(self, node: Node, index: int) -> list[str]:
        clause = next((c for c in node.named_children if c.type == "base_class_clause"), None)
        bases: list[str] = []
        for child in clause.named_children if clause else ():
            if child.type in ("type_identifier", "qualified_identifier", "template_type"):
                bases.append(name_text(child))
                line = self.file.text.line(child.start_byte)
                self.file.sites.append(Site("inherits", name_text(child), line, index))
        return bases

    def _enum(self, node: Node, scope: str, parent: int) -> None:
        name_node = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if body is None:
            return
        index, inner = parent, scope
        if name_node is not None and name_text(name_node):
            inner = _join(scope, name_text(name_node).replace("::", "."))
            index = self._add(inner.rsplit(".", 1)[-1], inner, "enum", node, parent)
        for item in body.named_children:
            name = item.child_by_field_name("name")
            text = text_of(name)
            if text:
                self._add(text, _join(inner, text), "constant", item, index)

    def _function(self, node: Node, scope: str, parent: int, hidden: bool) -> None:
        declarator = node.child_by_field_name("declarator")
        function = function_declarator(declarator) or _cast_operator(declarator)
        if function is None:
            return
        index = self._add_function(node, function, scope, parent, hidden, 0)
        if index is None:
            return
        parameters = function.child_by_field_name("parameters")
        local = parameter_types(parameters)[2]
        scan = BodyScan(self.file, index, local, tuple(local))
        scan.templates = self.templates
        scan.forget_templates()
        scan.run(node)

    def _add_function(
        self, node: Node, function: Node, scope: str, parent: int, hidden: bool, flags: int
    ) -> int | None:
        name, owner = _function_name(function)
        if not name:
            return None
        inner = _join(scope, owner)
        in_class = parent in self.classes
        head = self._head(node)
        is_static = any(
            c.type == "storage_class_specifier" and text_of(c) == "static" for c in node.children
        )
        if is_static or (hidden and not owner and not in_class):
            flags |= STATIC
        if name == "main" and not inner:
            flags |= ENTRY
        kind = "method" if owner or in_class else "function"
        index = self._add(name, _join(inner, name), kind, node, parent, words(head), flags)
        if any(child.type == "delete_method_clause" for child in node.children):
            return index
        types, required, _ = parameter_types(function.child_by_field_name("parameters"))
        declared = node.child_by_field_name("type")
        _, added = declarator_name(node.child_by_field_name("declarator"))
        result = type_text(text_of(declared)) + (added if added in ("*", "&") else "")
        trailing = next((c for c in function.children if c.type == "trailing_return_type"), None)
        if trailing is not None and trailing.named_children:
            result = type_text(text_of(trailing.named_children[0]))
        virtual = "virtual" in head.split("(", 1)[0].split() or _overrides(function)
        self.functions[index] = [inner, result, types, required, virtual]
        return index

    def _head(self, node: Node) -> str:
        body = node.child_by_field_name("body")
        end = body.start_byte if body else node.end_byte
        return self.file.text.code[node.start_byte : end].rstrip(" ;\n\t")

    def _declaration(self, node: Node, scope: str, parent: int, depth: int, hidden: bool) -> None:
        kind_node = node.child_by_field_name("type")
        if kind_node is not None and kind_node.type in _CLASSES:
            self._class(kind_node, scope, parent, depth, hidden)
        elif kind_node is not None and kind_node.type == "enum_specifier":
            self._enum(kind_node, scope, parent)
        kind = type_text(_type_name(kind_node))
        for declarator in node.children_by_field_name("declarator"):
            function = function_declarator(declarator) or _cast_operator(declarator)
            if function is not None:
                if declarator.type == "init_declarator" and parent not in self.classes:
                    self._variable(node, kind, declarator, scope, parent, hidden)
                else:
                    self._add_function(node, function, scope, parent, hidden, DECLARATION)
            else:
                self._variable(node, kind, declarator, scope, parent, hidden)

    def _variable(
        self, node: Node, kind: str, declarator: Node, scope: str, parent: int, hidden: bool
    ) -> None:
        name_node, added = declarator_name(declarator)
        if name_node is None or name_node.type not in (
            "identifier",
            "field_identifier",
            "qualified_identifier",
        ):
            return
        name = name_text(name_node).rsplit("::", 1)[-1]
        if not name:
            return
        value = declarator.child_by_field_name("value") or node.child_by_field_name("default_value")
        if kind.startswith("auto") and value is not None:
            kind, added = "=" + expression(value, {}), ""
        owner = self.classes.get(parent)
        if owner is not None:
            fields = owner[2]
            assert isinstance(fields, dict)
            fields[name] = "?" if kind in self.templates else kind + added
            return
        self.file.variables[_join(scope, name)] = kind + added
        flags = STATIC if hidden or "static" in text_of(node)[:40].split() else 0
        head = self._head(node).split("=", 1)[0]
        index = self._add(name, _join(scope, name), "variable", node, parent, words(head), flags)
        scan = BodyScan(self.file, index, {})
        scan.run(node)
        self._table(scan, index, kind, value)

    def _table(self, scan: BodyScan, index: int, kind: str, value: Node | None) -> None:
        """Functions stored by an initialiser, by field or by position."""
        if value is None:
            return
        if value.type in ("identifier", "qualified_identifier", "pointer_expression"):
            node = value.child_by_field_name("argument") or value
            scan.site("registers", name_text(node), node, f"={self.file.symbols[index].name}")
        elif value.type == "initializer_list":
            self._list(scan, kind, value, 0)

    def _list(self, scan: BodyScan, kind: str, value: Node, depth: int) -> None:
        for position, item in enumerate(value.named_children):
            where = f"{kind}>#{position}"
            if item.type == "initializer_pair":
                field = text_of(item.child_by_field_name("designator")).lstrip(".")
                where = f"{kind}>{field}"
                item = item.child_by_field_name("value") or item
            if item.type == "pointer_expression":
                item = item.child_by_field_name("argument") or item
            if item.type in ("identifier", "qualified_identifier"):
                scan.site("registers", name_text(item), item, where)
            elif item.type == "initializer_list" and depth < 8:
                self._list(scan, kind, item, depth + 1)

    def _using(self, node: Node, scope: str, parent: int, depth: int, hidden: bool) -> None:
        if node.type == "using_declaration":
            target = node.named_children[-1] if node.named_children else None
            if target is not None:
                is_namespace = any(child.type == "namespace" for child in node.children)
                kind = "namespace" if is_namespace else "name"
                path = name_text(target).replace("::", ".").lstrip(".")
                self.usings.append([scope, kind, path.rsplit(".", 1)[-1], path])
            return
        kind_node = node.child_by_field_name("type")
        if kind_node is not None and kind_node.type in _CLASSES:
            self._class(kind_node, scope, parent, depth, hidden)
        for name_node in node.children_by_field_name("name") or node.children_by_field_name(
            "declarator"
        ):
            name, _ = declarator_name(name_node)
            text = text_of(name)
            if text and name is not None and name.type in ("type_identifier", "identifier"):
                self.usings.append([scope, "alias", text, type_text(_type_name(kind_node))])
                self._add(text, _join(scope, text), "type", node, parent, words(text_of(node)))

    def _add(
        self,
        name: str,
        qualname: str,
        kind: str,
        node: Node,
        parent: int,
        signature: str = "",
        flags: int = 0,
    ) -> int:
        file = self.file
        start, end = node.start_byte, node.end_byte
        above = node.parent
        if above is not None and above.type == "template_declaration":
            start = above.start_byte
        if not signature:
            signature = words(self._head(node)) if kind != "namespace" else ""
        doc = file.text.doc(start)
        return add(file, name, kind, start, end, signature, flags, doc, parent, qualname)


def _join(scope: str, name: str) -> str:
    return f"{scope}.{name}" if scope and name else scope or name


def _plain_name(node: Node) -> str:
    name = name_text(node)
    return name.split("<", 1)[0]


def _type_name(node: Node | None) -> str:
    """A type's text; a class body is left out."""
    if node is not None and node.type in _CLASSES:
        return text_of(node.child_by_field_name("name"))
    return text_of(node)


def _overrides(function: Node) -> bool:
    return any(child.type == "virtual_specifier" for child in function.children)


def _cast_operator(node: Node | None) -> Node | None:
    return node if node is not None and node.type == "operator_cast" else None


def _function_name(function: Node) -> tuple[str, str]:
    """(name, dotted owner) of ``A::m``, ``~A``, ``operator+`` or ``operator bool``."""
    if function.type == "operator_cast":
        return "operator " + type_text(text_of(function.child_by_field_name("type"))), ""
    node = function.child_by_field_name("declarator")
    owners: list[str] = []
    while node is not None and node.type == "qualified_identifier":
        owner = node.child_by_field_name("scope")
        if owner is not None:
            owners.append(_plain_name(owner))
        node = node.child_by_field_name("name")
    if node is None:
        return "", ""
    if node.type == "template_function":
        node = node.child_by_field_name("name") or node
    if node.type == "operator_cast":
        return "operator " + type_text(text_of(node.child_by_field_name("type"))), ".".join(owners)
    if node.type not in ("identifier", "field_identifier", "destructor_name", "operator_name"):
        return "", ""
    return name_text(node), ".".join(owners)
