"""C: functions, types, macros, variables; calls and functions stored as values.

``flow`` of a file is ``{"types": {tag: {field: type}}, "typedefs": {name: type},
"variables": {name: type}, "alias": {macro: name}}``; empty parts are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from codeviews.core.facts import (
    DECLARATION,
    ENTRY,
    EXPORTED,
    STATIC,
    FileFacts,
    Import,
    Site,
    Symbol,
)
from codeviews.core.languages import c_items
from codeviews.core.languages.c_body import Body, scan, scan_calls
from codeviews.core.languages.c_heads import (
    Head,
    declared,
    function_head,
    parameters,
    split_commas,
)
from codeviews.core.languages.c_items import Item
from codeviews.core.languages.c_tables import Table, enumerators, fields, scan_table
from codeviews.core.languages.c_text import Directive, Text, read, words

_INCLUDE = re.compile(r'[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)')
_DEFINE = re.compile(r"[ \t]*([A-Za-z_]\w*)(\([^)]*\))?")
_ALIAS = re.compile(r"[\s(]*([A-Za-z_]\w*)[\s)]*\Z")
_TAG = re.compile(r"\b(struct|union|enum)\b\s*((?:\w+\s+)*?)(\w+)?\s*(?::[^:]*)?\Z")
_MACRO_CALL = re.compile(r"(?:(?:static|extern|const)\s+)*([A-Za-z_]\w*)\s*\(")
_NAMES = re.compile(r"[A-Za-z_]\w*\Z")
_DEFINES_VARIABLE = re.compile(r"(?:DEFINE|DECLARE)_|\w+_HEAD\Z|\w*_ATTR(?:_\w+)?\Z|DEVICE_ATTR")
_ENTRY_MACRO = re.compile(r"\w*_initcall\w*\Z|module_(?:init|exit)\Z|\w*_param\Z|__setup\w*\Z")
_EVENTS = {
    "TRACE_EVENT": 0,
    "TRACE_EVENT_CONDITION": 0,
    "TRACE_EVENT_FN": 0,
    "TRACE_EVENT_NOP": 0,
    "DECLARE_TRACE": 0,
    "DEFINE_EVENT": 1,
    "DEFINE_EVENT_PRINT": 1,
    "DEFINE_EVENT_CONDITION": 1,
    "DEFINE_EVENT_FN": 1,
    "DEFINE_EVENT_NOP": 1,
}


@dataclass(slots=True)
class _File:
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
    flags: dict[str, int] = field(default_factory=dict[str, int])


def extract(path: str, source: bytes) -> FileFacts:
    """Facts of a C file; a header that is plainly C++ is read as C++."""
    text = read(source)
    file = _File(path, text, path.endswith(".h"))
    size = len(source)
    last = text.line(max(size - 1, 0))
    name = path.rsplit("/", 1)[-1]
    file.symbols.append(Symbol(name, "", "module", 1, last, 0, size, "", "", -1))
    for directive in text.directives:
        _directive(file, directive)
    for item in c_items.items(text):
        _ITEM[item.kind](file, item)
    _apply_flags(file)
    _drop_data(file)
    return FileFacts("c", file.symbols, file.sites, file.imports, _flow(file))


def _flow(file: _File) -> dict[str, object]:
    parts: dict[str, object] = {
        "types": file.types,
        "typedefs": file.typedefs,
        "variables": file.variables,
        "alias": file.alias,
    }
    return {name: part for name, part in parts.items() if part}


def _apply_flags(file: _File) -> None:
    """EXPORT_SYMBOL and initcalls speak of functions defined anywhere in the file."""
    if not file.flags:
        return
    for index, symbol in enumerate(file.symbols):
        flags = file.flags.get(symbol.name)
        if flags and symbol.kind in ("function", "variable"):
            file.symbols[index] = symbol._replace(flags=symbol.flags | flags)


def _drop_data(file: _File) -> None:
    """Names of the file's own data are no functions stored as values."""
    data = {symbol.name for symbol in file.symbols if symbol.kind in ("variable", "constant")}
    data.difference_update(symbol.name for symbol in file.symbols if symbol.kind == "function")
    if data:
        file.sites = [s for s in file.sites if s.kind != "registers" or s.name not in data]


def _add(
    file: _File,
    name: str,
    kind: str,
    start: int,
    end: int,
    signature: str,
    flags: int = 0,
    doc: str = "",
) -> int:
    count = file.taken.get(name, 0) + 1
    file.taken[name] = count
    qualname = name if count == 1 else f"{name}#{count}"
    line = file.text.line
    file.symbols.append(
        Symbol(
            name, qualname, kind, line(start), line(end - 1), start, end, signature, doc, 0, flags
        )
    )
    return len(file.symbols) - 1


def _directive(file: _File, directive: Directive) -> None:
    if directive.word == "define":
        _define(file, directive)
    elif directive.word in ("include", "include_next", "import"):
        match = _INCLUDE.match(file.text.raw, directive.body, directive.end)
        if match:
            module = match[1] or f"<{match[2]}>"
            file.imports.append(Import(module, "", "", file.text.line(directive.start)))


def _define(file: _File, directive: Directive) -> None:
    plain = file.text.plain
    match = _DEFINE.match(plain, directive.body, directive.end)
    if match is None or (match.end() == directive.end and file.is_header and match[2] is None):
        return
    end = directive.body + len(plain[directive.body : directive.end].rstrip())
    name = match[1]
    signature = words(file.text.raw[directive.start : end], 120)
    doc = file.text.doc(directive.start) if match[2] else ""
    index = _add(file, name, "macro", directive.start, end, signature, 0, doc)
    if plain.find("(", match.end(), end) >= 0:
        params = dict.fromkeys(
            split_commas(match[2][1:-1].replace(" ", "")) if match[2] else [], ""
        )
        scan_calls(Body(file.text, plain, match.end(), end, index, params), file.sites)
    else:
        _alias(file, name, plain[match.end() : end])


def _alias(file: _File, name: str, expansion: str) -> None:
    match = _ALIAS.match(expansion)
    if match and match[1] != name and not match[1].isupper():
        file.alias[name] = match[1]


def _function(file: _File, item: Item) -> None:
    text = file.text
    head_text = text.code[item.start : item.head]
    head = function_head(head_text)
    if head is None:
        return
    flags = STATIC if _is_static(head_text) else 0
    if head.name == "main":
        flags |= ENTRY
    if head.macro and "SYSCALL_DEFINE" in head.macro:
        flags |= ENTRY
    start = _skip_macro_calls(head_text, head, item.start)
    signature = words(head_text[start - item.start :])
    doc = text.doc(item.start)
    index = _add(file, head.name, "function", start, item.end, signature, flags, doc)
    body = Body(text, text.code, item.body, item.end, index, parameters(head.params))
    scan(body, file.sites)


def _is_static(head: str) -> bool:
    return re.search(r"\bstatic\b", head) is not None


def _skip_macro_calls(head_text: str, head: Head, start: int) -> int:
    """Where the definition itself begins, past macro calls without a semicolon before it."""
    if head.macro or "\n" not in head_text or head_text.count("(") < 2:
        return start
    at = re.search(rf"\b{re.escape(head.name)}\s*\(", head_text)
    if at is None:
        return start
    before = head_text[: at.start()]
    closed = list(re.finditer(r"(?m)^[A-Z_0-9]{3,}\s*\(.*\)\s*\n(?=\s*\w)", before))
    if not closed:
        return start
    return (
        start
        + closed[-1].end()
        + len(before[closed[-1].end() :])
        - len(before[closed[-1].end() :].lstrip())
    )


def _type(file: _File, item: Item) -> None:
    text = file.text
    head = text.code[item.start : item.head]
    match = _TAG.search(re.sub(r"__attribute__\s*\(\(.*?\)\)|__\w+\s*\([^()]*\)", "", head))
    if match is None:
        return
    kind, tag = match[1], match[3] or ""
    names = _declarators(text.code[item.end : item.stop - 1])
    is_typedef = head.lstrip().startswith("typedef")
    name = tag or (names[0] if is_typedef and names else "")
    signature = words(text.code[item.start : item.head])
    if name:
        doc = text.doc(item.start)
        _add_type(file, name, kind, item, signature, doc)
    if kind == "enum":
        _enumerators(file, item)
    elif name or names:
        file.types[name or f"{names[0]}$"] = fields(text.code, item.body + 1, item.end - 1)
    _type_names(file, item, name, names, is_typedef)


def _type_names(file: _File, item: Item, name: str, names: list[str], is_typedef: bool) -> None:
    for other in names:
        if is_typedef and other != name:
            file.typedefs[other] = name
            _add(file, other, "type", item.end, item.stop, f"typedef {name} {other}")
        elif not is_typedef:
            file.variables[other] = name or f"{names[0]}$"
            _add(file, other, "variable", item.start, item.stop, f"struct {name} {other}".strip())


def _add_type(file: _File, name: str, kind: str, item: Item, signature: str, doc: str) -> None:
    if name in file.taken:
        file.taken.setdefault(f"{kind} {name}", 0)
    _add(file, name, kind, item.start, item.stop, signature, 0, doc)


def _declarators(text: str) -> list[str]:
    found: list[str] = []
    for part in split_commas(text.split("=")[0]):
        name = declared("int " + part)[0]
        if name and not name.startswith("__") and name != "int":
            found.append(name)
    return found


def _enumerators(file: _File, item: Item) -> None:
    for name, start in enumerators(file.text.code, item.body + 1, item.end - 1):
        _add(file, name, "constant", start, start + len(name), "")


def _table(file: _File, item: Item) -> None:
    text = file.text
    head = text.code[item.start : item.head].split("=", 1)[0]
    name, kind = declared(head)
    if not name:
        return
    index = _variable(file, item, name, kind, head)
    is_array = "[" in head
    scan_table(Table(text, item.body, item.end, index, kind, is_array), file.sites)


def _variable(file: _File, item: Item, name: str, kind: str, head: str) -> int:
    flags = STATIC if _is_static(head) else 0
    if kind:
        file.variables[name] = kind
    doc = file.text.doc(item.start)
    return _add(file, name, "variable", item.start, item.stop, words(head), flags, doc)


def _declaration(file: _File, item: Item) -> None:
    text = file.text.code[item.start : item.head]
    if "(" in text:
        _with_parens(file, item, text)
    elif text.startswith("typedef"):
        name, kind = declared(text)
        if name:
            file.typedefs[name] = kind
            _add(
                file, name, "type", item.start, item.stop, words(text), 0, file.text.doc(item.start)
            )
    else:
        _plain_variables(file, item, text)


def _plain_variables(file: _File, item: Item, text: str) -> None:
    if " " not in text and "\t" not in text and "\n" not in text:
        return
    first, *others = split_commas(text)
    left, _, value = first.partition("=")
    name, kind = declared(left)
    if not name or (text.startswith(("extern", "struct ", "union ", "enum ")) and not kind):
        return
    if text.startswith("extern"):
        file.variables.setdefault(name, kind)
        return
    if re.match(r"(?:struct|union|enum)\s+\w+\s*\Z", text):
        return
    index = _variable(file, item, name, kind, left)
    value = value.strip().lstrip("&").strip()
    if _NAMES.match(value) and value != value.upper():
        line = file.text.line(item.start)
        file.sites.append(Site("registers", value, line, index, f"={name}"))
    for other in others:
        name = declared("int " + other.partition("=")[0])[0]
        if name:
            _variable(file, item, name, kind, left)


def _with_parens(file: _File, item: Item, text: str) -> None:
    if text.startswith("typedef"):
        match = re.search(r"\(\s*\*?\s*(\w+)\s*\)\s*\(|(\w+)\s*\(", text[7:])
        if match:
            name = match[1] or match[2]
            file.typedefs[name] = "(*)"
            doc = file.text.doc(item.start)
            _add(file, name, "type", item.start, item.stop, words(text), 0, doc)
        return
    match = _MACRO_CALL.match(text)
    if match and text.rstrip().endswith(")") and _is_single_call(text, match.end() - 1):
        _macro_call(file, item, match[1], text[match.end() : text.rindex(")")], match.end())
    elif "=" in text.split("(", 1)[0]:
        _plain_variables(file, item, text)
    elif re.search(r"\(\s*\*+\s*(?:const\s+)?\w+\s*(?:\[[^\]]*\]\s*)*\)\s*\(", text):
        _pointer_variable(file, item, text)
    elif file.is_header:
        _prototype(file, item, text)
    elif "=" in text or not text.rstrip().endswith(")"):
        _plain_variables(file, item, text)


def _pointer_variable(file: _File, item: Item, text: str) -> None:
    left, _, value = text.partition("=")
    name, kind = declared(left)
    if not name or text.startswith("extern"):
        return
    index = _variable(file, item, name, kind, left)
    value = value.strip().lstrip("&").strip()
    if _NAMES.match(value) and value != value.upper():
        line = file.text.line(item.start)
        file.sites.append(Site("registers", value, line, index, f"={name}"))


def _is_single_call(text: str, opened: int) -> bool:
    depth = 0
    for match in re.finditer(r"[()]", text[opened:]):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return not text[opened + match.end() :].strip()
    return False


def _prototype(file: _File, item: Item, text: str) -> None:
    head = function_head(text)
    if head is None or head.macro or head.name in file.taken:
        return
    flags = DECLARATION | (STATIC if _is_static(text) else 0)
    doc = file.text.doc(item.start)
    _add(file, head.name, "function", item.start, item.stop, words(text), flags, doc)


def _macro_call(file: _File, item: Item, macro: str, inside: str, offset: int) -> None:
    """A file-level ``MACRO(a, b);``: what it defines, exports, registers."""
    arguments = [part.strip().lstrip("&").strip() for part in split_commas(inside)]
    if "EXPORT" in macro:
        file.flags[arguments[0]] = file.flags.get(arguments[0], 0) | EXPORTED
        return
    scope = _defined_by_macro(file, item, macro, arguments)
    line = file.text.line
    for index, argument in enumerate(arguments):
        if not _NAMES.match(argument) or argument == argument.upper():
            continue
        if _ENTRY_MACRO.match(macro):
            file.flags[argument] = file.flags.get(argument, 0) | ENTRY
        at = file.text.code.find(argument, item.start + offset)
        extra = f"{macro}#{index}"
        file.sites.append(Site("registers", argument, line(at), scope, extra))


def _defined_by_macro(file: _File, item: Item, macro: str, arguments: list[str]) -> int:
    if not _NAMES.match(arguments[0]):
        return 0
    signature = words(file.text.code[item.start : item.head], 120)
    doc = file.text.doc(item.start)
    at = _EVENTS.get(macro)
    if at is not None and at < len(arguments) and _NAMES.match(arguments[at]):
        name = f"trace_{arguments[at]}"
        return _add(file, name, "function", item.start, item.stop, signature, 0, doc)
    if _DEFINES_VARIABLE.match(macro) and not macro.startswith("DECLARE_EVENT"):
        return _add(file, arguments[0], "variable", item.start, item.stop, signature, STATIC, doc)
    return 0


_ITEM = {
    c_items.FUNCTION: _function,
    c_items.TYPE: _type,
    c_items.TABLE: _table,
    c_items.DECLARATION: _declaration,
}
