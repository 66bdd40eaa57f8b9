"""Names of modules as other files see them: bindings, star imports, submodules, patches."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_units import Unit
from codeviews.core.resolve.python_values import Values


def module_attribute(state: State, path: str, name: str) -> Values:
    """A name of a module: its binding, a star import, a submodule."""
    key = (path, name)
    if key in state.asking:
        return v.EMPTY
    state.asking.add(key)
    try:
        return _module_attribute(state, path, name)
    finally:
        state.asking.discard(key)


def _module_attribute(state: State, path: str, name: str) -> Values:
    unit = None if path.endswith("/") else state.solver.unit(path)
    if unit is not None:
        node = unit.finals.get(name, unit.bindings.get(name))
        if node is not None:
            return patched(state, unit, name, state.solver.get(unit, node))
        found = star_name(state, unit, name)
        if found:
            return found
    child = state.solver.modules.child(path, name)
    if child is not None:
        return {state.table.make((v.MODULE, child)): v.A}
    out: Values = {}
    state.read_cells(state.table.make((v.MODULE, path)), name, out)
    return out


def patched(state: State, unit: Unit, name: str, values: Values) -> Values:
    """Values of a module-level name with those that other modules put in its place."""
    if name not in state.patched_names:
        return values
    out = dict(values)
    state.read_cells(state.table.make((v.MODULE, unit.path)), name, out, v.C)
    return out


def star_name(state: State, unit: Unit, name: str) -> Values:
    """A name that a module has only through its star imports; the last import wins."""
    for index in reversed(unit.stars):
        found = starred_name(state, unit, index, name)
        if found:
            return found
    return v.EMPTY


def starred_name(state: State, unit: Unit, index: int, name: str) -> Values:
    """What one star import gives a name."""
    item = unit.imports[index]
    path = state.import_path(unit, item.module, item.level)
    source = state.solver.unit(path) if path is not None and not path.endswith("/") else None
    if path is None or source is None or source is unit or not _is_public(source, name):
        return v.EMPTY
    return module_attribute(state, path, name)


def _is_public(unit: Unit, name: str) -> bool:
    return name in unit.exported if unit.exported is not None else not name.startswith("_")
