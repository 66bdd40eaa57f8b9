"""Python: the whole-repository resolver.

Extraction leaves a graph of value nodes per file (``core/languages/python_nodes.py``). Here those
graphs are solved together: scopes, imports, C3 linearisation, constructor types, annotations,
attributes, containers, results, arguments. Tiers: A lexical, import, linearisation; B inferred
types; C values that flow through arguments, and overriding dispatch; D a method name that is
unique in the repository.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial

from codeviews.core.facts import TEST, FileEdges, ImportEdge, RepoView
from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve.python_arguments import class_attributes, is_known, is_own
from codeviews.core.resolve.python_binding import Binder
from codeviews.core.resolve.python_calls import call_value
from codeviews.core.resolve.python_containers import elements, items
from codeviews.core.resolve.python_descriptors import note_descriptors
from codeviews.core.resolve.python_edges import EdgeMaker
from codeviews.core.resolve.python_names import CANDIDATES, AllNames, NameIndex
from codeviews.core.resolve.python_ops import OPERATIONS
from codeviews.core.resolve.python_solver import Solver
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_summary import Frozen, summarize
from codeviews.core.resolve.python_units import Unit, Unpacked

VERSION = 8
_FRAMES = 20_000
_NAMED_FILES = 40  # files loaded for the methods of one name after an edit


def resolve(repo: RepoView, only: frozenset[str] | None = None) -> Iterator[FileEdges]:
    """Yield the edges of every Python file, or of ``only`` those paths after an edit."""
    state = new_state(repo)
    try:
        with _solving():
            yield from _resolve(state, repo, only)
    finally:
        _release(state)


def _release(state: State) -> None:
    """Part what refers to each other: all of it goes at once, and no collector has to find it."""
    vars(state.solver).clear()
    vars(state).clear()


def _resolve(state: State, repo: RepoView, only: frozenset[str] | None) -> Iterator[FileEdges]:
    solver = state.solver
    if only is None:
        for file in repo.files():
            solver.add_unit(Unit(file, len(solver.units), solver.next_base, live=True))
    else:
        _thaw(state, only)
    units = list(solver.units)
    names = NameIndex(units, None if only is None else partial(_methods_named, state))
    _solve(state, units, whole=only is None)
    maker = EdgeMaker(state, names)
    for unit in units:
        packed = unit.nodes
        unit.unpack()
        result = maker.file(unit)
        result.imports = list(import_edges(state, unit))
        result.summary = summarize(state, unit, None if only is None else repo.summary(unit.path))
        unit.nodes = packed
        yield result


def _thaw(state: State, only: frozenset[str]) -> None:
    """Load the files of an edit; of the others their summaries are read on demand."""
    solver = state.solver
    for path in sorted(only):
        file = solver.repo.file(path)
        if file is not None and file.facts.language == "python":
            solver.add_unit(Unit(file, len(solver.units), solver.next_base, live=True))
    frozen = Frozen(state)
    state.frozen = frozen
    state.classes.lookup = partial(_subclasses, state, frozen)
    state.classes.marks = solver.repo.paths()


def _subclasses(state: State, frozen: Frozen, path: str, qualname: str) -> tuple[object, ...]:
    unit = state.solver.unit(path)
    symbol = unit.symbol(qualname) if unit is not None else None
    return frozen.subclasses(unit, symbol) if unit is not None and symbol is not None else ()


def _methods_named(state: State, name: str) -> list[tuple[int, int, bool]]:
    """The methods of that name in the repository, by the index's own table of names."""
    repo = state.solver.repo
    marks = repo.paths()
    named = [item for item in repo.symbols_named(name) if item[2] == "method"]
    production = sum(not marks.get(path, 0) & TEST for path, *_ in named)
    if (not production and len(named) > CANDIDATES) or production > CANDIDATES:
        return []
    found: list[tuple[int, int, bool]] = []
    for path, number, *_ in named[:_NAMED_FILES]:
        unit = state.solver.unit(path)
        if unit is not None and number in unit.ids:
            found.append((unit.index, list(unit.ids).index(number), unit.is_test))
    return found


def new_state(repo: RepoView) -> State:
    """A solver over ``repo`` with nothing loaded yet."""
    solver = Solver(repo, OPERATIONS)
    state = State(solver)
    solver.state = state
    state.install(call_value, items, elements)
    binder = Binder(state)
    solver.on_site = binder.site
    solver.on_effect = binder.effect
    state.bind_sites = binder.sites
    solver.on_content = state.read_inputs
    return state


@contextmanager
def _solving() -> Generator[None]:
    """Values are computed on demand, one inside the other: the solver bounds the depth itself.

    Millions of small tuples and no cycles: the collector would only scan them.
    """
    before, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(before, _FRAMES))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
        if collecting:
            gc.enable()


def _solve(state: State, units: list[Unit], whole: bool) -> None:
    solver = state.solver
    for unit in units:
        for symbol, record in unit.classes.items():
            state.classes.number(unit, symbol)
            state.field_names.update(name for name, _ in record[4] or ())
        state.setter_names.update(name for _, name in state.setters.of_file(unit))
        state.foreign_names.update(
            key
            for base, key, value, *_ in unit.effects
            if isinstance(key, str) and not is_own(unit, base) and is_known(unit, value)
        )
        state.patched_names.update(
            key
            for base, key, *_ in unit.effects
            if isinstance(key, str) and _is_module(unit, base) and not unit.is_test
        )
        for call in unit.type_calls:
            if unit.nodes[call][0] == op.CALL:
                state.foreign_names.update(n for n, _ in class_attributes(unit, unit.nodes[call]))
    state.any_generic = not whole or any(
        len(record) > 7 and record[7] & op.IS_DISPATCH
        for unit in units
        for record in unit.functions.values()
    )
    if whole:
        state.classes.link_subclasses()
    note_descriptors(state, units, whole)
    if not whole:
        state.foreign_names = AllNames()
        state.field_names = AllNames()
        state.setter_names = AllNames()
        state.patched_names = AllNames()
    for unit in units:
        for index in range(len(unit.effects)):
            solver.process_effect(unit, index)
    unpacked = Unpacked()
    for unit in units:
        state.bind_sites(unit)
        if whole and unit.is_test:
            unit.pack(unpacked)
    solver.run()


def _is_module(unit: Unit, node: int) -> bool:
    """Whether a node is an imported name, perhaps one that the module shares."""
    record = unit.nodes[node]
    if record[0] == op.GLOBAL:
        record = unit.nodes[unit.bindings.get(record[1], node)]
    return record[0] == op.IMPORT


def import_edges(state: State, unit: Unit) -> Iterator[ImportEdge]:
    """The file each import statement reaches; a submodule when the name is one."""
    for item in unit.imports:
        path = state.import_of(unit, item)
        if path is not None and item.name:
            bound = not path.endswith("/") and _binds(state, path, item.name)
            child = None if bound else state.solver.modules.child(path, item.name)
            path = child or path
        if path is not None and path.endswith("/"):
            path = None
        dots = "." * item.level
        yield ImportEdge(path, dots + item.module, item.line)


def _binds(state: State, path: str, name: str) -> bool:
    unit = state.solver.unit(path)
    return unit is not None and name in unit.bindings
