"""C: functions, types, macros, variables; calls and functions stored as values."""

from __future__ import annotations

import re

from codeviews.core.facts import ENTRY, STATIC, FileFacts
from codeviews.core.languages import c_items, cpp
from codeviews.core.languages.c_body import Body
from codeviews.core.languages.c_declarations import declaration, is_static, table
from codeviews.core.languages.c_file import (
    File,
    add,
    add_directive,
    apply_flags,
    flow,
    open_file,
    scan_bodies,
)
from codeviews.core.languages.c_heads import (
    Head,
    declared,
    function_head,
    parameters,
    split_commas,
)
from codeviews.core.languages.c_items import Item
from codeviews.core.languages.c_tables import enumerators, fields
from codeviews.core.languages.c_text import read, words

_TAG = re.compile(r"\b(struct|union|enum)\b\s*((?:\w+\s+)*?)(\w+)?\s*(?::[^:]*)?\Z")
_CPP = re.compile(
    r"^[ \t]*(?:template\s*<|namespace(?:\s+[\w:]+)?\s*\{|(?:public|private|protected)\s*:"
    r"|class\s+(?:\w+\s+)*\w+\s*(?:final\s*)?(?::\s*(?:public|private|\w+::)|\{))",
    re.M,
)


def extract(path: str, source: bytes) -> FileFacts:
    """Facts of a C file; a header that is plainly C++ is read as C++."""
    text = read(source)
    if path.endswith(".h") and _is_cpp(text.code):
        return cpp.extract(path, source)
    file = open_file(path, text, len(source))
    for directive in text.directives:
        add_directive(file, directive)
    for item in c_items.items(text):
        _ITEM[item.kind](file, item)
    apply_flags(file)
    scan_bodies(file)
    return FileFacts("c", file.symbols, file.sites, file.imports, flow(file))


def _is_cpp(code: str) -> bool:
    if not any(word in code for word in ("template", "namespace", "public:", "private:", "class ")):
        return False
    return _CPP.search(code) is not None


def _function(file: File, item: Item) -> None:
    text = file.text
    head_text = text.code[item.start : item.head]
    head = function_head(head_text)
    if head is None:
        return
    flags = STATIC if is_static(head_text) else 0
    if head.name == "main":
        flags |= ENTRY
    if head.macro and "SYSCALL_DEFINE" in head.macro:
        flags |= ENTRY
    start = _skip_macro_calls(head_text, head, item.start)
    signature = words(head_text[start - item.start :])
    doc = text.doc(item.start)
    index = add(file, head.name, "function", start, item.end, signature, flags, doc)
    body = Body(text, text.code, item.body, item.end, index, parameters(head.params))
    file.bodies.append(body)


def _skip_macro_calls(head_text: str, head: Head, start: int) -> int:
    """Where the definition itself begins, past macro calls without a semicolon before it."""
    if head.macro or "\n" not in head_text or head_text.count("(") < 2:
        return start
    at = head_text.find(f"{head.name}(")
    if at < 0:
        return start
    before = head_text[:at]
    closed = list(re.finditer(r"(?m)^[A-Z_0-9]{3,}\s*\(.*\)\s*\n(?=\s*\w)", before))
    if not closed:
        return start
    return (
        start
        + closed[-1].end()
        + len(before[closed[-1].end() :])
        - len(before[closed[-1].end() :].lstrip())
    )


def _type(file: File, item: Item) -> None:
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
        add(file, name, kind, item.start, item.stop, signature, 0, text.doc(item.start))
    if kind == "enum":
        _enumerators(file, item)
    elif name or names:
        file.types[name or f"{names[0]}$"] = fields(text.code, item.body + 1, item.end - 1)
    _type_names(file, item, name, names, is_typedef)


def _type_names(file: File, item: Item, name: str, names: list[str], is_typedef: bool) -> None:
    for other in names:
        if is_typedef and other != name:
            file.typedefs[other] = name
            add(file, other, "type", item.end, item.stop, f"typedef {name} {other}")
        elif not is_typedef:
            file.variables[other] = name or f"{names[0]}$"
            add(file, other, "variable", item.start, item.stop, f"struct {name} {other}".strip())


def _declarators(text: str) -> list[str]:
    found: list[str] = []
    for part in split_commas(text.split("=")[0]):
        name = declared("int " + part)[0]
        if name and not name.startswith("__") and name != "int":
            found.append(name)
    return found


def _enumerators(file: File, item: Item) -> None:
    for name, start in enumerators(file.text.code, item.body + 1, item.end - 1):
        add(file, name, "constant", start, start + len(name), "")


_ITEM = {
    c_items.FUNCTION: _function,
    c_items.TYPE: _type,
    c_items.TABLE: table,
    c_items.DECLARATION: declaration,
}
