"""Kotlin: packages, extension functions, primary constructors, companions, lambdas with ``it``."""

from __future__ import annotations

import re

import tree_sitter_kotlin
from tree_sitter import Node

from codeviews.core.facts import ABSTRACT, ASYNC, ENTRY, FileFacts
from codeviews.core.languages.chains import Rules
from codeviews.core.languages.queried import ImportParts, Spec, extract_queried

RULES: Rules = {
    "identifier": ("name",),
    "user_type": ("name",),
    "this_expression": ("word", "this"),
    "super_expression": ("word", "super"),
    "navigation_expression": ("member", "#0", "#last", "."),
    "call_expression": ("call", "#0"),
    "value_argument": ("wrap", "#last"),
    "unary_expression": ("wrap", "argument"),
    "parenthesized_expression": ("wrap", "#0"),
    "as_expression": ("typed", "right"),
    "index_expression": ("index", "#0"),
    "binary_expression": ("binary", "<String>", "Boolean"),
    "callable_reference": ("member", "#0", "#last", "::"),
    "string_literal": ("literal", "String"),
    "number_literal": ("literal", "Int"),
}


def _imports(node: Node, text: str) -> list[ImportParts]:
    match = re.match(r"import\s+([\w.`]+?)(\.\*)?(?:\s+as\s+(\w+))?\s*;?\s*$", text)
    if match is None:
        return []
    path = match[1].replace("`", "")
    if match[2]:
        return [(path, "*", "")]
    module, _, name = path.rpartition(".")
    return [(module, name, match[3] or "")]


def _exported(name: str, words: frozenset[str]) -> bool:
    return not words & {"private", "internal", "protected"}


SPEC = Spec(
    language="kotlin",
    grammar=tree_sitter_kotlin.language,
    rules=RULES,
    imports=_imports,
    modifiers={"abstract": ABSTRACT, "suspend": ASYNC, "@Test": ENTRY},
    exported=_exported,
    implicit_parameter="it",
)


def extract(path: str, source: bytes) -> FileFacts:
    """Facts of one Kotlin file; never raises."""
    return extract_queried(SPEC, path, source)
