"""Resolving only an edited Python file gives that file the edges of a whole resolution."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeviews.core.resolve.memory import MemoryRepo, NamedEdge, resolve_named

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASES = [
    *(case for case in sorted((FIXTURES / "python").iterdir()) if case.is_dir()),
    *sorted((FIXTURES / "flow" / "imports").iterdir()),
]
KEPT_ARGUMENTS = {
    "lib.py": b"""def first():
    pass


def second():
    pass


def choose(*calls, **handlers):
    return handlers["one"] if calls else calls[1]


def pick():
    return choose(first, second, one=first, two=second)
""",
    "main.py": b"from lib import pick\n\npick()()\n",
}
GUESSED_FAMILY = {
    "base.py": b"class Store:\n    def purge(self, key):\n        pass\n",
    "disk.py": b"from base import Store\n\n\nclass Disk(Store):\n    def purge(self, key):\n"
    b"        pass\n",
    "other.py": b"class Cup:\n    def purge(self):\n        pass\n",
    "main.py": b"def run(anything):\n    anything.purge(1)\n",
}


def _contents(case: Path) -> dict[str, bytes]:
    files = [path for path in sorted(case.rglob("*.py")) if path.is_file()]
    return {path.relative_to(case).as_posix(): path.read_bytes() for path in files}


def _of(path: str, edges: list[NamedEdge]) -> list[NamedEdge]:
    return sorted(edge for edge in edges if edge.source.partition(":")[0] == path)


def _check(contents: dict[str, bytes]) -> None:
    repo = MemoryRepo.from_files(contents, "python")
    resolve_named(repo, "python")
    for path, source in contents.items():
        repo.edit(path, b"\n" + source)
        alone = resolve_named(repo, "python", frozenset([path])).edges
        whole = resolve_named(repo, "python").edges
        assert _of(path, alone) == _of(path, whole)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_only_gives_what_a_whole_resolution_gives(case: Path) -> None:
    _check(_contents(case))


def test_arguments_kept_by_place_are_seen_after_an_edit_elsewhere() -> None:
    _check(KEPT_ARGUMENTS)


def test_a_guess_by_signature_and_family_is_the_same_after_an_edit() -> None:
    _check(GUESSED_FAMILY)
    repo = MemoryRepo.from_files(GUESSED_FAMILY, "python")
    found = [(e.target, e.tier) for e in _of("main.py", resolve_named(repo, "python").edges)]
    assert found == [("base.py:Store.purge", "D"), ("disk.py:Disk.purge", "D")]
