"""JavaScript (ES modules, CommonJS, JSX): definitions, sites, imports and flow facts."""

from __future__ import annotations

import tree_sitter_javascript
from tree_sitter import Language

from codeviews.core.facts import FileFacts
from codeviews.core.languages.ecma import extract_with

GRAMMAR = Language(tree_sitter_javascript.language())


def extract(path: str, source: bytes) -> FileFacts:
    """Facts of one JavaScript file."""
    return extract_with("javascript", GRAMMAR, source)
