"""Tree-sitter grammars by language: the official one-language wheels."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from tree_sitter import Language

from codeviews.core.errors import MisuseError

# language -> (module, function that gives the grammar)
GRAMMARS: dict[str, tuple[str, str]] = {
    "bash": ("tree_sitter_bash", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "kotlin": ("tree_sitter_kotlin", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "python": ("tree_sitter_python", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "scala": ("tree_sitter_scala", "language"),
    "swift": ("tree_sitter_swift", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
}

# A query that works in each language, for error sentences.
EXAMPLES: dict[str, str] = {
    "bash": "(function_definition name: (word) @name)",
    "c": "(call_expression function: (identifier) @name)",
    "cpp": "(call_expression function: (_) @name)",
    "csharp": "(method_declaration name: (identifier) @name)",
    "go": "(function_declaration name: (identifier) @name)",
    "java": "(method_declaration name: (identifier) @name)",
    "javascript": "(function_declaration name: (identifier) @name)",
    "kotlin": "(function_declaration) @function",
    "php": "(function_definition name: (name) @name)",
    "python": "(function_definition name: (identifier) @name)",
    "ruby": "(method name: (identifier) @name)",
    "rust": "(function_item name: (identifier) @name)",
    "scala": "(function_definition name: (identifier) @name)",
    "swift": "(function_declaration name: (simple_identifier) @name)",
    "tsx": "(function_declaration name: (identifier) @name)",
    "typescript": "(function_declaration name: (identifier) @name)",
}


@cache
def grammar(language: str) -> Language:
    """The grammar of a language.

    Raises:
        MisuseError: there is none; the sentence lists the choices.
    """
    if language not in GRAMMARS:
        raise MisuseError(
            f"there is no grammar for {language[:60]!r}; choose one of: {', '.join(GRAMMARS)}"
        )
    module, function = GRAMMARS[language]
    try:
        pointer: object = getattr(import_module(module), function)()
        return Language(pointer)
    except ImportError as error:
        raise MisuseError(f"the grammar of {language} is not installed ({error})") from error


def grammar_of_file(path: str, language: str) -> str:
    """The key of ``GRAMMARS`` for a file of that language (TSX has a grammar of its own)."""
    return "tsx" if language == "typescript" and path.endswith(".tsx") else language
