"""Attribute access: what ``value.name`` can be."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_dispatch import REGISTERING, is_generic
from codeviews.core.resolve.python_exports import module_attribute
from codeviews.core.resolve.python_fields import cell_name, matched_name
from codeviews.core.resolve.python_members import bind_to_class, bind_values, class_values
from codeviews.core.resolve.python_state import Creation, State
from codeviews.core.resolve.python_super import super_attribute
from codeviews.core.resolve.python_units import Unit
from codeviews.core.resolve.python_values import Values, add, join

_DEFINED = frozenset([op.FUNC, op.DECORATED, op.PHI])
_NAMED = frozenset([op.GLOBAL, op.IMPORT, op.CLASS, op.ATTR])
_CALLABLE = _DEFINED | _NAMED
_MEMBERS = {
    kind.__name__: frozenset(dir(kind))
    for kind in (str, bytes, int, float, bool, list, tuple, set, type(None))
}
_HELD_BY = {kind.__name__: frozenset(dir(kind)) | {"appendleft"} for kind in (list, set, dict)}
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
    elif kind == v.SUPER and not super_attribute(state, item[1], item[2], name, tier, out):
        _super_outside(state, item[1], name, tier, out)
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
    elif kind in (v.FUNCTION, v.METHOD) and _is_register(state, item, value, name):
        generic = value if kind == v.FUNCTION else item[1]
        add(out, state.table.make((v.BUILTIN_METHOD, REGISTERING, name, generic)), v.B)
    elif kind in (v.FUNCTION, v.METHOD):
        state.read_cells(value if kind == v.FUNCTION else item[1], name, out)


def _is_register(state: State, item: tuple[Any, ...], value: int, name: str) -> bool:
    """Whether an attribute of a function is the ``register`` of a generic one."""
    if name != "register":
        return False
    function = value if item[0] == v.FUNCTION else item[1]
    return state.table.kinds[function] == v.FUNCTION and is_generic(state, function)


def instance_attribute(state: State, value: int, name: str, tier: int, out: Values) -> bool:
    """An attribute of an instance: values set on self, the class's own, overriding ones."""
    creation, state.creation = state.creation, None  # it speaks of this instance only
    kind, number = state.table.items[value]
    classes = state.classes
    if name.startswith(op.MATCHED):
        name = matched_name(state, number, name)
    member = classes.member(number, name)
    found = False
    if name not in state.setter_names or not state.setters.is_property(member, name):
        found = _own_values(state, number, member.cells, name, out, creation)
    if member.owner >= 0:
        found = True
        unit = classes.infos[member.owner].unit
        bind_values(state, class_values(state, member.owner, member.node), value, tier, out)
        if kind == v.DECLARED and _is_dispatched(unit, member.node):
            _overriding(state, value, number, name, out)
        elif kind == v.DECLARED and _is_replaceable(unit, member.node):
            _replacing(state, value, number, name, out)
    elif kind == v.DECLARED and not found:
        found = _from_descendants(state, value, number, name, out)
    if not found:
        found = _not_found(state, number, name, tier, out)
    return found


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
        bind_values(state, class_values(state, owner, node), receiver, v.C, out)


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
            values = class_values(state, member.owner, member.node)
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
    if _from_hook(state, number, name, out):
        return True
    if _of_container(state, number, name, out):
        return False
    outside = state.classes.outside(number)
    if outside and not state.classes.is_open(number):
        add(out, state.table.make((v.EXTERNAL, f"{outside[0]}.{name}")), tier)
    return False


def _of_container(state: State, number: int, name: str, out: Values) -> bool:
    """A method that a class has from ``list``, ``dict``... outside the repository."""
    holding = state.holding(number)
    if holding is None or name not in _HELD_BY[holding[0]]:
        return False
    add(out, state.table.make((v.BUILTIN_METHOD, holding[0], name, holding[1])), v.B)
    return True


def _from_hook(state: State, number: int, name: str, out: Values) -> bool:
    """What ``__getattr__`` gives for a name that nothing else has."""
    member = state.classes.member(number, "__getattr__")
    if member.owner < 0 or name.startswith("__"):
        return False
    given: Values = {}
    receiver = state.table.make((v.DECLARED, number))
    asked: Values = {state.table.constant(name): v.A}
    for method in state.member_values(member):
        if state.table.kinds[method] == v.FUNCTION:
            bound = state.table.make((v.METHOD, method, receiver))
            state.call_value(bound, v.C, given, (asked,))
    join(out, given, v.C)
    return bool(given)


def class_attribute(state: State, value: int, name: str, tier: int, out: Values) -> bool:
    """An attribute of a class object: its own, then its metaclass's."""
    kind, number = state.table.items[value]
    member = state.classes.member(number, name)
    found = _own_values(state, number, member.cells, name, out, None)
    if member.owner >= 0:
        found = True
        values = class_values(state, member.owner, member.node)
        bind_to_class(state, values, value, tier, out)
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


def _super_outside(state: State, number: int, name: str, tier: int, out: Values) -> None:
    if _of_container(state, number, name, out):
        return
    if name.startswith("__") and not state.classes.is_open(number):
        add(out, state.table.make((v.BUILTIN_METHOD, "object", name, -1)), tier)
    else:
        _not_found(state, number, name, tier, out)
