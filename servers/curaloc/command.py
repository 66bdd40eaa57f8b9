"""``codeviews localize``: a report in, ranked edit locations out."""

from __future__ import annotations

import codecs
import sys
from pathlib import Path

from codeviews.core.errors import MisuseError
from codeviews.core.render import Answer
from codeviews.core.session import Session
from codeviews.servers.curaloc.answers import shown
from codeviews.servers.curaloc.pipeline import localize
from codeviews.servers.curaloc.planners import planner
from codeviews.servers.indexing import ensure_index

_ODD_SHARE = 0.1  # of characters that no text holds, from which on a report is binary


def run(
    report: str, planner_name: str, models: tuple[str, str], repo: Path, home: Path | None
) -> Answer:
    """Localize a report in a repository; builds the index first when there is none.

    ``models`` are the planner's own and the one that summarizes ("" is the same).

    Raises:
        MisuseError: no such planner, an unreadable or empty report, a missing package or key, or a
            model for the planner that asks none.
    """
    if planner_name == "lexical" and any(models):
        raise MisuseError("the lexical planner asks no model: add --planner anthropic or openai")
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
    """The report's text, whatever its encoding.

    Raises:
        MisuseError: it cannot be read, is empty or no text.
    """
    text = _decoded(_bytes_of(name))
    if not text.strip():
        raise MisuseError("the report is empty: give a file with the text of the issue")
    odd = sum(text.count(letter) for letter in ("\ufffd", "\0"))
    if odd > len(text) * _ODD_SHARE:
        raise MisuseError(f"the report {name} is not text: give a file with the text of the issue")
    return text


def _bytes_of(name: str) -> bytes:
    if name == "-" and sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise MisuseError("standard input is closed: give a file with the text of the issue")
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise MisuseError(f"the report {name} cannot be read ({error.strerror})") from error


def _decoded(raw: bytes) -> str:
    """UTF-8, or UTF-16 as its byte order mark says."""
    wide = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return raw.decode("utf-16" if wide else "utf-8-sig", "replace")
