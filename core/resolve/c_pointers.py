"""Function pointers of C: which functions a field, variable or parameter may hold."""

from __future__ import annotations

import re
from collections import defaultdict

from codeviews.core.resolve.c_index import FUNCTION, INLINE, Index, Stored

SEPARATOR = re.compile(r"->|\.")


class Pointers:
    """Where functions are stored, over the whole repository."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.by_field: dict[str, dict[str, dict[int, None]]] = defaultdict(dict)
        self.by_variable: dict[str, dict[int, dict[int, None]]] = defaultdict(dict)
        self.by_argument: dict[tuple[str, int], dict[int, dict[int, None]]] = defaultdict(dict)
        for stored in index.stored:
            self._add(stored)
        index.stored.clear()

    def _add(self, stored: Stored) -> None:
        ids = stored.own or self._external(stored)
        if not ids:
            return
        where = stored.where
        if ">" in where:
            self._add_field(stored, ids)
        elif where.startswith("="):
            self._keep(self.by_variable[where[1:]], stored.file, ids)
        elif "#" in where:
            callee, _, position = where.rpartition("#")
            if position.isdigit():
                self._keep(self.by_argument[callee, int(position)], stored.file, ids)

    def _add_field(self, stored: Stored, ids: tuple[int, ...]) -> None:
        if stored.where.endswith(">*"):
            self._keep(self.by_variable[stored.holder], stored.file, ids)
            return
        kind, name = self.place(stored.where, stored.file)
        if name:
            self.by_field[name].setdefault(kind, {}).update(dict.fromkeys(ids))

    @staticmethod
    def _keep(table: dict[int, dict[int, None]], file: int, ids: tuple[int, ...]) -> None:
        table.setdefault(file, {}).update(dict.fromkeys(ids))

    def _external(self, stored: Stored) -> tuple[int, ...]:
        index = self.index
        found = index.names.get(stored.name, ())
        outside = [d for d in found if d.code == FUNCTION]
        if len(outside) == 1:
            return (outside[0].id,)
        inline = [d for d in found if d.code == INLINE]
        if not outside and inline:
            mask = index.mask(stored.file)
            return tuple(d.id for d in inline if index.reaches(mask, d.file))
        return ()

    def place(self, where: str, file: int) -> tuple[str, str]:
        """(struct, field) that ``T>a.b`` speaks of; ("", field) when the struct is unknown."""
        kind, _, path = where.partition(">")
        path = path.partition("@")[0]
        *inner, last = path.split(".")
        for name in inner:
            kind = self.field_type(kind, self._named(kind, name), file)
        return self.struct(kind), self._named(kind, last)

    def _named(self, kind: str, name: str) -> str:
        """A positional field's name; "" when the struct's order is not known."""
        if not name.startswith("#"):
            return "" if name == "*" else name
        order = self.index.orders.get(self.struct(kind), ())
        position = int(name[1:])
        return order[position] if position < len(order) else ""

    def struct(self, kind: str) -> str:
        """A type's struct tag, through typedefs."""
        typedefs = self.index.typedefs
        for _ in range(8):
            if kind in self.index.types or kind not in typedefs:
                break
            kind = typedefs[kind]
        return kind

    def field_type(self, kind: str, name: str, file: int) -> str:
        """The type of field ``name`` of struct ``kind`` as ``file`` sees it, or ""."""
        if not kind or not name:
            return ""
        tag = self.struct(kind)
        known = self.index.types.get(tag, ())
        own = [fields for owner, fields in known if owner == file]
        for fields in own or [fields for _, fields in known]:
            if name in fields:
                found = fields[name]
                return tag if found == "." else found
        return ""

    def receiver(self, chain: str, head: str, file: int) -> tuple[str, str]:
        """(struct, field) of a call ``x->ops->f`` where x has type ``head``."""
        names = SEPARATOR.split(chain)
        kind = head or self.index.variables.get(names[0], "")
        for name in names[1:-1]:
            kind = self.field_type(kind, name, file)
        return self.struct(kind), names[-1]

    def stored_in_field(self, kind: str, name: str) -> list[int]:
        """Functions stored in a field; of every struct with such a field when it is unknown."""
        holders = self.by_field.get(name)
        if not holders:
            return []
        if kind and kind in holders:
            return list(holders[kind])
        if kind:
            return list(holders.get("", ()))
        found: dict[int, None] = {}
        for ids in holders.values():
            found.update(ids)
        return list(found)

    def stored_in_variable(self, name: str, file: int) -> list[int]:
        """Functions stored in a file's own variable, else in any of that name."""
        files = self.by_variable.get(name, {})
        if file in files:
            return list(files[file])
        return [i for ids in files.values() for i in ids]

    def passed_to(self, callee: str, position: int, file: int, is_static: bool) -> list[int]:
        """Functions passed to parameter ``position`` of ``callee`` (a static's: in its file)."""
        files = self.by_argument.get((callee, position), {})
        if is_static:
            return list(files.get(file, ()))
        return list(dict.fromkeys(i for ids in files.values() for i in ids))
