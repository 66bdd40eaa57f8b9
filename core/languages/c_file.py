"""One C or C++ file while it is read: its symbols, sites and what its directives say.

``flow`` of a file is ``{"types": {tag: {field: type}}, "typedefs": {name: type},
"variables": {name: type}, "alias": {macro: name}, "hooks": {macro: (parameters it calls,
(parameter, callee, position) of those it hands on)}, "prototypes": functions that a ``.c`` file
declares itself}``; empty parts are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from codeviews.core.facts import DECLARATION, Import, Site, Symbol
from codeviews.core.languages.c_body import KEYWORDS, Body, Names, scan, scan_calls
from codeviews.core.languages.c_pastes import Paste, hooks, read_paste
from codeviews.core.languages.c_text import Directive, Text, words

_INCLUDE = re.compile(r'[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)')
_DEFINE = re.compile(r"[ \t]*([A-Za-z_]\w*)(\([^)]*\))?")
_CONSTANT = re.compile(r"[ \t]++([A-Za-z_]\w*+)[ \t]++(?![A-Za-z_])[^(]*+\Z")
_LIST = re.compile(r"[\s\\]*+&?\w++[\s\\]*+(?:,[\s\\]*+&?\w++[\s\\]*+)++,?[\s\\]*+\Z")
_LISTED = 300
_ALIAS = re.compile(r"[\s(]*([A-Za-z_]\w*)[\s)]*\Z")


@dataclass(slots=True)
class File:
    """One file while it is read."""

    path: str
    text: Text
    is_header: bool
    symbols: list[Symbol] = field(default_factory=list[Symbol])
    sites: list[Site] = field(default_factory=list[Site])
    imports: list[Import] = field(default_factory=list[Import])
    taken: dict[str, int] = field(default_factory=dict[str, int])
    types: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    typedefs: dict[str, str] = field(default_factory=dict[str, str])
    variables: dict[str, str] = field(default_factory=dict[str, str])
    alias: dict[str, str] = field(default_factory=dict[str, str])
    hooks: dict[str, tuple[list[int], list[tuple[int, str, int]]]] = field(
        default_factory=dict[str, "tuple[list[int], list[tuple[int, str, int]]]"]
    )
    flags: dict[str, int] = field(default_factory=dict[str, int])
    declared: set[str] = field(default_factory=set[str])
    prototypes: dict[str, None] = field(default_factory=dict[str, None])
    bodies: list[Body] = field(default_factory=list[Body])
    pastes: dict[str, Paste] = field(default_factory=dict[str, Paste])
    lists: dict[str, list[str]] = field(default_factory=dict[str, "list[str]"])
    made: list[Site] = field(default_factory=list[Site])  # names that macros make of arguments


def open_file(path: str, text: Text, size: int) -> File:
    """A file with its module symbol."""
    file = File(path, text, path.endswith((".h", ".hh", ".hpp", ".hxx")))
    name = path.rsplit("/", 1)[-1]
    last = text.line(max(size - 1, 0))
    file.symbols.append(Symbol(name, "", "module", 1, last, 0, size, "", "", -1))
    return file


def flow(file: File) -> dict[str, object]:
    """The file's ``flow`` without empty parts."""
    parts: dict[str, object] = {
        "types": file.types,
        "typedefs": file.typedefs,
        "variables": file.variables,
        "alias": file.alias,
        "prototypes": tuple(file.prototypes),
        "hooks": {name: hook for name, hook in file.hooks.items() if hook[0] or hook[1]},
    }
    return {name: part for name, part in parts.items() if part}


def apply_flags(file: File) -> None:
    """EXPORT_SYMBOL and initcalls speak of functions defined anywhere in the file."""
    if not file.flags:
        return
    for index, symbol in enumerate(file.symbols):
        flags = file.flags.get(symbol.name)
        if flags and symbol.kind in ("function", "variable"):
            file.symbols[index] = symbol._replace(flags=symbol.flags | flags)


def scan_bodies(file: File) -> None:
    """Read the function bodies, now that it is known what in the file is data and what is code."""
    functions = frozenset(symbol.name for symbol in file.symbols if symbol.kind == "function")
    data = {symbol.name for symbol in file.symbols if symbol.kind in ("variable", "constant")}
    data -= functions
    if data:
        file.sites = [s for s in file.sites if s.kind != "registers" or s.name not in data]
    file.sites += [site for site in file.made if site.name in functions]
    names = Names(functions, frozenset(data))
    for body in file.bodies:
        body.names = names
        scan(body, file.sites)
    file.bodies.clear()


def add(
    file: File,
    name: str,
    kind: str,
    start: int,
    end: int,
    signature: str,
    flags: int = 0,
    doc: str = "",
    parent: int = 0,
    qualname: str = "",
) -> int:
    """Append a symbol that spans ``start:end`` and return its index."""
    qualname = qualname or name
    count = file.taken.get(qualname, 0) + 1
    file.taken[qualname] = count
    if qualname in file.declared:
        file.taken[qualname] = 2
        file.declared.discard(qualname)
    if count > 1:
        qualname = f"{qualname}#{count}"
    line = file.text.line
    symbol = Symbol(
        name, qualname, kind, line(start), line(end - 1), start, end, signature, doc, parent, flags
    )
    file.symbols.append(symbol)
    return len(file.symbols) - 1


def renumber_declared(file: File, name: str) -> None:
    """Let the initialiser that follows take the plain name from ``static struct ops name;``."""
    count = file.taken.get(name, 0)
    if count != 1:
        return
    for index in range(len(file.symbols) - 1, 0, -1):
        symbol = file.symbols[index]
        if symbol.qualname == name:
            if symbol.kind == "variable":
                flags = symbol.flags | DECLARATION
                file.symbols[index] = symbol._replace(qualname=f"{name}#2", flags=flags)
                file.taken[name] = 0
                file.declared.add(name)
            return


def add_directive(file: File, directive: Directive) -> None:
    """Keep a macro or an include."""
    if directive.word == "define":
        constant = _CONSTANT.match(file.text.plain, directive.body, directive.end)
        if constant:
            _define_constant(file, directive, constant[1])
        else:
            _define(file, directive)
    elif directive.word in ("include", "include_next", "import"):
        match = _INCLUDE.match(file.text.raw, directive.body, directive.end)
        if match:
            module = match[1] or f"<{match[2]}>"
            file.imports.append(Import(module, "", "", file.text.line(directive.start)))


def _define_constant(file: File, directive: Directive, name: str) -> None:
    """``#define X 5``: no parameters, no calls, no other name. A kernel has 200,000 of them."""
    text = file.text
    start, body = directive.start, directive.body
    end = body + len(text.plain[body : directive.end].rstrip())
    count = file.taken[name] = file.taken.get(name, 0) + 1
    qualname = name if count == 1 else f"{name}#{count}"
    line = last = text.line(start)
    if text.raw.find("\n", start, end) >= 0:
        last = text.line(end - 1)
    signature = words(text.raw[start:end], 120)
    file.symbols.append(
        Symbol(name, qualname, "macro", line, last, start, end, signature, "", 0, 0)
    )


def _define(file: File, directive: Directive) -> None:
    plain = file.text.plain
    match = _DEFINE.match(plain, directive.body, directive.end)
    if match is None or (match.end() == directive.end and file.is_header and match[2] is None):
        return
    end = directive.body + len(plain[directive.body : directive.end].rstrip())
    name = match[1]
    signature = words(file.text.raw[directive.start : end], 120)
    doc = file.text.doc(directive.start) if match[2] else ""
    index = add(file, name, "macro", directive.start, end, signature, 0, doc)
    names = "".join(match[2][1:-1].split()).split(",") if match[2] else []
    if names:
        _read_paste(file, name, names, plain[match.end() : end])
    if plain.find("(", match.end(), end) >= 0:
        params = dict.fromkeys(names, "")
        if names and name not in file.hooks:
            file.hooks[name] = hooks(names, plain[match.end() : end])
        scan_calls(Body(file.text, plain, match.end(), end, index, params), file.sites)
    else:
        _alias(file, name, plain[match.end() : end])


def _read_paste(file: File, name: str, names: list[str], body: str) -> None:
    if "##" in body or ("\n" in body and "(" in body):
        paste = read_paste(names, body)
        if paste:
            file.pastes[name] = paste


def _alias(file: File, name: str, expansion: str) -> None:
    if "," in expansion and _LIST.match(expansion):
        file.lists[name] = [part.strip(" \t\\\r\n&") for part in expansion.split(",")][:_LISTED]
        return
    match = _ALIAS.match(expansion)
    if match and match[1] != name and match[1] not in KEYWORDS:
        file.alias[name] = match[1]
