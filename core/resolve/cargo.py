"""Cargo workspaces as data: which crate and module a Rust file is."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, cast

from codeviews.core.facts import RepoView, SourceFile

TESTS = "$"
"""Suffix of the namespace that holds a package's test, bench and example crates."""


class Crates:
    """Crate roots of a repository, read from its manifests; files map to dotted module paths."""

    def __init__(self, repo: RepoView) -> None:
        self._roots: dict[str, str] = {}
        """path of a crate's root file -> its namespace"""
        self._folders: dict[str, str] = {}
        """folder of crate roots -> namespace of the modules below it"""
        paths = repo.paths()
        for path in sorted(paths):
            if path.rpartition("/")[2] == "Cargo.toml":
                self._manifest(path, repo.read(path), paths)

    def place(self, file: SourceFile) -> str:
        """Dotted namespace of a file: its crate and module path."""
        path = file.path
        if path in self._roots:
            return self._roots[path]
        folder = path.rpartition("/")[0]
        parts: list[str] = []
        while True:
            if folder in self._folders:
                return _join(self._folders[folder], _modules(path, folder))
            if not folder:
                break
            folder, _, last = folder.rpartition("/")
            parts.insert(0, last)
        return _join("crate$" if "/" not in path else "", _modules(path, ""))

    def _manifest(self, path: str, source: bytes, paths: Mapping[str, int]) -> None:
        try:
            manifest = tomllib.loads(source.decode("utf-8", "replace"))
        except (tomllib.TOMLDecodeError, RecursionError):
            manifest = {}
        folder = path.rpartition("/")[0]
        package = _table(manifest.get("package"))
        name = str(_table(manifest.get("lib")).get("name") or package.get("name") or "")
        crate = (name or PurePosixPath(folder).name or "crate").replace("-", "_").replace(".", "_")
        for root in _library_roots(manifest, folder, paths):
            self._add(root, crate)
        if package:
            self._extra_roots(manifest, package, folder, crate, paths)

    def _add(self, root: str, namespace: str) -> None:
        self._roots[root] = namespace
        self._folders.setdefault(root.rpartition("/")[0], namespace)

    def _extra_roots(
        self, manifest: dict[str, Any], package: dict[str, Any], folder: str, crate: str,
        paths: Mapping[str, int],
    ) -> None:  # fmt: skip
        for kind in ("test", "bench", "example"):
            base = _under(folder, {"bench": "benches"}.get(kind, kind + "s"))
            space = f"{crate}{TESTS}.{kind}{TESTS}"
            explicit = [_table(item).get("path") for item in _items(manifest.get(kind))]
            roots = [_under(folder, str(item)) for item in explicit if item]
            if package.get(f"auto{base.rpartition('/')[2]}") is False and roots:
                for root in roots:
                    self._add(root, f"{space}.{PurePosixPath(root).stem}")
                continue
            self._folders.setdefault(base, space)


def _library_roots(manifest: dict[str, Any], folder: str, paths: Mapping[str, int]) -> list[str]:
    written = [_table(manifest.get("lib")).get("path")]
    written += [_table(item).get("path") for item in _items(manifest.get("bin"))]
    roots = [_under(folder, str(item)) for item in written if item]
    roots += [_under(folder, name) for name in ("src/lib.rs", "src/main.rs")]
    return [root for root in roots if root in paths]


def _table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _items(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _under(folder: str, name: str) -> str:
    return str(PurePosixPath(folder, name)) if folder else str(PurePosixPath(name))


def _modules(path: str, folder: str) -> str:
    inside = path[len(folder) :].strip("/").removesuffix(".rs").split("/")
    if inside[-1] == "mod":
        inside.pop()
    return ".".join(inside)


def _join(namespace: str, modules: str) -> str:
    return ".".join(part for part in (namespace, modules) if part)
