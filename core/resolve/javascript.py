"""Resolution of JavaScript and TypeScript: abstract interpretation of the whole repository.

``js_machine`` says how. Here: the order of work, dispatch to overriding methods, names that are
unique, and writing edges. A file's summary is ``(imported paths, classes)``; a class is
``(qualified name, ((path, qualified name of a base), ...), ((method, qualified name), ...))``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from codeviews.core.facts import EXPORTED, FileEdges, ImportEdge, RepoView
from codeviews.core.languages import LANGUAGES, language_of
from codeviews.core.resolve import js_calls, js_classes, js_statements
from codeviews.core.resolve.js_edges import EdgeWriter
from codeviews.core.resolve.js_hierarchy import Hierarchy
from codeviews.core.resolve.js_invoke import default_this, run_function
from codeviews.core.resolve.js_machine import ROOT_STEPS, Machine, RecordKey, make_function
from codeviews.core.resolve.js_program import Module, Program
from codeviews.core.resolve.js_values import EMPTY, Obj

VERSION = 5

HANDLERS = (js_calls, js_classes, js_statements)  # they register handlers when imported
MAX_IMPORTERS = 100  # files run beside the edited ones because they import them
MAX_COMPONENT = 24  # files that imports join to the edited ones and that are all run with them


def resolve(repo: RepoView, only: frozenset[str] | None = None) -> Iterator[FileEdges]:
    """Yield the edges of every file, or of ``only`` those paths."""
    program = Program(repo)
    machine = Machine(program)
    modules = _modules(repo, program, only)
    for module in modules:
        machine.run_module(module)
    for module in modules:
        run_remaining(machine, module)
    for key in sorted(machine.missed):
        _run_again(machine, key)
    hierarchy = Hierarchy(repo, machine.ledger, program)
    for module in modules:
        hierarchy.add_module(module)
    wanted = {module.path for module in modules} if only is None else only
    if only is not None:
        _add_summaries(repo, hierarchy, program)
    writer = EdgeWriter(program, machine.ledger, hierarchy)
    for module in modules:
        if module.path in wanted:
            yield _file_edges(writer, hierarchy, program, module)


def _modules(repo: RepoView, program: Program, only: frozenset[str] | None) -> list[Module]:
    """The modules to run, imported ones before their importers where there is no cycle."""
    if only is None:
        for file in repo.files():
            program.add(file)
        names = sorted(program.modules)
    else:
        names = sorted(only | _beside(repo, only))
    found = [program.module(name) for name in names]
    return _import_order(program, [module for module in found if module is not None])


def _beside(repo: RepoView, only: frozenset[str]) -> frozenset[str]:
    """Files to run with the edited ones: all that imports join to them, else direct importers."""
    links: dict[str, set[str]] = defaultdict(set)
    importers: list[str] = []
    for path in sorted(repo.paths()):
        summary = repo.summary(path) if LANGUAGES[language_of(path)] == "javascript" else None
        for target in summary[0] if summary is not None else ():
            links[path].add(target)
            links[target].add(path)
        if summary is not None and path not in only and not only.isdisjoint(summary[0]):
            importers.append(path)
    return _component(links, only) or frozenset(importers[:MAX_IMPORTERS])


def _component(links: dict[str, set[str]], start: frozenset[str]) -> frozenset[str]:
    """All files that imports join to ``start``; none when there are more than a few."""
    found, waiting = set(start), list(start)
    while waiting and len(found) <= MAX_COMPONENT:
        fresh = links.get(waiting.pop(), set()) - found
        found |= fresh
        waiting += fresh
    return frozenset(found) if len(found) <= MAX_COMPONENT else frozenset()


def _import_order(program: Program, modules: list[Module]) -> list[Module]:
    """Depth first over imports, without recursion."""
    wanted = {module.path for module in modules}
    ordered: dict[str, Module] = {}
    entered: set[str] = set()
    for start in modules:
        stack = [(start, False)]
        while stack:
            module, leaving = stack.pop()
            if leaving:
                ordered[module.path] = module
            elif module.path not in entered:
                entered.add(module.path)
                stack.append((module, True))
                stack += [(m, False) for m in _imports(program, module) if m.path in wanted]
    return list(ordered.values())


def _imports(program: Program, module: Module) -> list[Module]:
    names = dict.fromkeys(item.module for item in module.file.facts.imports)
    found = [program.imported(module, name) for name in reversed(list(names))]
    return [item for item in found if item is not None]


def run_remaining(m: Machine, module: Module) -> None:
    """Run every function of a module that nothing has run so far, on its own."""
    for index, record in enumerate(module.flow[0]):
        key = (module.path, index)
        if record is None or record[2] is None:
            continue
        function = m.closures.get(key) or make_function(m, module.env, index)
        if key in m.ran and (key in m.ran_own or not _is_public_method(function)):
            continue
        _run_alone(m, key, function)


def _is_public_method(function: Obj) -> bool:
    """A method of an exported class may run on instances that no code here makes."""
    cls = function.home.cls if function.home is not None else None
    if cls is None or not cls.is_class or cls.symbol is None:
        return False
    symbols = cls.module.file.facts.symbols
    return bool(symbols[cls.symbol[1]].flags & EXPORTED)


def _run_again(m: Machine, key: RecordKey) -> None:
    """A second run for functions that met unknown values: more is known by now."""
    function = m.closures.get(key)
    if function is not None and function.record[2] is not None:
        _run_alone(m, key, function)


def _run_alone(m: Machine, key: RecordKey, function: Obj) -> None:
    m.next_epoch += 1
    saved = m.enter_root(function.module, m.next_epoch, ROOT_STEPS)
    m.alone = True
    arguments = list(m.arguments.get(key, ()))
    try:
        run_function(m, function, default_this(function), (arguments, EMPTY))
    except RecursionError:
        m.calling = None
    m.leave_root(saved)


def _add_summaries(repo: RepoView, hierarchy: Hierarchy, program: Program) -> None:
    """Classes of files that were not run now, as an earlier resolution left them."""
    for path in sorted(repo.paths()):
        if LANGUAGES[language_of(path)] == "javascript":
            summary = repo.summary(path)
            if summary is not None:
                hierarchy.add_summary(path, summary[1])


def _file_edges(
    writer: EdgeWriter, hierarchy: Hierarchy, program: Program, module: Module
) -> FileEdges:
    result = FileEdges(module.path)
    for item in module.file.facts.imports:
        target = program.paths.resolve(module.path, item.module)
        result.imports.append(ImportEdge(target, item.module, item.line))
    writer.write(module, result)
    targets = {edge.target for edge in result.imports if edge.target is not None}
    result.summary = (tuple(sorted(targets)), hierarchy.rows(module.path))
    return result
