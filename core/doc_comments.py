"""Doc comments outside Python: ``@param`` tags (Javadoc, JSDoc, Doxygen, PHPDoc) and kernel-doc."""

from __future__ import annotations

import re
from dataclasses import replace

from codeviews.core.docstrings import (
    MAX_CHARS,
    DocItem,
    DocNote,
    DocSections,
    parse_docstring,
    plain,
)

_TAG = re.compile(r"[ \t]*[@\\](\w+)(?:\[[\w, ]*\])?[ \t]*(.*)")
_KERNEL_ITEM = re.compile(r"[ \t]*@([\w.\->]+|\.\.\.):[ \t]*(.*)")
_KERNEL_SECTION = re.compile(
    r"[ \t]*(Returns?|Context|Note|Notes|Locking|Example)[ \t]*:[ \t]*(.*)"
)
_KERNEL_HEAD = re.compile(
    r"[ \t]*(?:struct |enum |union |typedef )?[\w.]+(?:\(\))?[ \t]*[-:][ \t]+(.*)"
)
_TYPE = re.compile(r"\{([^{}]*)\}[ \t]*")
_NAME = re.compile(r"\[?([$&.\w-]+|<\w+>)(?:=[^\]]*)?\]?[ \t]*(?:[-:][ \t]+)?")
_EDGE = re.compile(r"^[ \t]*(?:/\*\*?!?<?|\*+/|\*(?!\*)|///?!?<?|//!|#+|--+)?[ ]?", re.MULTILINE)
_LAST = re.compile(r"\*+/[ \t]*$")

_LISTS = {
    "param": "parameters",
    "arg": "parameters",
    "argument": "parameters",
    "tparam": "parameters",
    "return": "returns",
    "returns": "returns",
    "retval": "returns",
    "yields": "yields",
    "throws": "raises",
    "throw": "raises",
    "exception": "raises",
    "raises": "raises",
    "property": "attributes",
    "prop": "attributes",
}
_SUMMARIES = frozenset(["brief", "summary", "description"])
_NAMED = frozenset(["parameters", "raises", "attributes"])


def parse_doc(text: str, language: str = "python", signature: str = "") -> DocSections:
    """Take a symbol's documentation apart, whatever its language.

    Args:
        text: The docstring or comment; comment marks may still be there.
        language: A key of ``codeviews.core.languages.LANGUAGES``.
        signature: The definition's head, used for Python.
    """
    if language == "python":
        return parse_docstring(text, signature)
    clean = strip_marks(text[:MAX_CHARS])
    if language in ("c", "cpp") and any(map(_KERNEL_ITEM.match, clean.split("\n"))):
        return _kernel_doc(clean)
    if any(map(_is_tag, clean.split("\n"))):
        return _tags(clean)
    return plain(clean)


def strip_marks(text: str) -> str:
    """A comment without its ``/** * */``, ``//`` or ``#`` marks."""
    return _EDGE.sub("", _LAST.sub("", text.strip())).strip()


def _is_tag(line: str) -> bool:
    match = _TAG.match(line)
    return match is not None and (match[1] in _LISTS or match[1] in _SUMMARIES)


def _tags(text: str) -> DocSections:
    lines = text.split("\n")
    first = next(i for i, line in enumerate(lines) if _is_tag(line))
    found = plain("\n".join(lines[:first]), "tags")
    blocks: list[tuple[str, list[str]]] = []
    for line in lines[first:]:
        match = _TAG.match(line)
        if match:
            blocks.append((match[1], [match[2]]))
        else:
            blocks[-1][1].append(line)
    for tag, words in blocks:
        found = _with_tag(found, tag, " ".join(" ".join(words).split()))
    return found


def _with_tag(found: DocSections, tag: str, text: str) -> DocSections:
    field = _LISTS.get(tag)
    if field is None:
        if tag in _SUMMARIES and not found.summary:
            return replace(found, summary=text)
        return replace(found, notes=(*found.notes, DocNote(tag, text)))
    type_, name = "", ""
    if match := _TYPE.match(text):
        type_, text = match[1], text[match.end() :]
    if field in _NAMED and (match := _NAME.match(text)):
        name, text = match[1], text[match.end() :]
    return _with_item(found, field, DocItem(name, type_, text))


def _with_item(found: DocSections, field: str, item: DocItem) -> DocSections:
    items: tuple[DocItem, ...] = getattr(found, field)
    return replace(found, **{field: (*items, item)})


def _kernel_doc(text: str) -> DocSections:
    """``name - what it does``, ``@parameter: text``, then prose and ``Return:``."""
    head, *lines = text.split("\n")
    match = _KERNEL_HEAD.match(head)
    found = DocSections("kernel-doc", (match[1] if match else head).strip())
    prose: list[str] = []
    open_block: tuple[str, str, list[str]] | None = None
    for line in [*lines, ""]:
        item, section = _KERNEL_ITEM.match(line), _KERNEL_SECTION.match(line)
        if open_block and (item or section or not line.strip()):
            found = _with_block(found, *open_block)
            open_block = None
        if item:
            open_block = ("", item[1], [item[2]])
        elif section:
            open_block = (section[1], "", [section[2]])
        elif open_block:
            open_block[2].append(line)
        else:
            prose.append(line)
    return replace(found, description="\n".join(prose).strip())


def _with_block(found: DocSections, title: str, name: str, lines: list[str]) -> DocSections:
    text = " ".join(" ".join(lines).split())
    if not title:
        return _with_item(found, "parameters", DocItem(name, "", text))
    if title.startswith("Return"):
        return _with_item(found, "returns", DocItem("", "", text))
    return replace(found, notes=(*found.notes, DocNote(title, text)))
