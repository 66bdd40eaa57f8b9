"""Lowering of imports and exports: ES modules, CommonJS forms of TypeScript, re-exports."""

from __future__ import annotations

from tree_sitter import Node

from codeviews.core.languages.ecma_expressions import FUNCTION_NODES, ROOT_HINT, pattern
from codeviews.core.languages.ecma_unit import (
    STATEMENTS,
    Ir,
    Unit,
    expression,
    first_named,
    statement,
)


def _import(unit: Unit, node: Node) -> Ir:
    source = node.child_by_field_name("source")
    line = node.start_point[0] + 1
    clauses = [
        c for c in node.named_children if c.type in ("import_clause", "import_require_clause")
    ]
    if clauses and clauses[0].type == "import_require_clause":
        return _import_require(unit, clauses[0], line)
    if source is None:
        return None
    module = unit.text(source)[1:-1]
    if not clauses:
        unit.add_import(module, "", "", line)
        return None
    for child in clauses[0].named_children:
        _import_names(unit, child, module)
    return None


def _import_require(unit: Unit, clause: Node, line: int) -> None:
    local = first_named(clause)
    source = clause.child_by_field_name("source")
    if local is not None and source is not None:
        module = unit.text(source)[1:-1]
        unit.add_import(module, "", unit.text(local), line)
        unit.bindings.append((unit.text(local), module, "="))


def _import_names(unit: Unit, node: Node, module: str) -> None:
    line = node.start_point[0] + 1
    if node.type == "identifier":
        unit.add_import(module, "default", unit.text(node), line)
        unit.bindings.append((unit.text(node), module, "default"))
    elif node.type == "namespace_import":
        inner = first_named(node)
        local = unit.text(inner) if inner is not None else ""
        unit.add_import(module, "", local, line)
        unit.bindings.append((local, module, "*"))
    for child in node.named_children if node.type == "named_imports" else []:
        name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
        if name is not None:
            wanted, local = _plain(unit, name), unit.text(alias) if alias else ""
            unit.add_import(module, wanted, local, child.start_point[0] + 1)
            unit.bindings.append((local or wanted, module, wanted))


def _plain(unit: Unit, node: Node) -> str:
    return unit.text(node).strip("'\"")


def _export(unit: Unit, node: Node) -> Ir:
    source = node.child_by_field_name("source")
    declaration = node.child_by_field_name("declaration")
    words = {child.type for child in node.children[:4]}
    if source is not None:
        _reexport(unit, node, unit.text(source)[1:-1])
        return None
    if declaration is not None:
        return _export_declaration(unit, declaration, "default" in words)
    value = node.child_by_field_name("value")
    if value is not None:
        return _export_default(unit, value)
    for child in node.named_children:
        if child.type == "export_clause":
            _export_names(unit, child)
        elif "=" in words:
            return ("x", ("=", (".", ("v", "module"), "exports", 0), expression(unit, child)))
    return None


def _export_declaration(unit: Unit, declaration: Node, default: bool) -> Ir:
    saved, unit.exported = unit.exported, True
    lowered = statement(unit, declaration)
    unit.exported = saved
    for name in _declared_names(unit, declaration):
        unit.exports.append(("local", "default" if default else name, name))
    return lowered


def _declared_names(unit: Unit, node: Node) -> list[str]:
    name = node.child_by_field_name("name")
    if name is not None:
        return [unit.text(name)]
    if node.type in ("lexical_declaration", "variable_declaration"):
        return [n for c in node.named_children for n in _declarator_names(unit, c)]
    if node.type == "ambient_declaration":
        return [n for c in node.named_children for n in _declared_names(unit, c)]
    return ["default"] if node.type.startswith(("function", "class", "generator")) else []


def _declarator_names(unit: Unit, node: Node) -> list[str]:
    name = node.child_by_field_name("name")
    return _pattern_names(pattern(unit, name)) if name is not None else []


def _pattern_names(target: Ir) -> list[str]:
    if target is None:
        return []
    match target[0]:
        case "v":
            return [str(target[1])]
        case "arrp":
            return [n for item in target[1] for n in _pattern_names(item)]
        case "objp":
            return [n for _, item in target[1] for n in _pattern_names(item)]
        case "def" | "...":
            return _pattern_names(target[1])
        case _:
            return []


def _export_default(unit: Unit, value: Node) -> Ir:
    unit.exports.append(("local", "default", "*default*"))
    if value.type in (*FUNCTION_NODES, "object"):
        unit.hint = ROOT_HINT if value.type == "object" else "default"
        unit.anchor = value
    saved, unit.exported = unit.exported, True
    lowered = expression(unit, value)
    unit.exported = saved
    unit.take_hint()
    return ("let", ("v", "*default*"), lowered, None, "const")


def _export_names(unit: Unit, clause: Node) -> None:
    for child in clause.named_children:
        name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
        if name is not None:
            local = _plain(unit, name)
            unit.exports.append(("local", _plain(unit, alias) if alias else local, local))
            unit.mark_exported(local)


def _reexport(unit: Unit, node: Node, module: str) -> None:
    line = node.start_point[0] + 1
    clause = [c for c in node.named_children if c.type in ("export_clause", "namespace_export")]
    if not clause:
        unit.add_import(module, "*", "", line)
        unit.exports.append(("star", module))
    elif clause[0].type == "namespace_export":
        inner = first_named(clause[0])
        unit.add_import(module, "", _plain(unit, inner) if inner else "", line)
        unit.exports.append(("from", _plain(unit, inner) if inner else "", module, "*"))
    else:
        for child in clause[0].named_children:
            name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
            if name is not None:
                wanted = _plain(unit, name)
                exported = _plain(unit, alias) if alias else wanted
                unit.add_import(module, wanted, exported if alias else "", line)
                unit.exports.append(("from", exported, module, wanted))


STATEMENTS.update({"import_statement": _import, "export_statement": _export})
