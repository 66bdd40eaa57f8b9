"""``function_info``: everything known of one function in one answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from codeviews.core.render import Answer, Section
from codeviews.core.store import Definition
from codeviews.servers.calls import (
    Reached,
    address_of,
    open_calls_named,
    reach,
    reached_data,
    shown,
    targets_of,
    with_members,
)
from codeviews.servers.listing import edge_line, one_line, place, title
from codeviews.servers.toolkit import Ask, SymbolParams

_BRANCH = re.compile(
    rb"\b(?:if|elif|for|while|case|catch|except|when)\b|&&|\|\||\?(?=[^?.:]*:)|\b(?:and|or)\b"
)
TEST_DEPTH = 3
SHOWN = 10  # callers, callees and tests listed each


def function_info(ask: Ask) -> Answer:
    """Signature, documentation, callers, callees, complexity and the tests that reach it."""
    params: SymbolParams = ask.params
    lookup = ask.look_up(params.symbol)
    found = [d for d in lookup.found if ask.filter.keeps(d.path)]
    if not found:
        return ask.not_found(lookup)
    answer = Answer()
    infos = [_add_info(ask, answer, definition) for definition in found[:4]]
    if len(found) > 4:
        answer.add("Other definitions of this name", [one_line(d) for d in found[4:24]])
    end = ask.offset + params.limit  # of the lists in the data; the text shows fewer
    more = any((section.total or 0) > end for section in answer.sections)
    answer.data = {
        "symbol": address_of(found, params.symbol),
        "results": infos,
        "next_cursor": str(end) if more else None,
    }
    return answer


def _add_info(ask: Ask, answer: Answer, definition: Definition) -> dict[str, Any]:
    store = ask.store
    into = reach(store, targets_of(store, [definition]), "target", TEST_DEPTH)
    direct = [step for step in into if step.depth == 1]
    out = reach(store, with_members(store, [definition]), "source", 1)
    covering = [step for step in into if step.test]
    page = slice(ask.offset, ask.offset + ask.params.limit)
    callers, callees, tests = (shown(store, s[page]) for s in (direct, out, covering))
    body = store.text(definition.file_id)[definition.start_byte : definition.end_byte]
    complexity = 1 + len(_BRANCH.findall(body))
    lines = definition.end_line - definition.start_line + 1
    answer.add(
        f"{title(definition)}  {place(definition)}",
        [
            definition.signature or definition.qualname,
            *([definition.doc] if definition.doc else ["(no documentation)"]),
            f"{lines} lines; branches + 1 = {complexity} (counted by keyword); "
            f"{len(direct)} callers, {len(out)} callees",
        ],
    )
    answer.add("Callers", _lines(callers), len(direct)).offset = ask.offset
    answer.add("Calls", _lines(callees), len(out)).offset = ask.offset
    _add_tests(answer, tests, len(covering)).offset = ask.offset
    answer.note(open_calls_named(ask.store, [definition.name]).sentence(definition.name))
    return {
        "symbol": definition.address,
        "signature": definition.signature,
        "doc": definition.doc,
        "complexity": complexity,
        "callers": [reached_data(r) for r in callers],
        "callees": [reached_data(r) for r in callees],
        "tests": [reached_data(r) for r in tests],
    }


def _lines(found: Sequence[Reached]) -> list[str]:
    return [edge_line(r.edge, r.definition, r.path) for r in found[:SHOWN]]


def _add_tests(answer: Answer, tests: Sequence[Reached], total: int) -> Section:
    lines = [
        f"{place(r.definition)}  {r.definition.qualname}  (through {r.depth} calls)"
        for r in tests[:SHOWN]
    ]
    if not total:
        lines = [
            f"none found through resolved callers up to {TEST_DEPTH} calls away; tests that "
            "reach it by other ways (fixtures, clients, reflection) are not seen"
        ]
    return answer.add("Tests that reach it, by resolved calls", lines, total or None)
