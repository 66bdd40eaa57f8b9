"""Documentation of a symbol, taken apart: summary, parameters, returns, raises.

Python docstrings go through griffe's parsers (Google, NumPy and Sphinx style, told apart by its
heuristics). Nothing is imported: griffe reads the signature's text to fill in types. Comments of
other languages are read by :mod:`codeviews.core.doc_comments`. Meant for one symbol at a time, at
query time; loading griffe costs about 0.15 s once.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    import griffe

MAX_CHARS = 20_000
"""Longer documentation is cut before parsing."""


class DocItem(NamedTuple):
    """A documented parameter, value, error or attribute; unknown parts are ""."""

    name: str
    type: str
    text: str


class DocNote(NamedTuple):
    """Any other section under its title (``Example``, ``Note``, ``See Also``)."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class DocSections:
    """A docstring or doc comment. ``style`` is google, numpy, sphinx, tags, kernel-doc or plain."""

    style: str
    summary: str = ""
    description: str = ""
    parameters: tuple[DocItem, ...] = ()
    returns: tuple[DocItem, ...] = ()
    yields: tuple[DocItem, ...] = ()
    raises: tuple[DocItem, ...] = ()
    attributes: tuple[DocItem, ...] = ()
    notes: tuple[DocNote, ...] = ()

    def lines(self) -> list[str]:
        """The sections for an answer, one thing per line, without the summary's markup."""
        found = [line for line in (self.summary, *self.description.split("\n")) if line.strip()]
        for title, items in (
            ("Parameters", self.parameters),
            ("Returns", self.returns),
            ("Yields", self.yields),
            ("Raises", self.raises),
            ("Attributes", self.attributes),
        ):
            found.extend([f"{title}:", *map(_item_line, items)] if items else [])
        for note in self.notes:
            found.extend([f"{note.title}:", *(f"  {line}" for line in note.text.split("\n"))])
        return found


def parse_docstring(text: str, signature: str = "") -> DocSections:
    """Take a Python docstring apart.

    Args:
        text: The docstring without its quotes, as written or dedented.
        signature: ``def name(...) -> type`` on one line, to fill in types and defaults.
    """
    clean = inspect.cleandoc(text[:MAX_CHARS])
    style = _style_of(clean)
    if not style:
        return plain(clean)
    griffe = _griffe()
    docstring = griffe.Docstring(clean, parent=_function_of(signature))
    return _collect(style, griffe.parse(docstring, style, warnings=False))


def plain(text: str, style: str = "plain") -> DocSections:
    """Documentation without sections: its first paragraph is the summary."""
    summary, _, description = text.strip().partition("\n\n")
    return DocSections(style, " ".join(summary.split()), description.strip("\n"))


def _style_of(clean: str) -> str:
    docstring = _griffe().Docstring(f"\n{clean}\n")  # its patterns want a line end on both sides
    style, _ = _griffe().infer_docstring_style(docstring)
    return style.value if style is not None else ""


@cache
def _griffe() -> Any:
    import griffe

    return griffe


def _function_of(signature: str) -> griffe.Function | None:
    """The signature as griffe's function; None when it is no complete Python definition."""
    if not signature.lstrip().startswith(("def ", "async def ")):
        return None
    code = f"{signature.strip().rstrip(':')}:\n    pass\n"
    try:
        module = _griffe().visit("signature", filepath=Path("signature.py"), code=code)
    except SyntaxError:
        return None
    return next(iter(module.functions.values()), None)


_SECTIONS = {
    "parameters": "parameters",
    "other parameters": "parameters",
    "returns": "returns",
    "yields": "yields",
    "raises": "raises",
    "warns": "raises",
    "attributes": "attributes",
}


def _collect(style: str, sections: Iterable[Any]) -> DocSections:
    texts: list[str] = []
    items: dict[str, tuple[DocItem, ...]] = {}
    notes: list[DocNote] = []
    for section in sections:
        kind = section.kind.value
        if kind == "text":
            texts.append(section.value)
        elif kind in _SECTIONS:
            name = _SECTIONS[kind]
            items[name] = items.get(name, ()) + tuple(map(_item, section.value))
        else:
            notes.append(DocNote(section.title or kind.capitalize(), _text_of(section.value)))
    first = plain("\n\n".join(texts))
    return DocSections(style, first.summary, first.description, **items, notes=tuple(notes))


def _item(element: Any) -> DocItem:
    annotation = getattr(element, "annotation", None)
    text = " ".join(element.description.split())
    return DocItem(getattr(element, "name", "") or "", str(annotation or ""), text)


def _text_of(value: Any) -> str:
    """The text of a section that is an admonition, a list of examples or a list of members."""
    if isinstance(value, list):
        return "\n".join(map(_text_of, cast("list[Any]", value)))
    if isinstance(value, tuple):
        return str(cast("tuple[Any, ...]", value)[-1]).strip()
    name = getattr(value, "name", "")
    text = str(getattr(value, "description", value)).strip()
    return f"{name}: {text}" if name else text


def _item_line(item: DocItem) -> str:
    head = f"{item.name} ({item.type})" if item.name and item.type else item.name or item.type
    return f"  {head}: {item.text}" if head and item.text else f"  {head or item.text}"
