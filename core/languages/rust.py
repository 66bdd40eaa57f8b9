"""Rust: modules, use trees, impl blocks, traits, macros' arguments."""

from __future__ import annotations

import re

import tree_sitter_rust
from tree_sitter import Node

from codeviews.core.facts import ASYNC, FileFacts
from codeviews.core.languages.chains import Rules
from codeviews.core.languages.queried import ImportParts, Spec, extract_queried

MAX_USE_DEPTH = 16

RULES: Rules = {
    "identifier": ("name",),
    "type_identifier": ("name",),
    "primitive_type": ("name",),
    "field_identifier": ("name",),
    "self": ("word", "self"),
    "super": ("word", "super"),
    "crate": ("word", "crate"),
    "scoped_identifier": ("member", "path", "name", "::"),
    "scoped_type_identifier": ("member", "path", "name", "::"),
    "bracketed_type": ("wrap", "#0"),
    "qualified_type": ("wrap", "type"),
    "generic_type": ("name",),
    "generic_function": ("wrap", "function"),
    "field_expression": ("member", "value", "field", "."),
    "call_expression": ("call", "function"),
    "macro_invocation": ("macro", "macro"),
    "struct_expression": ("typed", "name"),
    "try_expression": ("unwrap", "#0"),
    "await_expression": ("wrap", "#0"),
    "reference_expression": ("wrap", "value"),
    "unary_expression": ("wrap", "#0"),
    "parenthesized_expression": ("wrap", "#0"),
    "index_expression": ("index", "#0"),
    "type_cast_expression": ("typed", "type"),
    "string_literal": ("literal", "str"),
    "raw_string_literal": ("literal", "str"),
    "integer_literal": ("literal", "i32"),
    "boolean_literal": ("literal", "bool"),
}

_CALLS = re.compile(
    r"(?<![\w.:!)])((?!(?:if|match|while|for|in|return|fn|let|move|Some|Ok|Err)\b)"
    r"(?:[A-Za-z_]\w*\s*(?:::\s*<[^<>()]*>\s*)?(?:::|\.)\s*)*[A-Za-z_]\w*(?:::<[^<>()]*>)?)\("
)


def _imports(node: Node, text: str) -> list[ImportParts]:
    if node.type == "mod_item":
        return _module(node, text)
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    match = re.match(r"(?:pub(?:\([^)]*\))?\s+)?(?:use|extern\s+crate)\s+(.*?);?\s*$", text, re.S)
    return _tree("", match[1].strip(), 0) if match else []


def _module(node: Node, text: str) -> list[ImportParts]:
    """``mod x;`` names a file beside this one, or the one of a ``path`` attribute before it."""
    name = re.search(r"\bmod\s+(\w+)", text)
    if name is None:
        return []
    before = node.prev_sibling
    while before is not None and before.type.endswith("comment"):
        before = before.prev_sibling
    written = (before.text or b"").decode("utf-8", "replace") if before is not None else ""
    path = re.search(r'#\s*\[\s*path\s*=\s*"([^"]+)"', written)
    return [("#path:" + path[1], "", name[1])] if path else [("self", name[1], "")]


def _tree(prefix: str, text: str, depth: int) -> list[ImportParts]:
    """Flatten one use tree: ``a::{self, b as c, d::*}``."""
    if depth > MAX_USE_DEPTH or not text:
        return []
    brace = text.find("{")
    if brace >= 0:
        head = prefix + re.sub(r"\s+", "", text[:brace]).replace("::", ".")
        items = _split(text[brace + 1 : text.rfind("}")])
        return [found for item in items for found in _tree(head, item, depth + 1)]
    path, _, alias = (part.strip() for part in re.sub(r"\s+", " ", text).partition(" as "))
    full = prefix + path.replace(" ", "").replace("::", ".")
    module, _, name = full.lstrip(".").rpartition(".")
    if name == "self" and module:
        module, _, name = module.rpartition(".")
    return [(module, name, alias)]


def _split(text: str) -> list[str]:
    parts: list[str] = []
    depth = start = 0
    for at, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [part for part in [*parts, text[start:].strip()] if part]


def _exported(name: str, words: frozenset[str]) -> bool:
    return "pub" in words


SPEC = Spec(
    language="rust",
    grammar=tree_sitter_rust.language,
    rules=RULES,
    imports=_imports,
    modifiers={"async": ASYNC},
    exported=_exported,
    calls_in_text=_CALLS,
    fields=("self.",),
)


def extract(path: str, source: bytes) -> FileFacts:
    """Facts of one Rust file; never raises."""
    return extract_queried(SPEC, path, source)
