"""Edges of one C++ file: overloads, receivers, virtual sets, constructions, operators."""

from __future__ import annotations

from codeviews.core.facts import (
    AMBIGUOUS,
    DYNAMIC,
    EXTERNAL,
    TIER_FLOW,
    TIER_INFERRED,
    TIER_LEXICAL,
    TIER_NAME_ONLY,
    UNKNOWN,
    Edge,
    FileEdges,
    Site,
)
from codeviews.core.resolve.c_choice import MANY
from codeviews.core.resolve.cpp_index import Function, flow_of
from codeviews.core.resolve.cpp_sites import CppSites
from codeviews.core.resolve.cpp_types import NOTHING

SEPARATOR = "\x1f"
_LIBRARY_NAMES_TEXT = """
append apply assign at back begin bind c_str call cbegin cend clear close compare copy count
data emplace emplace_back empty end erase find first flush front get has_value insert join length
load lock max min next notify_all notify_one open pop pop_back pop_front push push_back push_front
read release reserve reset resize run second seekg send shrink_to_fit size sort start stop store
str substr swap tellg top to_string try_lock unlock update value wait what write
"""
_LIBRARY_NAMES = frozenset(_LIBRARY_NAMES_TEXT.split())


class CppLinker(CppSites):
    """Resolves one file's sites."""

    def run(self) -> FileEdges:
        """All edges of the file, imports excepted."""
        for site in self.source.facts.sites:
            if site.kind == "registers":
                self._register(site)
        for site in self.source.facts.sites:
            handler = _SITES.get(site.kind)
            if handler:
                handler(self, site)
        self._overrides()
        return self.found

    def call(self, site: Site) -> None:
        """A call or construction."""
        callee, *arguments = site.extra.split(SEPARATOR)
        if site.extra == "" or callee == "[]":
            self._plain(site, site.name, arguments)
        elif callee.startswith("new "):
            self._construct(site, callee[4:], arguments)
        elif callee.startswith("member "):
            self._initialise(site, callee[7:], arguments)
        elif callee.startswith("param "):
            self._parameter(site, callee)
        elif callee.startswith("{lambda:") and callee.endswith("}"):
            self.edge(site, self.source.ids[int(callee[8:-1])], TIER_LEXICAL, "lambda")
        else:
            self._callee(site, callee, arguments)

    def _callee(self, site: Site, callee: str, arguments: list[str]) -> None:
        evaluator = self.evaluator(site.scope)
        receiver, operator, member = evaluator.split(callee)
        if receiver:
            self._method(site, receiver, operator, member.split("<", 1)[0], arguments)
        elif callee.startswith("{"):
            self._object(site, callee, arguments)
        elif callee.endswith("@") and callee[:-1].isidentifier():
            self._plain(site, callee[:-1], arguments)
        elif callee.startswith("?") or callee.endswith(("]", ")", "@")):
            self.unresolved(site, DYNAMIC)
        else:
            self._plain(site, callee, arguments)

    def _plain(self, site: Site, name: str, arguments: list[str]) -> None:
        evaluator = self.evaluator(site.scope)
        bare = name.split("<", 1)[0]
        if bare.startswith("::") and bare.count("::") == 1:
            bare = bare[2:]
            name = bare
        if bare.rsplit("::", 1)[-1] in ("make_unique", "make_shared") and "<" in name:
            self._construct(site, name[name.index("<") + 1 : -1], arguments)
            return
        meaning = self.names.meaning(bare) if "::" not in bare else None
        if meaning and any(self.names.is_macro(t.id) for t in meaning.targets):
            for target in meaning.targets:
                self.edge(site, target.id, target.tier, target.rule)
            return
        overloads = evaluator.functions(bare)
        if not any(f.scope in self.cpp.classes for f in overloads):
            others = self._by_argument(site, bare, arguments)
            overloads = overloads + [f for f in others if f not in overloads]
        if overloads:
            self.choose(site, overloads, arguments, TIER_LEXICAL, "scope", "::" in bare)
        elif evaluator.cpp.find_class(name, evaluator.scope, self.number):
            self._construct(site, name, arguments)
        elif meaning and meaning.targets:
            for target in meaning.targets:
                self.edge(site, target.id, target.tier, target.rule)
        else:
            known = meaning is not None and not site.name.startswith("::")
            self._variable(site, bare, meaning.reason if meaning and known else EXTERNAL)

    def _by_argument(self, site: Site, name: str, arguments: list[str]) -> list[Function]:
        """Functions of the namespaces the arguments' classes live in."""
        if "::" in name:
            return []
        evaluator = self.evaluator(site.scope)
        for argument in arguments:
            value = evaluator.evaluate(argument[1:] if argument[:1] == "=" else f"{{{argument}}}")
            found = evaluator.class_of(value)
            if found:
                space = self.cpp.classes[found].scope
                functions = self.cpp.functions.get(f"{space}.{name}" if space else name)
                if functions:
                    return evaluator.visible(functions)
        return []

    def _variable(self, site: Site, name: str, reason: str) -> None:
        evaluator = self.evaluator(site.scope)
        value = evaluator.variable(name)
        found = evaluator.class_of(value)
        if found and self.cpp.methods(found, "operator()"):
            methods = self.cpp.methods(found, "operator()")
            self.choose(site, methods, [], TIER_INFERRED, "receiver", True)
            return
        own = evaluator.own_class()
        kind = own.rpartition(".")[2] if own and name in self.cpp.classes[own].fields else ""
        stored = self.pointers.stored_in_field(kind, name) if kind else []
        stored = stored or self.pointers.stored_in_variable(name, self.number)
        if stored:
            self.dispatch(site, stored, "variable")
        else:
            self.unresolved(site, reason)

    def _object(self, site: Site, callee: str, arguments: list[str]) -> None:
        """A call of a local: a functor or a pointer."""
        evaluator = self.evaluator(site.scope)
        found = evaluator.class_of(evaluator.evaluate(callee))
        methods = self.cpp.methods(found, "operator()") if found else []
        if methods:
            self.choose(site, methods, arguments, TIER_INFERRED, "receiver", True)
            return
        names = self.local.get((site.scope, site.name), ())
        self.dispatch(site, [i for name in names for i in self._named(site, name)], "variable")

    def _parameter(self, site: Site, callee: str) -> None:
        _, position, inner = callee.split(" ", 2)
        evaluator = self.evaluator(site.scope)
        found = evaluator.class_of(evaluator.evaluate(inner))
        methods = self.cpp.methods(found, "operator()") if found else []
        if methods:
            self.choose(site, methods, [], TIER_INFERRED, "receiver", True)
            return
        holder = self.source.facts.symbols[site.scope].name
        stored = self.pointers.passed_to(holder, int(position), self.number, False)
        self.dispatch(site, stored, "argument")

    def _method(
        self, site: Site, receiver: str, operator: str, member: str, arguments: list[str]
    ) -> None:
        evaluator = self.evaluator(site.scope)
        value = evaluator.evaluate(receiver)
        holder = evaluator.receiver_class(value, operator)
        if not holder:
            self._unknown_receiver(site, member, arguments, value != NOTHING)
            return
        overloads = self.cpp.methods(holder, member)
        if overloads:
            exact = operator == "." and not value.text.endswith(("*", "&"))
            tier = TIER_LEXICAL if receiver == "this" else TIER_INFERRED
            self.choose(site, overloads, arguments, tier, "receiver", exact, holder)
            return
        kind = holder.rpartition(".")[2]
        stored = self.pointers.stored_in_field(kind, member)
        if stored:
            self.dispatch(site, stored, "dispatch")
        else:
            self.unresolved(site, EXTERNAL if self.cpp.has_outside_base(holder) else UNKNOWN)

    def _unknown_receiver(self, site: Site, member: str, arguments: list[str], typed: bool) -> None:
        if typed:
            self.unresolved(site, EXTERNAL)
            return
        owners = self.cpp.method_owners.get(member, ())
        if member in _LIBRARY_NAMES or not owners:
            self.unresolved(site, DYNAMIC)
        elif len(owners) > 1:
            self.unresolved(site, AMBIGUOUS, len(owners))
        else:
            overloads = self.cpp.methods(next(iter(owners)), member)
            self.choose(site, overloads, arguments, TIER_NAME_ONLY, "unique name", True)

    def _construct(self, site: Site, kind: str, arguments: list[str]) -> None:
        evaluator = self.evaluator(site.scope)
        found = evaluator.cpp.find_class(kind, evaluator.scope, self.number)
        if not found:
            return
        constructors = self.cpp.classes[found].methods.get(found.rpartition(".")[2], [])
        if constructors:
            self.choose(site, constructors, arguments, TIER_LEXICAL, "constructor", True)
            return
        for file, ident in self.class_ids(found):
            tier = TIER_LEXICAL if file == self.number or len(self.class_ids(found)) == 1 else "C"
            self.edge(site, ident, tier, "class", "references")

    def _initialise(self, site: Site, name: str, arguments: list[str]) -> None:
        """``: Base(x), field(y)`` of a constructor."""
        evaluator = self.evaluator(site.scope)
        own = evaluator.own_class()
        text, scope = self.cpp.field_type(own, name) if own else ("", "")
        if text and text.endswith(("*", "&")):
            return
        found = self.cpp.find_class(text or name, scope or evaluator.scope, self.number)
        if found:
            self._construct(site, found.replace(".", "::"), arguments)

    def implicit(self, site: Site) -> None:
        """An operator or ``delete``; operators of other types are no sites."""
        callee, *arguments = site.extra.split(SEPARATOR)
        evaluator = self.evaluator(site.scope)
        deleted = callee.startswith("delete ")
        value = evaluator.evaluate(callee[7:] if deleted else callee)
        found = evaluator.class_of(value)
        if not found:
            return
        if deleted:
            name = f"~{found.rpartition('.')[2]}"
            methods = self.cpp.methods(found, name)
            if methods:
                self.choose(site, methods, [], TIER_INFERRED, "delete", True)
            return
        if value.text.endswith("*"):
            return
        space = self.cpp.classes[found].scope
        name = f"{space}.{site.name}" if space else site.name
        overloads = self.cpp.methods(found, site.name)
        free = self.cpp.functions.get(name) or self.cpp.functions.get(site.name) or []
        if overloads:
            self.choose(site, overloads, arguments, TIER_INFERRED, "operator", True)
        elif free:
            self.choose(site, free, [value.text, *arguments], TIER_INFERRED, "operator", True)

    def inherits(self, site: Site) -> None:
        """A base class."""
        evaluator = self.evaluator(site.scope)
        scope = self.source.facts.symbols[site.scope].qualname.partition("#")[0]
        found = evaluator.cpp.find_class(site.name, scope.rpartition(".")[0], self.number)
        if not found:
            self.unresolved(site, EXTERNAL)
        for _, ident in self.class_ids(found) if found else ():
            self.edge(site, ident, TIER_LEXICAL, "base")

    def _named(self, site: Site, name: str) -> list[int]:
        """Functions that a name used as a value means."""
        evaluator = self.evaluator(site.scope)
        functions = evaluator.functions(name)
        if functions:
            return [f.id for f in evaluator.select(functions, ["?"] * len(functions[0].types))]
        return [] if "::" in name else list(self.names.functions_named(name))

    def _register(self, site: Site) -> None:
        if site.extra.startswith("=~"):
            self.local.setdefault((site.scope, site.extra[2:]), []).append(site.name)
        targets = self._named(site, site.name)[:MANY]
        holder = self.source.facts.symbols[site.scope].name
        rule = self.pointers.place(site.extra, holder, self.number).rule
        for target in targets:
            if target != self.source.ids[site.scope]:
                self.edge(site, target, TIER_LEXICAL if len(targets) == 1 else TIER_FLOW, rule)

    def _overrides(self) -> None:
        """Method -> the base method it overrides."""
        symbols = self.source.facts.symbols
        functions: dict[int, object] = flow_of(self.source).get("functions", {})
        for index in functions:
            function = self.cpp.by_id[self.source.ids[index]]
            if function.scope not in self.cpp.classes or function.name.startswith("~"):
                continue
            base = self._overridden(function)
            if base is not None:
                line = symbols[index].start_line
                self.found.edges.append(
                    Edge(function.id, base.id, "overrides", line, TIER_LEXICAL, "override")
                )

    def _overridden(self, function: Function) -> Function | None:
        for name in self.cpp.lineage(function.scope)[1:]:
            for other in self.cpp.classes[name].methods.get(function.name, ()):
                if len(other.types) == len(function.types) and self.cpp.is_virtual(other):
                    same = self.cpp.classes[name].methods[function.name]
                    defined = [m for m in same if not m.is_declaration]
                    matching = [m for m in defined if len(m.types) == len(function.types)]
                    return matching[0] if matching else other
        return None


_SITES = {
    "calls": CppLinker.call,
    "implicit": CppLinker.implicit,
    "inherits": CppLinker.inherits,
}
