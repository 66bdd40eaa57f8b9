"""Go: definitions, sites, imports and flow facts.

``flow`` is ``(package, types, functions, values, constraint)``:

* types: ``(symbol, name, type parameters, type, is alias, members)``; a type parameter is
  ``(name, constraint)``, a member ``(interface method, symbol)`` or ``("<" + embedded, site)``;
* functions: ``(symbol, name, receiver, type parameters, parameters, results, body)``; a receiver is
  ``(variable, type name, names of type parameters)``;
* values: ``(symbol, names, type, expressions)`` of package-level variables and constants;
* constraint: the build constraint of the file as written, file name suffix included.
"""

from __future__ import annotations

import re
from importlib.resources import files

import tree_sitter_go
from tree_sitter import Language, Node, Parser, Query, QueryCursor

from codeviews.core.facts import DECLARATION, ENTRY, EXPORTED, FileFacts, Import, Symbol
from codeviews.core.languages.go_body import block, value_spec
from codeviews.core.languages.go_syntax import (
    GoUnit,
    Ir,
    embedded_name,
    first_named,
    lower_parameters,
    lower_results,
    lower_type,
)

GRAMMAR = Language(tree_sitter_go.language())
MAX_LOWERED_BYTES = 3_000_000
MAX_BYTES = 8_000_000
OUTLINE_MATCHES = 20_000
SIGNATURE_LIMIT = 240
DOC_LIMIT = 2000
PLATFORMS = frozenset(
    [
        "linux", "windows", "darwin", "freebsd", "netbsd", "openbsd", "solaris", "plan9", "js",
        "aix", "android", "dragonfly", "illumos", "ios", "wasip1", "unix", "amd64", "arm64", "386",
        "arm", "wasm", "riscv64", "ppc64le", "s390x", "mips64", "loong64",
    ]
)  # fmt: skip
CONSTRAINT = re.compile(rb"^//go:build +(.+)$", re.MULTILINE)


def extract(path: str, source: bytes) -> FileFacts:
    """Facts of one Go file."""
    lines = source.count(b"\n") + 1
    module = Symbol("", "", "module", 1, lines, 0, len(source), "", "", -1)
    facts = FileFacts("go", [module])
    root = Parser(GRAMMAR).parse(source[:MAX_BYTES]).root_node
    unit = GoUnit(source, facts)
    if len(source) > MAX_LOWERED_BYTES:
        facts.notes.append("very large: definitions only, without call edges")
        _outline(root, unit)
        return facts
    _lower(path, root, unit)
    if unit.cut:
        facts.notes.append("code nested very deeply was read in part")
    if root.has_error:
        facts.notes.append("syntax errors: the rest was read")
    return facts


def _outline(root: Node, unit: GoUnit) -> None:
    text = files("codeviews.core.languages").joinpath("queries", "go.scm").read_text("utf-8")
    cursor = QueryCursor(Query(GRAMMAR, text), match_limit=256)
    for number, (_, captures) in enumerate(cursor.matches(root)):
        if number >= OUTLINE_MATCHES:
            break
        name = unit.text(captures["name"][0])
        for label, nodes in captures.items():
            if label.startswith("definition."):
                _add_symbol(unit, name, label.partition(".")[2], nodes[0], nodes[0])


def _lower(path: str, root: Node, unit: GoUnit) -> None:
    package, doc, last_comment = "", "", -2
    types: list[Ir] = []
    functions: list[Ir] = []
    values: list[Ir] = []
    waiting: list[tuple[Node, str]] = []
    for child in root.named_children:
        row = child.start_point[0]
        if child.type == "comment":
            text = _clean(unit.text(child))
            doc = f"{doc}\n{text}" if row == last_comment + 1 and doc else text
            last_comment = child.end_point[0]
            continue
        doc = doc if row == last_comment + 1 else ""
        if child.type == "package_clause":
            name = first_named(child)
            package = unit.text(name) if name is not None else ""
            unit.facts.symbols[0] = unit.facts.symbols[0]._replace(doc=doc[:DOC_LIMIT])
        elif child.type == "import_declaration":
            _imports(unit, child)
        elif child.type == "type_declaration":
            types += _type_declarations(unit, child, doc)
        else:
            waiting.append((child, doc))
        doc = ""
    for child, text in waiting:
        if child.type in ("function_declaration", "method_declaration"):
            functions.append(_function(unit, child, text))
        elif child.type in ("var_declaration", "const_declaration"):
            values += _values(unit, child, text)
    constraint = _constraint(path, unit.source)
    unit.facts.flow = (package, tuple(types), tuple(functions), tuple(values), constraint)


def _constraint(path: str, source: bytes) -> str:
    stem = path.rpartition("/")[2].removesuffix(".go").removesuffix("_test")
    suffix = [part for part in stem.split("_")[1:][-2:] if part in PLATFORMS]
    match = CONSTRAINT.search(source[:4000])
    written = match[1].decode("utf-8", "replace").strip() if match else ""
    return " ".join([*suffix, written]).strip()


def _clean(text: str) -> str:
    lines = [line.strip().removeprefix("//").strip("/* \t") for line in text.splitlines()]
    return "\n".join(lines).strip()


def _add_symbol(
    unit: GoUnit,
    name: str,
    kind: str,
    node: Node,
    body: Node | None = None,
    doc: str = "",
    flags: int = 0,
) -> int:
    """Add a definition; a dotted name hangs under the type before the dot."""
    outer = unit.facts.symbols[unit.scope].qualname
    wanted = f"{outer}.{name}" if outer else name
    qualname = wanted
    if wanted in unit.qualnames:
        number = unit.repeats.get(wanted, 1) + 1
        unit.repeats[wanted] = number
        qualname = f"{wanted}#{number}"
    short = name.rpartition(".")[2]
    if short[:1].isupper():
        flags |= EXPORTED
    parent = unit.qualnames.get(name.rpartition(".")[0], unit.scope) if "." in name else unit.scope
    symbol = Symbol(
        short,
        qualname,
        kind,
        node.start_point[0] + 1,
        node.end_point[0] + 1,
        node.start_byte,
        node.end_byte,
        _signature(unit, node, body),
        doc[:DOC_LIMIT],
        parent,
        flags,
    )
    unit.facts.symbols.append(symbol)
    unit.qualnames[qualname] = len(unit.facts.symbols) - 1
    return len(unit.facts.symbols) - 1


def _signature(unit: GoUnit, node: Node, body: Node | None) -> str:
    end = body.start_byte if body is not None and body != node else node.end_byte
    head = unit.source[node.start_byte : min(end, node.start_byte + 4 * SIGNATURE_LIMIT)]
    return " ".join(head.decode("utf-8", "replace").split())[:SIGNATURE_LIMIT].rstrip(" {=")


def _imports(unit: GoUnit, node: Node) -> None:
    specs: list[Node] = []
    for child in node.named_children:
        specs += child.named_children if child.type == "import_spec_list" else [child]
    for spec in specs:
        path, name = spec.child_by_field_name("path"), spec.child_by_field_name("name")
        if path is not None:
            alias = unit.text(name) if name is not None else ""
            star = "*" if alias == "." else ""
            line = spec.start_point[0] + 1
            unit.facts.imports.append(Import(unit.text(path)[1:-1], star, alias, line))


def _type_declarations(unit: GoUnit, node: Node, doc: str) -> list[Ir]:
    specs = [c for c in node.named_children if c.type in ("type_spec", "type_alias")]
    alone = len(specs) == 1
    found: list[Ir] = []
    for spec in specs:
        text = doc if alone else _doc_above(unit, spec)
        lowered = _type(unit, spec, node if alone else spec, text)
        if lowered is not None:
            found.append(lowered)
    return found


def _doc_above(unit: GoUnit, node: Node) -> str:
    before = node.prev_named_sibling
    if before is None or before.type != "comment":
        return ""
    return _clean(unit.text(before)) if before.end_point[0] + 1 == node.start_point[0] else ""


def _type(unit: GoUnit, spec: Node, anchor: Node, doc: str) -> Ir:
    name, body = spec.child_by_field_name("name"), spec.child_by_field_name("type")
    if name is None or body is None:
        return None
    text = unit.text(name)
    kinds = {"struct_type": "struct", "interface_type": "interface"}
    inner = first_named(body) if body.type == "struct_type" else body
    head = inner if body.type in kinds else None
    symbol = _add_symbol(unit, text, kinds.get(body.type, "type"), anchor, head, doc)
    members = _members(unit, symbol, body)
    parameters = tuple(_type_parameters(unit, spec))
    alias = spec.type == "type_alias"
    return (symbol, text, parameters, lower_type(unit, body), alias, members)


def _type_parameters(unit: GoUnit, node: Node) -> list[tuple[str, Ir]]:
    formal = node.child_by_field_name("type_parameters")
    found: list[tuple[str, Ir]] = []
    for child in formal.named_children if formal is not None else []:
        constraint = lower_type(unit, child.child_by_field_name("type"))
        found += [(unit.text(n), constraint) for n in child.children_by_field_name("name")]
    return found


def _members(unit: GoUnit, symbol: int, body: Node) -> tuple[tuple[str, int], ...]:
    """Symbols of interface methods by name; sites of embedded types by ``<name``."""
    saved, unit.scope = unit.scope, symbol
    found: list[tuple[str, int]] = []
    holder = first_named(body) if body.type == "struct_type" else body
    nodes = holder.named_children if holder is not None and body.type in MEMBER_HOLDERS else []
    for child in nodes:
        names = child.children_by_field_name("name")
        if child.type == "method_elem" and names:
            text = unit.text(names[0])
            made = _add_symbol(unit, text, "method", child, None, "", DECLARATION)
            found.append((text, made))
        elif child.type == "field_declaration" and names:
            for name in names:
                _add_symbol(unit, unit.text(name), "field", child)
        elif child.type in ("field_declaration", "type_elem"):
            found += _embedded(unit, child)
    unit.scope = saved
    return tuple(found)


MEMBER_HOLDERS = frozenset(["struct_type", "interface_type"])


def _embedded(unit: GoUnit, node: Node) -> list[tuple[str, int]]:
    kinds = node.children_by_field_name("type") or node.named_children
    if len(kinds) != 1:
        return []
    lowered = lower_type(unit, kinds[0])
    name = embedded_name(lowered)
    if not name:
        return []
    return [
        (
            "<" + name,
            unit.add_site("inherits", unit.text(kinds[0]).lstrip("*"), node.start_point[0] + 1),
        )
    ]


def _function(unit: GoUnit, node: Node, doc: str) -> Ir:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    text = unit.text(name) if name is not None else ""
    receiver = _receiver(unit, node)
    qualified = f"{receiver[1]}.{text}" if receiver is not None else text
    flags = ENTRY if receiver is None and text in ("main", "init") else 0
    kind = "method" if receiver is not None else "function"
    symbol = _add_symbol(unit, qualified, kind, node, body, doc, flags)
    saved, unit.scope = unit.scope, symbol
    lowered = (
        symbol,
        text,
        receiver,
        tuple(_type_parameters(unit, node)),
        tuple(lower_parameters(unit, node)),
        tuple(lower_results(unit, node)),
        block(unit, body),
    )
    unit.scope = saved
    return lowered


def _receiver(unit: GoUnit, node: Node) -> tuple[str, str, tuple[str, ...]] | None:
    found = lower_parameters(unit, node, "receiver")
    if node.type != "method_declaration" or not found:
        return None
    variable, declared = found[0]
    while declared is not None and declared[0] == "*":
        declared = declared[1]
    names: tuple[str, ...] = ()
    if declared is not None and declared[0] == "g":
        names = tuple(str(item[1]) if item is not None else "" for item in declared[2])
        declared = declared[1]
    return (variable, embedded_name(declared), names)


def _values(unit: GoUnit, node: Node, doc: str) -> list[Ir]:
    kind = "constant" if node.type == "const_declaration" else "variable"
    specs: list[Node] = []
    for child in node.named_children:
        specs += child.named_children if child.type == "var_spec_list" else [child]
    specs = [spec for spec in specs if spec.type in ("var_spec", "const_spec")]
    found: list[Ir] = []
    for spec in specs:
        text = doc if len(specs) == 1 else _doc_above(unit, spec)
        found.append(_value(unit, spec, node if len(specs) == 1 else spec, kind, text))
    return found


def _value(unit: GoUnit, spec: Node, anchor: Node, kind: str, doc: str) -> Ir:
    symbol = 0
    for name in spec.children_by_field_name("name"):
        if name.is_named and unit.text(name) != "_":
            body = spec.child_by_field_name("value")
            made = _add_symbol(unit, unit.text(name), kind, anchor, body, doc)
            symbol = symbol or made
    saved, unit.scope = unit.scope, symbol
    _, names, declared, expressions = value_spec(unit, spec)
    unit.scope = saved
    return (symbol, names, declared, expressions)
