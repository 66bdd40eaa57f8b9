"""What JavaScript and TypeScript share: from bytes to symbols, sites, imports and flow facts.

``flow`` is ``(functions, classes, bindings, exports, module body)``:

* functions and classes: records described in ``ecma_functions``;
* bindings: ``(local name, module, imported name)``; the imported name ``*`` is the namespace and
  ``=`` the whole CommonJS value;
* exports: ``("local", exported, local)``, ``("from", exported, module, name)`` and
  ``("star", module)``;
* body: nested tuples that start with a word. Statements: x let ret throw if loop for try switch
  block many class interface alias namespace. Expressions: k (constant key), lit (builtin type), v
  (variable), ``.`` (member), ``[`` (computed member), call, new, fn, class, obj, arr, ``=``, or
  (any of), seq (effects, then a value), await, yield, as, import, jsx, ``...`` (spread), this,
  super. Patterns: v ``.`` ``[`` arrp objp def ``...``.
"""

from __future__ import annotations

import re
from importlib.resources import files

from tree_sitter import Language, Node, Parser, Query, QueryCursor

from codeviews.core.facts import FileFacts, Symbol
from codeviews.core.languages import ecma_modules, ecma_statements
from codeviews.core.languages.ecma_unit import Unit

HANDLERS = (ecma_modules, ecma_statements)  # both register node handlers when imported
GENERIC_MEMBER = re.compile(rb"((?:[\w\])}>;]|//[^\n]*)\s*\n[ \t]*)[ \t]<(?=[\s\w])")
MAX_LOWERED_BYTES = 1_500_000
MINIFIED_BYTES = 40_000
MINIFIED_LINE = 400  # average bytes a line above which a large file is machine-made
MAX_OUTLINE_BYTES = 4_000_000
OUTLINE_MATCHES = 5_000


def extract_with(language: str, grammar: Language, source: bytes) -> FileFacts:
    """Facts of one file; a file too large or minified yields its outline only."""
    facts = FileFacts(language, [_module_symbol(source)])
    body = source[:MAX_OUTLINE_BYTES]
    if len(body) < len(source):
        facts.notes.append(f"only the first {MAX_OUTLINE_BYTES} bytes were read")
    root = _parse(grammar, body)
    if _is_machine_made(source):
        facts.notes.append("minified or very large: definitions only, without call edges")
        _outline(grammar, language, root, Unit(body, facts))
        return facts
    _lower(root, Unit(body, facts))
    if root.has_error:
        facts.notes.append(_syntax_note(root))
    return facts


def _parse(grammar: Language, body: bytes) -> Node:
    """The syntax tree; of the source with explicit ends of members when that reads better.

    Grammars join a generic call signature to the member on the line before it unless a semicolon
    parts them, and then lose the rest of the file. The repair keeps every offset.
    """
    root = Parser(grammar).parse(body).root_node
    if not root.has_error or not GENERIC_MEMBER.search(body):
        return root
    repaired = Parser(grammar).parse(GENERIC_MEMBER.sub(rb"\1;<", body)).root_node
    return repaired if _broken_bytes(repaired) < _broken_bytes(root) else root


def _broken_bytes(root: Node) -> int:
    return sum(c.end_byte - c.start_byte for c in root.children if c.is_error)


def _module_symbol(source: bytes) -> Symbol:
    return Symbol("", "", "module", 1, max(1, source.count(b"\n") + 1), 0, len(source), "", "", -1)


def _is_machine_made(source: bytes) -> bool:
    size = len(source)
    if size > MAX_LOWERED_BYTES:
        return True
    return size > MINIFIED_BYTES and size / (source.count(b"\n") + 1) > MINIFIED_LINE


def _lower(root: Node, unit: Unit) -> None:
    facts = unit.facts
    try:
        body = ecma_statements.block(unit, root)
    except RecursionError:
        facts.notes.append("nested too deeply: read in part")
        unit.functions = [record or (-1, (), None, 0, None) for record in unit.functions]
        unit.classes = [record or ("interface", 0, "", (), (), ()) for record in unit.classes]
        body = ("block", (), ())
    if unit.cut:
        facts.notes.append("code nested very deeply was read in part")
    facts.flow = (
        tuple(unit.functions),
        tuple(unit.classes),
        tuple(unit.bindings),
        tuple(unit.exports),
        body,
    )


def _outline(grammar: Language, language: str, root: Node, unit: Unit) -> None:
    text = (
        files("codeviews.core.languages").joinpath("queries", f"{language}.scm").read_text("utf-8")
    )
    cursor = QueryCursor(Query(grammar, text), match_limit=256)
    for number, (_, captures) in enumerate(cursor.matches(root)):
        if number >= OUTLINE_MATCHES:
            break
        name = captures["name"][0]
        for kind, nodes in captures.items():
            if kind.startswith("definition."):
                unit.add_symbol(unit.text(name), kind.partition(".")[2], nodes[0], body=nodes[0])


def _syntax_note(root: Node) -> str:
    node = root
    for _ in range(500):
        broken = next((c for c in node.children if c.has_error or c.is_error), None)
        if broken is None:
            break
        node = broken
    return f"syntax error near line {node.start_point[0] + 1}: the rest was read"
