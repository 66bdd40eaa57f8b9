"""Choice among the definitions of one name: overloads by arity and arguments, overrides."""

from __future__ import annotations

from typing import NamedTuple

from codeviews.core import facts as f
from codeviews.core.resolve.declarations import Definition, FileDeclarations, arity_range
from codeviews.core.resolve.names import Found
from codeviews.core.resolve.type_text import ARRAY
from codeviews.core.resolve.typed import Typed
from codeviews.core.resolve.values import OUTSIDE, REFERENCE, Value

MAX_TARGETS = 8
PRIMITIVES = frozenset("boolean byte short char int long float double".split())
ANY_TYPE = frozenset(["Object", "Any", "object", "AnyRef"])


class Call(NamedTuple):
    """A call site with the place it stands at."""

    file: FileDeclarations
    scope: int
    name: str
    offset: int
    arity: int
    arguments: tuple[str, ...]


class Target(NamedTuple):
    """A definition a call may reach."""

    definition: Definition
    tier: str
    rule: str


class Resolution(NamedTuple):
    """Targets, or the reason there are none (and how many candidates there were)."""

    targets: tuple[Target, ...] = ()
    reason: str = ""
    candidates: int = 0


UNKNOWN = Resolution(reason=f.UNKNOWN)
EXTERNAL = Resolution(reason=f.EXTERNAL)
DYNAMIC = Resolution(reason=f.DYNAMIC)


class Choice:
    """Chooses among candidates in one language."""

    def __init__(self, typed: Typed) -> None:
        self.typed = typed
        self.names = typed.names
        self.rules = typed.rules
        self.world = typed.world

    def pick(
        self, call: Call, found: Found, tier: str, rule: str, several: bool = False
    ) -> Resolution:
        """The overload that fits; several that fit equally are a set of tier C."""
        fits = self.fitting(call, found) or found
        if several:
            return _bounded(_nearest_each(fits), f.TIER_FLOW, rule)
        owner = fits[0].parent
        near = [child for child in fits if child.parent is owner] or fits
        best = self._overloads(call, near)
        if len(best) == 1 and best[0] in self.world.generic_impls and not self._fits(call, best[0]):
            return targets_of(best, f.TIER_FLOW, "one implementation of a generic trait")
        if len(best) > 1:
            return _bounded(best, f.TIER_FLOW, "overloads")
        return targets_of(best[:MAX_TARGETS], tier, rule)

    def fitting(self, call: Call, found: Found) -> Found:
        if call.arity < 0:
            return found
        fitting: Found = []
        for child in found:
            if child.file is None:
                continue
            fewest, most = arity_range(child.file, child.index)
            if fewest <= call.arity <= most:
                fitting.append(child)
        return fitting

    def _overloads(self, call: Call, found: Found) -> Found:
        if len(found) < 2:
            return found
        scores = [self._score(call, child) for child in found]
        best = max(scores)
        return [child for child, score in zip(found, scores, strict=True) if score == best]

    def _fits(self, call: Call, candidate: Definition) -> bool:
        """Whether the arguments' types speak for a candidate, not only its name."""
        return self._score(call, candidate) > 1

    def _score(self, call: Call, candidate: Definition) -> int:
        file = candidate.file
        if file is None:
            return 0
        params = file.params.get(candidate.index, [])
        score = 0 if any(param.startswith("*") for param in params) else 1
        for argument, param in zip(call.arguments, params, strict=False):
            if argument:
                given = self.typed.value(call.file, call.scope, argument, call.offset)
                wanted = self.typed.declared(param, file, candidate.index)
                spread = param.startswith("*") and given.name == ARRAY and given.args
                score += self._match(given.args[0] if spread else given, wanted)
        return score

    def _match(self, given: Value, wanted: Value) -> int:
        if not given.known or not wanted.known or given.kind == REFERENCE:
            return 0
        if given.kind == OUTSIDE or wanted.kind == OUTSIDE:
            return self._match_outside(given, wanted)
        if set(given.definitions) & set(wanted.definitions):
            return 8
        lineage = {part for own in given.definitions for part in self.names.lineage(own)[0]}
        return 4 if lineage & set(wanted.definitions) else -4

    def _match_outside(self, given: Value, wanted: Value) -> int:
        if "." in given.name:
            return 0
        if given.name == wanted.name == ARRAY and given.args and wanted.args:
            return self._match_elements(given.args[0], wanted.args[0])
        if given.kind == wanted.kind and given.name == wanted.name:
            return 8
        fits = self.rules.conversions.get((given.name, wanted.name))
        if fits:
            return fits
        if given.kind == wanted.kind and _named_like(given.name, wanted.name):
            return 4
        return 1 if wanted.name in ANY_TYPE else -4

    def _match_elements(self, given: Value, wanted: Value) -> int:
        """Arrays convert only between types of objects."""
        if not given.known or not wanted.known:
            return 1 if wanted.known or given.name not in PRIMITIVES else -4
        if given.name in PRIMITIVES or wanted.name in PRIMITIVES:
            return 8 if given.name == wanted.name else -4
        return self._match(given, wanted)

    # overrides

    def virtual(self, call: Call, chosen: Resolution, receiver: Value) -> Resolution:
        """Add the overrides that a call on a value may reach."""
        if not chosen.targets or receiver.exact or not self.rules.value_dispatch:
            return chosen
        known = {target.definition for target in chosen.targets}
        found: Found = []
        for target in chosen.targets:
            for child in self.overriders(target.definition, receiver.definitions):
                if child not in known and child not in found:
                    found.append(child)
        if not self.names.in_tests(call.file, call.scope):
            found = [child for child in found if not child.is_test]
        if len(found) > MAX_TARGETS:
            return Resolution(chosen.targets, f.AMBIGUOUS, len(found))
        more = tuple(Target(child, f.TIER_FLOW, "override") for child in found)
        return Resolution(chosen.targets + more)

    def overriders(self, method: Definition, receivers: tuple[Definition, ...]) -> Found:
        """Overrides of a method in the subtypes of the receiver's types."""
        owner = method.parent
        if owner is None or method.flags & f.STATIC:
            return []
        starts = [r for r in receivers if owner in self.names.lineage(r)[0]] or [owner]
        found: Found = []
        todo, seen = list(starts), set(starts)
        while todo and len(found) <= 64:
            for sub in self.world.subtypes.get(todo.pop(), ()):
                if sub not in seen:
                    seen.add(sub)
                    todo.append(sub)
                    found.extend(self.overriding(sub, method))
        return found

    def overriding(self, sub: Definition, method: Definition) -> Found:
        same = [c for c in sub.children.get(method.name, ()) if c.is_callable]
        if len(same) < 2 or method.file is None:
            return same
        wanted = method.file.params.get(method.index, [])
        fitting = [c for c in same if c.file and len(c.file.params.get(c.index, [])) == len(wanted)]
        texts = [c for c in fitting if c.file and c.file.params.get(c.index, []) == wanted]
        return texts or fitting


def _named_like(name: str, base: str) -> bool:
    """``StringReader`` is a ``Reader`` and every ``...Exception`` a ``Throwable``."""
    if base == "Throwable":
        return name.endswith(("Exception", "Error"))
    return len(base) > 3 and name != base and name.endswith(base)


def targets_of(found: Found, tier: str, rule: str) -> Resolution:
    if not found:
        return UNKNOWN
    return Resolution(tuple(Target(child, tier, rule) for child in found))


def _bounded(found: Found, tier: str, rule: str) -> Resolution:
    if len(found) > MAX_TARGETS:
        return Resolution(reason=f.AMBIGUOUS, candidates=len(found))
    return targets_of(found, tier, rule)


def _nearest_each(found: Found) -> Found:
    """The first definition per owner, for a receiver that may be of several types."""
    first: dict[int, Definition] = {}
    for child in found:
        first.setdefault(id(child.parent), child)
    return list(first.values())
