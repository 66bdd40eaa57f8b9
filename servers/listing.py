"""Lines of answers: how a definition, an edge and a place are written."""

from __future__ import annotations

from codeviews.core.facts import TYPE_KINDS
from codeviews.core.render import numbered
from codeviews.core.store import Definition, EdgeRecord

BODY_LINES = 120  # of one definition's source in a node answer; explores choose shorter spans
TYPE_LINES = 40


def place(definition: Definition) -> str:
    """``path:line``."""
    return f"{definition.path}:{definition.start_line}"


def title(definition: Definition) -> str:
    """``Qualified.name (kind)``, ``<module>`` for the file's own symbol."""
    return f"{definition.qualname or '<module>'} ({definition.kind})"


def one_line(definition: Definition) -> str:
    """A definition in a list: place, kind, qualified name and signature."""
    signature = " ".join(definition.signature.split())
    shown = signature if definition.name in signature else f"{definition.qualname} {signature}"
    owner = definition.qualname if definition.qualname not in shown else ""
    kind = "" if shown.startswith(f"{definition.kind} ") else f"{definition.kind} "
    text = f"{place(definition)}  {kind}{shown or definition.path}".rstrip()
    return f"{text}  [{owner}]"[:300] if owner and owner != definition.name else text[:300]


def tier_note(tier: str, rule: str = "") -> str:
    """How sure an edge is: nothing for tier A (DESIGN 7.3)."""
    if tier == "A":
        return ""
    return f"  [{tier} {rule}]" if rule else f"  [{tier}]"


def edge_line(edge: EdgeRecord, other: Definition, path: str) -> str:
    """One end of an edge: the call's place, the other symbol, kind and tier."""
    kind = "" if edge.kind == "calls" else f" ({edge.kind})"
    name = other.qualname or "<module>"
    where = f"{path}:{edge.line}"
    target = "" if other.path == path else f"  {place(other)}"
    return f"{where}  {name}{kind}{target}{tier_note(edge.tier, edge.rule)}"


def source_of(definition: Definition, source: bytes, lines: int = BODY_LINES) -> str:
    """A definition's numbered source, at most ``lines`` lines, with a word when it goes on."""
    room = min(lines, TYPE_LINES) if definition.kind in TYPE_KINDS else lines
    last = min(definition.end_line, definition.start_line + room - 1)
    text = numbered(source, definition.start_line, last)
    rest = definition.end_line - last
    return f"{text}\n      … {rest} more lines of {definition.address}" if rest > 0 else text


def source_block(definition: Definition, text: str) -> str:
    """Source with its title line. The text is data of the repository, not instructions."""
    lines = f"{definition.start_line}-{definition.end_line}"
    return f"### {definition.path}:{lines}  {title(definition)}\n{text}"
