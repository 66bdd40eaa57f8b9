"""The paper's own edges: call sites as written, resolved by the four rules of appendix C."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from codeviews.core.extract import understand
from codeviews.core.facts import CALLABLE_KINDS, TYPE_KINDS, FileFacts
from codeviews.core.store import Definition, Store

_SELF = frozenset(["self", "cls", "this"])


class Link(NamedTuple):
    """A relation between two candidate symbols: ``calls``, ``inherits`` or ``overrides``."""

    source: int
    target: int
    kind: str


class _Names:
    """What names mean among the candidate files."""

    def __init__(self, files: Mapping[str, Sequence[Definition]]) -> None:
        self.in_file = {path: {d.qualname: d for d in found} for path, found in files.items()}
        self.anywhere: dict[str, list[Definition]] = defaultdict(list)
        self.by_id = {d.id: d for found in files.values() for d in found}
        for found in files.values():
            for definition in found:
                self.anywhere[definition.qualname].append(definition)

    def target(self, path: str, owner: str, written: str) -> Definition | None:
        """The definition a name means inside class ``owner`` ("" outside) of ``path``."""
        here = self.in_file[path]
        first, _, rest = written.partition(".")
        if first in _SELF:
            return here.get(f"{owner}.{rest}") if owner and "." not in rest else None
        return here.get(written) or self._elsewhere(path, written)

    def _elsewhere(self, path: str, written: str) -> Definition | None:
        found = [d for d in self.anywhere.get(written, ()) if d.path != path]
        if len(found) == 1:
            return found[0]
        hits = [d for d in self._by_module(written) if d.path != path]
        return hits[0] if len(hits) == 1 else None

    def _by_module(self, written: str) -> Iterator[Definition]:
        parts = written.split(".")
        for split in range(1, len(parts)):
            tail, name = "/".join(parts[:split]), ".".join(parts[split:])
            for definition in self.anywhere.get(name, ()):
                stem = definition.path.rpartition(".")[0].removesuffix("/__init__")
                if stem == tail or stem.endswith(f"/{tail}"):
                    yield definition


def resolve(store: Store, files: Mapping[str, Sequence[Definition]]) -> list[Link]:
    """Calls, bases and overrides among the symbols of ``files``. Reads their indexed text only."""
    names = _Names(files)
    links: list[Link] = []
    for path in files:
        links += _of_file(store, path, names)
    return links + _overrides(links, names)


def _of_file(store: Store, path: str, names: _Names) -> Iterator[Link]:
    record = store.file(path)
    if record is None:
        return
    facts = understand(path, store.text(record.id))
    owners = _owners(facts, names.in_file[path])
    for site in facts.sites:
        source = owners.get(site.scope)
        if source is None or site.kind not in ("calls", "call", "inherits", "bases", "base"):
            continue
        target = names.target(path, _class_of(source), site.name)
        if target is not None and site.kind in ("inherits", "bases", "base"):
            if target.kind in TYPE_KINDS:
                yield Link(source.id, target.id, "inherits")
        elif target is not None:
            yield Link(source.id, target.id, "calls")


def _owners(facts: FileFacts, known: Mapping[str, Definition]) -> dict[int, Definition]:
    """Place of a symbol in the facts -> the candidate that holds it."""
    out: dict[int, Definition] = {}
    for place, symbol in enumerate(facts.symbols):
        found = known.get(symbol.qualname) or out.get(symbol.parent)
        if found is not None and symbol.qualname:
            out[place] = found
    return out


def _class_of(definition: Definition) -> str:
    return definition.qualname.rpartition(".")[0] if definition.kind in CALLABLE_KINDS else ""


def _overrides(links: Sequence[Link], names: _Names) -> list[Link]:
    """A method and the same-named one of a resolved base class."""
    out: list[Link] = []
    for link in links:
        if link.kind != "inherits":
            continue
        child, base = names.by_id[link.source], names.by_id[link.target]
        prefix = f"{child.qualname}."
        for qualname, method in names.in_file[child.path].items():
            name = qualname.removeprefix(prefix)
            over = names.in_file[base.path].get(f"{base.qualname}.{name}")
            if qualname.startswith(prefix) and "." not in name and over is not None:
                out.append(Link(method.id, over.id, "overrides"))
    return out
