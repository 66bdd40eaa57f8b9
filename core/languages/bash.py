"""Shell: functions, commands and sourced files."""

from __future__ import annotations

import re

import tree_sitter_bash
from tree_sitter import Node

from codeviews.core.facts import FileFacts
from codeviews.core.languages.chains import Rules
from codeviews.core.languages.queried import ImportParts, Spec, extract_queried

RULES: Rules = {
    "command": ("call", "name"),
    "command_name": ("wrap", "#0"),
    "word": ("name",),
}


def _imports(node: Node, text: str) -> list[ImportParts]:
    parts = text.split(None, 1)
    path = parts[1].split(";")[0].strip().strip("\"'") if len(parts) > 1 else ""
    path = re.sub(r"^.*\$(?:\{[^}]*\}|\([^)]*\)|\w+)\"?/?", "", path).strip("\"'")
    return [(path, "*", "")] if re.fullmatch(r"[\w./-]+", path) else []


SPEC = Spec(
    language="bash",
    grammar=tree_sitter_bash.language,
    rules=RULES,
    imports=_imports,
    modifiers={},
)


def extract(path: str, source: bytes) -> FileFacts:
    """Facts of one shell file; never raises."""
    return extract_queried(SPEC, path, source)
