"""``<view>_node``: one definition's (or file's) source and its neighbours in the view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from codeviews.core.render import Answer
from codeviews.core.store import Definition, Store
from codeviews.servers.calls import address_of
from codeviews.servers.listing import one_line, source_block, source_of
from codeviews.servers.toolkit import Ask, SymbolParams, Tool

SHOWN = 4  # definitions of one name shown in full
MAX_OWNERS = 20  # enclosing scopes listed: nesting may be a thousand deep


class Group(NamedTuple):
    """Neighbours of one relation: the page asked for of ``total``; ``data`` is for ``--json``."""

    key: str
    title: str
    lines: list[str]
    data: list[Any]
    total: int


Neighbours = Callable[[Ask, Definition], Sequence[Group]]
Text = Callable[[Ask, Definition], str]


def node_tool(
    view: str,
    description: str,
    neighbours: Neighbours,
    text: Text | None = None,
    note: Text | None = None,
) -> Tool:
    """The node tool of a view; ``text`` replaces the source when the view shows something else, and
    ``note`` says what could change the answer."""
    run = partial(_node, neighbours, text or source_text, note)
    return Tool(f"{view}_node", description, SymbolParams, run)


def _node(neighbours: Neighbours, text: Text, note: Text | None, ask: Ask) -> Answer:
    params: SymbolParams = ask.params
    lookup = ask.look_up(params.symbol)
    found = [d for d in lookup.found if ask.filter.keeps(d.path)]
    if not found:
        return ask.not_found(lookup)
    answer = Answer()
    changed = ask.withheld(found[:SHOWN])
    nodes = [_add(ask, answer, d, neighbours, text, changed) for d in found[:SHOWN]]
    if note:
        for definition in found[:SHOWN]:
            answer.note(note(ask, definition))
    if found[SHOWN:]:
        answer.add("Other definitions of this name", [one_line(d) for d in found[SHOWN:]])
    answer.data = {"symbol": address_of(found, params.symbol), "results": nodes}
    return answer


def _add(
    ask: Ask,
    answer: Answer,
    definition: Definition,
    neighbours: Neighbours,
    text: Text,
    changed: set[str],
) -> dict[str, Any]:
    shown = WITHHELD if definition.path in changed else text(ask, definition)
    answer.add("", [source_block(definition, shown)])
    data: dict[str, Any] = {
        "symbol": definition.address,
        "kind": definition.kind,
        "path": definition.path,
        "start_line": definition.start_line,
        "end_line": definition.end_line,
        "source": shown,
    }
    none: list[str] = []
    for group in neighbours(ask, definition):
        data[group.key] = group.data
        if group.total:
            section = answer.add(f"{group.title}: {group.total}", group.lines, group.total)
            section.offset = ask.offset
        else:
            none.append(group.title)
    if none:
        answer.add("", [f"None known: {'; '.join(none)}"])
    return data


WITHHELD = "      (changed since it was indexed: withheld, ask again)"


def source_text(ask: Ask, definition: Definition) -> str:
    """The definition's numbered source."""
    return source_of(definition, ask.store.text(definition.file_id))


def owners_of(store: Store, definition: Definition) -> list[Definition]:
    """Enclosing definitions, innermost first, the file's own symbol last."""
    out: list[Definition] = []
    parent = definition.parent
    while parent is not None and len(out) < MAX_OWNERS:
        found = store.definitions([parent]).get(parent)
        if found is None:
            break
        out.append(found)
        parent = found.parent
    return out


def containment(ask: Ask, definition: Definition) -> list[Group]:
    """The enclosing scopes and what is defined directly inside."""
    owners = owners_of(ask.store, definition)
    members = ask.store.children([definition.id])
    return [
        group_of(ask, "enclosing", f"Inside, of {_name(definition)}", owners),
        group_of(ask, "members", f"Members of {_name(definition)}", members),
    ]


def group_of(ask: Ask, key: str, title: str, definitions: Sequence[Definition]) -> Group:
    """A group that lists definitions."""
    page = ask.page(definitions)
    lines, data = [one_line(d) for d in page], [definition_data(d) for d in page]
    return Group(key, title, lines, data, len(definitions))


def definition_data(definition: Definition) -> dict[str, Any]:
    """A definition in ``--json`` lists."""
    return {
        "symbol": definition.address,
        "kind": definition.kind,
        "path": definition.path,
        "line": definition.start_line,
    }


def _name(definition: Definition) -> str:
    return definition.qualname or definition.path
