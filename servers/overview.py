"""``module_overview``: what a file or folder is for, in the words of its documentation."""

from __future__ import annotations

from collections.abc import Sequence

from codeviews.core.doc_comments import parse_doc
from codeviews.core.facts import CALLABLE_KINDS, TYPE_KINDS
from codeviews.core.render import Answer
from codeviews.core.store import Definition, FileRecord
from codeviews.servers.listing import one_line
from codeviews.servers.nodes import definition_data
from codeviews.servers.outline import first_sentence
from codeviews.servers.places import files_of, no_file
from codeviews.servers.toolkit import Ask, Limit, ListParams, Text

SHOWN_KINDS = CALLABLE_KINDS | TYPE_KINDS | {"heading", "target", "constant"}


class OverviewParams(ListParams):
    """Parameters of module_overview."""

    path: Text
    limit: Limit = 100


def module_overview(ask: Ask) -> Answer:
    """The documentation of a file and of what it defines, or of the files of a folder."""
    params: OverviewParams = ask.params
    records = files_of(ask, params.path)
    kept = [r for r in records if ask.filter.keeps(r.path)]
    if not kept:
        return no_file(ask, params.path)
    return _file(ask, kept[0]) if len(records) == 1 else _folder(ask, kept)


def _file(ask: Ask, record: FileRecord) -> Answer:
    symbols = ask.store.symbols_of(record.path)
    own = symbols[0]
    parsed = parse_doc(own.doc, own.language) if own.doc else None
    answer = Answer()
    title = f"{record.path}:1  {record.language}, {record.lines:,} lines"
    answer.add(title, parsed.lines() if parsed else ["(the file itself has no documentation)"])
    shown = [d for d in symbols[1:] if d.kind in SHOWN_KINDS]
    page = shown[ask.offset : ask.offset + ask.params.limit]
    section = answer.add("Defines", [documented_line(d) for d in page], len(shown))
    section.offset = ask.offset
    if not shown:
        answer.add("", ["Nothing is defined in this file."])
    answer.note(_undocumented(shown))
    answer.data = {
        "path": record.path,
        "doc": own.doc,
        "symbols": [{**definition_data(d), "doc": first_sentence(d.doc)} for d in page],
        "total": len(shown),
    }
    return answer


def documented_line(definition: Definition) -> str:
    """A definition with its first sentence, indented by its depth in the file."""
    doc = first_sentence(definition.doc)
    return one_line(definition) + (f"  — {doc}" if doc else "")


def _undocumented(shown: Sequence[Definition]) -> str:
    code = [d for d in shown if d.kind not in ("heading", "target")]
    missing = sum(not d.doc for d in code)
    return f"{missing} of {len(code)} definitions have no documentation." if missing else ""


def _folder(ask: Ask, records: Sequence[FileRecord]) -> Answer:
    """README and package files first, then the rest in path order."""
    ordered = sorted(records, key=lambda r: (_depth(r.path), not _introduces(r.path), r.path))
    page = ordered[ask.offset : ask.offset + ask.params.limit]
    own = {d.file_id: d for d in ask.store.modules_of([r.id for r in page])}
    lines = [_folder_line(own[r.id]) for r in page if r.id in own]
    answer = Answer()
    title = f"{ask.params.path}: {len(records):,} files"
    section = answer.add(title, lines, len(ordered))
    section.offset = ask.offset
    answer.data = {
        "path": ask.params.path,
        "files": [{"path": d.path, "doc": first_sentence(d.doc)} for d in own.values()],
        "total": len(ordered),
    }
    return answer


def _depth(path: str) -> int:
    return path.count("/")


def _introduces(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return name.startswith(("readme", "__init__.", "index.", "mod.rs", "doc.go", "package-info"))


def _folder_line(own: Definition) -> str:
    doc = first_sentence(own.doc)
    return f"{own.path}:1" + (f"  {doc}" if doc else "")
