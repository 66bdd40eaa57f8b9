"""Attribute access: what ``value.name`` can be."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_exports import module_attribute
from codeviews.core.resolve.python_fields import cell_name, matched_name
from codeviews.core.resolve.python_state import Creation, State
from codeviews.core.resolve.python_units import Unit
from codeviews.core.resolve.python_values import Values, add, join

_ENUMS = ("Enum", "Flag", "IntEnum", "StrEnum", "IntFlag")
_DEFINED = frozenset([op.FUNC, op.DECORATED, op.PHI])
_NAMED = frozenset([op.GLOBAL, op.IMPORT, op.CLASS, op.ATTR])
_CALLABLE = _DEFINED | _NAMED
_PLAIN_VALUES = frozenset([op.CONST, op.BUILTIN, op.LITERAL, op.CALL, op.OPERATOR])
_MEMBERS = {
    kind.__name__: frozenset(dir(kind))
    for kind in (str, bytes, int, float, bool, list, tuple, set, type(None))
}
_CONTAINER_TYPES = {v.CONTAINER: "list", v.VIEW: "list", v.MAPPED: "list", v.GENERATOR: "generator"}


def _has_member(type_name: str, name: str) -> bool:
    """Whether a builtin type has the attribute; types not known here may have any."""
    members = _MEMBERS.get(type_name)
    return members is None or name in members


def attribute_values(state: State, value: int, name: str, tier: int) -> Values:
    """What ``value.name`` can be, computed once when it can no longer grow; not to be changed."""
    key = (value << 2 | tier, name)
    known = state.attributes.get(key)
    if known is not None:
        return known
    solver = state.solver
    outer, solver.tainted = solver.tainted, False
    out: Values = {}
    attribute(state, value, name, tier, out)
    if solver.tainted or state.asking or state.creation is not None:
        solver.tainted = solver.tainted or outer
        return out
    solver.tainted = outer
    found = state.attributes[key] = solver.shared(out)
    return found


def attribute(state: State, value: int, name: str, tier: int, out: Values) -> None:
    """Add what ``value.name`` can be to ``out``; ``tier`` is that of ``value``."""
    item = state.table.items[value]
    kind = item[0]
    if kind in v.INSTANCES:
        instance_attribute(state, value, name, tier, out)
    elif kind == v.MODULE:
        join(out, module_attribute(state, item[1], name), tier)
    elif kind in v.CLASSES:
        class_attribute(state, value, name, tier, out)
    elif kind == v.SUPER:
        super_attribute(state, item[1], item[2], name, tier, out)
    elif kind == v.EXTERNAL:
        is_result = item[1] == v.RESULT
        outside = value if is_result else state.table.make((v.EXTERNAL, f"{item[1]}.{name}"[:80]))
        add(out, outside, tier)
    elif kind in (v.BUILTIN, v.BUILTIN_NAME):
        if kind == v.BUILTIN_NAME or _has_member(item[1], name):
            add(out, state.table.make((v.BUILTIN_METHOD, item[1], name, -1)), tier)
    elif kind == v.CONSTANT:
        type_name = type(item[1]).__name__
        if _has_member(type_name, name):
            add(out, state.table.make((v.BUILTIN_METHOD, type_name, name, -1)), tier)
    elif kind in _CONTAINER_TYPES:
        type_name = state.container_type(item) or _CONTAINER_TYPES[kind]
        if _has_member(type_name, name):
            add(out, state.table.make((v.BUILTIN_METHOD, type_name, name, value)), tier)
    elif kind == v.METHOD and name in ("__func__", "__wrapped__"):
        add(out, item[1], tier)
    elif kind == v.METHOD and name == "__self__":
        add(out, item[2], tier)
    elif kind in (v.FUNCTION, v.METHOD):
        state.read_cells(value if kind == v.FUNCTION else item[1], name, out)


def instance_attribute(state: State, value: int, name: str, tier: int, out: Values) -> bool:
    """An attribute of an instance: values set on self, the class's own, overriding ones."""
    creation, state.creation = state.creation, None  # it speaks of this instance only
    kind, number = state.table.items[value]
    classes = state.classes
    if name.startswith(op.MATCHED):
        name = matched_name(state, number, name)
    member = classes.member(number, name)
    found = _own_values(state, number, member.cells, name, out, creation)
    if member.owner >= 0:
        found = True
        unit = classes.infos[member.owner].unit
        bind_values(state, _class_values(state, member.owner, member.node), value, tier, out)
        if kind == v.DECLARED and _is_dispatched(unit, member.node):
            _overriding(state, value, number, name, out)
        elif kind == v.DECLARED and _is_replaceable(unit, member.node):
            _replacing(state, value, number, name, out)
    elif kind == v.DECLARED and not found:
        found = _from_descendants(state, value, number, name, out)
    if not found:
        found = _not_found(state, number, name, tier, out)
    return found


def _class_values(state: State, owner: int, node: int) -> Values:
    unit = state.classes.infos[owner].unit
    values = state.solver.get(unit, node)
    if unit.nodes[node][0] in _PLAIN_VALUES and is_enum(state, owner):
        return {state.table.make((v.INSTANCE, owner)): v.B}
    return values


def is_enum(state: State, number: int) -> bool:
    """Whether the members of a class are its instances."""
    outside = state.classes.outside(number)
    return any(name.rpartition(".")[2] in _ENUMS for name in outside)


def _is_dispatched(unit: Unit, node: int) -> bool:
    return unit.nodes[node][0] in _DEFINED


def _is_replaceable(unit: Unit, node: int) -> bool:
    """Whether a class attribute names something that may be called, or waits for one (``None``)."""
    record = unit.nodes[node]
    return record[0] in _NAMED or (record[0] == op.BUILTIN and record[1] == "NoneType")


def _own_values(
    state: State,
    number: int,
    cells: tuple[tuple[Unit, int], ...],
    name: str,
    out: Values,
    creation: Creation | None,
) -> bool:
    for unit, node in cells:
        passed = creation.cell(unit, node) if creation is not None else None
        join(out, _cell(state, unit, node, number) if passed is None else passed, v.B)
    found = bool(cells)
    if name in state.foreign_names:
        floor = v.B if state.classes.member(number, name).owner < 0 else v.C
        for item in state.classes.mro(number):
            holder = state.table.make((v.INSTANCE, item))
            found = state.read_cells(holder, name, out, floor) or found
    if name in state.field_names:
        found = _field_values(state, number, name, out, creation) or found
    return found


def _field_values(
    state: State, number: int, name: str, out: Values, creation: Creation | None
) -> bool:
    """What constructors that nobody wrote put into a field."""
    passed = creation.field(name) if creation is not None else None
    if passed is not None:
        join(out, passed, v.B)
        return True
    found = False
    for item in state.classes.mro(number):
        holder = state.table.make((v.INSTANCE, item))
        found = state.read_cells(holder, cell_name(name), out) or found
    return found


def _cell(state: State, unit: Unit, node: int, number: int) -> Values:
    """A value set on ``self`` (``cls``), as the methods of class ``number`` set it."""
    for key in state.solver.depends(unit, node):
        _, symbol, index = unit.nodes[key - unit.base]
        function = unit.functions[symbol]
        owner, flags = function[6:8] if len(function) > 7 else (-1, 0)
        if index == 0 and owner >= 0 and state.classes.number(unit, owner) != number:
            kind = v.SUBCLASS if flags & op.IS_CLASSMETHOD else v.DECLARED
            params = {key: {state.table.make((kind, number)): v.B}}
            env = state.solver.contexts.environment(params, 1)
            return state.solver.in_context(unit, node, env)
    return state.solver.get(unit, node)


def bind_values(state: State, values: Values, receiver: int, tier: int, out: Values) -> None:
    """Values of a class attribute as seen through an instance: functions become methods."""
    for value, own in values.items():
        kind = state.table.kinds[value]
        level = max(tier, own)
        if kind == v.FUNCTION:
            _bind_function(state, value, receiver, level, out)
        elif kind == v.PROPERTY:
            getter = state.table.items[value][1]
            state.call_value(state.table.make((v.METHOD, getter, receiver)), level, out)
        elif kind != v.INSTANCE or not _descriptor(state, value, level, out):
            add(out, value, level)


def _descriptor(state: State, value: int, tier: int, out: Values) -> bool:
    """What the ``__get__`` of a class attribute gives; False when that is not known."""
    member = state.classes.member(state.table.items[value][1], "__get__")
    if member.owner < 0:
        return False
    given: Values = {}
    for method in state.solver.get(state.classes.infos[member.owner].unit, member.node):
        if state.table.kinds[method] == v.FUNCTION:
            bound = state.table.make((v.METHOD, method, value))
            state.call_value(bound, tier, given)
    # on the class itself it gives itself; functions are those of all descriptors of its kind
    kinds = state.table.kinds
    kept = {i: t for i, t in given.items() if i != value and kinds[i] not in v.CALLABLE}
    join(out, kept, v.B)
    return bool(kept)


def _bind_function(state: State, value: int, receiver: int, tier: int, out: Values) -> None:
    flags = state.flags(value)
    if flags & op.IS_STATIC:
        add(out, value, tier)
    elif flags & op.IS_CLASSMETHOD:
        add(out, state.table.make((v.METHOD, value, state.class_of(receiver))), tier)
    elif flags & op.IS_PROPERTY:
        state.call_value(state.table.make((v.METHOD, value, receiver)), tier, out)
    else:
        add(out, state.table.make((v.METHOD, value, receiver)), tier)


def _overriding(state: State, value: int, number: int, name: str, out: Values) -> None:
    """Methods of subclasses that a call on a declared receiver may reach."""
    _reach(state, value, number, name, state.overriding(number, name), out)


def _replacing(state: State, value: int, number: int, name: str, out: Values) -> None:
    """``form_class = Form`` below: what subclasses put in place of a class attribute."""
    infos, targets = state.classes.infos, state.overriding(number, name)
    named = [(o, n) for o, n in targets if infos[o].unit.nodes[n][0] in _CALLABLE]
    _reach(state, value, number, name, named, out)


def _reach(
    state: State, value: int, number: int, name: str, targets: list[tuple[int, int]], out: Values
) -> None:
    if len(targets) > v.RECEIVERS:
        state.crowds[number, name] = len(targets)
        add(out, v.MANY, v.C)
        return
    for owner, node in targets:
        receiver = state.table.make((v.DECLARED, owner))
        if state.table.kinds[value] == v.SUBCLASS:
            receiver = state.table.make((v.SUBCLASS, owner))
        bind_values(state, _class_values(state, owner, node), receiver, v.C, out)


def _from_descendants(state: State, value: int, number: int, name: str, out: Values) -> bool:
    """A name that only the subclasses know, or the classes they combine with."""
    found: Values = {}
    any_found = False
    for sub, member in state.classes.knowing_below(number, name):
        any_found = True
        for unit, node in member.cells:
            join(found, state.solver.get(unit, node), v.C)
        if member.owner >= 0:
            receiver = state.table.make((v.DECLARED, sub))
            values = _class_values(state, member.owner, member.node)
            bind_values(state, values, receiver, v.C, found)
        if len(found) > v.RECEIVERS * 2:
            break
    functions = {state.target_of(item) for item in found}
    if len(functions) > v.RECEIVERS or v.MANY in found:
        state.crowds[number, name] = len(functions)
        add(out, v.MANY, v.C)
    else:
        join(out, found, v.C)
    return any_found


def _not_found(state: State, number: int, name: str, tier: int, out: Values) -> bool:
    if name in ("__class__",):
        add(out, state.table.make((v.SUBCLASS, number)), tier)
        return True
    outside = state.classes.outside(number)
    if outside and not state.classes.is_open(number):
        add(out, state.table.make((v.EXTERNAL, f"{outside[0]}.{name}")), tier)
    return False


def class_attribute(state: State, value: int, name: str, tier: int, out: Values) -> bool:
    """An attribute of a class object: its own, then its metaclass's."""
    kind, number = state.table.items[value]
    member = state.classes.member(number, name)
    found = _own_values(state, number, member.cells, name, out, None)
    if member.owner >= 0:
        found = True
        values = _class_values(state, member.owner, member.node)
        _bind_to_class(state, values, value, tier, out)
        unit = state.classes.infos[member.owner].unit
        if kind == v.SUBCLASS and _is_dispatched(unit, member.node):
            _overriding(state, value, number, name, out)
        elif kind == v.SUBCLASS and _is_replaceable(unit, member.node):
            _replacing(state, value, number, name, out)
    if not found:
        found = _from_metaclass(state, value, number, name, tier, out)
    if not found and kind == v.SUBCLASS:
        found = _from_descendants(state, value, number, name, out)
    return found or _not_found(state, number, name, tier, out)


def _bind_to_class(state: State, values: Values, value: int, tier: int, out: Values) -> None:
    for item, own in values.items():
        if state.table.kinds[item] == v.FUNCTION and state.flags(item) & op.IS_CLASSMETHOD:
            add(out, state.table.make((v.METHOD, item, value)), max(tier, own))
        else:
            add(out, item, max(tier, own))


def _from_metaclass(
    state: State, value: int, number: int, name: str, tier: int, out: Values
) -> bool:
    for meta in state.metaclasses(number):
        member = state.classes.member(meta, name)
        if member.owner >= 0:
            unit = state.classes.infos[member.owner].unit
            bind_values(state, state.solver.get(unit, member.node), value, max(tier, v.B), out)
            return True
    return False


def super_attribute(
    state: State, number: int, receiver: int, name: str, tier: int, out: Values
) -> None:
    """``super().name`` in a method of class ``number``: the next in the linearisation."""
    classes = state.classes
    line = classes.mro(number)[1:]
    member = classes.member_of(line, name)
    is_class = state.table.kinds[receiver] in v.CLASSES
    bind = _bind_to_class if is_class else bind_values
    if member.owner >= 0:
        bind(state, _class_values(state, member.owner, member.node), receiver, tier, out)
    found: Values = {}
    for sub in classes.descendants(number)[: v.LIMIT * 4]:
        below = classes.mro(sub)
        after = below[below.index(number) + 1 :] if number in below else []
        sibling = classes.member_of(after, name)
        if sibling.owner >= 0 and sibling.owner != member.owner:
            bind(state, _class_values(state, sibling.owner, sibling.node), receiver, v.C, found)
    if found and len(found) <= v.RECEIVERS:
        join(out, found, v.C)
    elif member.owner < 0:
        _super_outside(state, number, name, tier, out)


def _super_outside(state: State, number: int, name: str, tier: int, out: Values) -> None:
    if name.startswith("__") and not state.classes.is_open(number):
        add(out, state.table.make((v.BUILTIN_METHOD, "object", name, -1)), tier)
    else:
        _not_found(state, number, name, tier, out)
