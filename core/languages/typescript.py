"""TypeScript and TSX: definitions, sites, imports, types and flow facts."""

from __future__ import annotations

import tree_sitter_typescript
from tree_sitter import Language

from codeviews.core.facts import FileFacts
from codeviews.core.languages.ecma import extract_with

GRAMMAR = Language(tree_sitter_typescript.language_typescript())
TSX_GRAMMAR = Language(tree_sitter_typescript.language_tsx())


def extract(path: str, source: bytes) -> FileFacts:
    """Facts of one TypeScript file; ``.tsx`` is read with the JSX dialect."""
    grammar = TSX_GRAMMAR if path.lower().endswith(".tsx") else GRAMMAR
    return extract_with("typescript", grammar, source)
