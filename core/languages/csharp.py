"""C#: namespaces and usings, partial types, properties, extension methods."""

from __future__ import annotations

import re

import tree_sitter_c_sharp
from tree_sitter import Node

from codeviews.core.facts import ABSTRACT, ASYNC, STATIC, FileFacts
from codeviews.core.languages.chains import Rules
from codeviews.core.languages.queried import ImportParts, Spec, extract_queried

RULES: Rules = {
    "identifier": ("name",),
    "generic_name": ("name",),
    "qualified_name": ("name",),
    "this": ("word", "this"),
    "base": ("word", "base"),
    "member_access_expression": ("member", "expression", "name", "."),
    "conditional_access_expression": ("join", "condition", "#last"),
    "member_binding_expression": ("binding", "name"),
    "invocation_expression": ("call", "function"),
    "object_creation_expression": ("new", "type"),
    "constructor_initializer": ("constructor",),
    "parenthesized_expression": ("wrap", "#0"),
    "await_expression": ("wrap", "#0"),
    "postfix_unary_expression": ("wrap", "#0"),
    "cast_expression": ("typed", "type"),
    "as_expression": ("typed", "right"),
    "element_access_expression": ("index", "expression"),
    "argument": ("wrap", "#last"),
    "string_literal": ("literal", "string"),
    "interpolated_string_expression": ("literal", "string"),
    "integer_literal": ("literal", "int"),
    "boolean_literal": ("literal", "bool"),
}


def _imports(node: Node, text: str) -> list[ImportParts]:
    match = re.match(
        r"(?:global\s+)?using\s+(?:static\s+)?(?:(\w+)\s*=\s*)?([\w.:]+)[^;]*;?\s*$", text
    )
    if match is None:
        return []
    path = match[2].replace("global::", "").replace("::", ".")
    if not match[1]:
        return [(path, "*", "")]
    module, _, name = path.rpartition(".")
    return [(module, name, match[1])]


SPEC = Spec(
    language="csharp",
    grammar=tree_sitter_c_sharp.language,
    rules=RULES,
    imports=_imports,
    modifiers={"static": STATIC, "abstract": ABSTRACT, "async": ASYNC},
)


def extract(path: str, source: bytes) -> FileFacts:
    """Facts of one C# file; never raises."""
    return extract_queried(SPEC, path, source)
