"""``<view>_files`` and ``<view>_status``: the tree with counts, and what the index covers."""

from __future__ import annotations

from functools import partial

from codeviews.core.kept import all_files, files_in_part, kept
from codeviews.core.marks import mark_names
from codeviews.core.render import Answer
from codeviews.core.store import FileRecord
from codeviews.servers.toolkit import Ask, Limit, ListParams, StatusParams, Tool


class FilesParams(ListParams):
    """Parameters of ``_files``."""

    limit: Limit = 200


def files_tool(view: str) -> Tool:
    """The files tool of a view."""
    text = "Which files are there, with their symbols and this view's edges per file?"
    return Tool(f"{view}_files", text, FilesParams, partial(_files, view))


def status_tool(view: str) -> Tool:
    """The status tool of a view."""
    text = "How complete and fresh is the index: files, languages, edges, what was skipped?"
    return Tool(f"{view}_status", text, StatusParams, partial(_status, view))


def _files(view: str, ask: Ask) -> Answer:
    params: FilesParams = ask.params
    records = [r for r in all_files(ask.store) if ask.filter.keeps(r.path)]
    shown = records[ask.offset : ask.offset + params.limit]
    counts = ask.store.file_counts([record.id for record in shown], view)
    answer = Answer(found=bool(records))
    lines = [_file_line(record, *counts.get(record.id, (0, 0))) for record in shown]
    section = answer.add("Files", lines, len(records))
    section.offset = ask.offset
    if not records:
        answer.add("", ["No indexed file matches these paths."])
        skipped = [f"{p} was skipped: {r}" for p, r in ask.store.skipped() if ask.filter.keeps(p)]
        more = f" and {len(skipped) - 3:,} more" if len(skipped) > 3 else ""
        answer.note("; ".join(skipped[:3]) + more)
        answer.note("'codeviews why PATH' tells why a file is not in the index.")
    answer.data = {
        "files": [
            {
                "path": r.path,
                "language": r.language,
                "lines": r.lines,
                "symbols": counts.get(r.id, (0, 0))[0],
                "edges": counts.get(r.id, (0, 0))[1],
                "marks": mark_names(r.marks),
            }
            for r in shown
        ],
        "total": len(records),
    }
    return answer


def _file_line(record: FileRecord, symbols: int, edges: int) -> str:
    marks = f"  [{', '.join(mark_names(record.marks))}]" if record.marks else ""
    note = f"  ({record.note})" if record.note else ""
    return (
        f"{record.path}:1  {record.language}, {record.lines:,} lines, {symbols} symbols, "
        f"{edges} edges{marks}{note}"
    )


def _status(view: str, ask: Ask) -> Answer:
    store = ask.store
    counts = kept(store, "counts", store.counts)
    edges = kept(store, "edge counts", store.edge_counts)
    reasons = kept(store, "reason counts", store.reason_counts)
    skipped = store.skipped()
    answer = Answer()
    state = "complete" if ask.snapshot.complete else f"incomplete ({ask.snapshot.phase})"
    answer.add(
        "Index",
        [
            f"{state}; {counts['files']:,} files, {counts['symbols']:,} symbols, "
            f"{counts['edges']:,} edges, {counts['unresolved']:,} sites without a target, "
            f"{counts['skipped']:,} files skipped",
            f"database {store.path}",
        ],
    )
    languages = [(k.removeprefix("files:"), n) for k, n in counts.items() if k.startswith("files:")]
    ordered = sorted(languages, key=lambda pair: (-pair[1], pair[0]))
    answer.add("Languages", [f"{name}: {n:,} files" for name, n in ordered])
    answer.add("Edges by kind and tier", [f"{k} {t}: {n:,}" for (k, t), n in sorted(edges.items())])
    answer.add("Sites without a target", [f"{r}: {n:,}" for r, n in sorted(reasons.items())])
    answer.add("Skipped files", [f"{path}: {reason}" for path, reason in skipped])
    in_part = [(record.path, record.note) for record in files_in_part(store)]
    answer.add("Files read in part" if in_part else "", [f"{p}: {note}" for p, note in in_part])
    answer.data = {
        "view": view,
        "counts": counts,
        "edges": {f"{k}:{t}": n for (k, t), n in sorted(edges.items())},
        "unresolved": reasons,
        "skipped": [{"path": p, "reason": r} for p, r in skipped],
        "in_part": [{"path": p, "reason": note} for p, note in in_part],
    }
    return answer
