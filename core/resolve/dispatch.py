"""From a call as written to the definitions it may reach: overloads, overrides, tiers."""

from __future__ import annotations

from codeviews.core import facts as f
from codeviews.core.resolve import chain_text as ct
from codeviews.core.resolve.choice import (
    DYNAMIC,
    EXTERNAL,
    UNKNOWN,
    Call,
    Choice,
    Resolution,
    targets_of,
)
from codeviews.core.resolve.declarations import (
    NAMESPACE,
)
from codeviews.core.resolve.names import External, Found, is_callable, is_macro, is_type, is_variant
from codeviews.core.resolve.values import INSTANCE, OUTSIDE, REFERENCE, Value

MIN_UNIQUE_NAME = 4
MAX_WRAPPERS = 6


class Dispatch(Choice):
    """Resolves calls of one language."""

    def call(self, call: Call) -> Resolution:
        """Where a call goes."""
        if call.name.endswith("!"):
            return self._macro(call)
        steps = ct.parse_chain(call.name)
        if not steps:
            return UNKNOWN
        if len(steps) == 1:
            return self._simple(call, steps[0])
        last = steps[-1]
        if last.operation not in (ct.MEMBER, ct.PATH):
            return DYNAMIC
        receiver = self.typed.steps(call.file, call.scope, steps[:-1], call.offset)
        if not receiver.known and last.operation == ct.PATH:
            return EXTERNAL
        return self._on(call, receiver, last.name.partition("<")[0])

    def _macro(self, call: Call) -> Resolution:
        parts = call.name[:-1].replace("::", ".").split(".")
        found = self.names.path(call.file, call.scope, parts, is_macro)
        if isinstance(found, External):
            return EXTERNAL
        if found:
            return targets_of(found[:1], f.TIER_LEXICAL, "macro in scope")
        found = [child for child in self.world.by_name.get(parts[-1], ()) if is_macro(child)]
        if not found:
            return EXTERNAL
        near = self.names.nearest(call.file, found, call.scope)
        return targets_of(near[:1], f.TIER_INFERRED, "macro by name") if len(near) == 1 else UNKNOWN

    # calls without receiver

    def _simple(self, call: Call, step: ct.Step) -> Resolution:
        if step.operation == ct.NEW:
            return self.construct(call, self.typed.declared(step.name, call.file, call.scope))
        name = step.name.partition("<")[0]
        own = self.typed.this(call.file, call.scope)
        if name in self.rules.super and self.rules.super_is_method:
            return self._super_method(call, own)
        if name in self.rules.super:
            return self.construct(call, self.typed.parents_of(own))
        if name in self.rules.this or (name in self.rules.own and self.rules.call_constructs):
            return self.construct(call, own)
        if self.rules.callable_locals:
            local = self._local_callable(call, name)
            if local is not None:
                return local
        return self._scoped(call, name, own)

    def _local_callable(self, call: Call, name: str) -> Resolution | None:
        bound = any(
            binding[4] <= call.offset < binding[5]
            for index in call.file.enclosing(call.scope)
            for binding in call.file.near(index, name, call.offset)
        )
        if not bound:
            return None
        value = self.typed.variable(call.file, call.scope, name, call.offset)
        if value is None or not value.known or value.kind != REFERENCE:
            return DYNAMIC
        found = [child for child in value.definitions if child.is_callable]
        return self.pick(call, found, f.TIER_FLOW, "local function value") if found else DYNAMIC

    def _scoped(self, call: Call, name: str, own: Value) -> Resolution:
        """A bare name: a function in scope, a member of the enclosing type, a type to make."""
        found = self.names.path(call.file, call.scope, [name], is_callable)
        if isinstance(found, External):
            return EXTERNAL
        if not found and self.rules.implicit_this:
            found = [child for child in self._members(own, name) if child.is_callable]
        found = self.names.nearest(call.file, found, call.scope)
        if not found and name == "new" and self.typed.made_by_new(own):
            return self.construct(call, own)
        if found:
            chosen = self.pick(call, found, f.TIER_LEXICAL, "lexical scope")
            member = found[0].parent is not None and found[0].parent.kind != NAMESPACE
            return self.virtual(call, chosen, own) if member else chosen
        if self.rules.call_constructs:
            types = self.names.path(call.file, call.scope, [name], is_type)
            if isinstance(types, External):
                return EXTERNAL
            if types and not self._is_prelude(name):
                value = self.typed.declared(name, call.file, call.scope)
                return self.construct(call, value)
            variants = self.names.path(call.file, call.scope, [name], is_variant)
            if isinstance(variants, list) and variants and self.rules.closed_modules:
                return targets_of(variants[:1], f.TIER_LEXICAL, "variant")
        return self._unbound(call, name, own)

    def _is_prelude(self, name: str) -> bool:
        """``Ok`` is the variant even where a trait's implementation has ``type Ok = ...``."""
        return self.rules.closed_modules and name in self.rules.builtins

    def _super_method(self, call: Call, own: Value) -> Resolution:
        around = (call.file.definitions[index] for index in call.file.enclosing(call.scope))
        method = next((found for found in around if found.is_callable), None)
        if method is None:
            return UNKNOWN
        found = self._on(call, self.typed.parents_of(own), method.name)
        return found if found.targets else EXTERNAL

    def _unbound(self, call: Call, name: str, own: Value) -> Resolution:
        if name in self.rules.builtins:
            return Resolution(reason=f.BUILTIN)
        if self.rules.loose_functions and name not in self.rules.library:
            functions = [c for c in self.world.by_name.get(name, ()) if c.kind == "function"]
            functions = self.names.nearest(call.file, functions, call.scope)
            if len(functions) == 1:
                return targets_of(functions, f.TIER_NAME_ONLY, "unique name")
        inherits_outside = any(self.names.lineage(owner)[1] for owner in own.definitions)
        if inherits_outside or not self.world.by_name.get(name):
            return EXTERNAL
        return UNKNOWN

    def construct(self, call: Call, made: Value) -> Resolution:
        """A construction: the constructor that fits, else the type itself."""
        if made.kind == OUTSIDE:
            return EXTERNAL
        if made.kind != INSTANCE:
            return UNKNOWN
        found: Found = []
        for owner in made.definitions:
            for name in self.rules.constructors:
                candidates = owner.children.get(name or owner.name, ())
                if name and not candidates:
                    candidates = self.names.members(owner, name)
                found.extend(child for child in candidates if child.is_callable)
        fits = self.fitting(call, found)
        if fits:
            return self.pick(call, fits, f.TIER_LEXICAL, "constructor")
        types = [child for child in made.definitions if child.id]
        return targets_of(types[:1], f.TIER_LEXICAL, "constructor")

    # calls on a receiver

    def _on(self, call: Call, receiver: Value, name: str) -> Resolution:
        receiver = self._unwrapped(receiver, name)
        found = [child for child in self._members(receiver, name) if child.is_callable]
        found = self.names.nearest(call.file, found, call.scope)
        if found:
            return self._reached(call, receiver, found)
        if name == "new" and self.typed.made_by_new(receiver):
            return self.construct(call, receiver._replace(kind=INSTANCE))
        return self._missed(call, receiver, name)

    def _members(self, receiver: Value, name: str) -> Found:
        return self.typed.members(receiver, name)

    def _unwrapped(self, receiver: Value, name: str) -> Value:
        """The value inside ``Box``, ``Arc``... whose members are those of its content."""
        for _ in range(MAX_WRAPPERS):
            wraps = receiver.kind == OUTSIDE and receiver.name in self.rules.wrappers
            if not wraps or not receiver.args or name in self.rules.projections:
                break
            if self._members(receiver, name):
                break
            receiver = receiver.args[0]
        return receiver

    def _reached(self, call: Call, receiver: Value, found: Found) -> Resolution:
        if receiver.kind == REFERENCE:
            return self.pick(call, found, f.TIER_LEXICAL, "qualified name")
        if receiver.own:
            chosen = self.pick(call, found, f.TIER_LEXICAL, "own or inherited member")
        elif receiver.kind == OUTSIDE:
            chosen = self.pick(call, found, f.TIER_INFERRED, "receiver type")
            return chosen
        elif (
            len({id(owner.parent) for owner in receiver.definitions}) > 1
            or len({owner.name for owner in receiver.definitions}) > 1
        ):
            return self.pick(call, found, f.TIER_FLOW, "one of several receiver types", True)
        else:
            chosen = self.pick(call, found, f.TIER_INFERRED, "receiver type")
        return self.virtual(call, chosen, receiver)

    def _missed(self, call: Call, receiver: Value, name: str) -> Resolution:
        if receiver.kind == OUTSIDE or name in self.rules.universal | set(self.rules.constructors):
            return EXTERNAL
        if self.rules.component_calls and call.arity == 0:
            fields = [c for c in self._members(receiver, name) if c.kind == "field"]
            if fields:
                return targets_of(fields[:1], f.TIER_INFERRED, "record component")
        if receiver.kind == REFERENCE and self.rules.closed_modules:
            variants = [c for c in self._members(receiver, name) if c.kind == "constant"]
            if variants:
                return targets_of(variants[:1], f.TIER_LEXICAL, "variant")
        if receiver.kind in (INSTANCE, REFERENCE):
            types = [owner for owner in receiver.definitions if owner.is_type]
            if any(self.names.lineage(owner)[1] for owner in types):
                return EXTERNAL
            if not self.world.by_name.get(name):
                return EXTERNAL if self.rules.declared_members else UNKNOWN
            return UNKNOWN
        return self._by_name(call, name)

    def _by_name(self, call: Call, name: str) -> Resolution:
        """A receiver of unknown type: bind only a name that one definition bears."""
        candidates = [c for c in self.world.by_name.get(name, ()) if c.index]
        if not self.names.in_tests(call.file, call.scope):
            candidates = [child for child in candidates if not child.is_test]
        candidates = [c for c in candidates if c.parent is not None and c.parent.kind != NAMESPACE]
        if not candidates:
            return EXTERNAL
        if name in self.rules.library or len(name) < MIN_UNIQUE_NAME:
            return UNKNOWN
        fits = self.fitting(call, candidates)
        if len(fits) == 1 and fits[0] is not call.file.definitions[call.scope]:
            return targets_of(fits, f.TIER_NAME_ONLY, "unique name")
        if len(candidates) > 1:
            return Resolution(reason=f.AMBIGUOUS, candidates=len(candidates))
        return UNKNOWN
