"""Calls and functions used as values inside one C body.

Sites written here (``extra`` is a small language of its own, read by ``resolve/c``):

* ``calls`` ``f``: "" plain; ``#i`` through parameter i; ``=`` through a local pointer.
* ``calls`` ``x->ops->f``: the type of ``x``, ``?`` when it is not known.
* ``registers`` ``f``: ``T>a.b`` stored in field ``a.b`` of a ``T``; ``=v`` stored in variable v,
  ``=~v`` in a local one; ``callee#i`` passed as argument i; ``return`` returned.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from codeviews.core.facts import Site
from codeviews.core.languages.c_heads import split_commas, type_name
from codeviews.core.languages.c_text import Text

_KEYWORDS_TEXT = """
if for while switch return sizeof typeof __typeof__ __typeof case do else goto defined
    _Alignof alignof __alignof__ asm __asm__ volatile __volatile__ __attribute__ break continue
    default struct union enum int void char long short unsigned signed float double const static
    inline bool _Bool u8 u16 u32 u64 s8 s16 s32 s64 size_t ssize_t __builtin_offsetof offsetof
    _Static_assert typedef extern register __extension__ auto noinline __always_inline
"""
KEYWORDS = frozenset(_KEYWORDS_TEXT.split())
VALUES = frozenset(["true", "false", "current", "this", "self"]) | KEYWORDS
# Calls are found from their "(" backwards, in the reversed text: a search for a literal is many
# times faster than one that starts anew at every word.
_REVERSED_NAME = r"(?:\][^\[\]\n]*+\[)*+\w*[A-Za-z_](?!\w)"
_REVERSED_CALL = re.compile(rf"\(\s*+({_REVERSED_NAME}(?:\s*+(?:>-|\.)\s*+{_REVERSED_NAME})*+)")
_POINTER_HEAD = re.compile(r"\s*+\*\s*+(?:const\s+)?\w+\s*+(?:\[[^\]]*\]\s*+)?\)\s*+\(")
_POINTER_CALL = re.compile(
    r"\(\s*+\*+\s*+([A-Za-z_]\w*+(?:\s*+(?:->|\.)\s*+[A-Za-z_]\w*+|\[[^\[\]\n]*+\])*+)\s*+\)\s*+\("
)
_INDEX = re.compile(r"\[[^\]]*\]|\s+")
_LOCAL = re.compile(
    r"[;{}]\s*+((?:[A-Za-z_]\w*+(?:\s|\*)++)+)([A-Za-z_]\w*+)\s*+(?:\[[^\]\n]*\]\s*+)*+(?=([=;,]))"
)
_LOCAL_POINTER = re.compile(r"\(\s*+\*+\s*+(?:const\s++)?(\w++)[^()]*+\)\s*+\(")
_WORD_BEFORE = re.compile(r"([A-Za-z_]\w*)[\s*]*\Z")
_MORE = re.compile(r"\s*\**\s*(\w+)\s*(?:[\[=]|\Z)")
_POINTER_BEFORE = re.compile(r"\(\s*\*+\s*(?:const\s+)?(\w+)[^()]*\)\s*\([^()]*\)\s*=[^=;]*\Z")
_VALUE = re.compile(r"[(,=?:]\s*+&?\s*+([A-Za-z_]\w*+)\s*+(?=[,);:}])")
_RETURNED = re.compile(r"return\s++&?([A-Za-z_]\w*+)\s*+;")
_FIELD_BEFORE = re.compile(
    r"((?:[A-Za-z_]\w*(?:\[[^\[\]]*\])?\s*(?:->|\.)\s*)*|[)\]]\s*(?:->|\.)\s*(?:\w+\s*(?:->|\.)\s*)*"
    r"|\.\s*)([A-Za-z_]\w*)(?:\[[^\[\]]*\]\s*)*\s*=[^=;]*\Z"
)
_OPENING = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*=\s*\Z|\(\s*(?:const\s+)?([\w\s]+?)\s*\)\s*\Z")
_CALLEE_BEFORE = re.compile(r"([A-Za-z_]\w*(?:(?:->|\.)\w+)*)\s*\Z")
_BRACKETS = re.compile(r"[(){},;\[\]]")
UNTYPED = "?"
_REACH = 600
_SAME_VALUE = 20  # registrations of one name in one body
_NOT_TYPES = frozenset(["return", "goto", "else", "case"])


class Names(NamedTuple):
    """What a file's own names are."""

    functions: frozenset[str]
    data: frozenset[str]


@dataclass(slots=True)
class Body:
    """One body to scan: ``start:end`` of ``text.code`` (or ``plain`` for a macro)."""

    text: Text
    code: str
    start: int
    end: int
    scope: int
    params: dict[str, str]
    names: Names = field(default_factory=lambda: Names(frozenset(), frozenset()))
    locals: dict[str, str] = field(default_factory=dict[str, str])
    sites: list[Site] = field(default_factory=list[Site])


def scan(body: Body, sites: list[Site]) -> None:
    """Append every site of a function body to ``sites``, by line."""
    body.sites = sites
    _declare(body)
    _calls(body)
    _pointer_calls(body)
    _values(body)


def scan_calls(body: Body, sites: list[Site]) -> None:
    """Append only the calls: for a macro's expansion."""
    body.sites = sites
    _calls(body)


def _declare(body: Body) -> None:
    several = False
    for kind, name, after in _LOCAL.findall(body.code, body.start, body.end):
        first = kind.split(None, 1)[0]
        if first in _NOT_TYPES:
            continue
        body.locals[name] = kind
        several = several or after != ";"
    if several:
        _declare_more(body)
    for match in _LOCAL_POINTER.finditer(body.code, body.start, body.end):
        before = _WORD_BEFORE.search(body.code[max(body.start, match.start() - 60) : match.start()])
        if before and before[1] not in ("return", "case", "else"):
            body.locals[match[1]] = "(*)"


def _declare_more(body: Body) -> None:
    """The second and later names of ``int a = 1, *b = f(), c;``."""
    code = body.code
    for match in _LOCAL.finditer(code, body.start, body.end):
        end = code.find(";", match.end(), match.end() + 1000)
        if match[3] == ";" or code.find(",", match.end(), end) < 0:
            continue
        if match[1].split(None, 1)[0] in _NOT_TYPES:
            continue
        for part in split_commas(code[match.end() : end])[1:]:
            name = _MORE.match(part)
            if name:
                body.locals.setdefault(name[1], match[1])


def _calls(body: Body) -> None:
    code, text, scope = body.code, body.text, body.scope
    params, local = body.params, body.locals
    append = body.sites.append
    for start, name in _called(code, body.start, body.end):
        before = code[start - 1] if start else ""
        if "." in name or "->" in name or before in ".>" or "[" in name:
            append(_member_call(body, name, start, before))
        elif name in params or name in local:
            append(Site("calls", name, text.line(start), scope, _through(body, name)))
        else:
            append(Site("calls", name, text.line(start), scope))


def _called(code: str, start: int, end: int) -> list[tuple[int, str]]:
    """(offset, written name) of whatever stands before a parenthesis, in order."""
    found: list[tuple[int, str]] = []
    for match in _REVERSED_CALL.finditer(code[start:end][::-1]):
        name = match[1][::-1]
        if name not in KEYWORDS and not _POINTER_HEAD.match(code, end - match.start(), end):
            found.append((end - match.end(), name))
    found.reverse()
    return found


def _through(body: Body, name: str) -> str:
    if name in body.locals:
        return "="
    return f"#{list(body.params).index(name)}"


def _member_call(body: Body, name: str, start: int, before: str) -> Site:
    chain = _INDEX.sub("", name)
    line = body.text.line(start)
    if before == "." or (before == ">" and body.code[start - 2] == "-"):
        return Site("calls", f"?->{chain}", line, body.scope, UNTYPED)
    if "." not in chain and "->" not in chain:
        return Site("calls", chain, line, body.scope, _array(body, chain))
    return Site("calls", chain, line, body.scope, _head_type(body, chain))


def _array(body: Body, name: str) -> str:
    return "=" if name in body.locals or name in body.params else "[]"


def _head_type(body: Body, chain: str) -> str:
    """The type of the first name of ``x->ops->f``; ``?`` when it is not declared here."""
    head = re.split(r"->|\.", chain, maxsplit=1)[0]
    if head in body.params:
        return body.params[head] or UNTYPED
    return type_name(body.locals.get(head, "")) or UNTYPED


def _pointer_calls(body: Body) -> None:
    if body.code.find("*", body.start, body.end) < 0:
        return
    for match in _POINTER_CALL.finditer(body.code, body.start, body.end):
        name = match[1]
        previous = body.code[max(body.start, match.start() - 60) : match.start()].rstrip()
        if previous[-1:].isalnum() or previous[-1:] in "_*":
            word = re.search(r"\w*\Z", previous)
            if word is None or word[0] not in ("return", "case", "else"):
                continue
        body.sites.append(_pointed(body, _INDEX.sub("", name), match.start(1)))


def _pointed(body: Body, name: str, start: int) -> Site:
    line = body.text.line(start)
    if "." in name or "->" in name:
        return Site("calls", name, line, body.scope, _head_type(body, name))
    if name in body.locals or name in body.params:
        return Site("calls", name, line, body.scope, _through(body, name))
    return Site("calls", name, line, body.scope, "[]")


def _values(body: Body) -> None:
    found = set(_VALUE.findall(body.code, body.start, body.end))
    _returned(body)
    found.difference_update(body.params, body.locals, VALUES, body.names.data)
    found = {name for name in found if name != name.upper()}
    if not found:
        return
    left = dict.fromkeys(found, _SAME_VALUE)
    for match in _VALUE.finditer(body.code, body.start, body.end):
        name = match[1]
        if not left.get(name):
            continue
        left[name] -= 1
        extra = _context(body, name, match.start(), match.start(1))
        if extra:
            line = body.text.line(match.start(1))
            body.sites.append(Site("registers", name, line, body.scope, extra))


def _returned(body: Body) -> None:
    for match in _RETURNED.finditer(body.code, body.start, body.end):
        name = match[1]
        if name in body.params or name in body.locals or name in VALUES or name.isupper():
            continue
        line = body.text.line(match.start())
        body.sites.append(Site("registers", name, line, body.scope, "return"))


def _context(body: Body, value: str, start: int, name: int) -> str:
    """Where the value at ``name`` goes; "" when it is no place that keeps a function."""
    code = body.code
    if code[start] in "(,":
        if code[name - 1] == "&" and value not in body.names.functions:
            return ""
        return _argument(body, max(body.start, start - _REACH), start)
    low = max(body.start, start - 200)
    low = max(low, code.rfind(";", low, start), code.rfind("{", low, start))
    before = code[low:name]
    assigned = _FIELD_BEFORE.search(before)
    if assigned:
        return _assigned(body, assigned, start)
    pointer = _POINTER_BEFORE.search(before)
    return f"=~{pointer[1]}" if pointer else ""


def _assigned(body: Body, match: re.Match[str], start: int) -> str:
    prefix, name = re.sub(r"\s+|\[[^\]]*\]", "", match[1]), match[2]
    if not prefix:
        return f"=~{name}" if name in body.locals or name in body.params else f"={name}"
    if prefix == ".":
        return f"{_table_type(body, start)}>{name}"
    fields = re.split(r"->|\.", prefix.rstrip(".->"))
    kind = "" if prefix[0] in ")]" else _head_type(body, prefix).strip(UNTYPED)
    return f"{kind}>{'.'.join([*fields[1:], name])}"


def _table_type(body: Body, start: int) -> str:
    """The type of the initialiser or compound literal that holds a ``.field = value``."""
    opened = _unclosed(body.code, max(body.start, start - _REACH), start)
    if opened < 0 or body.code[opened] != "{":
        return ""
    match = _OPENING.search(body.code[max(body.start, opened - 120) : opened])
    if match is None:
        return ""
    return type_name(body.locals.get(match[1], "") if match[1] else match[2])


def _unclosed(code: str, low: int, start: int) -> int:
    """Offset of the bracket that is open at ``start``, or -1 when it opened before ``low``."""
    stack: list[int] = []
    for match in _BRACKETS.finditer(code, low, start):
        if match[0] in "({[":
            stack.append(match.start())
        elif match[0] in ")}]" and stack:
            stack.pop()
        elif match[0] == ";":
            stack = [at for at in stack if code[at] == "{"]
    return stack[-1] if stack else -1


def _argument(body: Body, low: int, start: int) -> str:
    """``callee#i`` of the call whose argument begins after the ``(`` or ``,`` at ``start``."""
    opened = _unclosed(body.code, low, start + 1)
    if opened < 0 or body.code[opened] != "(":
        return ""
    match = _CALLEE_BEFORE.search(body.code[max(body.start, opened - 120) : opened])
    if match is None or match[1] in KEYWORDS:
        return ""
    index = len(split_commas(body.code[opened + 1 : start + 1])) - 1
    return f"{match[1]}#{index}"
