"""``#include`` to file: relative names, guessed folders, ``compile_commands.json`` as data."""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, cast

from codeviews.core.facts import ImportEdge, SourceFile

_FLAG = re.compile(r"-(?:I|isystem|iquote)\s*=?\s*([^\s\"',]+)")
_PREFERRED_ARCHITECTURE = "arch/x86/"


class Includes:
    """Finds the file an ``#include`` means; answers are cached by (folder, name)."""

    def __init__(self, paths: Iterable[str], commands: bytes = b"") -> None:
        """``paths``: every indexed path; ``commands``: a compile database's bytes."""
        self._paths = frozenset(paths)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for path in self._paths:
            self._by_name[path.rsplit("/", 1)[-1]].append(path)
        self._roots = include_roots(commands)
        self._cache: dict[tuple[str, str], str | None] = {}

    def find(self, folder: str, module: str) -> str | None:
        """The target of ``#include "x"`` (``x``) or ``#include <x>`` (``<x>``) in a folder."""
        key = (folder, module)
        if key not in self._cache:
            self._cache[key] = self._find(folder, module)
        return self._cache[key]

    def edges(self, source: SourceFile) -> list[ImportEdge]:
        """The includes of a file."""
        folder = source.path.rpartition("/")[0]
        return [
            ImportEdge(self.find(folder, module), module.strip("<>"), line)
            for module, _, _, line, _, _ in source.facts.imports
        ]

    def _find(self, folder: str, module: str) -> str | None:
        name = module[1:-1] if module.startswith("<") else module
        name = posixpath.normpath(name)
        beside = posixpath.normpath(posixpath.join(folder, name))
        if not module.startswith("<") and beside in self._paths:
            return beside
        for root in self._roots:
            if posixpath.normpath(posixpath.join(root, name)) in self._paths:
                return posixpath.normpath(posixpath.join(root, name))
        name = name.lstrip("./")
        found = self._by_suffix(folder, name)
        if found is None and name.startswith("asm/"):
            found = self._by_suffix(folder, f"asm-generic/{name[4:]}")
        return found

    def _by_suffix(self, folder: str, name: str) -> str | None:
        suffix = "/" + name
        found = [
            path
            for path in self._by_name.get(name.rsplit("/", 1)[-1], ())
            if path == name or path.endswith(suffix)
        ]
        if not found:
            return None
        ranked = sorted((_distance(folder, path[: -len(name)]), path) for path in found)
        best, path = ranked[0]
        if best[0] == 3 and "/" not in name and len(found) > 1:
            return None
        return path


def _distance(folder: str, prefix: str) -> tuple[int, int, str]:
    """How far an include folder is from a source folder; smaller is nearer."""
    parts = prefix.strip("/").split("/")
    where = parts.index("include") if "include" in parts else -1
    owner = "/".join(parts[:where]) if where >= 0 else prefix.strip("/")
    if _is_above(owner, folder):
        return (0 if where >= 0 else 1, -len(owner), "")
    generic = "asm-generic" in prefix
    preferred = prefix.startswith(_PREFERRED_ARCHITECTURE)
    common = len(posixpath.commonprefix([folder + "/", prefix]).rsplit("/", 1)[0])
    return (2 if generic else 3, -common, "" if preferred else prefix)


def _is_above(owner: str, folder: str) -> bool:
    return not owner or folder == owner or folder.startswith(owner + "/")


def include_roots(commands: bytes) -> list[str]:
    """Include folders of a compile database relative to its root, the most used first."""
    counts: Counter[str] = Counter()
    for entry in _entries(commands):
        counts.update(_roots_of(entry))
    return [root for root, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def _entries(commands: bytes) -> list[dict[str, Any]]:
    try:
        entries: Any = json.loads(commands) if commands else []
    except (ValueError, RecursionError):
        return []
    if not isinstance(entries, list):
        return []
    return [entry for entry in cast("list[Any]", entries) if isinstance(entry, dict)]


def _roots_of(entry: dict[str, Any]) -> list[str]:
    arguments: Any = entry.get("arguments")
    parts = (
        cast("list[object]", arguments) if isinstance(arguments, list) else [entry.get("command")]
    )
    line = " ".join(map(str, parts))
    roots = [match for match in _FLAG.findall(line) if not match.startswith("/")]
    return [root for root in map(posixpath.normpath, roots) if not root.startswith("..")]


def closures(direct: Sequence[Sequence[int]]) -> list[int]:
    """For each file the set of files it includes, transitively and with itself, as a bit mask.

    ``direct[i]`` are the files that file i includes. Cycles share one mask (Tarjan's components).
    """
    return _Components(direct).masks


class _Components:
    def __init__(self, direct: Sequence[Sequence[int]]) -> None:
        self.direct = direct
        self.masks = [0] * len(direct)
        self.order = [0] * len(direct)
        self.low = [0] * len(direct)
        self.stack: list[int] = []
        self.on_stack = bytearray(len(direct))
        self.count = 0
        for node in range(len(direct)):
            if not self.order[node]:
                self._visit(node)

    def _visit(self, root: int) -> None:
        work = [(root, iter(self.direct[root]))]
        self._enter(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if not self.order[target]:
                    self._enter(target)
                    work.append((target, iter(self.direct[target])))
                    break
                if self.on_stack[target]:
                    self.low[node] = min(self.low[node], self.order[target])
            else:
                work.pop()
                if work:
                    above = work[-1][0]
                    self.low[above] = min(self.low[above], self.low[node])
                if self.low[node] == self.order[node]:
                    self._close(node)

    def _enter(self, node: int) -> None:
        self.count += 1
        self.order[node] = self.low[node] = self.count
        self.stack.append(node)
        self.on_stack[node] = 1

    def _close(self, node: int) -> None:
        members: list[int] = []
        while True:
            member = self.stack.pop()
            self.on_stack[member] = 0
            members.append(member)
            if member == node:
                break
        mask = 0
        for member in members:
            mask |= 1 << member
            for target in self.direct[member]:
                mask |= self.masks[target]
        for member in members:
            self.masks[member] = mask
