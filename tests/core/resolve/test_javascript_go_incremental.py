"""Resolving only an edited file gives that file the edges that a whole resolution gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeviews.core.languages import LANGUAGES, language_of
from codeviews.core.resolve.memory import MemoryRepo, Resolved, resolve_named

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASES = [
    (folder, case)
    for folder in ("javascript", "typescript", "go")
    for case in sorted((FIXTURES / folder).iterdir())
    if case.is_dir()
]


def _contents(case: Path) -> dict[str, bytes]:
    files = [path for path in sorted(case.rglob("*")) if path.is_file()]
    return {path.relative_to(case).as_posix(): path.read_bytes() for path in files}


def _of(path: str, found: Resolved, repo: MemoryRepo) -> tuple[list[object], list[object]]:
    names = repo.names()
    edges = [edge for edge in found.edges if edge.source.partition(":")[0] == path]
    left = [site._replace(source=0) for where, site in found.unresolved if where == path]
    sources = [names[site.source] for where, site in found.unresolved if where == path]
    return sorted(edges), sorted(zip(sources, left, strict=True), key=str)


@pytest.mark.parametrize(
    ("language", "case"), [pytest.param(*case, id=f"{case[0]}-{case[1].name}") for case in CASES]
)
def test_only_gives_what_a_whole_resolution_gives(language: str, case: Path) -> None:
    family = LANGUAGES[language]
    contents = _contents(case)
    repo = MemoryRepo.from_files(contents, family)
    resolve_named(repo, family)
    for path, source in contents.items():
        if LANGUAGES[language_of(path)] != family:
            continue
        repo.edit(path, b"\n" + source)
        alone = resolve_named(repo, family, frozenset([path]))
        assert {edge.source.partition(":")[0] for edge in alone.edges} <= {path}
        whole = resolve_named(repo, family)
        assert _of(path, alone, repo) == _of(path, whole, repo)


def test_a_new_definition_is_found_by_its_importer() -> None:
    repo = MemoryRepo.from_files(
        {"a.ts": b'import { f } from "./b";\nf();', "b.ts": b"export function g() {}"}, "javascript"
    )
    assert [site.reason for _, site in resolve_named(repo, "javascript").unresolved] == ["unknown"]
    repo.edit("b.ts", b"export function f() {}")
    resolve_named(repo, "javascript", frozenset(["b.ts"]))
    found = resolve_named(repo, "javascript", frozenset(["a.ts"]))
    assert [(edge.target, edge.tier) for edge in found.edges] == [("b.ts:f", "A")]


def test_a_deleted_go_file_leaves_no_target() -> None:
    repo = MemoryRepo.from_files(
        {"a.go": b"package p\nfunc f() { g() }", "b.go": b"package p\nfunc g() {}"}, "go"
    )
    assert [edge.target for edge in resolve_named(repo, "go").edges] == ["b.go:g"]
    repo.edit("b.go", None)
    found = resolve_named(repo, "go", frozenset(["a.go"]))
    assert found.edges == []
    assert [site.reason for _, site in found.unresolved] == ["unknown"]


def test_a_callback_given_in_another_file_is_seen_after_an_edit_of_the_callee() -> None:
    repo = MemoryRepo.from_files(
        {
            "main.js": b'import { each } from "./each.js";\nfunction step() {}\neach(step);',
            "each.js": b"export function each(visit) { visit(); }",
        },
        "javascript",
    )
    resolve_named(repo, "javascript")
    repo.edit("each.js", b"export function each(visit) {\n  visit();\n}")
    found = resolve_named(repo, "javascript", frozenset(["each.js"]))
    assert [(edge.source, edge.target, edge.tier) for edge in found.edges] == [
        ("each.js:each", "main.js:step", "C")
    ]
