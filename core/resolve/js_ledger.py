"""What interpretation found out about sites, kept until edges are written."""

from __future__ import annotations

from typing import NamedTuple

from codeviews.core.resolve.js_values import SymbolRef


class Finding(NamedTuple):
    """A target with the rank of its value and the rule that found it."""

    rank: int
    rule: str


class Virtual(NamedTuple):
    """A call of a method that subclasses or implementations may override."""

    cls: SymbolRef
    method: str
    rank: int


SiteRef = tuple[str, int]  # (path, index into the file's sites)
Extra = tuple[int, SymbolRef, str, int]  # (scope, target, kind, line) of an edge without a site


class Ledger:
    """Targets, dispatches and reasons by site; edges without a site by file."""

    def __init__(self) -> None:
        self.targets: dict[SiteRef, dict[SymbolRef, Finding]] = {}
        self.virtual: dict[SiteRef, set[Virtual]] = {}
        self.reasons: dict[SiteRef, tuple[str, int]] = {}
        self.crowded: set[SiteRef] = set()  # sites with targets beyond those listed
        self.extra: dict[str, dict[Extra, Finding]] = {}
        self.bases: dict[SymbolRef, set[SymbolRef]] = {}
        self.classes: dict[SymbolRef, dict[str, SymbolRef]] = {}

    def hit(self, site: SiteRef, target: SymbolRef, rank: int, rule: str) -> None:
        """Record a target; the surest finding wins."""
        found = self.targets.setdefault(site, {})
        known = found.get(target)
        if known is None or rank < known.rank:
            found[target] = Finding(rank, rule)

    def miss(self, site: SiteRef, reason: str, candidates: int = 0) -> None:
        """Record why a site has no target; a later hit overrules it."""
        known = self.reasons.get(site)
        if known is None or known[0] in ("unknown", "dynamic"):
            self.reasons[site] = (reason, candidates)

    def dispatch(self, site: SiteRef, virtual: Virtual) -> None:
        """Record that overriding methods may run too."""
        self.virtual.setdefault(site, set()).add(virtual)

    def note(
        self, path: str, scope: int, target: SymbolRef, kind: str, line: int, rank: int, rule: str
    ) -> None:
        """Record an edge that has no site of its own: a reference, a getter, an iterator."""
        found = self.extra.setdefault(path, {})
        key = (scope, target, kind, line)
        if key not in found or rank < found[key].rank:
            found[key] = Finding(rank, rule)
