"""Which file a dotted module name means, seen from an importing file.

A directory is a root when the packages below it are importable by their own name: the parent of
each top-level package, ``src``-like folders, the repository root, and what ``package-dir`` in
``pyproject.toml`` or ``setup.cfg`` maps. A module is sought in the importer's own root first.
"""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterable
from typing import Any

_SOURCE_FOLDERS = frozenset(["src", "lib", "python", "py"])
_STDLIB = sys.stdlib_module_names


class Modules:
    """Maps dotted names to paths. ``""`` as a path part means the repository root, which may be a
    package itself: then ``own_name`` is how it is imported."""

    def __init__(
        self, paths: Iterable[str], read: Callable[[str], bytes], own_name: str = ""
    ) -> None:
        self.files = {p for p in paths if p.endswith((".py", ".pyi", ".pyw"))}
        self.packages: set[str] = set()  # directories with __init__
        self.folders: set[str] = set()  # directories that hold Python, at any depth
        for path in sorted(self.files):
            folder, _, name = path.rpartition("/")
            if name in ("__init__.py", "__init__.pyi"):
                self.packages.add(folder)
            while folder not in self.folders:
                self.folders.add(folder)
                folder = folder.rpartition("/")[0]
        self.folders.discard("")
        self._root_of: dict[str, str] = {}
        self.roots = self._find_roots()
        self.mapping = _package_dirs(paths, read)
        if own_name and "" in self.packages:
            self.mapping.append((own_name, ""))
        self._found: dict[tuple[str, str], str | None] = {}

    def root_of(self, folder: str) -> str:
        """The root a directory's modules are imported from."""
        known = self._root_of.get(folder)
        if known is None:
            above = folder.rpartition("/")[0]
            known = self.root_of(above) if folder in self.packages and folder else folder
            self._root_of[folder] = known
        return known

    def _find_roots(self) -> list[str]:
        roots = {self.root_of(package) for package in self.packages}
        roots |= {f for f in self.folders if f.rpartition("/")[2] in _SOURCE_FOLDERS}
        roots.add("")
        return sorted(roots, key=lambda root: (root.count("/") if root else -1, root))

    def find(self, module: str, importer: str) -> str | None:
        """The file (or namespace directory, with a closing ``/``) of an absolute import."""
        root = self.root_of(importer.rpartition("/")[0])
        key = (root, module)
        if key not in self._found:
            self._found[key] = self._find(module, root)
        return self._found[key]

    def relative(self, module: str, level: int, importer: str) -> str | None:
        """The target of ``from ..module import``; None when it leaves the repository."""
        folder = importer.rpartition("/")[0]
        for _ in range(level - 1):
            if not folder:
                return None
            folder = folder.rpartition("/")[0]
        path = "/".join(part for part in (folder, module.replace(".", "/")) if part)
        found = self.at(path)
        if found is None:
            dotted = self.dotted(folder)
            found = self._mapped(f"{dotted}.{module}" if module else dotted) if dotted else None
        return found

    def at(self, path: str) -> str | None:
        """The module file at a path without suffix, a package, or a namespace directory."""
        for candidate in (f"{path}/__init__.py", f"{path}.py"):
            if candidate.lstrip("/") in self.files:
                return candidate.lstrip("/")
        for candidate in (f"{path}/__init__.pyi", f"{path}.pyi", f"{path}.pyw"):
            if candidate.lstrip("/") in self.files:
                return candidate.lstrip("/")
        if path == "" or path in self.folders:
            return f"{path}/"
        return None

    def child(self, holder: str, name: str) -> str | None:
        """A submodule of a package file or namespace directory."""
        if holder.endswith("/"):
            found = self.at(f"{holder}{name}".lstrip("/"))
        else:
            folder, _, file = holder.rpartition("/")
            inside = f"{folder}/{name}" if folder else name
            found = self.at(inside) if file.startswith("__init__.") else None
        if found is None and self.mapping:
            dotted = self.dotted(holder.rpartition("/")[0])
            return self._mapped(f"{dotted}.{name}") if dotted else None
        return found

    def dotted(self, folder: str) -> str:
        """The dotted name of a directory, through the mapping when there is one."""
        for prefix, mapped in self.mapping:
            if folder == mapped or (mapped and folder.startswith(f"{mapped}/")):
                rest = folder[len(mapped) :].strip("/").replace("/", ".")
                return f"{prefix}.{rest}".strip(".") if rest else prefix
        root = self.root_of(folder)
        return folder[len(root) :].strip("/").replace("/", ".")

    def _find(self, module: str, root: str) -> str | None:
        mapped = self._mapped(module)
        if mapped is not None:
            return mapped
        tail = module.replace(".", "/")
        namespace: str | None = None
        for candidate in self._candidate_roots(module, root):
            found = self.at(f"{candidate}/{tail}" if candidate else tail)
            if found is not None and not found.endswith("/"):
                return found
            namespace = namespace or found
        return namespace

    def _candidate_roots(self, module: str, root: str) -> list[str]:
        own = [root] if root == "" else [root, ""]
        if module.partition(".")[0] in _STDLIB:
            return own
        others = [other for other in self.roots if other not in own]
        others.sort(key=lambda other: -_common(other, root))
        return own + others

    def _mapped(self, module: str) -> str | None:
        for prefix, folder in self.mapping:
            if module == prefix or module.startswith(f"{prefix}.") or prefix == "":
                rest = module[len(prefix) :].strip(".").replace(".", "/")
                path = "/".join(part for part in (folder, rest) if part)
                found = self.at(path)
                if found is not None and not found.endswith("/"):
                    return found
        return None


def _common(one: str, other: str) -> int:
    count = 0
    for left, right in zip(one.split("/"), other.split("/"), strict=False):
        if left != right:
            break
        count += 1
    return count


def _package_dirs(paths: Iterable[str], read: Callable[[str], bytes]) -> list[tuple[str, str]]:
    """(package prefix, directory) of every ``package-dir``, longest prefix first."""
    found: dict[str, str] = {}
    known = set(paths)
    for manifest in ("pyproject.toml", "setup.cfg", "setup.py"):
        if manifest in known:
            found.update(_READERS[manifest](read(manifest).decode("utf-8", "replace")))
    pairs = [(prefix, folder.strip("./")) for prefix, folder in found.items() if folder != "."]
    return sorted(pairs, key=lambda pair: (-len(pair[0]), pair[0]))


def _from_pyproject(text: str) -> dict[str, str]:
    try:
        data: Any = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
    for key in ("tool", "setuptools", "package-dir"):
        data = data.get(key) if isinstance(data, dict) else None
    if not isinstance(data, dict):
        return {}
    return {k: v for k, v in data.items() if isinstance(k, str) and isinstance(v, str)}


def _from_setup_cfg(text: str) -> dict[str, str]:
    match = re.search(r"^package_dir\s*=\s*\n?((?:[ \t]*[\w.]*\s*=\s*\S+\n?)+)", text, re.M)
    lines = match[1].splitlines() if match else []
    pairs = [line.partition("=") for line in lines if "=" in line]
    return {key.strip(): value.strip() for key, _, value in pairs}


def _from_setup_py(text: str) -> dict[str, str]:
    match = re.search(r"package_dir\s*=\s*\{([^}]{0,2000})\}", text)
    pairs = re.findall(r"['\"]([\w.]*)['\"]\s*:\s*['\"]([^'\"]*)['\"]", match[1] if match else "")
    return dict(pairs)


_READERS: dict[str, Callable[[str], dict[str, str]]] = {
    "setup.py": _from_setup_py,
    "setup.cfg": _from_setup_cfg,
    "pyproject.toml": _from_pyproject,
}
