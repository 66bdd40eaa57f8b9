"""The fact model: what extraction says about one file and what resolution says about the whole.

Extraction is a pure function ``(path, bytes) -> FileFacts`` (DESIGN section 4). Resolution turns
the facts of all files into :class:`FileEdges`. Both are plain picklable tuples, because they cross
process boundaries by the hundred thousand.

Conventions shared by every language:

* ``symbols[0]`` is always the file itself (kind ``module`` for code, ``file`` otherwise, empty
  qualified name, parent -1); every other symbol's ``parent`` is an index into ``symbols``.
* lines are 1-based and inclusive, bytes are 0-based offsets into the raw file, end exclusive.
* ``scope`` of a site is the index of the innermost symbol whose body holds it (0 = module level).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

CODE_KINDS = frozenset(
    [
        "module",
        "class",
        "struct",
        "union",
        "enum",
        "interface",
        "trait",
        "function",
        "method",
        "macro",
        "property",
        "variable",
        "constant",
        "field",
        "type",
        "namespace",
    ]
)
TEXT_KINDS = frozenset(["file", "key", "heading", "target"])
CALLABLE_KINDS = frozenset(["function", "method", "macro", "property"])
TYPE_KINDS = frozenset(["class", "struct", "union", "enum", "interface", "trait", "type"])

# Symbol flags (bit set)
STATIC = 1  # file-local linkage (C static), or @staticmethod
CLASSMETHOD = 2
ABSTRACT = 4
EXPORTED = 8  # public by the language's own rule (__all__, export, pub, capital letter)
DECLARATION = 16  # declared, not defined, here (prototype, interface method, .d.ts, .pyi)
ASYNC = 32
ENTRY = 64  # reachable from outside by convention: main, decorator-registered, fixture, initcall

# File marks (bit set): demoted in ranking, never dropped
TEST = 1
GENERATED = 2
VENDORED = 4
EXAMPLE = 8
DOCUMENTATION = 16

# Tiers of an edge (DESIGN section 4)
TIER_LEXICAL = "A"
TIER_INFERRED = "B"
TIER_FLOW = "C"
TIER_NAME_ONLY = "D"

# Reasons a site has no target
EXTERNAL = "external"
BUILTIN = "builtin"
DYNAMIC = "dynamic"
AMBIGUOUS = "ambiguous"
UNKNOWN = "unknown"

ANY_TEXT = "…"
"""In the name of a site: the part that only a run tells, as in ``visit_…`` of a ``getattr``."""

IN_PART = ("in part", "the rest was read", "definitions only", "only the first", "no grammar")

EDGE_KINDS = ("calls", "inherits", "overrides", "decorates", "references", "registers", "implicit")
"""``contains`` is the symbol tree itself and ``imports`` the import table, so neither is stored as
an edge. ``implicit`` are calls that no syntax shows: ``with``, property, ``__str__``, operators."""


class Symbol(NamedTuple):
    """A definition. ``qualname`` is unique within its file (``Class.method``; a second definition
    of the same name is ``name#2``)."""

    name: str
    qualname: str
    kind: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    signature: str = ""
    doc: str = ""
    parent: int = 0
    flags: int = 0


class Site(NamedTuple):
    """A call, reference, base class, decorator or registration as written.

    ``name`` is the target as written without arguments (``self.inner.close``); ``extra`` is free
    for the language (for ``registers``: ``type.field`` of the table that stores the function).
    """

    kind: str
    name: str
    line: int
    scope: int = 0
    extra: str = ""


class Import(NamedTuple):
    """One imported name or module as written. ``name`` is "" for a whole module and "*" for a star
    import; ``alias`` is the local name ("" when unchanged); ``level`` counts leading dots."""

    module: str
    name: str
    alias: str
    line: int
    level: int = 0
    scope: int = 0


@dataclass(slots=True)
class FileFacts:
    """Everything extraction says about one file.

    ``flow`` belongs to the language: whatever its resolver needs beyond sites (assignments,
    returns, receiver types...), made of builtin types only so that ``marshal`` can store it.
    ``notes`` are phrases for the user (``syntax error near line 12: the rest was read``); those
    with one of :data:`IN_PART` tell that calls of the file may be missing.
    """

    language: str
    symbols: list[Symbol]
    sites: list[Site] = field(default_factory=list[Site])
    imports: list[Import] = field(default_factory=list[Import])
    flow: Any = None
    notes: list[str] = field(default_factory=list[str])


class Edge(NamedTuple):
    """``source`` and ``target`` are store-wide symbol ids; ``line`` is in the source's file."""

    source: int
    target: int
    kind: str
    line: int
    tier: str
    rule: str


class Unresolved(NamedTuple):
    """A site without a stored target. ``name`` as written; ``candidates`` is n for ``ambiguous(n)``
    and ``many(n)`` (then the reason is ``ambiguous``), else 0."""

    source: int
    kind: str
    name: str
    line: int
    reason: str
    candidates: int = 0


class ImportEdge(NamedTuple):
    """A file-level import. ``target`` is a path in the repository, or None when external."""

    target: str | None
    module: str
    line: int


@dataclass(slots=True)
class FileEdges:
    """All edges that belong to one file: an edge belongs to its caller's file."""

    path: str
    edges: list[Edge] = field(default_factory=list[Edge])
    unresolved: list[Unresolved] = field(default_factory=list[Unresolved])
    imports: list[ImportEdge] = field(default_factory=list[ImportEdge])
    summary: Any = None  # what other files' resolution needs of this one; marshal-able; stored


@dataclass(slots=True)
class SourceFile:
    """A file's facts with the ids the store gave: ``ids[i]`` is of ``facts.symbols[i]``."""

    path: str
    marks: int
    facts: FileFacts
    ids: Sequence[int]


class RepoView(Protocol):
    """What a resolver may ask of the index. All paths are root-relative with forward slashes."""

    def name(self) -> str:
        """The name of the root folder, by which a package that is the root imports itself; "" when
        there is none."""
        ...

    def paths(self) -> Mapping[str, int]:
        """Every indexed path of any language, with its marks."""
        ...

    def files(self) -> Iterator[SourceFile]:
        """The files of the resolver's own family in path order, loaded one at a time."""
        ...

    def file(self, path: str) -> SourceFile | None:
        """One file of the family."""
        ...

    def read(self, path: str) -> bytes:
        """Bytes of an indexed manifest (``go.mod``, ``tsconfig.json``...); b"" when unreadable."""
        ...

    def summary(self, path: str) -> Any:
        """What an earlier resolution stored as ``FileEdges.summary`` of that file, or None."""
        ...

    def symbols_named(self, name: str) -> list[tuple[str, int, str, int]]:
        """(path, id, kind, flags) of the family's definitions of that last name, in path order."""
        ...

    def registered(self, prefix: str) -> list[tuple[str, int, str]]:
        """(rule, target id, path of the source) of ``registers`` edges by the start of a rule."""
        ...


class Resolver(Protocol):
    """A module in ``core/resolve/`` that exposes these two names."""

    VERSION: int

    def resolve(self, repo: RepoView, only: frozenset[str] | None = None) -> Iterator[FileEdges]:
        """Yield the edges of every file of the family, or of ``only`` those paths after an edit.

        Deterministic: the same facts give the same edges whatever the order of indexing.
        """
        ...
