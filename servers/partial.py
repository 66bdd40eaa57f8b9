"""Files that were read in part, where an answer about calls must name them."""

from __future__ import annotations

from collections.abc import Sequence

from codeviews.core.kept import files_in_part
from codeviews.core.languages import LANGUAGES
from codeviews.core.store import Definition, FileRecord, Store, quote

_SHOWN = 2


def unread_callers(store: Store, found: Sequence[Definition]) -> list[str]:
    """A sentence when files that hold the name of one of these were read in part."""
    part = files_in_part(store)
    families = {LANGUAGES.get(d.language) for d in found}
    part = [record for record in part if LANGUAGES.get(record.language) in families]
    names = dict.fromkeys(d.name for d in found) if part else {}
    holding = {i for name in names for i in store.files_with(quote(name))}
    return _sentence([r for r in part if r.id in holding], "callers there may be missing")


def unread_calls(store: Store, found: Sequence[Definition]) -> list[str]:
    """A sentence when files of these definitions were read in part."""
    paths = {d.path for d in found}
    part = [record for record in files_in_part(store) if record.path in paths]
    return _sentence(part, "calls may be missing")


def _sentence(files: Sequence[FileRecord], meaning: str) -> list[str]:
    if not files:
        return []
    some = ", ".join(f"{record.path} ({record.note})" for record in files[:_SHOWN])
    more = f" and {len(files) - _SHOWN} more" if len(files) > _SHOWN else ""
    return [f"Read in part, so {meaning}: {some}{more}"]
