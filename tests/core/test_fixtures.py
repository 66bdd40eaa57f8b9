"""Every language's fixtures: source files that carry the expected edges in comments.

A case is one file ``tests/fixtures/<language>/<case>.<ext>`` or one folder
``tests/fixtures/<language>/<case>/`` (a small repository; manifests such as ``go.mod`` count).
``<language>`` is a key of ``codeviews.core.languages.LANGUAGES``; its family's resolver is run.

An expectation is a comment line of its own, above the line it speaks of (several may be stacked)::

    #> calls: helper, Base.save (C), lib/b.py:g (A)        # Python, Ruby, shell
    //> registers: file_read                               // C, C++, JS, TS, Go, Java, Rust, PHP...
    #> calls: -                                            nothing of that kind on the line
    #> unresolved: external, ambiguous(9)
    #> imports: lib/b.py, external

* ``kind`` is one of the edge kinds, or ``imports`` (target path or ``external``), or ``unresolved``
  (reasons; ``ambiguous(n)`` with its count).
* a target is a qualified name of the same file or ``path:qualname`` (path relative to the case);
  ``.`` or ``path:.`` is the module itself. A tier in parentheses is compared when it is written.
* the set of targets of that kind on that line must be equal: one too many or one too few fails.
* blank lines between the comment and the code are skipped.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

from codeviews.core.languages import LANGUAGES
from codeviews.core.resolve.memory import MemoryRepo, Resolved, resolve_named

FIXTURES = Path(__file__).parents[1] / "fixtures"
EXPECTATION = re.compile(r"^\s*(?:#|//|--)>\s*(\w+):\s*(.*?)\s*$")
TARGET = re.compile(r"^(.*?)(?:\s+\(([A-D])\))?$")


class Expected(NamedTuple):
    path: str
    line: int
    kind: str
    targets: tuple[tuple[str, str], ...]  # (name, tier or "")


def _cases() -> list[tuple[str, Path]]:
    folders = [folder for folder in sorted(FIXTURES.iterdir()) if folder.name in LANGUAGES]
    return [
        (folder.name, case)
        for folder in folders
        for case in sorted(folder.iterdir())
        if case.name != "__pycache__" and LANGUAGES[folder.name]
    ]


def _contents(case: Path) -> dict[str, bytes]:
    if case.is_file():
        return {case.name: case.read_bytes()}
    files = (path for path in sorted(case.rglob("*")) if path.is_file())
    return {
        path.relative_to(case).as_posix(): path.read_bytes()
        for path in files
        if "__pycache__" not in path.parts
    }


def _expected(path: str, source: bytes) -> list[Expected]:
    found: list[Expected] = []
    waiting: list[tuple[str, str]] = []
    for number, line in enumerate(source.decode("utf-8", "replace").splitlines(), 1):
        match = EXPECTATION.match(line)
        if match:
            waiting.append((match[1], match[2]))
        elif line.strip():
            found.extend(Expected(path, number, kind, _targets(text)) for kind, text in waiting)
            waiting = []
    assert not waiting, f"{path}: an expectation stands above nothing"
    return found


def _targets(text: str) -> tuple[tuple[str, str], ...]:
    names = [] if text == "-" else [part.strip() for part in text.split(",")]
    matches = [TARGET.match(name) for name in names]
    return tuple(sorted((match[1], match[2] or "") for match in matches if match))


def _short(path: str, target: str) -> str:
    where, _, qualname = target.partition(":")
    name = qualname or "."
    return name if where == path else f"{where}:{name}"


def _found(resolved: Resolved) -> dict[tuple[str, int, str], set[tuple[str, str]]]:
    found: dict[tuple[str, int, str], set[tuple[str, str]]] = defaultdict(set)
    for edge in resolved.edges:
        path = edge.source.partition(":")[0]
        found[path, edge.line, edge.kind].add((_short(path, edge.target), edge.tier))
    for path, site in resolved.unresolved:
        count = f"({site.candidates})" if site.candidates else ""
        found[path, site.line, "unresolved"].add((site.reason + count, ""))
    for path, imported in resolved.imports:
        found[path, imported.line, "imports"].add((imported.target or "external", ""))
    return found


def _same(expected: tuple[tuple[str, str], ...], found: set[tuple[str, str]]) -> bool:
    tiers = dict(found)
    names_equal = sorted(name for name, _ in expected) == sorted(name for name, _ in found)
    return names_equal and all(not tier or tiers[name] == tier for name, tier in expected)


def _mismatches(language: str, case: Path) -> list[str]:
    contents = _contents(case)
    family = LANGUAGES[language]
    found = _found(resolve_named(MemoryRepo.from_files(contents, family), family))
    expected = [item for path, source in contents.items() for item in _expected(path, source)]
    assert expected, f"{case}: no expectation"
    return [
        f"{item.path}:{item.line}: {item.kind}: expected {list(item.targets)},"
        f" found {sorted(found[item.path, item.line, item.kind])}"
        for item in expected
        if not _same(item.targets, found[item.path, item.line, item.kind])
    ]


@pytest.mark.parametrize(
    ("language", "case"), [pytest.param(*c, id=f"{c[0]}-{c[1].name}") for c in _cases()]
)
def test_fixture_has_exactly_the_expected_edges(language: str, case: Path) -> None:
    mismatches = _mismatches(language, case)
    assert not mismatches, "\n".join(["", *mismatches])
