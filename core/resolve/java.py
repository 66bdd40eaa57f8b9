"""Java: packages, imports, nested and anonymous types, overloads and dispatch."""

from __future__ import annotations

from collections.abc import Iterator

from codeviews.core.facts import FileEdges, RepoView, SourceFile
from codeviews.core.resolve.declarations import flow_of
from codeviews.core.resolve.family import resolve_family
from codeviews.core.resolve.language_rules import COMMON_LIBRARY, LAST, SAME, LanguageRules

VERSION = 1

PROJECTIONS = {
    **dict.fromkeys(
        "get getOrDefault remove put computeIfAbsent next previous poll peek pop element first last"
        " getFirst getLast orElse orElseGet orElseThrow take iterator stream join call"
        " removeFirst removeLast pollFirst pollLast getValue findFirst findAny".split(),
        LAST,
    ),
    "getKey": 0,
    **dict.fromkeys(
        "iterator stream filter sorted distinct limit skip values findFirst".split(), SAME
    ),
    **dict.fromkeys("findAny entrySet listIterator reversed subList peek".split(), SAME),
}

UNIVERSAL = frozenset(
    "toString equals hashCode getClass notify notifyAll wait clone finalize name ordinal values"
    " valueOf compareTo getDeclaringClass".split()
)
OUTSIDE_RETURNS = {
    **dict.fromkeys(
        "toString getName getSimpleName name trim substring toLowerCase toUpperCase concat format"
        " replace replaceAll strip repeat getMessage readLine toPattern getId getTypeName".split(),
        "String",
    ),
    **dict.fromkeys("length size intValue ordinal indexOf hashCode compareTo".split(), "int"),
    **dict.fromkeys("isEmpty equals contains startsWith endsWith booleanValue".split(), "boolean"),
    "longValue": "long",
    "doubleValue": "double",
    "floatValue": "float",
    "getClass": "Class",
}
_NUMBERS = {
    "byte": "Byte", "short": "Short", "char": "Character", "int": "Integer", "long": "Long",
    "float": "Float", "double": "Double",
}  # fmt: skip


def _conversions() -> dict[tuple[str, str], int]:
    order = ["byte", "short", "char", "int", "long", "float", "double"]
    found = {
        ("String", "CharSequence"): 4,
        ("Class", "Type"): 3,
        ("boolean", "Boolean"): 5,
        ("Boolean", "boolean"): 5,
    }
    found["BigInteger", "Number"] = found["BigDecimal", "Number"] = 4
    for rank, name in enumerate(order):
        boxed = _NUMBERS[name]
        found[name, boxed] = found[boxed, name] = 4
        if name != "char":
            found[name, "Number"] = 3
            found[boxed, "Number"] = 5
        for wider in order[rank + 1 :]:
            if wider != "char":
                found[name, wider] = 7 - order.index(wider) + rank
    return found


def _package(file: SourceFile) -> str:
    return flow_of(file).get("package", "")


def rules(repo: RepoView) -> LanguageRules:
    """Java's scoping."""
    return LanguageRules(
        language="java",
        place=_package,
        projections=PROJECTIONS,
        library=COMMON_LIBRARY,
        universal=UNIVERSAL,
        component_calls=True,
        outside_returns=OUTSIDE_RETURNS,
        outside_constants={boxed: name for name, boxed in _NUMBERS.items()} | {"Math": "double"},
        conversions=_conversions(),
    )


def resolve(repo: RepoView, only: frozenset[str] | None = None) -> Iterator[FileEdges]:
    """Yield the edges of every Java file, or of ``only`` those paths."""
    return resolve_family(repo, {"java": rules}, only)
