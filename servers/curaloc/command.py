"""``codeviews localize``: a report in, ranked edit locations out."""

from __future__ import annotations

import sys
from pathlib import Path

from codeviews.core.config import MAX_QUERY_CHARS
from codeviews.core.errors import MisuseError
from codeviews.core.render import Answer
from codeviews.core.session import Session
from codeviews.servers.curaloc.answers import shown
from codeviews.servers.curaloc.pipeline import localize
from codeviews.servers.curaloc.planners import planner
from codeviews.servers.indexing import ensure_index


def run(
    report: str, planner_name: str, models: tuple[str, str], repo: Path, home: Path | None
) -> Answer:
    """Localize a report in a repository; builds the index first when there is none.

    ``models`` are the planner's own and the one that summarizes ("" is the same).

    Raises:
        MisuseError: no such planner, an unreadable or empty report, a missing package or key.
    """
    chosen = planner(planner_name, models[0], {"summary_model": models[1]})
    text = read_report(report)
    session = Session(repo, home)
    try:
        ensure_index(session)
        snapshot = session.snapshot()
        with session.reading() as store:
            found = localize(store, text, chosen, folder=session.database.parent)
    finally:
        session.close()
    answer = shown(found)
    answer.header = snapshot.line()
    answer.data["coverage"] = snapshot.coverage()
    return answer


def read_report(name: str) -> str:
    """The report's text; of a longer one than a query may be, its beginning.

    Raises:
        MisuseError: it cannot be read, or is empty.
    """
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise MisuseError(f"the report {name} cannot be read ({error.strerror})") from error
    text = raw.decode("utf-8", "replace")
    if not text.strip():
        raise MisuseError("the report is empty: give a file with the text of the issue")
    return text[:MAX_QUERY_CHARS]
