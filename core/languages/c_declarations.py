"""C at file level without a body: variables, tables, typedefs, prototypes, macro calls."""

from __future__ import annotations

import re

from codeviews.core.facts import DECLARATION, ENTRY, EXPORTED, STATIC, Site
from codeviews.core.languages.c_file import File, add, renumber_declared
from codeviews.core.languages.c_heads import declared, function_head, split_commas
from codeviews.core.languages.c_items import Item
from codeviews.core.languages.c_pastes import attribute_functions, pasted, stored
from codeviews.core.languages.c_tables import Table, scan_table
from codeviews.core.languages.c_text import words

_MACRO_CALL = re.compile(r"(?:(?:static|extern|const)\s+)*([A-Za-z_]\w*)\s*\(")
_IN_TABLE = re.compile(r"\b([A-Z][A-Z0-9_]*+)\b(?:\s*+\(([^()]*+)\))?")
_ATTRIBUTE_VALUE = re.compile(r"=\s*(\w*_ATTR\w*)\s*\(([^()]*)\)\s*\Z")
_MADE = 20_000  # names that the macros of one file may make
_NAMES = re.compile(r"[A-Za-z_]\w*\Z")
_DEFINES_VARIABLE = re.compile(r"(?:DEFINE|DECLARE)_|\w+_HEAD\Z|\w*_ATTR(?:_\w+)?\Z|DEVICE_ATTR")
_MARKING = re.compile(
    r"BTF_(?:ID|SET|KFUNC)\w*\Z|NOKPROBE_SYMBOL\Z|ALLOW_ERROR_INJECTION\Z|_?ASM_NOKPROBE\w*\Z|MODULE_\w+\Z"
)
_ENTRY_MACRO = re.compile(r"\w*_initcall\w*\Z|module_(?:init|exit)\Z|\w*_param\Z|__setup\w*\Z")
_POINTER = re.compile(r"[^()]*\(\s*\*+\s*(?:const\s+)?\w+\s*(?:\[[^\]]*\]\s*)*\)\s*\(")
_EVENT = re.compile(r"(TRACE_EVENT|DECLARE_TRACE|DEFINE_EVENT)(?:_[A-Z]+)*\Z")


def is_static(head: str) -> bool:
    """Whether a head says ``static``."""
    return re.search(r"\bstatic\b", head) is not None


def table(file: File, item: Item) -> None:
    """A variable with a braced initialiser."""
    text = file.text
    head = text.code[item.start : item.head].split("=", 1)[0]
    name, kind = declared(head)
    if not name:
        return
    renumber_declared(file, name)
    index = _variable(file, item, name, kind, head)
    is_array = "[" in head
    scan_table(Table(text, item.body, item.end, index, kind, is_array), file.sites)
    if file.lists or file.pastes:
        _macros_in_table(file, item, index, f"{kind}>*" if is_array else "value")


def _macros_in_table(file: File, item: Item, scope: int, where: str) -> None:
    """Functions that stand in an initialiser by way of a macro of this file."""
    for match in _IN_TABLE.finditer(file.text.code, item.body, item.end):
        line = file.text.line(match.start())
        for name in file.lists.get(match[1], ()) if match[2] is None else ():
            _keep(file, Site("registers", name, line, scope, where))
        if match[2] is not None and match[1] in file.pastes:
            arguments = [part.strip() for part in match[2].split(",")]
            _store_made(file, match[1], arguments, scope, line)


def _keep(file: File, site: Site) -> None:
    if len(file.made) < _MADE:
        file.made.append(site)


def _store_made(file: File, macro: str, arguments: list[str], scope: int, line: int) -> None:
    """Keep the names that a macro call makes of its arguments; what is a function shows later."""
    paste = file.pastes.get(macro)
    if paste is not None:
        for name, where in stored(paste, arguments):
            _keep(file, Site("registers", name, line, scope, where))
        return
    for name in attribute_functions(macro, arguments):
        _keep(file, Site("registers", name, line, scope, "value"))


def _variable(file: File, item: Item, name: str, kind: str, head: str) -> int:
    flags = STATIC if is_static(head) else 0
    if kind:
        file.variables[name] = kind
    doc = file.text.doc(item.start)
    return add(file, name, "variable", item.start, item.stop, words(head), flags, doc)


def declaration(file: File, item: Item) -> None:
    """Whatever ends with a semicolon: variables, typedefs, prototypes, macro calls."""
    text = file.text.code[item.start : item.head]
    if "(" in text:
        _with_parens(file, item, text)
    elif text.startswith("typedef"):
        name, kind = declared(text)
        if name:
            file.typedefs[name] = kind
            add(
                file, name, "type", item.start, item.stop, words(text), 0, file.text.doc(item.start)
            )
    else:
        _plain_variables(file, item, text)


def _plain_variables(file: File, item: Item, text: str) -> None:
    if " " not in text and "\t" not in text and "\n" not in text:
        return
    first, *others = split_commas(text)
    left, _, value = first.partition("=")
    name, kind = declared(left)
    if not name or (text.startswith(("extern", "struct ", "union ", "enum ")) and not kind):
        return
    if text.startswith("extern"):
        return
    if re.match(r"(?:struct|union|enum)\s+\w+\s*\Z", text):
        return
    index = _variable(file, item, name, kind, left)
    made = _ATTRIBUTE_VALUE.search(text) if "ATTR" in text else None
    if made:
        arguments = [part.strip() for part in made[2].split(",")]
        _store_made(file, made[1], arguments, index, file.text.line(item.start))
    value = value.strip().lstrip("&").strip()
    if _NAMES.match(value) and value != value.upper():
        line = file.text.line(item.start)
        file.sites.append(Site("registers", value, line, index, f"={name}"))
    for other in others:
        name = declared("int " + other.partition("=")[0])[0]
        if name:
            _variable(file, item, name, kind, left)


def _with_parens(file: File, item: Item, text: str) -> None:
    if text.startswith("typedef"):
        match = re.search(r"\(\s*\*?\s*(\w+)\s*\)\s*\(|(\w+)\s*\(", text[7:])
        if match:
            name = match[1] or match[2]
            file.typedefs[name] = "(*)"
            doc = file.text.doc(item.start)
            add(file, name, "type", item.start, item.stop, words(text), 0, doc)
        return
    match = _MACRO_CALL.match(text)
    if match and text.rstrip().endswith(")") and _is_single_call(text, match.end() - 1):
        _macro_call(file, item, match[1], text[match.end() : text.rindex(")")], match.end())
    elif "=" in text.split("(", 1)[0]:
        _plain_variables(file, item, text)
    elif _POINTER.match(text):
        _pointer_variable(file, item, text)
    elif file.is_header:
        _prototype(file, item, text)
    elif "=" in text or not text.rstrip().endswith(")"):
        _plain_variables(file, item, text)
    else:
        _declare(file, text)


def _declare(file: File, text: str) -> None:
    """A prototype in a ``.c`` file: the name is a function there."""
    head = function_head(text)
    if head is not None and not head.macro:
        file.prototypes[head.name] = None


def _pointer_variable(file: File, item: Item, text: str) -> None:
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


def _prototype(file: File, item: Item, text: str) -> None:
    head = function_head(text)
    if head is None or head.macro or head.name in file.taken:
        return
    flags = DECLARATION | (STATIC if is_static(text) else 0)
    doc = file.text.doc(item.start)
    add(file, head.name, "function", item.start, item.stop, words(text), flags, doc)


def _macro_call(file: File, item: Item, macro: str, inside: str, offset: int) -> None:
    """A file-level ``MACRO(a, b);``: what it defines, exports, registers."""
    arguments = [part.strip().lstrip("&").strip() for part in split_commas(inside)]
    if "EXPORT" in macro:
        file.flags[arguments[0]] = file.flags.get(arguments[0], 0) | EXPORTED
        return
    if _MARKING.match(macro):
        return
    if macro.endswith("_DECLARE"):
        _declare(file, inside)
        return
    scope = _defined_by_macro(file, item, macro, arguments)
    line = file.text.line
    _store_made(file, macro, arguments, scope, line(item.start))
    for index, argument in enumerate(arguments if not _EVENT.match(macro) else ()):
        if (scope and not index) or not _NAMES.match(argument) or argument == argument.upper():
            continue
        if _ENTRY_MACRO.match(macro):
            file.flags[argument] = file.flags.get(argument, 0) | ENTRY
        at = file.text.code.find(argument, item.start + offset)
        extra = f"{macro}#{index}"
        file.sites.append(Site("registers", argument, line(at), scope, extra))


def _defined_by_macro(file: File, item: Item, macro: str, arguments: list[str]) -> int:
    signature = words(file.text.code[item.start : item.head], 120)
    doc = file.text.doc(item.start)
    event = _EVENT.match(macro)
    at = 1 if event and event[1] == "DEFINE_EVENT" else 0
    if event and at < len(arguments) and f"trace_{arguments[at]}".isidentifier():
        name = f"trace_{arguments[at]}"
        return add(file, name, "function", item.start, item.stop, signature, STATIC, doc)
    names = pasted(file.pastes, macro, arguments)
    for name, static in names.items():
        flags = STATIC if static else 0
        add(file, name, "function", item.start, item.stop, signature, flags, doc)
    if names or not _NAMES.match(arguments[0]):
        return 0
    if _DEFINES_VARIABLE.match(macro) and not macro.startswith("DECLARE_EVENT"):
        return add(file, arguments[0], "variable", item.start, item.stop, signature, STATIC, doc)
    return 0
