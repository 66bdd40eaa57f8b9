"""What a plain C name means in one file: its own scope first, then the rest; macros expanded.

Most names mean the same wherever they are used. Those are settled once (:class:`Shared`); only
names with several definitions are looked at from each file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from codeviews.core.facts import (
    DECLARATION,
    TEST,
    TIER_INFERRED,
    TIER_LEXICAL,
    TIER_NAME_ONLY,
    SourceFile,
)
from codeviews.core.resolve.c_choice import MANY, Meaning, Target, Viewpoint, absent, program
from codeviews.core.resolve.c_index import (
    FUNCTION,
    PROTOTYPE,
    SOURCE,
    Bodies,
    Definition,
    Index,
    is_header,
    macro_bodies,
)
from codeviews.core.resolve.cpp_index import flow_of

_DEPTH = 6  # macros inside macros
_WRAPPED = 3  # functions that the twins of a wrapper macro may call
_TWINS = 2  # external functions of one name that an expansion may stand for


class Simple(NamedTuple):
    """A name's meaning for every file: ``seen`` for those that include ``file`` (-1: for all)."""

    file: int
    seen: Meaning
    unseen: Meaning


class Shared:
    """Meanings and macro expansions that do not depend on the file that asks."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.simple: dict[str, Simple | None] = {}
        self.chosen: dict[tuple[str, int, str, bool], Meaning] = {}
        self._bare: dict[str, Simple | None] = {}
        self._expanded: dict[int, tuple[int, ...]] = {}
        self._around: dict[str, int] = {}
        self._called: dict[str, frozenset[int]] = {}

    def meaning(self, name: str) -> Simple | None:
        """The name's meaning with macros expanded, or None when it depends on the file."""
        if name not in self.simple:
            self.simple[name] = self._with_expansions(self._classify(name))
        return self.simple[name]

    def around(self, name: str) -> int:
        """The files that define a name, as a bit set: what reach of it can depend on."""
        if name not in self._around:
            mask = 0
            for candidate in self.index.names[name]:
                bit = self.index.bit(candidate.file)
                mask |= 0 if bit is None else 1 << bit
            self._around[name] = mask
        return self._around[name]

    def _with_expansions(self, simple: Simple | None) -> Simple | None:
        if simple is None or not simple.seen.targets:
            return simple
        target = simple.seen.targets[0]
        if target.id not in self.index.bodies:
            return simple
        functions = self.expanded(target.id)
        seen = with_functions(simple.seen, functions)
        return Simple(simple.file, seen, with_functions(simple.unseen, functions))

    def _classify(self, name: str) -> Simple | None:
        if name not in self._bare:
            self._bare[name] = self._read(name)
        return self._bare[name]

    def _read(self, name: str) -> Simple | None:
        candidates = self.index.names[name]
        if not candidates:
            nothing = Meaning(reason=absent(name))
            return Simple(-1, nothing, nothing)
        if any(self._is_special(c) for c in candidates):
            return None
        external = [c for c in candidates if c.code == FUNCTION]
        prototypes = [c for c in candidates if c.code == PROTOTYPE]
        shown = len(candidates) - len(external) - len(prototypes)
        if external:
            return _external(external, prototypes) if len(external) == 1 and not shown else None
        if len({c.file for c in candidates}) == 1:
            return _one_header([c for c in candidates if c.code != PROTOTYPE] or prototypes[:1])
        return None

    def _is_special(self, candidate: Definition) -> bool:
        index = self.index
        if candidate.code == SOURCE or index.marks[candidate.file] & TEST:
            return True
        return bool(program(index.paths[candidate.file]))

    def expanded(self, macro: int) -> tuple[int, ...]:
        """Functions a macro's expansion calls, through further macros."""
        known = self._expanded.get(macro)
        if known is None:
            self._expanded[macro] = ()
            known = self._expanded[macro] = common(self.index.bodies[macro], self.functions)
        return known

    def functions(self, name: str) -> dict[int, None]:
        """Functions that a name in an expansion stands for; none when too many bear it."""
        simple = self._classify(name)
        if simple is not None:
            return self._through(target.id for target in simple.seen.targets)
        plain = [c for c in self.index.names[name] if not self._is_special(c)]
        external = [c.id for c in plain if c.code == FUNCTION]
        shown = [c.id for c in plain if c.code not in (FUNCTION, PROTOTYPE)]
        if external:
            return dict.fromkeys(external) if len(external) <= _TWINS else {}
        return self._through(shown) if len(shown) <= 1 else {}

    def called_parameters(self, macro: str, depth: int = 0) -> frozenset[int]:
        """Positions of the arguments that a macro calls, itself or through other macros."""
        known = self._called.get(macro)
        if known is not None or depth > _DEPTH:
            return known or frozenset()
        self._called[macro] = frozenset()
        direct, handed = self.index.hooks[macro]
        found = set(direct)
        for parameter, callee, position in handed:
            if callee != macro and position in self.called_parameters(callee, depth + 1):
                found.add(parameter)
        self._called[macro] = frozenset(found)
        return self._called[macro]

    def _through(self, ids: Iterable[int]) -> dict[int, None]:
        found: dict[int, None] = {}
        for ident in ids:
            if ident in self.index.bodies:
                found.update(dict.fromkeys(self.expanded(ident)))
            else:
                found[ident] = None
        return found


def _external(external: list[Definition], prototypes: list[Definition]) -> Simple | None:
    """One external function: certain as soon as any header declares it."""
    if not prototypes:
        return None
    meaning = Meaning((Target(external[0].id, TIER_LEXICAL, "external"),))
    return Simple(-1, meaning, meaning)


def _one_header(shown: list[Definition]) -> Simple:
    """What a single header defines or declares."""
    prototype = shown[0].code == PROTOTYPE
    rule = "declaration" if prototype else "include"
    seen = tuple(Target(c.id, TIER_LEXICAL, rule) for c in shown)
    if len(shown) > 1:
        seen = tuple(t._replace(tier=TIER_INFERRED, rule="twin") for t in seen)
    unseen = tuple(t._replace(tier=TIER_NAME_ONLY, rule="unique name") for t in seen)
    return Simple(shown[0].file, Meaning(seen[:MANY]), Meaning(unseen[:MANY]))


def with_functions(meaning: Meaning, functions: tuple[int, ...]) -> Meaning:
    """A macro's meaning with the functions its expansion calls."""
    if not functions:
        return meaning
    known = {target.id for target in meaning.targets}
    wrapped = (Target(i, TIER_INFERRED, "macro") for i in functions if i not in known)
    return meaning._replace(targets=(*meaning.targets, *wrapped))


def common(bodies: Bodies, functions: Callable[[str], dict[int, None]]) -> tuple[int, ...]:
    """Functions that every ``#ifdef`` twin of a macro calls, at most ``MANY``.

    What only one twin calls beside other things is instrumentation of some configuration
    (``unlikely`` with branch profiling) and would make every user of the macro its caller. Twins
    that wrap one call each, or none, are alternatives: all of them count.
    """
    shared: dict[int, None] | None = None
    joined: dict[int, None] = {}
    for names in bodies:
        found: dict[int, None] = {}
        for name in names:
            found.update(functions(name))
        joined.update(found)
        shared = found if shared is None else {i: None for i in shared if i in found}
    are_wrappers = len(joined) <= _WRAPPED and all(len(names) <= 1 for names in bodies)
    return tuple(joined if are_wrappers else shared or ())[:MANY]


class FileScope(Viewpoint):
    """Names as one file sees them; answers are kept while the file is resolved."""

    def __init__(
        self, index: Index, shared: Shared, number: int, source: SourceFile | None = None
    ) -> None:
        super().__init__(index, number)
        self.shared = shared
        self.functions: dict[str, list[int]] = {}
        self.bodies = self._own_bodies(source) if source else {}
        self.macros: dict[str, int] = {}
        self.prototypes = frozenset[str](flow_of(source).get("prototypes", ()) if source else ())
        self._meanings: dict[str, Meaning] = {}
        self._expanded: dict[int, tuple[int, ...]] = {}
        if source:
            self._own(source)

    def _own_bodies(self, source: SourceFile) -> dict[int, Bodies]:
        """The file's callable macros: a header's are in the index already."""
        if not self.index.is_whole or not is_header(self.path):
            return macro_bodies(source)
        known = self.index.bodies
        return {ident: known[ident] for ident in source.ids if ident in known}

    def _own(self, source: SourceFile) -> None:
        for symbol, ident in zip(source.facts.symbols, source.ids, strict=True):
            if symbol.kind == "function":
                if not symbol.flags & DECLARATION and "." not in symbol.qualname:
                    self.functions.setdefault(symbol.name, []).append(ident)
            elif symbol.kind == "macro" and ident in self.bodies:
                self.macros[symbol.name] = ident

    def meaning(self, name: str) -> Meaning:
        """What a call of ``name`` reaches, macros expanded."""
        known = self._meanings.get(name)
        if known is None:
            known = self._meanings[name] = self._find(name)
        return known

    def _find(self, name: str) -> Meaning:
        if name in self.functions or name in self.macros:
            return self._with_expansions(self._own_meaning(name))
        if self.program:
            return self._with_expansions(self.elsewhere(name))
        simple = self.shared.meaning(name)
        return self._chosen(name) if simple is None else self._seen(simple)

    def _chosen(self, name: str) -> Meaning:
        """One of several definitions: the same for all files of a folder with the same reach."""
        key = (name, self.mask & self.shared.around(name), self.folder, self.is_test)
        known = self.shared.chosen.get(key)
        if known is None:
            known = self._with_expansions(self.elsewhere(name))
            self.shared.chosen[key] = known
        return known

    def _seen(self, simple: Simple) -> Meaning:
        if simple.file < 0 or self.index.reaches(self.mask, simple.file):
            return simple.seen
        return simple.unseen

    def functions_named(self, name: str) -> tuple[int, ...]:
        """Ids of the functions that ``name`` as a value means here; by name alone only those that
        the file declares itself."""
        is_declared = name in self.prototypes
        return tuple(
            target.id
            for target in self.meaning(name).targets
            if (is_declared or target.tier != TIER_NAME_ONLY) and not self.is_macro(target.id)
        )

    def is_macro(self, ident: int) -> bool:
        """Whether an id that :meth:`meaning` gave is a macro."""
        return ident in self.bodies or ident in self.index.bodies

    def _own_meaning(self, name: str) -> Meaning:
        functions = self.functions.get(name, ())
        macro = self.macros.get(name)
        ids = (*functions, macro) if macro is not None else tuple(functions)
        tier, rule = (TIER_INFERRED, "twin") if len(ids) > 1 else (TIER_LEXICAL, "same file")
        own = tuple(Target(i, tier, rule) for i in ids)
        return Meaning(own if functions else own + self._behind_macro(name))

    def _behind_macro(self, name: str) -> tuple[Target, ...]:
        """Functions of the same name that the file's own macro stands before."""
        found = self.elsewhere(name).targets
        return tuple(
            t._replace(tier=TIER_INFERRED, rule="twin") for t in found if not self.is_macro(t.id)
        )

    def _with_expansions(self, meaning: Meaning) -> Meaning:
        """Expansions of a macro, unless a function bears its name: then it is an alternative."""
        if not all(self.is_macro(target.id) for target in meaning.targets):
            return meaning
        functions: dict[int, None] = {}
        for target in meaning.targets:
            functions.update(dict.fromkeys(self.expanded(target.id)))
        return with_functions(meaning, tuple(functions)[:MANY])

    def expanded(self, macro: int) -> tuple[int, ...]:
        """Functions a macro's expansion calls, as this file sees them."""
        if macro not in self.bodies:
            return self.shared.expanded(macro)
        known = self._expanded.get(macro)
        if known is None:
            self._expanded[macro] = ()
            known = self._expanded[macro] = common(self.bodies[macro], self._called)
        return known

    def _called(self, name: str) -> dict[int, None]:
        own = dict.fromkeys(self.functions.get(name, ()))
        macro = self.macros.get(name)
        if macro is not None:
            own.update(dict.fromkeys(self.expanded(macro)))
        return own or self.shared.functions(name)
