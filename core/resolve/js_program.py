"""The modules of a JavaScript or TypeScript repository and how names cross between them."""

from __future__ import annotations

from typing import Any, NamedTuple

from codeviews.core.facts import RepoView, SourceFile
from codeviews.core.resolve.js_paths import ModulePaths
from codeviews.core.resolve.js_values import EMPTY, Env, Obj, Value, join, only

NEW, RUNNING, DONE = 0, 1, 2
MAX_HOPS = 24  # re-exports followed from one import
TYPE_MARK = "#"  # prefix of interface and alias names, which live beside values

NO_FLOW: tuple[Any, ...] = ((), (), (), (), ("block", (), ()))


class Module:
    """One file: its facts, its top-level scope and its CommonJS ``module`` object."""

    __slots__ = (
        "bindings",
        "cjs",
        "env",
        "exports",
        "file",
        "flow",
        "path",
        "stars",
        "state",
        "targets",
    )

    def __init__(self, file: SourceFile, epoch: int) -> None:
        self.file = file
        self.path = file.path
        self.flow: tuple[Any, ...] = file.facts.flow or NO_FLOW
        self.env = Env(None, self, epoch, home=True)
        self.bindings = {local: (spec, name) for local, spec, name in self.flow[2]}
        self.exports: dict[str, tuple[str, ...]] = {}
        self.stars: list[str] = []
        for item in self.flow[3]:
            if item[0] == "star":
                self.stars.append(item[1])
            else:
                self.exports[item[1]] = item if len(item) == 4 else ("local", item[1], item[2])
        self.cjs = Obj("inst", "module", epoch)
        self.cjs.props["exports"] = only(Obj("inst", "exports", epoch))
        self.state = NEW
        self.targets: dict[str, Module | None] = {}

    @property
    def is_esm(self) -> bool:
        """Whether the file uses ES module syntax for its exports."""
        return bool(self.exports or self.stars)


class Origin(NamedTuple):
    """The definition behind an export: a module (or an external specifier) and a local name."""

    place: Module | str
    name: str
    hops: int


class Program:
    """Loads modules on demand and answers what a name imported from one of them is."""

    def __init__(self, repo: RepoView) -> None:
        self.repo = repo
        self.paths = ModulePaths(repo)
        self.modules: dict[str, Module | None] = {}
        self._externals: dict[str, Obj] = {}
        self._namespaces: dict[str, Obj] = {}
        self._strings: dict[str, Obj] = {}
        self._builtins: dict[str, Obj] = {}
        self._origins: dict[tuple[str, str], Origin | None] = {}

    def module(self, path: str) -> Module | None:
        """The module of a path; None when the path is not of this family."""
        if path not in self.modules:
            file = self.repo.file(path)
            self.modules[path] = Module(file, len(self.modules)) if file is not None else None
        return self.modules[path]

    def add(self, file: SourceFile) -> Module:
        """Register a file whose facts are at hand."""
        known = self.modules.get(file.path)
        if known is None:
            known = self.modules[file.path] = Module(file, len(self.modules))
        return known

    def imported(self, module: Module, specifier: str) -> Module | None:
        """The module that a specifier means, or None when it is external or not code."""
        if specifier not in module.targets:
            path = self.paths.resolve(module.path, specifier)
            module.targets[specifier] = self.module(path) if path is not None else None
        return module.targets[specifier]

    def external(self, name: str) -> Obj:
        """The one object that stands for everything of an external module."""
        if name not in self._externals:
            self._externals[name] = Obj("ext", name)
        return self._externals[name]

    def builtin(self, name: str) -> Obj:
        """A builtin of the language: a global (``Promise``) or a value's type (``string``)."""
        if name not in self._builtins:
            self._builtins[name] = Obj("builtin", name)
        return self._builtins[name]

    def string(self, text: str) -> Obj:
        """The constant key ``text``."""
        if text not in self._strings:
            self._strings[text] = Obj("str", text)
        return self._strings[text]

    def namespace(self, module: Module) -> Obj:
        """The namespace object of a module."""
        if module.path not in self._namespaces:
            namespace = Obj("ns", module.path)
            namespace.module = module
            self._namespaces[module.path] = namespace
        return self._namespaces[module.path]

    def lookup_export(self, module: Module, name: str, run: Any) -> Value:
        """What ``module`` exports under ``name``; ``run(module)`` executes its top level.

        Type names carry :data:`TYPE_MARK`. Follows re-exports and barrels.
        """
        mark = TYPE_MARK if name.startswith(TYPE_MARK) else ""
        plain = name.removeprefix(TYPE_MARK)
        origin = self._origin(module, plain)
        if origin is None and module.is_esm:
            return EMPTY
        if origin is None:
            return self._local(module, name, run) if mark else self._common_js(module, plain, run)
        return self._value_of(origin, mark, run)

    def from_module(self, module: Module, specifier: str, name: str, run: Any) -> Value:
        """The value of ``name`` imported from ``specifier`` in ``module``."""
        target = self.imported(module, specifier)
        if target is None:
            return only(self.external(specifier))
        plain = name.removeprefix(TYPE_MARK)
        if plain == "=" or (plain == "*" and not target.is_esm):
            run(target)
            return target.cjs.props["exports"]
        if plain == "*":
            return only(self.namespace(target))
        return self.lookup_export(target, name, run)

    def _value_of(self, origin: Origin, mark: str, run: Any) -> Value:
        if isinstance(origin.place, str):
            return only(self.external(origin.place))
        if origin.name in ("*", "="):
            return self._whole(origin.place, origin.name, run)
        if not origin.place.is_esm and not mark and origin.hops:
            return self._common_js(origin.place, origin.name, run)
        return self._local(origin.place, mark + origin.name, run)

    def _whole(self, module: Module, name: str, run: Any) -> Value:
        if name == "=" or not module.is_esm:
            run(module)
            return module.cjs.props["exports"]
        return only(self.namespace(module))

    def _origin(self, module: Module, name: str, hops: int = 0) -> Origin | None:
        """Where an exported name is defined; syntax alone decides, so it is found once."""
        key = (module.path, name)
        if key not in self._origins:
            self._origins[key] = None  # cuts cycles of re-exports
            self._origins[key] = self._find_origin(module, name, hops)
        return self._origins[key]

    def _find_origin(self, module: Module, name: str, hops: int) -> Origin | None:
        if hops > MAX_HOPS:
            return None
        entry = module.exports.get(name)
        if entry is not None and entry[0] == "local":
            return self._local_origin(module, entry[2], hops)
        if entry is not None:
            return self._imported_origin(module, entry[2], entry[3], hops)
        for specifier in module.stars if name != "default" else ():
            target = self.imported(module, specifier)
            found = self._origin(target, name, hops + 1) if target is not None else None
            if found is not None:
                return found
        return None

    def _local_origin(self, module: Module, local: str, hops: int) -> Origin | None:
        binding = module.bindings.get(local)
        if binding is not None:
            return self._imported_origin(module, binding[0], binding[1], hops)
        return Origin(module, local, hops)

    def _imported_origin(
        self, module: Module, specifier: str, name: str, hops: int
    ) -> Origin | None:
        target = self.imported(module, specifier)
        if target is None:
            return Origin(specifier, name, hops)
        if name in ("*", "=") or not target.is_esm:
            return Origin(target, name, hops + 1)
        return self._origin(target, name, hops + 1)

    def _local(self, module: Module, name: str, run: Any) -> Value:
        if name not in module.env.vars:
            run(module)
        value = module.env.vars.get(name)
        if value is not None:
            return value
        plain = name.removeprefix(TYPE_MARK)
        if plain in module.bindings:
            specifier, wanted = module.bindings[plain]
            mark = TYPE_MARK if name != plain else ""
            return self.from_module(module, specifier, mark + wanted, run)
        return EMPTY

    def _common_js(self, module: Module, name: str, run: Any) -> Value:
        run(module)
        exports = module.cjs.props["exports"]
        if name == "default":
            return exports
        found: Value = EMPTY
        for item in exports:
            found = join(found, item.props.get(name, EMPTY))
        return found
