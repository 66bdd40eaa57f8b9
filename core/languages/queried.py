"""Extraction driven by one tree-sitter query: a language is a :class:`Spec` and a ``.scm`` file.

One query pass yields events; one sweep over them in source order keeps the stack of open
definitions and blocks, so the cost is linear in the file whatever its nesting. ``flow`` is a dict
of builtins, read by :mod:`codeviews.core.resolve.declarations`:

* ``package``: namespace of the file
* ``at``: per site (offset, number of arguments or -1, argument chains)
* ``bindings``: (scope, name, declared type, value chain, first offset, last offset, kind); kind is
  v(ariable), p(arameter), a(ssignment), e(ach element), l(ambda), t(ype pattern) or u(npacked)
* ``fields``: (scope, field name, value chain) for each ``this.x = value``
* ``types``: symbol -> declared type of a field or return type; ``values``: symbol -> initial value
* ``params``: symbol -> parameter types, ``*`` before a variadic and ``~`` before a defaulted one
* ``receivers``: symbol -> type it is attached to by an extension or impl block
* ``extensions``: like receivers, of static extension methods; ``traits``: symbol -> generic trait
* ``impls``: (type, trait, line, scope, first offset, last offset) of each such block
* ``generics``: symbol -> ((parameter, bound)...); ``returns``: symbol -> returned chains; ``loops``
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from operator import itemgetter
from typing import NamedTuple, cast

from tree_sitter import Language, Node, Parser, Query, QueryCursor

from codeviews.core.facts import FileFacts
from codeviews.core.languages.chains import Rules
from codeviews.core.languages.sweep import Sweep

MATCH_LIMIT = 65_536
Captures = Mapping[str, Node]
ImportParts = tuple[str, str, str]
"""(module, name, alias) as in :class:`codeviews.core.facts.Import`."""


class Spec(NamedTuple):
    """What a language must say beside its query."""

    language: str
    grammar: Callable[[], object]
    rules: Rules
    """How expression nodes are written as chains, see :mod:`codeviews.core.languages.chains`."""
    imports: Callable[[Node, str], list[ImportParts]]
    """(import node, its text) -> imported names."""
    modifiers: Mapping[str, int]
    """Word before a definition's name -> symbol flag."""
    exported: Callable[[str, frozenset[str]], bool] = lambda name, words: "public" in words
    """(name, modifiers) -> whether the definition is part of the public surface."""
    calls_in_text: re.Pattern[str] | None = None
    """Finds calls inside macro arguments, which no grammar parses."""
    comment: re.Pattern[str] = re.compile(r"^\s*(?:/\*+!?|\*+/|\*|///?!?|#+)\s?|\s*\*+/\s*$", re.M)
    constructor: str = ""
    """Name of constructors; "" when they bear the name of their class."""
    result: re.Pattern[str] | None = None
    """Finds the return type in a signature, when the query does not capture it."""
    implicit_parameter: str = ""
    """Name of a lambda's parameter that is not declared (``it``)."""
    fields: tuple[str, ...] = ("this.",)
    """Prefixes of an assignment's left side that make it the assignment of a field."""


class _Compiled(NamedTuple):
    parser: Parser
    query: Query


@cache
def _compiled(language: str, grammar: Callable[[], object]) -> _Compiled:
    loaded = Language(grammar())  # pyright: ignore[reportDeprecated, reportArgumentType]
    scm = files("codeviews.core.languages").joinpath("queries", f"{language}.scm").read_text()
    return _Compiled(Parser(loaded), Query(loaded, scm + "\n(ERROR) @error\n"))


def extract_queried(spec: Spec, path: str, source: bytes) -> FileFacts:
    """Extract one file by its spec; never raises, whatever the bytes."""
    compiled = _compiled(spec.language, spec.grammar)
    tree = compiled.parser.parse(source)
    cursor = QueryCursor(compiled.query, match_limit=MATCH_LIMIT)
    sweep = Sweep(spec, path, source)
    for event in _events(cursor.matches(tree.root_node)):
        sweep.see(event[3], event[4], event[5])
    return sweep.facts()


Event = tuple[int, int, int, str, Node, Captures]


def _events(matches: list[tuple[int, dict[str, list[Node]]]]) -> list[Event]:
    """Matches in source order; those that say more of the same node and name are one event."""
    events: dict[tuple[str, int, int, int], Event] = {}
    for _, captured in matches:
        main = _main(captured)
        node = captured[main][0]
        captures = {name: nodes[0] for name, nodes in captured.items()}
        name = captures.get("name")
        group = "definition" if main.startswith("definition") else main
        key = (group, node.start_byte, node.end_byte, name.start_byte if name else -1)
        known = events.get(key)
        if known is not None:
            cast("dict[str, Node]", known[5]).update(captures)
            if known[3] == "definition.class":
                events[key] = (*known[:3], main, *known[4:])
            continue
        order = _ORDER.get(main, 1 if main.startswith("definition") else 2)
        events[key] = (node.start_byte, -node.end_byte, order, main, node, captures)
    return sorted(events.values(), key=itemgetter(0, 1, 2))


_ORDER = {"call": 0, "definition.anonymous": 1}
"""`new T() {...}` is called by the code around it, not by the anonymous class."""
_PARTS = frozenset(
    "name type body parameters value receiver trait wrapper arguments extends trailing".split()
)


def _main(captured: Mapping[str, list[Node]]) -> str:
    for name in captured:
        if name not in _PARTS and name[0] != "_":
            return name
    raise LookupError(f"a pattern without a main capture: {sorted(captured)}")
