"""Which classes extend or implement which, over all files, and what they override."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from codeviews.core.facts import RepoView
from codeviews.core.resolve.js_ledger import Ledger
from codeviews.core.resolve.js_program import Module, Program
from codeviews.core.resolve.js_values import SymbolRef

Name = tuple[str, str]  # (path, qualified name)
Row = tuple[str, tuple[Name, ...], tuple[tuple[str, str], ...]]

MAX_CLASSES = 2000  # subclasses visited for one dispatch


class Hierarchy:
    """Subclass relation by qualified name, so that stored summaries and fresh runs mix."""

    def __init__(self, repo: RepoView, ledger: Ledger, program: Program) -> None:
        self._repo = repo
        self._ledger = ledger
        self._program = program
        self._by_path: dict[str, list[tuple[SymbolRef, dict[str, SymbolRef]]]] | None = None
        self._rows: dict[str, tuple[Row, ...]] = {}
        self.bases: dict[Name, tuple[Name, ...]] = {}
        self.methods: dict[Name, dict[str, str]] = {}
        self.children: dict[Name, list[Name]] = defaultdict(list)
        self.by_method: dict[str, list[Name]] = defaultdict(list)

    def add_module(self, module: Module) -> None:
        """Take in the classes of a file that was run."""
        rows: list[Row] = []
        symbols = module.file.facts.symbols
        for ref, methods in self._classes_of(module.path):
            bases = sorted(self.name(base) for base in self._ledger.bases.get(ref, ()))
            named = tuple((m, symbols[target[1]].qualname) for m, target in methods.items())
            rows.append((symbols[ref[1]].qualname, tuple(bases), named))
        self.add_summary(module.path, tuple(rows))

    def _classes_of(self, path: str) -> list[tuple[SymbolRef, dict[str, SymbolRef]]]:
        if self._by_path is None:
            self._by_path = defaultdict(list)
            for ref, methods in self._ledger.classes.items():
                self._by_path[ref[0]].append((ref, methods))
        return self._by_path.get(path, [])

    def add_summary(self, path: str, rows: Any) -> None:
        """Take in a file's class rows; the first for a path counts."""
        if path in self._rows:
            return
        self._rows[path] = rows
        for qualname, bases, methods in rows:
            name = (path, qualname)
            self.bases[name] = tuple((base[0], base[1]) for base in bases)
            self.methods[name] = dict(methods)
            for base in self.bases[name]:
                self.children[base].append(name)
            for method, _ in methods:
                self.by_method[method].append(name)

    def rows(self, path: str) -> tuple[Row, ...]:
        """The class rows of a file, as its summary stores them."""
        return self._rows.get(path, ())

    def name(self, ref: SymbolRef) -> Name:
        """Path and qualified name of a symbol."""
        module = self._program.module(ref[0])
        return (ref[0], module.file.facts.symbols[ref[1]].qualname if module else "")

    def overriding(self, cls: Name, method: str) -> list[Name]:
        """Methods of that name in the classes below ``cls``: (path, qualified name)."""
        found: list[Name] = []
        seen = {cls}
        waiting = list(self.children.get(cls, ()))
        while waiting and len(seen) < MAX_CLASSES:
            current = waiting.pop()
            if current in seen:
                continue
            seen.add(current)
            waiting += self.children.get(current, ())
            qualname = self.methods[current].get(method) or self._inherited(current, method)
            if qualname is not None:
                found.append(qualname if isinstance(qualname, tuple) else (current[0], qualname))
        return sorted(set(found))

    def _inherited(self, cls: Name, method: str) -> Name | None:
        """The method that a class gets from one of its own bases, nearest first."""
        seen: set[Name] = set()
        waiting = list(self.bases.get(cls, ()))
        while waiting and len(seen) < MAX_CLASSES:
            current = waiting.pop(0)
            if current in seen:
                continue
            seen.add(current)
            qualname = self.methods.get(current, {}).get(method)
            if qualname is not None:
                return (current[0], qualname)
            waiting += self.bases.get(current, ())
        return None
