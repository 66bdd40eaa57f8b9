"""Scala: packages, objects, traits, calls without parentheses, extension methods."""

from __future__ import annotations

import re

import tree_sitter_scala
from tree_sitter import Node

from codeviews.core.facts import ABSTRACT, FileFacts
from codeviews.core.languages.chains import Rules
from codeviews.core.languages.queried import ImportParts, Spec, extract_queried

RULES: Rules = {
    "identifier": ("name",),
    "type_identifier": ("name",),
    "field_expression": ("member", "value", "field", "."),
    "call_expression": ("call", "function"),
    "generic_function": ("wrap", "function"),
    "instance_expression": ("new", "#0"),
    "parenthesized_expression": ("wrap", "#0"),
    "assignment_expression": ("wrap", "right"),
    "block": ("wrap", "#last"),
    "string": ("literal", "String"),
    "interpolated_string_expression": ("literal", "String"),
    "integer_literal": ("literal", "Int"),
    "boolean_literal": ("literal", "Boolean"),
}


def _imports(node: Node, text: str) -> list[ImportParts]:
    found: list[ImportParts] = []
    body = text.strip().removeprefix("import").strip()
    for clause in re.findall(r"[\w.`]+(?:\.?\{[^}]*\}|\.[_*]|\s+as\s+\w+)?", body):
        head, brace, inside = clause.partition("{")
        items = inside.rstrip("}").split(",") if brace else [head.rpartition(".")[2]]
        module = head.rstrip(".") if brace else head.rpartition(".")[0]
        found.extend(_selector(module, item) for item in items if item.strip())
    return found


def _selector(module: str, item: str) -> ImportParts:
    name, *alias = re.split(r"\s*=>\s*|\s+as\s+", item.strip().strip("`"))
    return module, "*" if name in ("_", "*") else name, alias[0] if alias else ""


def _exported(name: str, words: frozenset[str]) -> bool:
    return not words & {"private", "protected"}


SPEC = Spec(
    language="scala",
    grammar=tree_sitter_scala.language,
    rules=RULES,
    imports=_imports,
    modifiers={"abstract": ABSTRACT},
    exported=_exported,
)


def extract(path: str, source: bytes) -> FileFacts:
    """Facts of one Scala file; never raises."""
    return extract_queried(SPEC, path, source)
