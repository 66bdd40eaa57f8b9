"""PHP: namespaces, traits, promoted properties, static and instance calls."""

from __future__ import annotations

import re

import tree_sitter_php
from tree_sitter import Node

from codeviews.core.facts import ABSTRACT, STATIC, FileFacts
from codeviews.core.languages.chains import Rules
from codeviews.core.languages.queried import ImportParts, Spec, extract_queried

RULES: Rules = {
    "name": ("name",),
    "variable_name": ("name",),
    "qualified_name": ("qualified",),
    "relative_scope": ("name",),
    "member_access_expression": ("member", "object", "name", "."),
    "nullsafe_member_access_expression": ("member", "object", "name", "."),
    "member_call_expression": ("method", "object", "name", "."),
    "nullsafe_member_call_expression": ("method", "object", "name", "."),
    "scoped_call_expression": ("method", "scope", "name", "::"),
    "scoped_property_access_expression": ("member", "scope", "name", "::"),
    "class_constant_access_expression": ("member", "#0", "#last", "::"),
    "function_call_expression": ("call", "function"),
    "object_creation_expression": ("new", "#0"),
    "parenthesized_expression": ("wrap", "#0"),
    "assignment_expression": ("wrap", "right"),
    "subscript_expression": ("index", "#0"),
    "clone_expression": ("wrap", "#0"),
    "argument": ("wrap", "#last"),
    "string": ("literal", "string"),
    "encapsed_string": ("literal", "string"),
    "integer": ("literal", "int"),
    "boolean": ("literal", "bool"),
}


def _imports(node: Node, text: str) -> list[ImportParts]:
    if node.type != "namespace_use_declaration":
        file = re.search(r"['\"]([^'\"]+\.\w+)['\"]", text)
        return [("./" + file[1].lstrip("/"), "", "")] if file else []
    match = re.match(r"use\s+(?:function\s+|const\s+)?(.*?);?\s*$", text, re.S)
    head, brace, inside = match[1].partition("{") if match else ("", "", "")
    items = inside.rstrip().rstrip("}").split(",") if brace else head.split(",")
    prefix = head if brace else ""
    return [_clause(prefix + item.strip()) for item in items if item.strip()]


def _clause(text: str) -> ImportParts:
    path, *alias = re.split(r"\s+as\s+", text.strip())
    module, _, name = path.strip().strip("\\").replace("\\", ".").rpartition(".")
    return module, name, alias[0].strip() if alias else ""


SPEC = Spec(
    language="php",
    grammar=tree_sitter_php.language_php,
    rules=RULES,
    imports=_imports,
    modifiers={"static": STATIC, "abstract": ABSTRACT},
    fields=("$this.",),
)


def extract(path: str, source: bytes) -> FileFacts:
    """Facts of one PHP file; never raises."""
    return extract_queried(SPEC, path, source)
