"""What may lead to a symbol though no call of it is known: it is a value, or a member read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from codeviews.core.facts import AMBIGUOUS, BUILTIN, CALLABLE_KINDS, DYNAMIC, EXTERNAL, UNKNOWN
from codeviews.core.kept import files_by_id
from codeviews.core.languages import LANGUAGES
from codeviews.core.occurrences import occurrences
from codeviews.core.store import Definition, Store
from codeviews.servers.calls import CALL_SITES

_FILES = 30  # files scanned for reads of a member
_PER_FILE = 20
_SITES = 1_000  # calls without a target looked at
_SHOWN = 3
REASONS = (AMBIGUOUS, BUILTIN, DYNAMIC, EXTERNAL, UNKNOWN)
_DEFINED_IN = 8  # lines of a definition in which its own name may stand
_NO_USE = re.compile(r"(?:#(?!\s*define)|//|/?\*|--|import\b|from\b|use\b|using\b|package\b)")
_MEMBER = r"(?:\.|->|\?\.)\s*%s\b(?!\s*\()"


def values_of(store: Store, found: Sequence[Definition]) -> list[str]:
    """``path:line`` of every place that uses one of these as a value or bare decorator."""
    ids = [d.id for d in found if d.kind in CALLABLE_KINDS]
    files = files_by_id(store)
    rows = store.linked("target", ids, ("references", "decorates"))
    places = {(files[row[6]].marks != 0, files[row[6]].path, row[3]) for row in rows}
    return [f"{path}:{line}" for _, path, line in sorted(places)]


def reads_of(store: Store, found: Sequence[Definition]) -> list[str]:
    """``path:line`` of reads of a member called like one of these properties that no edge tells
    the target of; of the first files that hold the name."""
    properties = [d for d in found if d.kind == "property"]
    out: list[str] = []
    for name in dict.fromkeys(d.name for d in properties):
        told = _told(store, name)
        member = re.compile(_MEMBER % re.escape(name))
        families = {LANGUAGES.get(d.language) for d in properties if d.name == name}
        said = occurrences(
            store, [name], lambda r, f=families: LANGUAGES.get(r.language) in f, _FILES, _PER_FILE
        )
        for file in said.files:
            lines = (p.line for p in file.places if member.search(p.text))
            out += [f"{file.file.path}:{n}" for n in lines if (file.file.path, n) not in told]
    return out


def mentions_of(store: Store, found: Sequence[Definition]) -> list[str]:
    """``path:line`` of code that holds the name of one of these functions where neither a
    definition, a call, an import nor a comment explains it; of the first files that hold it."""
    out: list[str] = []
    for name in dict.fromkeys(d.name for d in found if d.kind in CALLABLE_KINDS):
        told = _told(store, name) | _decided(store, name)
        defined = [
            (d.path, d.start_line, min(d.end_line, d.start_line + _DEFINED_IN))
            for d in store.named(name)
        ]
        said = occurrences(
            store, [name], lambda r: bool(LANGUAGES.get(r.language)), _FILES, _PER_FILE
        )
        for path, place in ((f.file.path, p) for f in said.files for p in f.places):
            inside = any(p == path and a <= place.line <= b for p, a, b in defined)
            if not inside and (path, place.line) not in told and not _NO_USE.match(place.text):
                out.append(f"{path}:{place.line}")
    return out


def _decided(store: Store, name: str) -> set[tuple[str, int]]:
    """The lines whose call of this name has a reason for having no target."""
    sites = store.unresolved_named(name, CALL_SITES, REASONS, _SITES)
    owners = store.definitions({site.source for site in sites})
    return {(owners[s.source].path, s.line) for s in sites if s.source in owners}


def _told(store: Store, name: str) -> set[tuple[str, int]]:
    """The lines from which an edge leads to something of this name."""
    files = files_by_id(store)
    ids = [d.id for d in store.named(name)]
    return {(files[row[6]].path, row[3]) for row in store.linked("target", ids, ())}


def sentences(store: Store, found: Sequence[Definition], called: bool) -> list[str]:
    """What a list of callers must say of these, which are ``called`` or not as far as is known;
    nothing when there is nothing to say."""
    values, reads = values_of(store, found), reads_of(store, found)
    name = found[0].name
    out: list[str] = []
    if values:
        out.append(
            f"{name!r} is also a value ({_some(values)}): calls through it may lead here unlisted"
        )
    elif not (called or reads) and (mentions := mentions_of(store, found)):
        out.append(f"{name!r} also stands, not as a known call, at {_some(mentions)}")
    if reads:
        out.append(f"Reads of {name!r} from unknown objects may lead here too: {_some(reads)}")
    return out


def _some(places: Sequence[str]) -> str:
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    return ", ".join(places[:_SHOWN]) + more
