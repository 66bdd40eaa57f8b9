"""Building an index from the command line, with progress on standard error."""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from codeviews.core.history import State
from codeviews.core.index import Progress as Report
from codeviews.core.index import silent
from codeviews.core.kept import files_in_part
from codeviews.core.session import Session

SHOWN_IN_PART = 5  # files read in part that a status names
_LABELS = {"scan": "scanning", "extract": "reading files", "resolve": "resolving calls"}


@contextmanager
def progress_bar(quiet: bool) -> Generator[Report]:
    """A progress bar on standard error; nothing when quiet or not a terminal."""
    console = Console(file=sys.stderr)
    if quiet or not console.is_terminal:
        yield silent
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as bar:
        task = bar.add_task("scanning", total=None)

        def show(phase: str, done: int, total: int) -> None:
            bar.update(
                task, description=_LABELS.get(phase, phase), completed=done, total=total or None
            )

        yield show


def build(
    path: Path, home: Path | None, jobs: int | None, resolver: str, quiet: bool
) -> dict[str, Any]:
    """Build or refresh; the report of DESIGN section 9 as a dictionary."""
    session = Session(path, home)
    try:
        with progress_bar(quiet) as show:
            return asdict(session.build(jobs, show, resolver))
    finally:
        session.close()


def ensure_index(session: Session) -> None:
    """Build in the foreground when there is no usable index yet."""
    if not session.ready():
        print(f"codeviews: indexing {session.root} first", file=sys.stderr)
        with progress_bar(quiet=False) as show:
            session.build(progress=show)


def status_of(path: Path, home: Path | None) -> dict[str, Any]:
    """What ``codeviews status`` prints; builds nothing."""
    session = Session(path, home)
    try:
        state: dict[str, Any] = {
            "root": str(session.root),
            "database": str(session.database),
            "exists": session.database.exists(),
        }
        if not state["exists"]:
            return state | {"advice": "run 'codeviews index'"}
        store = session.store
        if not store.current():
            return state | {"current": False, "advice": "made by another version: it is rebuilt"}
        complete = session.ready() and store.meta("resolved") == "1"
        changed = session.pending()
        state |= {"complete": complete, "progress": store.progress(), "changed": changed}
        state["in_part"] = [{"path": r.path, "reason": r.note} for r in files_in_part(store)]
        state["history"] = State.of(store.meta("history")).text
        return state | {"bytes": session.database.stat().st_size, **store.counts()}
    finally:
        session.close()


def status_text(state: Mapping[str, Any]) -> str:
    """The state as lines for people."""
    lines = [f"{state['root']}: {_how_complete(state)}"]
    if "files" in state:
        languages = {k.partition(":")[2]: v for k, v in state.items() if k.startswith("files:")}
        most = sorted(languages.items(), key=lambda item: (-item[1], item[0]))
        of = ", ".join(f"{name or 'text'} {count:,}" for name, count in most)
        part = state["in_part"]
        in_part = f", {len(part):,} read in part" if part else ""
        lines.append(f"{state['files']:,} files ({of}); {state['skipped']:,} skipped{in_part}")
        lines += [f"  {file['path']}: {file['reason']}" for file in part[:SHOWN_IN_PART]]
        if part[SHOWN_IN_PART:]:
            lines.append(f"  ... and {len(part) - SHOWN_IN_PART:,} more: status --json")
        lines.append(
            f"{state['symbols']:,} symbols, {state['edges']:,} edges, "
            f"{state['unresolved']:,} sites without a target"
        )
        lines.append(f"git history: {state['history']}")
        lines.append(f"{state['database']} ({state['bytes'] / 1e6:,.1f} MB)")
    return "\n".join(lines)


def _how_complete(state: Mapping[str, Any]) -> str:
    if "advice" in state:
        return f"no index; {state['advice']}" if not state["exists"] else state["advice"]
    if not state["complete"]:
        step = state["progress"]
        return f"being built ({step.get('phase')} {step.get('done', 0)}/{step.get('total', 0)})"
    changed = state["changed"]
    if not changed:
        return "complete and up to date"
    named = ", ".join(changed[:3]) + (", ..." if len(changed) > 3 else "")
    return f"complete; {len(changed):,} files changed since ({named}): the next answer reads them"
