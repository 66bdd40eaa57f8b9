"""The declarations of all files of one language as a tree of definitions.

Built once per resolution from the files' facts; :mod:`codeviews.core.resolve.names` looks names up
in it and :mod:`codeviews.core.resolve.typed` types expressions with it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple, cast

from codeviews.core.facts import CALLABLE_KINDS, TEST, TYPE_KINDS, Import, RepoView, SourceFile

NAMESPACE = "namespace"
TYPES = TYPE_KINDS | {NAMESPACE}
MAX_PARAMETERS = 1_000
MAX_BINDINGS = 64
Binding = tuple[Any, ...]
Bindings = dict[tuple[int, str], list[Binding]]


class Base(NamedTuple):
    """A base type as written, with where it was written."""

    text: str
    file: FileDeclarations
    scope: int


@dataclass(slots=True, eq=False)
class Definition:
    """A symbol in the tree; a namespace may stand for many files and then has ``file`` None."""

    name: str
    kind: str
    id: int
    file: FileDeclarations | None
    index: int
    flags: int
    parent: Definition | None
    children: dict[str, list[Definition]] = field(default_factory=dict[str, list["Definition"]])
    bases: list[Base] = field(default_factory=list[Base])
    lineage: tuple[tuple[Definition, ...], bool] | None = None
    """Cached (itself and its ancestors, whether one of them is outside the repository)."""

    @property
    def is_type(self) -> bool:
        return self.kind in TYPES

    @property
    def is_callable(self) -> bool:
        return self.kind in CALLABLE_KINDS

    @property
    def is_test(self) -> bool:
        return self.file is not None and bool(self.file.marks & TEST)

    def add(self, child: Definition) -> None:
        """Make ``child`` a member."""
        found = self.children.setdefault(child.name, [])
        if child not in found[-8:]:
            found.append(child)


@dataclass(slots=True, eq=False)
class FileDeclarations:
    """What other files need of one file."""

    path: str
    marks: int
    package: str
    parents: list[int]
    definitions: list[Definition]
    imports: dict[int, dict[str, list[str]]]
    """scope -> local name -> dotted targets as written"""
    wildcards: dict[int, list[str]]
    types: Mapping[int, str]
    values: Mapping[int, str]
    params: Mapping[int, list[str]]
    generics: Mapping[int, list[tuple[str, str]]]
    returns: Mapping[int, list[str]]
    assigned: dict[tuple[int, str], list[tuple[int, str]]]
    """(class index, field name) -> (scope, value chain) of assignments to the field"""
    bindings: Bindings
    """(scope, name) -> its bindings by offset, see :mod:`codeviews.core.languages.queried`"""

    def near(self, scope: int, name: str, offset: int) -> list[Binding]:
        """The bindings of a name around an offset: all, unless there are very many."""
        found = self.bindings.get((scope, name))
        if found is None or len(found) <= MAX_BINDINGS:
            return found or []
        at = bisect_right(found, offset, key=itemgetter(4))
        return found[max(0, at - MAX_BINDINGS) : at + MAX_BINDINGS // 8]

    def is_test(self) -> bool:
        """Whether the whole file is test code."""
        return bool(self.marks & TEST)

    def enclosing(self, index: int) -> Iterator[int]:
        """The symbol and those around it, innermost first, the file last."""
        while index >= 0:
            yield index
            index = self.parents[index]


def flow_of(file: SourceFile) -> dict[str, Any]:
    """The facts' ``flow``, see :mod:`codeviews.core.languages.queried`."""
    return cast("dict[str, Any]", file.facts.flow or {})


Place = Callable[[SourceFile], str]
Target = Callable[[str, Import], "str | None"]


class World:
    """All definitions of one language."""

    def __init__(self, repo: RepoView, place: Place, target: Target | None = None) -> None:
        self.repo = repo
        self.place = place
        self.target = target
        self.root = Definition("", NAMESPACE, 0, None, 0, 0, None)
        self.files: dict[str, FileDeclarations] = {}
        self.by_name: dict[str, list[Definition]] = defaultdict(list)
        self.attached: list[tuple[Definition, str]] = []
        self.generic_impls: set[Definition] = set()
        """Members of ``impl Trait<Args> for T``: T may have the same member for other Args."""
        self.impls: list[tuple[FileDeclarations, tuple[Any, ...]]] = []
        self.outside: dict[str, dict[str, list[Definition]]] = defaultdict(dict)
        """Members that extensions and impl blocks add to types outside the repository."""
        self.subtypes: dict[Definition, list[Definition]] = defaultdict(list)
        self.scopes: dict[Definition, list[tuple[FileDeclarations, int]]] = defaultdict(list)
        """Namespace -> the (file, scope) pairs whose imports are its own."""

    def namespace(self, path: str) -> Definition:
        """The namespace of a dotted path, made when it is new."""
        found = self.root
        for name in path.split(".") if path else ():
            spaces = [child for child in found.children.get(name, ()) if child.kind == NAMESPACE]
            if not spaces:
                spaces = [Definition(name, NAMESPACE, 0, None, 0, 0, found)]
                found.add(spaces[0])
            found = spaces[0]
        return found

    def add(self, file: SourceFile) -> None:
        """Take one file's declarations into the tree."""
        facts, flow = file.facts, flow_of(file)
        declarations = FileDeclarations(
            file.path,
            file.marks,
            self.place(file),
            [symbol.parent for symbol in facts.symbols],
            [],
            *self._imports(file),
            flow.get("types", {}),
            flow.get("values", {}),
            flow.get("params", {}),
            flow.get("generics", {}),
            flow.get("returns", {}),
            {},
            {},
        )
        self.files[file.path] = declarations
        self._define(file, declarations)
        self._bases(file, declarations)
        _keep_assignments(file, declarations)
        self.impls.extend((declarations, impl) for impl in flow.get("impls", ()))

    def _imports(
        self, file: SourceFile
    ) -> tuple[dict[int, dict[str, list[str]]], dict[int, list[str]]]:
        named: dict[int, dict[str, list[str]]] = {}
        wildcards: dict[int, list[str]] = {}
        for item in file.facts.imports:
            path = self.import_path(file.path, item)
            if item.name == "*":
                wildcards.setdefault(item.scope, []).append(path)
                continue
            local = item.alias or item.name or item.module.rpartition(".")[2]
            named.setdefault(item.scope, {}).setdefault(local, []).append(path)
        return named, wildcards

    def import_path(self, path: str, item: Import) -> str:
        """The dotted path (or file) that an import of a file means."""
        target = self.target(path, item) if self.target else None
        if target is not None:
            return target
        named = item.module and item.name not in ("", "*")
        return f"{item.module}.{item.name}" if named else item.module or item.name.strip("*")

    def _define(self, file: SourceFile, declarations: FileDeclarations) -> None:
        space = self.namespace(declarations.package)
        receivers = flow_of(file).get("receivers", {})
        traits = flow_of(file).get("traits", {})
        extensions = flow_of(file).get("extensions", {})
        made = declarations.definitions
        made.append(space)
        self.scopes[space].append((declarations, 0))
        for index, symbol in enumerate(file.facts.symbols[1:], 1):
            parent = made[symbol.parent]
            if symbol.kind == NAMESPACE and index not in receivers:
                made.append(self._shared(parent, symbol.name, file.ids[index]))
                self.scopes[made[-1]].append((declarations, index))
                continue
            kind, number = symbol.kind, file.ids[index]
            new = Definition(symbol.name, kind, number, declarations, index, symbol.flags, parent)
            made.append(new)
            if index in receivers:
                self.attached.append((new, receivers[index]))
            else:
                parent.add(new)
            if index in traits:
                self.generic_impls.add(new)
            if index in extensions:
                self.attached.append((new, extensions[index]))
            if new.is_callable:
                self.by_name[new.name].append(new)

    def _shared(self, parent: Definition, name: str, number: int) -> Definition:
        found = parent
        for part in name.replace("::", ".").replace("\\", ".").split("."):
            spaces = [child for child in found.children.get(part, ()) if child.kind == NAMESPACE]
            if not spaces:
                spaces = [Definition(part, NAMESPACE, number, None, 0, 0, found)]
                found.add(spaces[0])
            found = spaces[0]
        return found

    def _bases(self, file: SourceFile, declarations: FileDeclarations) -> None:
        for site in file.facts.sites:
            if site.kind == "inherits" and site.scope:
                owner = declarations.definitions[site.scope]
                outer = max(0, declarations.parents[site.scope])
                owner.bases.append(Base(site.name, declarations, outer))


def _keep_assignments(file: SourceFile, declarations: FileDeclarations) -> None:
    """Field assignments, and the locals of functions whose return type must be inferred."""
    flow = flow_of(file)
    needed = set(declarations.returns)
    for scope, name, value in flow.get("fields", ()):
        owner = next((i for i in declarations.enclosing(scope) if _is_type(file, i)), 0)
        declarations.assigned.setdefault((owner, name), []).append((scope, value))
        needed.add(scope)
    declarations.bindings = group_bindings(b for b in flow.get("bindings", ()) if b[0] in needed)


def group_bindings(bindings: Iterable[Binding]) -> Bindings:
    """Bindings by scope and name, in the order of their offsets."""
    grouped: Bindings = {}
    for binding in bindings:
        grouped.setdefault((binding[0], binding[1]), []).append(binding)
    for found in grouped.values():
        found.sort(key=itemgetter(4))
    return grouped


def _is_type(file: SourceFile, index: int) -> bool:
    return file.facts.symbols[index].kind in TYPES


def arity_range(declarations: FileDeclarations, index: int) -> tuple[int, int]:
    """Fewest and most arguments a callable takes; everything when it says nothing."""
    params = declarations.params.get(index)
    if params is None:
        return 0, MAX_PARAMETERS
    fewest = sum(1 for param in params if param[:1] not in ("*", "~"))
    most = MAX_PARAMETERS if any(param.startswith("*") for param in params) else len(params)
    return fewest, most
