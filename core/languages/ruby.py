"""Ruby: modules as namespaces and mixins, attributes, calls without parentheses."""

from __future__ import annotations

import re

import tree_sitter_ruby
from tree_sitter import Node

from codeviews.core.facts import FileFacts
from codeviews.core.languages.chains import Rules
from codeviews.core.languages.queried import ImportParts, Spec, extract_queried

RULES: Rules = {
    "identifier": ("name",),
    "constant": ("name",),
    "instance_variable": ("name",),
    "class_variable": ("name",),
    "self": ("word", "self"),
    "super": ("word", "super"),
    "scope_resolution": ("member", "scope", "name", "::"),
    "call": ("method", "receiver", "method", "."),
    "parenthesized_statements": ("wrap", "#0"),
    "element_reference": ("index", "object"),
    "assignment": ("wrap", "right"),
    "return": ("wrap", "#0"),
    "argument_list": ("wrap", "#0"),
    "string": ("literal", "String"),
    "integer": ("literal", "Integer"),
    "array": ("literal", "Array"),
    "hash": ("literal", "Hash"),
    "simple_symbol": ("literal", "Symbol"),
}


def _imports(node: Node, text: str) -> list[ImportParts]:
    match = re.match(r"\s*(\w+)\W.*?['\"]([^'\"]+)['\"]", text, re.S)
    if match is None:
        return []
    relative = match[1] in ("require_relative", "load")
    return [(("./" if relative and not match[2].startswith(".") else "") + match[2], "", "")]


def _exported(name: str, words: frozenset[str]) -> bool:
    return not name.startswith("_")


SPEC = Spec(
    language="ruby",
    grammar=tree_sitter_ruby.language,
    rules=RULES,
    imports=_imports,
    modifiers={},
    exported=_exported,
    constructor="initialize",
    fields=("@", "self."),
)


def extract(path: str, source: bytes) -> FileFacts:
    """Facts of one Ruby file; never raises."""
    return extract_queried(SPEC, path, source)
