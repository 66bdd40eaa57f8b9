"""Java: packages, nested types, overloads, lambdas and method references."""

from __future__ import annotations

import re

import tree_sitter_java
from tree_sitter import Node

from codeviews.core.facts import ABSTRACT, ENTRY, STATIC, FileFacts
from codeviews.core.languages.chains import Rules
from codeviews.core.languages.queried import ImportParts, Spec, extract_queried

RULES: Rules = {
    "identifier": ("name",),
    "type_identifier": ("name",),
    "scoped_type_identifier": ("name",),
    "scoped_identifier": ("name",),
    "generic_type": ("name",),
    "this": ("word", "this"),
    "super": ("word", "super"),
    "field_access": ("member", "object", "field", "."),
    "method_invocation": ("method", "object", "name", "."),
    "object_creation_expression": ("new", "type"),
    "explicit_constructor_invocation": ("call", "constructor"),
    "parenthesized_expression": ("wrap", "#0"),
    "cast_expression": ("typed", "type"),
    "array_access": ("index", "array"),
    "assignment_expression": ("wrap", "right"),
    "method_reference": ("member", "#0", "#last", "::"),
    "class_literal": ("literal", "Class"),
    "string_literal": ("literal", "String"),
    "character_literal": ("literal", "char"),
    "decimal_integer_literal": ("literal", "int"),
    "decimal_floating_point_literal": ("literal", "double"),
    "binary_expression": ("binary", "<String>", "boolean"),
    "unary_expression": ("wrap", "operand"),
    "array_creation_expression": ("typed", "type"),
    "ternary_expression": ("choice", "consequence", "alternative"),
    "true": ("literal", "boolean"),
    "false": ("literal", "boolean"),
}


def _imports(node: Node, text: str) -> list[ImportParts]:
    match = re.match(r"import\s+(static\s+)?([\w.\s$]+?)(\.\s*\*)?\s*;?\s*$", text)
    if match is None:
        return []
    path = re.sub(r"\s+", "", match[2])
    if match[3]:
        return [(path, "*", "")]
    module, _, name = path.rpartition(".")
    return [(module, name, "")]


SPEC = Spec(
    language="java",
    grammar=tree_sitter_java.language,
    rules=RULES,
    imports=_imports,
    modifiers={"static": STATIC, "abstract": ABSTRACT, "@Test": ENTRY},
)


def extract(path: str, source: bytes) -> FileFacts:
    """Facts of one Java file; never raises."""
    return extract_queried(SPEC, path, source)
