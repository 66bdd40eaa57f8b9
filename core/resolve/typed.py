"""Types of expressions: declarations, constructors, assignments, parameters, fields, returns."""

from __future__ import annotations

from codeviews.core.facts import DECLARATION
from codeviews.core.resolve import chain_text as ct
from codeviews.core.resolve.declarations import Definition, FileDeclarations, World
from codeviews.core.resolve.declared import NO_ENVIRONMENT, UNTYPED, Environment
from codeviews.core.resolve.language_rules import LAST, SAME, LanguageRules
from codeviews.core.resolve.names import External, is_callable, is_type
from codeviews.core.resolve.type_text import (
    FUNCTION,
    TUPLE,
    parse_type,
)
from codeviews.core.resolve.values import (
    INSTANCE,
    NO_VALUE,
    OUTSIDE,
    REFERENCE,
    Value,
    instance,
    outside,
    reference,
    union,
)
from codeviews.core.resolve.variables import ANYWHERE, Variables, is_value

MAX_EVALUATION = 14
Asked = tuple[str, int, str, int]
"""Path, scope, chain and depth of an evaluation."""
FUNCTION_TYPES = frozenset(
    [FUNCTION, "Fn", "FnMut", "FnOnce", "Consumer", "Predicate", "Action", "Func"]
)


class Typed(Variables):
    """Types expressions of one language; recursion is bounded by ``MAX_EVALUATION``."""

    def __init__(self, world: World, rules: LanguageRules) -> None:
        super().__init__(world, rules)
        self._depth = 0
        self._results: dict[Definition, Value] = {}
        self._stored: dict[Asked, Value] = {}
        self._own_names = rules.own | rules.this | {"Self"}

    # expressions

    def value(self, file: FileDeclarations, scope: int, text: str, offset: int) -> Value:
        """The value of a chain that stands at an offset."""
        if offset != ANYWHERE:
            return self._parsed(file, scope, text, offset)
        # Fields assigned from each other have as many paths between them as time allows.
        key = (file.path, scope, text, self._depth)
        if key not in self._stored:
            self._stored[key] = self._parsed(file, scope, text, offset)
        return self._stored[key]

    def _parsed(self, file: FileDeclarations, scope: int, text: str, offset: int) -> Value:
        steps = ct.parse_chain(text)
        return self.steps(file, scope, steps, offset) if steps else NO_VALUE

    def steps(
        self, file: FileDeclarations, scope: int, steps: tuple[ct.Step, ...], offset: int
    ) -> Value:
        """The value of parsed steps; unknown when evaluation is too deep."""
        if self._depth >= MAX_EVALUATION or len(steps) == 0:
            return NO_VALUE
        self._depth += 1
        try:
            if steps[-1].operation == ct.LAMBDA:
                return self._lambda_parameter(file, scope, steps, offset)
            called = len(steps) > 1 and steps[1].operation == ct.CALL
            value = self._primary(file, scope, steps[0], called, offset)
            if not value.known and len(steps) > 1 and steps[1].operation == ct.PATH:
                value = outside(steps[0].name)
            for position in range(1, len(steps)):
                value = self._follow(value, steps, position, file)
            return value
        finally:
            self._depth -= 1

    def _primary(
        self, file: FileDeclarations, scope: int, step: ct.Step, called: bool, offset: int
    ) -> Value:
        name = step.name
        if step.operation == ct.NEW:
            return self.declared(name, file, scope)._replace(exact=True)
        if step.operation == ct.VALUE:
            return self.declared(name, file, scope)
        if name in self.rules.this:
            return self.this(file, scope)
        if name in self.rules.super:
            return self.parents_of(self.this(file, scope))
        if name in self.rules.own:
            return self.this(file, scope)._replace(kind=REFERENCE)
        if called:
            return self._called_name(file, scope, name, offset)
        found = self.variable(file, scope, name, offset)
        return found if found is not None else self._named(file, scope, name)

    def _named(self, file: FileDeclarations, scope: int, name: str) -> Value:
        simple = name.partition("<")[0]
        if simple.startswith("@"):
            return self.member(self.this(file, scope), simple.lstrip("@"), False, file)
        found = self.names.path(file, scope, [simple], is_type)
        if not found:
            found = self.names.path(file, scope, [simple])
        if isinstance(found, External):
            return outside(simple)._replace(kind=OUTSIDE)
        bound = None if found else self._bound(simple, file, scope, 0)
        if bound is not None:
            return bound._replace(kind=REFERENCE) if bound.definitions else bound
        if not found:
            return outside(simple) if simple[:1].isupper() else NO_VALUE
        types = [child for child in found if child.is_type]
        if types:
            return reference(self.names.nearest(file, types, scope))
        if all(child.is_callable for child in found):
            if self.rules.optional_parens:
                return self.result(found, self.this(file, scope))
            return reference(found)
        return self.member_value(found[0], NO_VALUE)

    def _called_name(self, file: FileDeclarations, scope: int, name: str, offset: int) -> Value:
        found = self.names.path(file, scope, [name.partition("<")[0]], is_callable)
        if isinstance(found, External):
            return outside(name)
        if found:
            return self.result(found, self.this(file, scope))
        own = self.this(file, scope)
        if name == "new" and self.made_by_new(own):
            return own._replace(exact=True, own=False)
        if self.rules.call_constructs:
            types = self.names.path(file, scope, [name.partition("<")[0]], is_type)
            if isinstance(types, list) and types:
                return self.declared(name, file, scope)._replace(exact=True)
        local = self.variable(file, scope, name, offset)
        if local is not None and local.kind == OUTSIDE and local.name in FUNCTION_TYPES:
            return local.args[-1] if local.args else NO_VALUE
        return NO_VALUE

    def _lambda_parameter(
        self, file: FileDeclarations, scope: int, steps: tuple[ct.Step, ...], offset: int
    ) -> Value:
        """A parameter of a lambda that is an argument of a call."""
        position = int(steps[-1].name) if steps[-1].name.isdigit() else 0
        name = steps[-2].name.partition("<")[0] if len(steps) > 1 else ""
        if len(steps) < 3:
            found = self.names.path(file, scope, [name], is_callable) if name else []
            return self._given_to_lambda(found, position, NO_ENVIRONMENT)
        receiver = self.steps(file, scope, steps[:-2], offset)
        if name in self.rules.scope_functions and receiver.kind != REFERENCE:
            return receiver
        found = [c for c in self.members(receiver, name) if c.is_callable]
        if found:
            return self._given_to_lambda(found, position, self.environment(receiver))
        if receiver.kind == OUTSIDE and len(receiver.args) == 1 and position == 0:
            return receiver.args[0]
        return NO_VALUE

    def _given_to_lambda(
        self, found: list[Definition] | External, position: int, env: Environment
    ) -> Value:
        for called in found if isinstance(found, list) else ():
            file = called.file
            if file is None:
                continue
            for param in file.params.get(called.index, ()):
                taken = self.declared(param, file, called.index, env)
                given = self._function_arguments(taken)
                if position < len(given):
                    return given[position]
        return NO_VALUE

    def _function_arguments(self, taken: Value) -> tuple[Value, ...]:
        """What a function-typed parameter is called with; a one-method interface is one, too."""
        if taken.kind == OUTSIDE and taken.name in FUNCTION_TYPES and taken.args:
            first = taken.args[0]
            return first.args if first.name == TUPLE else taken.args[:1]
        if taken.kind != INSTANCE or taken.definitions[0].kind not in ("interface", "trait"):
            return ()
        owner = taken.definitions[0]
        every = [c for group in owner.children.values() for c in group if c.flags & DECLARATION]
        if len(every) != 1 or every[0].file is None:
            return ()
        file, env = every[0].file, self.environment(taken)
        params = file.params.get(every[0].index, ())
        return tuple(self.declared(param, file, every[0].index, env) for param in params)

    # steps

    def _follow(
        self, value: Value, steps: tuple[ct.Step, ...], position: int, file: FileDeclarations
    ) -> Value:
        step = steps[position]
        called = position + 1 < len(steps) and steps[position + 1].operation == ct.CALL
        if step.operation in (ct.MEMBER, ct.PATH):
            return self.member(value, step.name.partition("<")[0], called, file)
        if step.operation == ct.CALL:
            return value
        if step.operation == ct.INDEX:
            return self.element(value)
        if step.operation == ct.UNWRAP:
            return value.args[0] if value.kind == OUTSIDE and value.args else value
        return NO_VALUE

    def element(self, value: Value) -> Value:
        """An element of a container."""
        if value.kind == OUTSIDE and value.args:
            inner = value.args[0] if value.name in self.rules.wrappers else value.args[-1]
            return self.element(inner) if value.name in self.rules.wrappers else inner
        return NO_VALUE

    def member(self, value: Value, name: str, called: bool, file: FileDeclarations) -> Value:
        """The value of ``value.name`` or ``value.name()``."""
        if name in self.rules.this or name in self.rules.super:
            own = value._replace(kind=INSTANCE, own=name in self.rules.this)
            return own if value.kind == REFERENCE else NO_VALUE
        if name == "super" and self.rules.closed_modules:
            return reference([d.parent for d in value.definitions if d.parent is not None])
        found = [c for c in self.members(value, name) if c.is_callable or not called]
        if not found and name == "new" and self.made_by_new(value):
            return value._replace(kind=INSTANCE, exact=True, own=False)
        if not found:
            return self._outside_member(value, name, called, file)
        if value.kind == REFERENCE and all(child.is_type for child in found):
            return reference(self.names.nearest(file, found))
        values = [child for child in found if is_value(child)]
        if values and not called:
            return self.member_value(values[0], value)
        if called or self.rules.implicit_this:
            return self.result([c for c in found if c.is_callable], value)
        return reference(found)

    def made_by_new(self, value: Value) -> bool:
        """Whether ``value.new`` makes an instance of the type that ``value`` names (Ruby)."""
        named = value.kind == REFERENCE or value.own
        types = bool(value.definitions) and value.definitions[0].is_type
        return named and types and "initialize" in self.rules.constructors

    def members(self, value: Value, name: str) -> list[Definition]:
        """The definitions that a member name may mean on a value; the nearest of each type."""
        if value.kind == OUTSIDE:
            return self.world.outside.get(value.name, {}).get(name, [])
        found: list[Definition] = []
        for owner in value.definitions:
            step = self.names.step(owner, name) if owner.is_type else []
            found.extend(child for child in step if child not in found)
        return found

    def _outside_member(
        self, value: Value, name: str, called: bool, file: FileDeclarations
    ) -> Value:
        if value.kind == INSTANCE:
            assigned = self._assigned_field(value, name)
            return assigned if assigned.known else NO_VALUE
        if value.kind != OUTSIDE:
            return NO_VALUE
        if value.name in self.rules.wrappers and value.args and name not in self.rules.projections:
            return self.member(value.args[0], name, called, file)
        if value.name == TUPLE and name in map(str, range(len(value.args))):
            return value.args[int(name)]
        constant = self.rules.outside_constants.get(value.name)
        if constant and not called and name.isupper():
            return outside(constant)
        projection = self.rules.projections.get(name) if called else None
        if projection == SAME:
            return value
        if projection is not None and value.args:
            return value.args[-1] if projection == LAST else value.args[0]
        if called and name in self.rules.outside_returns:
            return outside(self.rules.outside_returns[name])
        return outside(f"{value.name}.{name}")

    def _assigned_field(self, value: Value, name: str) -> Value:
        for owner in value.definitions:
            for part in self.names.lineage(owner)[0]:
                if part.file is not None and (part.index, name) in part.file.assigned:
                    return self.assigned_value(part.file, part.file.assigned[part.index, name])
        return NO_VALUE

    def member_value(self, member: Definition, receiver: Value) -> Value:
        """The value that a field, constant or property holds."""
        file = member.file
        if file is None:
            return NO_VALUE
        if member.index in file.types:
            env = self.environment(receiver)
            typed = self.declared(file.types[member.index], file, member.index, env)
            if typed.known:
                return typed
        if member.index in file.values:
            scope = max(0, file.parents[member.index])
            return self.value(file, scope, file.values[member.index], ANYWHERE)
        owner = (max(0, file.parents[member.index]), member.name)
        return (
            self.assigned_value(file, file.assigned[owner]) if owner in file.assigned else NO_VALUE
        )

    def environment(self, receiver: Value) -> Environment:
        """Type parameters of the receiver's type -> its arguments."""
        if receiver.kind != INSTANCE or not receiver.args:
            return NO_ENVIRONMENT
        owner = receiver.definitions[0]
        generics = owner.file.generics.get(owner.index, ()) if owner.file else ()
        names = [name for name, _ in generics]
        return dict(zip(names, receiver.args, strict=False))

    def result(self, called: list[Definition], receiver: Value) -> Value:
        """What a call of these definitions returns."""
        if not called:
            return NO_VALUE
        first = called[0]
        if first.parent is not None and first.name in self._constructor_names(first.parent):
            return instance((first.parent,), exact=True)
        values = [self._result(each, receiver) for each in called[:4]]
        return values[0] if values[0].known else union(values)

    def _constructor_names(self, owner: Definition) -> tuple[str, ...]:
        return tuple(name or owner.name for name in self.rules.constructors)

    def _result(self, called: Definition, receiver: Value) -> Value:
        file = called.file
        if file is None:
            return NO_VALUE
        declared = file.types.get(called.index)
        if declared is not None and declared not in UNTYPED:
            env = self.environment(receiver)
            if receiver.definitions and receiver.kind != OUTSIDE:
                mine = receiver._replace(kind=INSTANCE, own=False)
                env = {**env, **dict.fromkeys(self._own_names, mine)}
            return self.written(parse_type(declared), file, called.index, env)
        if called not in self._results:
            self._results[called] = NO_VALUE
            self._results[called] = self._returned(called, file)
        return self._results[called]

    def _returned(self, called: Definition, file: FileDeclarations) -> Value:
        depth, self._depth = self._depth, MAX_EVALUATION // 2
        chains = file.returns.get(called.index, ())
        values = [self.value(file, called.index, chain, ANYWHERE) for chain in chains]
        self._depth = depth
        return union(values)._replace(exact=False)
