"""After an edit only the edited file is resolved, and gets the edges a full resolution gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeviews.core.resolve.memory import MemoryRepo, Resolved, resolve_named

FIXTURES = Path(__file__).parents[2] / "fixtures"
FOLDERS = sorted(path for path in (FIXTURES / "c").iterdir() if path.is_dir())
FILES = sorted(path for path in (FIXTURES / "c").iterdir() if path.is_file())


def _of(path: str, resolved: Resolved) -> tuple[object, object, object]:
    return (
        sorted({e for e in resolved.edges if e.source.partition(":")[0] == path}),
        sorted(site for where, site in resolved.unresolved if where == path),
        sorted(e.line for where, e in resolved.imports if where == path),
    )


def _contents(case: Path) -> dict[str, bytes]:
    return {
        path.relative_to(case).as_posix(): path.read_bytes()
        for path in sorted(case.rglob("*"))
        if path.is_file()
    }


def _check(contents: dict[str, bytes]) -> None:
    repo = MemoryRepo.from_files(contents, "c")
    full = resolve_named(repo, "c")
    assert full.edges or full.unresolved
    for source in list(repo.files()):
        part = resolve_named(repo, "c", frozenset([source.path]))
        assert _of(source.path, part) == _of(source.path, full)


@pytest.mark.parametrize("case", FOLDERS, ids=lambda case: case.name)
def test_one_file_alone_resolves_as_in_a_full_resolution(case: Path) -> None:
    _check(_contents(case))


def test_all_cases_together_resolve_alike_file_by_file() -> None:
    _check({f"case/{path.name}": path.read_bytes() for path in FILES})


def test_a_new_registration_is_seen_by_the_edited_file() -> None:
    table = b"struct ops { int (*go)(int); };\nstatic int one(int x) { return x; }\n"
    use = b"int use(struct ops *ops) { return ops->go(1); }\n"
    repo = MemoryRepo.from_files({"a.c": table + b"struct ops a = { .go = one };\n" + use}, "c")
    resolve_named(repo, "c")
    repo.edit("a.c", table + b"struct ops a = { .go = 0 };\n" + use)
    edited = resolve_named(repo, "c", frozenset(["a.c"]))
    assert edited.edges == []
    assert [site.reason for _, site in edited.unresolved] == ["dynamic"]
