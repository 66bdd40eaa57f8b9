"""Swift: types, extensions, protocols, initialisers, optional bindings."""

from __future__ import annotations

import re

import tree_sitter_swift
from tree_sitter import Node

from codeviews.core.facts import ASYNC, STATIC, FileFacts
from codeviews.core.languages.chains import Rules
from codeviews.core.languages.queried import ImportParts, Spec, extract_queried

RULES: Rules = {
    "simple_identifier": ("name",),
    "type_identifier": ("name",),
    "user_type": ("name",),
    "self_expression": ("word", "self"),
    "super_expression": ("word", "super"),
    "navigation_expression": ("member", "target", "suffix", "."),
    "call_expression": ("call", "#0"),
    "postfix_expression": ("wrap", "target"),
    "try_expression": ("wrap", "expr"),
    "await_expression": ("wrap", "expr"),
    "as_expression": ("typed", "name"),
    "tuple_expression": ("wrap", "value"),
    "directly_assignable_expression": ("wrap", "#0"),
    "value_argument": ("wrap", "value"),
    "line_string_literal": ("literal", "String"),
    "integer_literal": ("literal", "Int"),
    "boolean_literal": ("literal", "Bool"),
}


def _imports(node: Node, text: str) -> list[ImportParts]:
    match = re.match(r"(?:@\w+\s+)*import\s+(?:\w+\s+)?([\w.]+)\s*$", text)
    return [(match[1], "*", "")] if match else []


SPEC = Spec(
    language="swift",
    grammar=tree_sitter_swift.language,
    rules=RULES,
    imports=_imports,
    modifiers={"static": STATIC, "async": ASYNC},
    result=re.compile(r"\)\s*(?:async\s+)?(?:re?throws\s+)?->\s*(.+?)(?:\s+where\b.*)?$"),
    constructor="init",
    implicit_parameter="$0",
    fields=("self.",),
)


def extract(path: str, source: bytes) -> FileFacts:
    """Facts of one Swift file; never raises."""
    return extract_queried(SPEC, path, source)
