"""From module specifiers to files: relative paths, tsconfig ``paths``, packages, workspaces.

Manifests are read as data; nothing of the repository is run. A specifier that no rule maps to a
file of the repository is external.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from typing import Any, cast

from codeviews.core.facts import EXAMPLE, TEST, VENDORED, RepoView

SUFFIXES = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json")
SCRIPTS = (".js", ".jsx", ".mjs", ".cjs")
# What a compiled name stands for in the sources.
SOURCE_OF = {
    ".js": (".ts", ".tsx", ".jsx"),
    ".jsx": (".tsx",),
    ".mjs": (".mts",),
    ".cjs": (".cts",),
}
CONDITIONS = ("source", "types", "import", "module", "require", "node", "default", "browser")
BUILD_FOLDERS = ("dist", "lib", "build", "out", "esm", "cjs")
MAX_EXTENDS = 8

Json = dict[str, Any]


class ModulePaths:
    """Resolves specifiers for one repository; manifests are read once, on first need."""

    def __init__(self, repo: RepoView) -> None:
        self._repo = repo
        self._paths = repo.paths()
        self._manifests: dict[str, Json] = {}
        self._configs: dict[str, tuple[str, list[tuple[str, list[str]]]]] = {}
        self._cache: dict[tuple[str, str, bool], str | None] = {}
        self._packages: dict[str, str] | None = None

    def resolve(self, importer: str, specifier: str) -> str | None:
        """The file that ``specifier`` means in ``importer``, or None when it is outside."""
        folder = posixpath.dirname(importer)
        key = (folder, specifier, importer.endswith(SCRIPTS))
        if key not in self._cache:
            found = self._resolve(folder, specifier)
            self._cache[key] = self._script(found) if found and key[2] else found
        return self._cache[key]

    def _script(self, path: str) -> str:
        """For a script that imports: the script beside a declaration file, which is what runs."""
        stem = path.removesuffix(".d.ts")
        beside = (stem + suffix for suffix in SCRIPTS) if stem != path else ()
        return next((name for name in beside if name in self._paths), path)

    def _resolve(self, folder: str, specifier: str) -> str | None:
        specifier = specifier.split("?")[0]
        if specifier.startswith((".", "/")):
            base = "" if specifier.startswith("/") else folder
            return self._as_module(_normal(base, specifier.lstrip("/")))
        if specifier.startswith("#"):
            return self._own_import(folder, specifier)
        mapped = self._by_config(folder, specifier)
        return mapped or self._by_package(specifier)

    def _as_module(self, path: str | None) -> str | None:
        """A file, a file without its suffix, or a folder with a manifest or an index."""
        if path is None:
            return None
        found = self._as_file(path)
        if found is not None:
            return found
        manifest = self._manifest(posixpath.join(path, "package.json"))
        for key in ("source", "types", "module", "main"):
            entry = manifest.get(key)
            if isinstance(entry, str):
                found = self._as_entry(path, entry)
                if found is not None:
                    return found
        return self._as_file(posixpath.join(path, "index"))

    def _as_file(self, path: str) -> str | None:
        if path in self._paths:
            return path
        stem, suffix = posixpath.splitext(path)
        for source in SOURCE_OF.get(suffix, ()):
            if stem + source in self._paths:
                return stem + source
        return next((path + s for s in SUFFIXES if path + s in self._paths), None)

    def _as_entry(self, root: str, entry: str) -> str | None:
        """A manifest's entry; when it names build output, the source it is built from."""
        path = _normal(root, entry)
        if path is None:
            return None
        found = self._as_file(path) or self._as_file(posixpath.join(path, "index"))
        if found is not None:
            return found
        parts = posixpath.relpath(path, root or ".").split("/")
        if parts[0] not in BUILD_FOLDERS:
            return None
        rest = "/".join(p for p in parts[1:] if p not in BUILD_FOLDERS)
        stem = re.sub(r"(\.d)?\.[cm]?[jt]sx?$", "", rest)
        return self._as_file(posixpath.join(root, "src", stem)) or self._as_file(
            posixpath.join(root, stem)
        )

    def _manifest(self, path: str) -> Json:
        if path not in self._manifests:
            known = path in self._paths
            self._manifests[path] = _json(self._repo.read(path)) if known else {}
        return self._manifests[path]

    def _by_config(self, folder: str, specifier: str) -> str | None:
        for ancestor in _ancestors(folder):
            for name in ("tsconfig.json", "jsconfig.json"):
                path = posixpath.join(ancestor, name)
                if path in self._paths:
                    return self._by_mapping(path, specifier)
        return None

    def _by_mapping(self, config: str, specifier: str) -> str | None:
        base, mapping = self._config(config)
        for pattern, targets in mapping:
            star = _match(pattern, specifier)
            if star is None:
                continue
            for target in targets:
                found = self._as_module(_normal("", target.replace("*", star, 1)))
                if found is not None:
                    return found
        return self._as_module(_normal(base, specifier)) if base != "-" else None

    def _config(self, path: str) -> tuple[str, list[tuple[str, list[str]]]]:
        """``(base folder or "-", mapping)`` of a tsconfig and of those it extends or refers to."""
        if path not in self._configs:
            self._configs[path] = ("-", [])
            self._configs[path] = self._read_config(path)
        return self._configs[path]

    def _read_config(self, path: str) -> tuple[str, list[tuple[str, list[str]]]]:
        config = self._manifest(path)
        folder = posixpath.dirname(path)
        base, mapping = "-", list[tuple[str, list[str]]]()
        for parent in self._extended(folder, config):
            base, mapping = self._config(parent)
        options = _table(config.get("compilerOptions"))
        if isinstance(options.get("baseUrl"), str):
            base = _normal(folder, options["baseUrl"]) or ""
        paths = _table(options.get("paths"))
        if paths:
            root = base if base != "-" else folder
            mapping = [(key, _targets(root, value)) for key, value in paths.items()]
        if not mapping and base == "-":
            for reference in _list(config.get("references"))[:MAX_EXTENDS]:
                base, mapping = self._referred(folder, _table(reference).get("path"))
                if mapping:
                    break
        return base, sorted(mapping, key=lambda item: -len(item[0]))

    def _extended(self, folder: str, config: Json) -> Iterator[str]:
        value = config.get("extends")
        for name in (_list(value) or [value])[:MAX_EXTENDS]:
            if not isinstance(name, str):
                continue
            local = name.startswith(".")
            path = _normal(folder, name) if local else self._package_file(name)
            for candidate in (path, f"{path}.json", f"{path}/tsconfig.json"):
                if candidate in self._paths:
                    yield str(candidate)
                    break

    def _package_file(self, name: str) -> str | None:
        package, rest = _split(name)
        root = self._roots().get(package)
        return _normal(root, rest) if root is not None else None

    def _referred(self, folder: str, path: object) -> tuple[str, list[tuple[str, list[str]]]]:
        target = _normal(folder, path) if isinstance(path, str) else None
        for candidate in (target, f"{target}/tsconfig.json"):
            if candidate in self._paths and str(candidate).endswith(".json"):
                return self._config(str(candidate))
        return "-", []

    def _roots(self) -> dict[str, str]:
        """Package name -> folder, for every package.json of the repository."""
        if self._packages is None:
            self._packages = {}
            for path, marks in self._paths.items():
                if path.endswith("package.json") and not marks & (TEST | EXAMPLE | VENDORED):
                    name = self._manifest(path).get("name")
                    if isinstance(name, str):
                        self._packages.setdefault(name, posixpath.dirname(path))
        return self._packages

    def _by_package(self, specifier: str) -> str | None:
        name, rest = _split(specifier)
        root = self._roots().get(name)
        if root is None:
            return None
        exports = self._manifest(posixpath.join(root, "package.json")).get("exports")
        if exports is not None:
            entry = _exported(exports, "./" + rest if rest else ".")
            found = self._as_entry(root, entry) if entry else None
            if found is not None:
                return found
        if not rest:
            return self._as_module(root) or self._as_file(posixpath.join(root, "src/index"))
        inside = self._as_module(_normal(root, rest))
        return inside or self._as_module(_normal(root, "src/" + rest))

    def _own_import(self, folder: str, specifier: str) -> str | None:
        for ancestor in _ancestors(folder):
            path = posixpath.join(ancestor, "package.json")
            if path in self._paths:
                entry = _exported(self._manifest(path).get("imports"), specifier)
                return self._as_entry(ancestor, entry) if entry else None
        return None


def _normal(folder: str, path: str) -> str | None:
    joined = posixpath.normpath(posixpath.join(folder, path))
    if joined == ".." or joined.startswith(("../", "/")):
        return None
    return "" if joined == "." else joined


def _ancestors(folder: str) -> Iterator[str]:
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


def _split(specifier: str) -> tuple[str, str]:
    parts = specifier.split("/")
    size = 2 if specifier.startswith("@") else 1
    return "/".join(parts[:size]), "/".join(parts[size:])


def _match(pattern: str, specifier: str) -> str | None:
    head, star, tail = pattern.partition("*")
    if not star:
        return "" if specifier == pattern else None
    fits = specifier.startswith(head) and specifier.endswith(tail)
    return specifier[len(head) : len(specifier) - len(tail)] if fits else None


def _exported(exports: object, key: str) -> str | None:
    """The target of ``key`` in a manifest's ``exports`` or ``imports``."""
    if isinstance(exports, (str, list)):
        return _condition(cast("object", exports)) if key == "." else None
    table = _table(exports)
    if key == "." and table and not any(name.startswith((".", "#")) for name in table):
        return _condition(table)
    for pattern, target in sorted(table.items(), key=lambda item: -len(item[0])):
        star = _match(pattern, key)
        entry = _condition(target) if star is not None else None
        if entry is not None:
            return entry.replace("*", star or "")
    return None


def _condition(target: object, depth: int = 0) -> str | None:
    if isinstance(target, str) or depth > 6:
        return target if isinstance(target, str) else None
    if isinstance(target, list):
        found = (_condition(item, depth + 1) for item in cast("list[object]", target))
        return next((item for item in found if item), None)
    table = _table(target)
    for name in CONDITIONS:
        entry = _condition(table.get(name), depth + 1) if name in table else None
        if entry is not None:
            return entry
    return None


def _targets(root: str, value: object) -> list[str]:
    return [posixpath.join(root, item) for item in _list(value) if isinstance(item, str)]


def _table(value: object) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')


def _json(source: bytes) -> Json:
    """JSON with comments and trailing commas; {} when it is broken."""
    text = source.decode("utf-8-sig", "replace")
    text = _COMMENT.sub(lambda match: match[1] or "", text)
    text = _TRAILING_COMMA.sub(lambda match: match[1] or "", text)
    try:
        return _table(json.loads(text))
    except (ValueError, RecursionError):
        return {}
