"""A language = one module here + its ``.scm`` queries + one line in each table below + fixtures.

Every module exposes ``extract(path: str, source: bytes) -> FileFacts``: pure, no I/O, never raises
on any bytes (a file it cannot parse still yields its module symbol and a note).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from pathlib import PurePosixPath

from codeviews.core.facts import FileFacts, Symbol

Extract = Callable[[str, bytes], FileFacts]

# language -> resolver family ("" = no call edges)
LANGUAGES: dict[str, str] = {
    "python": "python",
    "c": "c",
    "cpp": "c",
    "javascript": "javascript",
    "typescript": "javascript",
    "go": "go",
    "java": "java",
    "rust": "rust",
    "ruby": "scoped",
    "php": "scoped",
    "csharp": "scoped",
    "kotlin": "scoped",
    "swift": "scoped",
    "scala": "scoped",
    "bash": "scoped",
    "yaml": "",
    "toml": "",
    "json": "",
    "ini": "",
    "dockerfile": "",
    "sql": "",
    "html": "",
    "kconfig": "",
    "makefile": "",
    "markdown": "",
    "rst": "",
    "text": "",
}

SUFFIXES: dict[str, str] = {
    ".py": "python",
    ".pyi": "python",
    ".pyw": "python",
    ".c": "c",
    ".h": "c",
    ".cc": "cpp",
    ".cpp": "cpp",
    ".cxx": "cpp",
    ".c++": "cpp",
    ".hh": "cpp",
    ".hpp": "cpp",
    ".hxx": "cpp",
    ".inl": "cpp",
    ".ipp": "cpp",
    ".js": "javascript",
    ".jsx": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".ts": "typescript",
    ".tsx": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".go": "go",
    ".java": "java",
    ".rs": "rust",
    ".rb": "ruby",
    ".rake": "ruby",
    ".gemspec": "ruby",
    ".php": "php",
    ".cs": "csharp",
    ".kt": "kotlin",
    ".kts": "kotlin",
    ".swift": "swift",
    ".scala": "scala",
    ".sc": "scala",
    ".sh": "bash",
    ".bash": "bash",
    ".yml": "yaml",
    ".yaml": "yaml",
    ".toml": "toml",
    ".json": "json",
    ".jsonc": "json",
    ".ini": "ini",
    ".cfg": "ini",
    ".conf": "ini",
    ".properties": "ini",
    ".sql": "sql",
    ".html": "html",
    ".htm": "html",
    ".jinja": "html",
    ".jinja2": "html",
    ".j2": "html",
    ".tpl": "html",
    ".mk": "makefile",
    ".md": "markdown",
    ".markdown": "markdown",
    ".rst": "rst",
    ".txt": "text",
}

FILENAMES: dict[str, str] = {
    "Dockerfile": "dockerfile",
    "Containerfile": "dockerfile",
    "Makefile": "makefile",
    "GNUmakefile": "makefile",
    "Kbuild": "makefile",
    "Rakefile": "ruby",
    "Gemfile": "ruby",
    "go.mod": "text",
}

FILENAME_PREFIXES: dict[str, str] = {
    "Dockerfile.": "dockerfile",
    "Kconfig": "kconfig",
    "Makefile.": "makefile",
}


def language_of(path: str) -> str:
    """The language a path's name says it is; ``text`` when no table line matches."""
    name = path.rpartition("/")[2]
    if name in FILENAMES:
        return FILENAMES[name]
    if name.startswith(tuple(FILENAME_PREFIXES)):
        return next(to for prefix, to in FILENAME_PREFIXES.items() if name.startswith(prefix))
    stem, dot, suffix = name.rpartition(".")
    return SUFFIXES.get(f".{suffix.lower()}", "text") if dot and stem else "text"


@cache
def extractor(language: str) -> Extract:
    """The ``extract`` function of a language; imported on first use, because grammars are large."""
    try:
        return import_module(f"codeviews.core.languages.{language}").extract
    except ModuleNotFoundError as missing:
        return partial(_without_grammar, language, missing.name or language)


def _without_grammar(language: str, missing: str, path: str, source: bytes) -> FileFacts:
    """A file whose grammar is not installed still has full text and a place in the tree."""
    lines = source.count(b"\n") + 1
    own = Symbol(PurePosixPath(path).name, "", "file", 1, lines, 0, len(source), parent=-1)
    return FileFacts(language, [own], notes=[f"no grammar for {language} ({missing})"])
