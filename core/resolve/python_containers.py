"""Containers: what ``value[key]`` and the elements of ``value`` can be."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_attributes import attribute
from codeviews.core.resolve.python_fields import fields_of, is_tuple
from codeviews.core.resolve.python_members import is_enum
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_units import Unit
from codeviews.core.resolve.python_values import Values, add, join


class AnyBut(frozenset[Any]):
    """Any key except these, which a later store replaced."""


Key = str | int | AnyBut | None  # None: any key
Seen = set[tuple[int, Key]]

_DEPTH = 40
_CHAIN = 60  # stores looked through for one key


def constants(state: State, values: Values) -> list[Key]:
    """The constant keys among values; [None] when the key is not known."""
    kinds = state.table.kinds
    found: list[Key] = [state.table.items[i][1] for i in values if kinds[i] == v.CONSTANT]
    return found if found and len(found) == len(values) else [*found, None]


def items(state: State, value: int, keys: Values, tier: int, out: Values) -> None:
    """Add what ``value[key]`` can be."""
    item = state.table.items[value]
    kind = item[0]
    if kind in (v.CONTAINER, v.VIEW):
        for key in constants(state, keys):
            item_of(state, value, key, out, set())
    elif kind in v.INSTANCES:
        found: Values = {}
        attribute(state, value, "__getitem__", tier, found)
        for method, own in found.items():
            if state.table.kinds[method] == v.METHOD:
                state.call_value(method, own, out)
        _held(state, value, constants(state, keys), out)
    elif kind in v.CLASSES:
        if is_enum(state, item[1]):
            add(out, state.table.make((v.INSTANCE, item[1])), v.B)
        elif not _item_of_class(state, value, tier, out):
            add(out, value, tier)
    elif kind == v.EXTERNAL:
        add(out, state.table.make((v.EXTERNAL, v.RESULT)), tier)
    elif kind == v.BUILTIN and item[1] == "str":
        add(out, value, tier)


def _held(state: State, value: int, keys: list[Key], out: Values) -> None:
    """What an instance of a class below ``list``, ``dict``, ``NamedTuple`` holds at the keys."""
    number = state.table.items[value][1]
    holding = state.holding(number)
    if holding is not None:
        for key in keys:
            _heap(state, holding[1], key, False, v.C, out)
    if holding is not None and holding[0] == "dict":
        found: Values = {}
        attribute(state, value, "__missing__", v.B, found)
        for method, own in found.items():
            state.call_value(method, max(own, v.C), out)
    if holding is None and is_tuple(state, number):
        fields = fields_of(state.classes, number) or ()
        for key in keys:
            known = isinstance(key, int) and -len(fields) <= key < len(fields)
            for field in [fields[key]] if known and isinstance(key, int) else fields:
                attribute(state, value, field.name, v.B, out)


def _item_of_class(state: State, value: int, tier: int, out: Values) -> bool:
    """``Class[key]`` by ``__class_getitem__``; False when the class has none."""
    member = state.classes.member(state.table.items[value][1], "__class_getitem__")
    for method in state.member_values(member):
        if state.table.kinds[method] == v.FUNCTION:
            state.call_value(state.table.make((v.METHOD, method, value)), tier, out)
    return member.owner >= 0


def item_of(state: State, value: int, key: Key, out: Values, seen: Seen) -> None:
    """Add what a container value holds at ``key``."""
    item = state.table.items[value]
    if isinstance(key, AnyBut) and not _is_display(state, item):
        key = None
    if (value, key) in seen or item[0] not in (v.CONTAINER, v.VIEW) or len(seen) > _CHAIN:
        return
    seen.add((value, key))
    if item[0] == v.VIEW:
        if item[2] == 0 and isinstance(key, int):
            item_of(state, item[1], key, out, seen)
        else:
            elements(state, value, 0, v.B, out, seen)
        return
    unit = state.solver.units[item[1]]
    record = unit.nodes[item[2]]
    handler = _ITEMS.get(record[0])
    if handler is not None:
        handler(state, unit, record, item[2], key, out, seen)
    if isinstance(key, AnyBut):
        key = None
    floor = v.C if record[0] == op.PARAM else v.B
    _heap(state, value, key, bool(out), floor, out)


def _is_display(state: State, item: tuple[Any, ...]) -> bool:
    """Whether a value is a container whose keys show where it is written."""
    if item[0] != v.CONTAINER:
        return False
    return state.solver.units[item[1]].nodes[item[2]][0] in (op.LITERAL, op.STORE)


def _heap(state: State, value: int, key: Key, known: bool, floor: int, out: Values) -> None:
    """What stores elsewhere put at the key."""
    state.solver.grows(value)
    sources = state.heap.get(value)
    if not sources:
        return
    keys: list[Any] = list(sources) if key is None else [key, None]
    for name in keys:
        for (unit, node), tracked in (sources.get(name) or {}).items():
            if len(out) >= v.LIMIT - 1:
                state.widen(out)
            if not (tracked and known):
                join(out, state.solver.get(state.solver.units[unit], node), floor)


def _literal(
    state: State, unit: Unit, record: Any, node: int, key: Key, out: Values, seen: Seen
) -> None:
    _, _, keys, values = record
    if keys is None:
        if isinstance(key, int):
            if -len(values) <= key < len(values):
                join(out, state.solver.get(unit, values[key]), v.B)
            return
        replaced = {place % len(values) for place in _indices(key)} if values else set[int]()
        for index, value in enumerate(values):
            if index not in replaced:
                join(out, state.solver.get(unit, value), v.B)
        return
    for name, value in reversed(list(zip(keys, values, strict=True))):
        known = constants(state, state.solver.get(unit, name))
        if None in known or _has(known, key):
            join(out, state.solver.get(unit, value), v.B)
            if _is_one(key) and len(known) == 1 and None not in known:
                return


def _has(keys: list[Key], key: Key) -> bool:
    if isinstance(key, AnyBut):
        return any((type(known), known) not in key for known in keys)
    return key is None or any(key == known and type(key) is type(known) for known in keys)


def _is_one(key: Key) -> bool:
    return key is not None and not isinstance(key, AnyBut)


def _indices(key: Key) -> list[int]:
    """The indices that stores replaced in a list."""
    return [place for kind, place in key if kind is int] if isinstance(key, AnyBut) else []


def _store(
    state: State, unit: Unit, record: Any, node: int, key: Key, out: Values, seen: Seen
) -> None:
    _, base, key_node, value = record
    known = constants(state, state.solver.get(unit, key_node))
    is_sure = len(known) == 1 and None not in known
    if None in known or _has(known, key):
        is_all = (_is_one(key) and is_sure) or _is_held(state, unit, base)
        join(out, state.solver.get(unit, value), v.B if is_all else v.C)
        if _is_one(key) and is_sure:
            return
    if is_sure and not _is_one(key):
        replaced = key if isinstance(key, AnyBut) else AnyBut()
        key = AnyBut(replaced | {(type(known[0]), known[0])})
    _through(state, unit, base, key, out, seen)


def _is_held(state: State, unit: Unit, base: int) -> bool:
    """Whether what a container held before a store is known."""
    kinds = state.table.kinds
    return any(kinds[value] in (v.CONTAINER, v.VIEW) for value in state.solver.get(unit, base))


def _merge(
    state: State, unit: Unit, record: Any, node: int, key: Key, out: Values, seen: Seen
) -> None:
    _, base, other = record
    found: Values = {}
    _through(state, unit, other, key, found, seen)
    join(out, found, v.B)
    if key is None or not found:
        _through(state, unit, base, key, out, seen)


def _slice(
    state: State, unit: Unit, record: Any, node: int, key: Key, out: Values, seen: Seen
) -> None:
    start = record[2]
    shifted = key + start if isinstance(key, int) and key >= 0 and start is not None else None
    if shifted is not None and isinstance(start, int) and start < 0:
        shifted = None
    _through(state, unit, record[1], shifted, out, seen)


def _through(state: State, unit: Unit, base: int, key: Key, out: Values, seen: Seen) -> None:
    for value in state.solver.get(unit, base):
        item_of(state, value, key, out, seen)


def _any(
    state: State, unit: Unit, record: Any, node: int, key: Key, out: Values, seen: Seen
) -> None:
    join(out, state.solver.get(unit, record[3]), v.B)


def _typed(
    state: State, unit: Unit, record: Any, node: int, key: Key, out: Values, seen: Seen
) -> None:
    if record[2] >= 0:
        join(out, state.solver.get(unit, record[2]), v.B)


def _called(
    state: State, unit: Unit, record: Any, node: int, key: Key, out: Values, seen: Seen
) -> None:
    """``dict(a=f)``, ``dict(other)``, ``OrderedDict(...)``, ``defaultdict(list)``, ``fromkeys``."""
    callee = unit.nodes[record[1]]
    if callee[0] == op.ATTR and callee[2] == "fromkeys":
        for value in record[2][1:2]:
            if isinstance(value, int):
                join(out, state.solver.get(unit, value), v.B)
        return
    if _makes_lists(state, unit, record):
        out[state.table.make((v.CONTAINER, unit.index, node))] = v.B
        return
    for name, value in record[3]:
        if name is not None and (key is None or key == name):
            join(out, state.solver.get(unit, value), v.B)
    if record[2] and isinstance(record[2][0], int):
        _through(state, unit, record[2][0], key, out, seen)


def _makes_lists(state: State, unit: Unit, record: Any) -> bool:
    """Whether a call makes a ``defaultdict`` of containers: one container stands for them all."""
    if not record[2] or not isinstance(record[2][0], int):
        return False
    first = unit.nodes[record[2][0]]
    if first[0] != op.GLOBAL or first[1] not in ("list", "set", "dict", "deque"):
        return False
    items = (state.table.items[value] for value in state.solver.get(unit, record[1]))
    return any(
        item[0] == v.EXTERNAL and item[1].rpartition(".")[2] == "defaultdict" for item in items
    )


def _is_group(state: State, item: tuple[Any, ...]) -> bool:
    """Whether a container also stands for the lists in it."""
    unit = state.solver.units[item[1]]
    record = unit.nodes[item[2]]
    return record[0] == op.CALL and _makes_lists(state, unit, record)


def _parameter(
    state: State, unit: Unit, record: Any, node: int, key: Key, out: Values, seen: Seen
) -> None:
    """``args`` and ``kwargs``: what the calls pass."""
    join(out, state.solver.content(unit, node), v.C)


_ITEMS: dict[int, Any] = {
    op.LITERAL: _literal,
    op.STORE: _store,
    op.MERGE: _merge,
    op.SLICE: _slice,
    op.ANY: _any,
    op.ELEMENTS: _typed,
    op.CALL: _called,
    op.PARAM: _parameter,
}


def elements(
    state: State, value: int, mode: int, tier: int, out: Values, seen: Seen | None = None
) -> None:
    """Add what iterating over ``value`` gives. Modes: 0 elements, 1 values, 2 keys, 3 items."""
    item = state.table.items[value]
    kind = item[0]
    if kind == v.CONTAINER:
        if mode == 0 and state.container_type(item) == "dict" and not _is_group(state, item):
            mode = 2
        if mode == 2:
            _keys(state, item, out)
        else:
            item_of(state, value, None, out, set() if seen is None else seen)
    elif kind == v.VIEW:
        elements(state, item[1], item[2], tier, out, seen)
    elif kind == v.GENERATOR and mode == 0:
        _yielded(state, item, tier, out)
    elif kind == v.GENERATOR and mode == op.RETURNED:
        _, number, symbol, env = item
        _result(state, number, state.solver.units[number].functions[symbol][3], env, tier, out)
    elif mode == op.RETURNED:
        return
    elif kind == v.MAPPED:
        state.call_value(item[1], v.B, out)
    elif kind in v.INSTANCES:
        if mode == 0:
            _iterated(state, value, tier, out)
        holding = state.holding(item[1])
        if mode == 1 or holding is None or holding[0] != "dict":
            _held(state, value, [None], out)
    elif kind in v.CLASSES and is_enum(state, item[1]):
        add(out, state.table.make((v.INSTANCE, item[1])), v.B)
    elif kind == v.EXTERNAL:
        add(out, state.table.make((v.EXTERNAL, v.RESULT)), tier)
    elif kind == v.BUILTIN and item[1] == "str":
        add(out, value, tier)


def _keys(state: State, item: tuple[Any, ...], out: Values) -> None:
    unit = state.solver.units[item[1]]
    record = unit.nodes[item[2]]
    for _ in range(_DEPTH):
        if record[0] == op.STORE:
            join(out, state.solver.get(unit, record[2]), v.B)
            record = unit.nodes[record[1]]
        elif record[0] == op.LITERAL and record[2] is not None:
            for key in record[2]:
                join(out, state.solver.get(unit, key), v.B)
            return
        elif record[0] == op.ANY and record[2] >= 0:
            join(out, state.solver.get(unit, record[2]), v.B)
            return
        else:
            return


def _yielded(state: State, item: tuple[Any, ...], tier: int, out: Values) -> None:
    _, number, symbol, env = item
    unit = state.solver.units[number]
    record = unit.functions[symbol]
    _result(state, number, record[4], env, tier, out)
    if record[5] >= 0 and not out:
        for value in state.solver.get(unit, record[5]):
            if state.table.kinds[value] == v.CONTAINER:
                state.elements(value, 0, tier, out)


def _result(state: State, number: int, node: int, env: int, tier: int, out: Values) -> None:
    """What the body of a generator yields or returns, in the environment of its call."""
    if node >= 0:
        solver, unit = state.solver, state.solver.units[number]
        found = solver.in_context(unit, node, env) if env else solver.get(unit, node)
        join(out, found, max(tier, v.B))


def _iterated(state: State, value: int, tier: int, out: Values) -> None:
    """``__iter__`` and then ``__next__`` of what it gives; else ``__getitem__``."""
    found: Values = {}
    for name in ("__iter__", "__aiter__"):
        attribute(state, value, name, tier, found)
    given: Values = {}
    for method, own in found.items():
        if state.table.kinds[method] == v.METHOD:
            state.call_value(method, own, given)
    for item, own in given.items():
        if state.table.kinds[item] in v.INSTANCES:
            _next_of(state, item, own, out)
        else:
            state.elements(item, 0, own, out)  # it may be the object itself: this one ends


def _next_of(state: State, value: int, tier: int, out: Values) -> None:
    found: Values = {}
    for name in ("__next__", "__anext__"):
        attribute(state, value, name, tier, found)
    for method, own in found.items():
        if state.table.kinds[method] == v.METHOD:
            state.call_value(method, own, out)
