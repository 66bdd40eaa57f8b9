"""Go packages: the declarations of a folder, seen from a file of it."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from typing import Any, NamedTuple

from codeviews.core.facts import RepoView, SourceFile
from codeviews.core.resolve.go_modules import GoModules, guessed_names

Ir = Any
NO_FLOW: tuple[Any, ...] = ("", (), (), (), "")


class Decl(NamedTuple):
    """A package-level func, type or value (``kind``); ``record`` as extraction left it."""

    kind: str
    file: GoFile
    record: Any

    @property
    def ref(self) -> tuple[str, str]:
        """(path, qualified name) of its symbol."""
        return (self.file.path, self.file.qualname(self.record[0]))


class GoFile:
    """A file with its imports by local name."""

    __slots__ = (
        "constraint",
        "dots",
        "flow",
        "imports",
        "is_test",
        "linked",
        "package",
        "path",
        "source",
    )

    def __init__(self, source: SourceFile, package: GoPackage) -> None:
        self.source = source
        self.path = source.path
        self.flow: tuple[Any, ...] = source.facts.flow or NO_FLOW
        self.package = package
        self.is_test = source.path.endswith("_test.go")
        self.constraint: str = self.flow[4]
        self.imports: dict[str, str] = {}
        self.dots: list[str] = []
        self.linked = False

    def qualname(self, symbol: int) -> str:
        """Qualified name of a symbol by index."""
        return self.source.facts.symbols[symbol].qualname


class GoPackage:
    """One package: the files of a folder with the same package clause."""

    def __init__(self, key: str, folder: str, name: str) -> None:
        self.key = key
        self.folder = folder
        self.name = name
        self.files: list[GoFile] = []
        self.names: dict[str, list[Decl]] = defaultdict(list)
        self.methods: dict[str, dict[str, list[Decl]]] = defaultdict(lambda: defaultdict(list))

    def add(self, file: GoFile) -> None:
        """Take in the declarations of a file."""
        self.files.append(file)
        for record in file.flow[1]:
            self.names[record[1]].append(Decl("type", file, record))
        for record in file.flow[2]:
            decl = Decl("func", file, record)
            if record[2] is None:
                self.names[record[1]].append(decl)
            else:
                self.methods[record[2][1]][record[1]].append(decl)
        for record in file.flow[3]:
            for name in record[1]:
                self.names[name].append(Decl("value", file, record))

    def lookup(self, name: str, viewer: GoFile) -> list[Decl]:
        """Declarations of a name that ``viewer`` can see; several are build variants."""
        return _visible(self.names.get(name, []), viewer)

    def method(self, owner: str, name: str, viewer: GoFile) -> list[Decl]:
        """Methods of that name on a type of this package."""
        holder = self.methods.get(owner)
        return _visible(holder.get(name, []), viewer) if holder is not None else []


def _visible(decls: list[Decl], viewer: GoFile) -> list[Decl]:
    """Tests see all, production code only production code; equal build constraints win."""
    if not viewer.is_test:
        decls = [decl for decl in decls if not decl.file.is_test]
    if len(decls) > 1:
        same = [decl for decl in decls if decl.file.constraint == viewer.constraint]
        if same and viewer.constraint:
            return same
        here = [decl for decl in decls if decl.file is viewer]
        return here or decls
    return decls


class GoWorld:
    """All packages, loaded folder by folder on demand."""

    def __init__(self, repo: RepoView) -> None:
        self.repo = repo
        self.modules = GoModules(repo)
        self._files: dict[str, GoFile] = {}
        self._packages: dict[str, dict[str, GoPackage]] = {}
        self._targets: dict[tuple[str, str], GoPackage | None] = {}

    def folder(self, folder: str) -> dict[str, GoPackage]:
        """Package name -> package, of one folder."""
        known = self._packages.get(folder)
        if known is None:
            known = self._packages[folder] = {}
            for path in self.modules.folders.get(folder, ()):
                source = self.repo.file(path)
                if source is not None:
                    self._add(known, folder, source)
        return known

    def _add(self, packages: dict[str, GoPackage], folder: str, source: SourceFile) -> None:
        name = (source.facts.flow or NO_FLOW)[0]
        if name not in packages:
            packages[name] = GoPackage(f"{folder}:{name}", folder, name)
        file = GoFile(source, packages[name])
        packages[name].add(file)
        self._files[file.path] = file

    def file(self, path: str) -> GoFile | None:
        """The file of a path, with its package loaded."""
        self.folder(posixpath.dirname(path))
        return self._files.get(path)

    def imports(self, file: GoFile) -> dict[str, str]:
        """Local name -> import path of a file."""
        if not file.linked:
            file.linked = True
            self._link(file)
        return file.imports

    def dots(self, file: GoFile) -> list[str]:
        """Paths a file imports with a dot."""
        self.imports(file)
        return file.dots

    def _link(self, file: GoFile) -> None:
        for item in file.source.facts.imports:
            if item.name == "*":
                file.dots.append(item.module)
            elif item.alias:
                file.imports[item.alias] = item.module
            else:
                package = self.imported(file, item.module)
                names = [package.name] if package is not None else guessed_names(item.module)
                for name in names:
                    file.imports.setdefault(name, item.module)

    def imported(self, file: GoFile, path: str) -> GoPackage | None:
        """The package of the repository that an import path means in a file."""
        key = (posixpath.dirname(file.path), path)
        if key not in self._targets:
            folder = self.modules.folder_of(file.path, path)
            self._targets[key] = self._main_package(folder) if folder is not None else None
        return self._targets[key]

    def _main_package(self, folder: str) -> GoPackage | None:
        """The importable package of a folder: neither an external test nor all test files."""
        candidates = [
            package
            for package in self.folder(folder).values()
            if not package.name.endswith("_test") and any(not f.is_test for f in package.files)
        ]
        return max(candidates, key=lambda p: len(p.files), default=None)

    def package(self, key: str) -> GoPackage | None:
        """The package of a key ``folder:name``."""
        folder, _, name = key.rpartition(":")
        return self.folder(folder).get(name)

    def tested(self, package: GoPackage) -> GoPackage | None:
        """The package that an external test package ``x_test`` tests."""
        return self.folder(package.folder).get(package.name.removesuffix("_test"))
