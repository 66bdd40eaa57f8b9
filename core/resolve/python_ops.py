"""The operations: how each kind of node gets its values."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import builtins
from typing import Any

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_attributes import attribute, attribute_values
from codeviews.core.resolve.python_calls import NO_ARGUMENTS, call, call_node, created_attribute
from codeviews.core.resolve.python_contexts import Environment
from codeviews.core.resolve.python_decorators import decorated
from codeviews.core.resolve.python_exports import module_attribute, patched, star_name, starred_name
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_units import Unit
from codeviews.core.resolve.python_values import Values, add, join

BUILTIN_NAMES = frozenset(dir(builtins)) | frozenset(
    ["unicode", "basestring", "long", "xrange", "raw_input", "unichr", "reduce", "cmp", "reload"]
)
_MODULE_NAMES = frozenset(["__name__", "__file__", "__doc__", "__package__", "__path__"])
_PASSED_ON = frozenset(
    [v.INSTANCE, v.DECLARED, v.EXTERNAL, v.BUILTIN, v.CLASS, v.SUBCLASS, v.MODULE, v.MANY_VALUE]
)


def constant(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    return {state.table.constant(record[1]): v.A}


def builtin(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    return {state.table.make((v.BUILTIN, record[1])): v.A}


def global_(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    name = record[1]
    found = unit.bindings.get(name)
    if found is not None:
        return patched(state, unit, name, _bound(state, unit, name, found))
    if unit.stars:
        values = star_name(state, unit, name)
        if values:
            return values
    if name in BUILTIN_NAMES:
        return {state.table.make((v.BUILTIN_NAME, name)): v.A}
    if name in _MODULE_NAMES:
        return {state.table.make((v.BUILTIN, "str")): v.A}
    out: Values = {}
    if unit.stars and any(_is_outside(state, unit, index) for index in unit.stars):
        out[state.table.make((v.EXTERNAL, name))] = v.B
    return out


def starred(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    """A name that a later star import rebinds when it has it."""
    found = starred_name(state, unit, record[1], record[2])
    return found or state.solver.read(unit, record[3], env)


def _is_outside(state: State, unit: Unit, index: int) -> bool:
    return state.import_of(unit, unit.imports[index]) is None


def function(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    number = 0
    if env is not None and not state.solver.depends(unit, node).isdisjoint(env.params):
        number = env.number
    return {state.table.make((v.FUNCTION, unit.index, record[1], number)): v.A}


def _bound(state: State, unit: Unit, name: str, found: int) -> Values:
    """A module-level name: its last value, and those that a call during loading may have seen."""
    last = unit.finals.get(name)
    if last is None:
        return state.solver.get(unit, found)
    out: Values = {}
    join(out, state.solver.get(unit, last))
    join(out, state.solver.get(unit, found), v.C)
    return out


def class_(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    return {state.table.make((v.CLASS, state.classes.number(unit, record[1]))): v.A}


def import_(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    item = unit.imports[record[1]]
    module = item.module.partition(".")[0] if record[2] == "root" else item.module
    path = state.import_path(unit, module, item.level)
    if path is None:
        dotted = f"{item.module}.{item.name}" if item.name else module
        kind = v.EXTERNAL if not item.level else -1
        return {state.table.make((kind, dotted)): v.A} if kind >= 0 else v.EMPTY
    if not item.name:
        return {state.table.make((v.MODULE, path)): v.A}
    if path == unit.path:
        child = state.solver.modules.child(path, item.name)
        return {state.table.make((v.MODULE, child)): v.A} if child else v.EMPTY
    return module_attribute(state, path, item.name)


def parameter(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    function_record = unit.functions.get(record[1])
    if function_record is None or len(function_record) < 8:
        return v.EMPTY
    if record[2] == op.SENT:
        sent: Values = {}
        state.read_inputs(unit, node, sent)
        return sent
    shape, defaults, annotations = function_record[:3]
    owner, flags, index = function_record[6], function_record[7], record[2]
    if owner >= 0 and index == 0 and not flags & op.IS_STATIC:
        number = state.classes.number(unit, owner)
        kind = v.SUBCLASS if flags & op.IS_CLASSMETHOD or _is_meta(state, number) else v.DECLARED
        return {state.table.make((kind, number)): v.A}
    if index in shape[2:]:
        return {state.table.make((v.CONTAINER, unit.index, node)): v.B}
    out: Values = {}
    if index in annotations:
        join(out, state.solver.get(unit, annotations[index]), v.B)
        says = any(state.table.kinds[value] != v.EXTERNAL for value in out)
        if says and not any(_is_protocol(state, value) for value in out):
            return out
    if index in defaults:
        join(out, state.solver.get(unit, defaults[index]), v.C)
    state.read_inputs(unit, node, out)
    return out


def _is_protocol(state: State, value: int) -> bool:
    """Whether classes fit a declared one without being below it."""
    if state.table.kinds[value] != v.DECLARED:
        return False
    info = state.classes.infos[state.table.items[value][1]]
    return any(name.rpartition(".")[2] == "Protocol" for name in info.external)


def _is_meta(state: State, number: int) -> bool:
    """In a metaclass ``cls`` and ``self`` are classes; nothing more is known of them."""
    return False


def attribute_(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    values = state.solver.read(unit, record[1], env)
    if len(values) == 1:
        (value,) = values
        plain = state.table.kinds[value] not in (v.INSTANCE, v.MANY_VALUE)
        if plain or (value != v.MANY and _making_call(unit, record[1]) < 0):
            return attribute_values(state, value, record[2], values[value])
    made = _making_call(unit, record[1])
    out: Values = {}
    for value, tier in values.items():
        if value == v.MANY:
            add(out, v.MANY, v.C)
        elif made >= 0 and state.table.kinds[value] == v.INSTANCE:
            created_attribute(state, unit, made, value, record[2], tier, out)
        else:
            join(out, attribute_values(state, value, record[2], tier))
    return out


def _making_call(unit: Unit, node: int) -> int:
    """The call that a node stands for, directly or by the name of a module variable."""
    record = unit.nodes[node]
    if record[0] == op.GLOBAL:
        node = unit.bindings.get(record[1], op.NO_NODE)
    return node if node >= 0 and unit.nodes[node][0] == op.CALL else op.NO_NODE


def call_(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    return call_node(state, unit, record, node, env)


def item(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    out: Values = {}
    keys = state.solver.read(unit, record[2], env)
    for value, tier in state.solver.read(unit, record[1], env).items():
        held: Values = {}
        state.items(value, keys, tier, held)
        join(out, held, _of_held(tier))
    return out


def iterate(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    out: Values = {}
    for value, tier in state.solver.read(unit, record[1], env).items():
        held: Values = {}
        state.elements(value, record[2], tier, held)
        join(out, held, _of_held(tier))
    return out


def _of_held(tier: int) -> int:
    """What a container holds is no surer than that it is this container."""
    return v.C if tier == v.C else v.A


def phi(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    out: Values = {}
    for operand in record[1]:
        join(out, state.solver.read(unit, operand, env))
    if len(record[1]) > 1 and len(out) > 1:
        return {value: max(tier, v.B) for value, tier in out.items()}
    return out


def display(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    return {state.table.make((v.CONTAINER, unit.index, node)): v.A}


def stored(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    """A container after a store; anything else stays what it is."""
    before = state.solver.read(unit, record[1], env)
    out = {value: t for value, t in before.items() if state.table.kinds[value] in _PASSED_ON}
    if not out or len(out) < len(before):
        out[state.table.make((v.CONTAINER, unit.index, node))] = v.B
    return out


def enter(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    out: Values = {}
    for value, tier in state.solver.read(unit, record[1], env).items():
        kind = state.table.kinds[value]
        if kind == v.GENERATOR:
            state.elements(value, 0, tier, out)
        elif kind in v.INSTANCES:
            found: Values = {}
            attribute(state, value, "__aenter__" if record[2] else "__enter__", tier, found)
            for method, own in found.items():
                if state.table.kinds[method] == v.METHOD:
                    call(state, method, own, NO_ARGUMENTS, out)
        elif kind == v.EXTERNAL:
            is_kept = state.table.items[value][1].startswith("contextlib.")
            add(out, value if is_kept else state.table.make((v.EXTERNAL, v.RESULT)), tier)
        elif kind == v.BUILTIN:
            add(out, value, tier)
    return out


def instance(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    out: Values = {}
    for value, tier in state.solver.read(unit, record[1], env).items():
        declared = state.table.items[value]
        if declared[0] in v.CLASSES:
            add(out, state.table.make((v.DECLARED, declared[1])), max(tier, v.B))
        elif declared[0] == v.BUILTIN_NAME:
            add(out, state.table.make((v.BUILTIN, declared[1])), max(tier, v.B))
        elif declared[0] in (v.EXTERNAL, v.DECLARED, v.INSTANCE):
            add(out, value, max(tier, v.B))
    return out


def class_of(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    out: Values = {}
    for value, tier in state.solver.read(unit, record[1], env).items():
        if state.table.kinds[value] in v.INSTANCES:
            number = state.table.items[value][1]
            add(out, state.table.make((v.SUBCLASS, number)), max(tier, v.B))
        elif state.table.kinds[value] == v.EXTERNAL:
            add(out, value, tier)
    return out


def closure(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    function_record = unit.functions.get(record[1])
    if function_record is None or len(function_record) < 9:
        return v.EMPTY
    found = function_record[8].get(record[2])
    return state.solver.read(unit, found, env) if found is not None else v.EMPTY


def pattern(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    """Every method whose name fits, as long as there are few."""
    _, base, prefix, suffix = record
    out: Values = {}
    for value in state.solver.read(unit, base, env):
        names = _names_of(state, value)
        fitting = sorted(n for n in names if n.startswith(prefix) and n.endswith(suffix))
        if len(fitting) > v.RECEIVERS:
            add(out, v.MANY, v.C)
            continue
        for name in fitting:
            attribute(state, value, name, v.C, out)
    return out


def _names_of(state: State, value: int) -> set[str]:
    item = state.table.items[value]
    names: set[str] = set()
    if item[0] in v.INSTANCES or item[0] in v.CLASSES:
        for number in state.classes.mro(item[1]):
            info = state.classes.infos[number]
            record = info.unit.classes.get(info.symbol)
            if record is not None:
                names.update(record[1])
    elif item[0] == v.MODULE and not item[1].endswith("/"):
        unit = state.solver.unit(item[1])
        names.update(unit.bindings if unit is not None else ())
    return names


def operator(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    out: Values = {}
    for value, tier in state.solver.read(unit, record[1], env).items():
        kind = state.table.kinds[value]
        if kind in v.INSTANCES:
            found: Values = {}
            attribute(state, value, record[3], tier, found)
            for method, own in found.items():
                if state.table.kinds[method] == v.METHOD:
                    call(state, method, own, NO_ARGUMENTS, out)
        elif kind in (v.EXTERNAL, v.BUILTIN, v.CONTAINER, v.VIEW):
            add(out, value, max(tier, v.B))
        elif kind == v.CONSTANT:
            type_name = type(state.table.items[value][1]).__name__
            add(out, state.table.make((v.BUILTIN, type_name)), tier)
    if record[3] == "__add__":
        for value, tier in state.solver.read(unit, record[2], env).items():
            if state.table.kinds[value] == v.CONTAINER:
                add(out, value, max(tier, v.B))
    return out


def sliced(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    out: Values = {}
    for value, tier in state.solver.read(unit, record[1], env).items():
        kind = state.table.kinds[value]
        if kind in (v.CONTAINER, v.VIEW):
            out[state.table.make((v.CONTAINER, unit.index, node))] = v.B
        elif kind in v.INSTANCES:
            state.items(value, v.EMPTY, tier, out)
        elif kind in (v.EXTERNAL, v.BUILTIN):
            add(out, value, tier)
    return out


def formatted(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    return {state.table.make((v.BUILTIN, "str")): v.A}


def unknown(state: State, unit: Unit, record: Any, node: int, env: Environment | None) -> Values:
    return v.EMPTY


OPERATIONS = {
    op.CONST: constant,
    op.BUILTIN: builtin,
    op.GLOBAL: global_,
    op.FUNC: function,
    op.CLASS: class_,
    op.IMPORT: import_,
    op.PARAM: parameter,
    op.ATTR: attribute_,
    op.CALL: call_,
    op.ITEM: item,
    op.ITER: iterate,
    op.STARRED: starred,
    op.PHI: phi,
    op.LITERAL: display,
    op.STORE: stored,
    op.MERGE: stored,
    op.DECORATED: decorated,
    op.ENTER: enter,
    op.INSTANCE: instance,
    op.CLOSURE: closure,
    op.PATTERN: pattern,
    op.OPERATOR: operator,
    op.SLICE: sliced,
    op.FORMAT: formatted,
    op.ELEMENTS: display,
    op.UNKNOWN: unknown,
    op.CLASSOF: class_of,
    op.ANY: display,
}
