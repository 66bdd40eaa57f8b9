"""Function pointers of C: which functions a field, variable or parameter may hold."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from codeviews.core.resolve.c_index import Index, Lookup
from codeviews.core.resolve.c_names import FileScope, Shared

SEPARATOR = re.compile(r"->|\.")
Functions = dict[int, None]
_OF = " ("  # between a tag and the file whose struct it is, where several bear it
FIELD, VARIABLE, ARGUMENT, LOCAL, OTHER = "field", "variable", "argument", "local", ""


class Place(NamedTuple):
    """Where a function is kept: ``detail`` is a field's struct or an argument's position."""

    kind: str
    name: str = ""
    detail: str = ""

    @property
    def rule(self) -> str:
        """The rule of the ``registers`` edge; the incremental index is asked by it."""
        if self.kind == FIELD:
            return f"field {self.name} of {self.detail or '?'}"
        if self.kind == ARGUMENT:
            return f"argument {self.detail} of {self.name}"
        return f"{self.kind} {self.name}" if self.kind else self.name


class Pointers:
    """Where functions are stored, over the whole repository."""

    def __init__(self, index: Index, shared: Shared) -> None:
        self.index = index
        self.by_field: Lookup[str, dict[str, Functions]] = Lookup(_new, True)
        self.by_variable: Lookup[str, dict[int, Functions]] = Lookup(_new, True)
        self.by_argument: Lookup[tuple[str, int], dict[int, Functions]] = Lookup(_new, True)
        self.shared = shared

    def add_all(self) -> None:
        """Take in everything the index found stored."""
        scope: FileScope | None = None
        for stored in self.index.stored:
            if scope is None or scope.number != stored.file:
                scope = FileScope(self.index, self.shared, stored.file)
            ids = stored.own or scope.functions_named(stored.name)
            if ids:
                self.add(self.place(stored.where, stored.holder, stored.file), stored.file, ids)
        self.index.stored.clear()

    def add(self, place: Place, file: int, ids: tuple[int, ...]) -> None:
        """Keep functions under a place."""
        functions = dict.fromkeys(ids)
        if place.kind == FIELD and place.name:
            self.by_field[place.name].setdefault(place.detail, {}).update(functions)
        elif place.kind == VARIABLE:
            self.by_variable[place.name].setdefault(file, {}).update(functions)
        elif place.kind == ARGUMENT:
            key = (place.name, int(place.detail))
            self.by_argument[key].setdefault(file, {}).update(functions)

    def place(self, where: str, holder: str, file: int) -> Place:
        """What the ``extra`` of a ``registers`` site says (see ``languages/c_body``)."""
        if where.startswith("=~"):
            return Place(LOCAL, where[2:])
        if where.startswith("="):
            return Place(VARIABLE, where[1:])
        if "@" in where:
            return Place(OTHER, f"argument of {where.rpartition('@')[2]}")
        if where.endswith(">*"):
            return Place(VARIABLE, holder)
        if ">" in where and "->" not in where:
            kind, name = self._field(where, file)
            return Place(FIELD, name, kind) if name else Place(VARIABLE, holder)
        callee, mark, position = where.rpartition("#")
        if mark and position.isdigit():
            return Place(ARGUMENT, callee, position)
        return Place(OTHER, "return value" if where == "return" else "value")

    def _field(self, where: str, file: int) -> tuple[str, str]:
        """(struct, field) that ``T>a.b`` speaks of; ("", field) when the struct is unknown."""
        kind, _, path = where.partition(">")
        *inner, last = path.split(".")
        for name in inner:
            kind = self.field_type(kind, self._named(kind, name), file)
        return self._owned(self.struct(kind), file), self._named(kind, last)

    def _named(self, kind: str, name: str) -> str:
        """A positional field's name; "" when the struct's order is not known."""
        if not name.startswith("#"):
            return name
        order = self.index.orders[self.struct(kind)]
        position = int(name[1:])
        return order[position] if position < len(order) else ""

    def struct(self, kind: str) -> str:
        """A type's struct tag, through typedefs."""
        for _ in range(8):
            other = "" if self.index.types[kind] else self.index.typedefs[kind]
            if not other or other == kind:
                break
            kind = other
        return kind

    def field_type(self, kind: str, name: str, file: int) -> str:
        """The type of field ``name`` of struct ``kind`` as ``file`` sees it, or ""."""
        if not kind or not name:
            return ""
        tag = self.struct(kind)
        known = self.index.types[tag]
        own = [fields for owner, fields in known if owner == file]
        for fields in own or [fields for _, fields in known]:
            if name in fields:
                found = fields[name]
                return tag if found == "." else found
        return ""

    def receiver(self, chain: str, head: str, file: int) -> tuple[str, str]:
        """(struct, field) of a call ``x->ops->f`` where x has type ``head``."""
        names = SEPARATOR.split(chain)
        kind = head or self.index.variables[names[0]]
        for name in names[1:-1]:
            kind = self.field_type(kind, name, file)
        return self._owned(self.struct(kind), file), names[-1]

    def _owned(self, tag: str, file: int) -> str:
        """A tag that several files define, with the only one of them that ``file`` sees."""
        owners = {owner for owner, _ in self.index.types[tag]}
        if len(owners) < 2:
            return tag
        mask = self.index.mask(file)
        seen = [o for o in owners if o == file or self.index.reaches(mask, o)]
        return f"{tag}{_OF}{self.index.paths[seen[0]]})" if len(seen) == 1 else tag

    def stored_in_field(self, kind: str, name: str) -> list[int]:
        """Functions stored in a field; of every struct with such a field when it is unknown, and of
        every struct of one tag when none is stored in the one that is meant."""
        holders = self.by_field[name]
        if not kind:
            return _together(holders.values())
        tag = kind.partition(_OF)[0]
        if kind != tag and kind in holders:
            return _together(holders[k] for k in (kind, tag) if k in holders)
        found = _together(ids for k, ids in holders.items() if k.partition(_OF)[0] == tag)
        return found or list(holders.get("", ()))

    def stored_in_variable(self, name: str, file: int) -> list[int]:
        """Functions stored in a file's own variable, else in any of that name."""
        files = self.by_variable[name]
        if file in files:
            return list(files[file])
        return [i for ids in files.values() for i in ids]

    def passed_to(self, callee: str, position: int, file: int, is_static: bool) -> list[int]:
        """Functions passed to parameter ``position`` of ``callee`` (a static's: in its file)."""
        files = self.by_argument[callee, position]
        if is_static:
            return list(files.get(file, ()))
        return list(dict.fromkeys(i for ids in files.values() for i in ids))


def _together(several: Iterable[Functions]) -> list[int]:
    return list(dict.fromkeys(i for ids in several for i in ids))


def _new(_: object) -> dict[Any, Functions]:
    return {}
