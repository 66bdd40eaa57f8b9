"""Which of several definitions of a name a file means: reach, program, nearness."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import NamedTuple

from codeviews.core.facts import (
    AMBIGUOUS,
    BUILTIN,
    EXTERNAL,
    TEST,
    TIER_FLOW,
    TIER_INFERRED,
    TIER_LEXICAL,
    TIER_NAME_ONLY,
    UNKNOWN,
)
from codeviews.core.resolve.c_index import FUNCTION, PROTOTYPE, SOURCE, Definition, Index
from codeviews.core.resolve.c_library import LIBC

MANY = 8
SEPARATE_PROGRAMS = frozenset(
    ["tools", "samples", "scripts", "examples", "example", "demos", "demo", "docs", "contrib"]
)
_BUILTIN_PREFIXES = ("__builtin_", "__sync_", "__atomic_", "_mm_", "_mm256_", "__c11_")


class Target(NamedTuple):
    """A symbol a name may mean, with the tier and the rule that found it."""

    id: int
    tier: str
    rule: str


class Meaning(NamedTuple):
    """All a name may mean; without targets ``reason`` says why (``several`` of ``ambiguous``)."""

    targets: tuple[Target, ...] = ()
    reason: str = ""
    several: int = 0


class Viewpoint:
    """A file that looks at the rest of the repository."""

    def __init__(self, index: Index, number: int) -> None:
        self.index = index
        self.number = number
        self.path = index.paths[number]
        self.is_test = bool(index.marks[number] & TEST)
        self.program = program(self.path)
        self.folder = posixpath.dirname(self.path)
        self._mask: int | None = None

    @property
    def mask(self) -> int:
        """The files this one includes."""
        if self._mask is None:
            self._mask = self.index.mask(self.number)
        return self._mask

    def elsewhere(self, name: str) -> Meaning:
        """What a name means that the file does not define itself."""
        index, mask = self.index, self.mask
        candidates = [
            c for c in index.names[name] if c.code != SOURCE or index.reaches(mask, c.file)
        ]
        if not candidates:
            return Meaning(reason=absent(name))
        candidates = self._admissible(candidates)
        if not candidates:
            return Meaning(reason=EXTERNAL)
        external = [c for c in candidates if c.code == FUNCTION]
        seen = [c for c in candidates if c.code != FUNCTION and index.reaches(mask, c.file)]
        if external or seen:
            declared = any(c.code == PROTOTYPE for c in candidates)
            return self._choose(external, seen, declared)
        return self._unreached(candidates)

    def _admissible(self, candidates: Sequence[Definition]) -> list[Definition]:
        """Without tests for production code and without other programs of the repository."""
        index, own = self.index, self.program
        kept = [c for c in candidates if program(index.paths[c.file]) in ("", own)]
        if own:
            kept = [c for c in kept if program(index.paths[c.file]) == own] or kept
        if not self.is_test:
            kept = [c for c in kept if not index.marks[c.file] & TEST]
        return kept

    def _unreached(self, candidates: list[Definition]) -> Meaning:
        best = [c for c in candidates if c.code != PROTOTYPE] or candidates[:1]
        near = self.nearest(best)
        if len({c.file for c in near}) > 1:
            return Meaning(reason=AMBIGUOUS, several=len(best))
        return Meaning(tuple(Target(c.id, TIER_NAME_ONLY, "unique name") for c in near[:MANY]))

    def _choose(
        self, external: list[Definition], seen: list[Definition], declared: bool
    ) -> Meaning:
        shown = [c for c in seen if c.code != PROTOTYPE]
        prototypes = [c for c in seen if c.code == PROTOTYPE]
        external = self._by_reach(external, prototypes)
        if not external and not shown:
            first = self.nearest(prototypes)[0]
            return Meaning((Target(first.id, TIER_LEXICAL, "declaration"),))
        if len(external) > MANY and not shown:
            return Meaning(reason=AMBIGUOUS, several=len(external))
        if len(external) > MANY:
            external = []
        sure = declared or bool(seen)
        return Meaning((*self._external(external, sure), *self._shown(shown, external)))

    def _external(self, external: list[Definition], sure: bool) -> tuple[Target, ...]:
        if len({c.file for c in external}) > 1:
            return tuple(Target(c.id, TIER_FLOW, "several definitions") for c in external)
        if len(external) > 1:
            return tuple(Target(c.id, TIER_INFERRED, "twin") for c in external)
        sure = sure or any(self._is_beside(c) for c in external)
        tier, rule = (TIER_LEXICAL, "external") if sure else (TIER_NAME_ONLY, "unique name")
        return tuple(Target(c.id, tier, rule) for c in external)

    def _shown(self, shown: list[Definition], external: list[Definition]) -> tuple[Target, ...]:
        if len(shown) > MANY:
            shown = self.nearest(shown)[:MANY]
        if len(shown) > 1 or external:
            return tuple(Target(c.id, TIER_INFERRED, "twin") for c in shown)
        return tuple(Target(c.id, TIER_LEXICAL, "include") for c in shown)

    def _is_beside(self, candidate: Definition) -> bool:
        there = posixpath.dirname(self.index.paths[candidate.file])
        return there == self.folder

    def _by_reach(
        self, external: list[Definition], prototypes: list[Definition]
    ) -> list[Definition]:
        """Among several external definitions those that share the header which declares it."""
        if len({c.file for c in external}) < 2:
            return external
        headers = [c.file for c in prototypes]
        index = self.index
        sharing = [
            c
            for c in external
            if c.file in headers or any(index.reaches(index.mask(c.file), h) for h in headers)
        ]
        return self.nearest(sharing or external)

    def nearest(self, candidates: list[Definition]) -> list[Definition]:
        """Those in the nearest folder: the same one, then the longest shared path below the top."""
        if len(candidates) < 2:
            return candidates
        shared = [_shared(self.path, self.index.paths[c.file]) for c in candidates]
        best = max(shared)
        if best == 0:
            return candidates
        return [c for c, depth in zip(candidates, shared, strict=True) if depth == best]


def program(path: str) -> str:
    """The program of its own that a path belongs to ("" for the repository's main one)."""
    first = path.split("/", 1)[0]
    return first if first in SEPARATE_PROGRAMS and "/" in path else ""


def _shared(one: str, other: str) -> int:
    left, right = one.split("/")[:-1], other.split("/")[:-1]
    depth = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        depth += 1
    return depth


def absent(name: str) -> str:
    """Why a name that nothing in the repository defines has no target."""
    if name.startswith(_BUILTIN_PREFIXES):
        return BUILTIN
    return EXTERNAL if name in LIBC else UNKNOWN
