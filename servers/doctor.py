"""``codeviews doctor``: what could be wrong on this machine, and how to mend it."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from collections.abc import Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from codeviews.core.errors import CodeviewsError
from codeviews.core.languages import LANGUAGES, extractor
from codeviews.core.session import Session

HOSTS = ("claude", "codex", "opencode")


class Check(NamedTuple):
    """One thing looked at; ``detail`` says how to mend it when ``ok`` is False."""

    name: str
    ok: bool
    detail: str


def examine(path: Path, home: Path | None) -> list[Check]:
    """All checks, in a fixed order; a missing host is not a fault."""
    return [*_runtime(), *_grammars(), *_index(path, home), *_hosts()]


def _runtime() -> Iterator[Check]:
    yield Check("python", sys.version_info >= (3, 11), sys.version.split()[0])
    db = sqlite3.connect(":memory:")
    try:
        db.execute("CREATE VIRTUAL TABLE t USING fts5 (x)")
        yield Check("sqlite", True, f"{sqlite3.sqlite_version} with FTS5")
    except sqlite3.OperationalError:
        yield Check("sqlite", False, "without FTS5: use a Python whose sqlite3 has it")
    finally:
        db.close()
    try:
        yield Check("mcp", version("mcp").startswith("2."), version("mcp"))
    except PackageNotFoundError:
        yield Check("mcp", False, "not installed: pip install 'mcp>=2.3,<3'")


def _grammars() -> Iterator[Check]:
    missing = [name for name in LANGUAGES if isinstance(extractor(name), partial)]
    detail = f"missing for {', '.join(missing)}: reinstall codeviews" if missing else "all present"
    yield Check("grammars", not missing, detail)


def _index(path: Path, home: Path | None) -> Iterator[Check]:
    try:
        session = Session(path, home)
    except (CodeviewsError, OSError) as error:
        yield Check("index", False, str(error))
        return
    try:
        yield _integrity(session)
    finally:
        session.close()


def _integrity(session: Session) -> Check:
    if not session.database.exists():
        return Check("index", True, f"none yet for {session.root}; 'codeviews index' makes it")
    try:
        state = session.store.db.execute("PRAGMA quick_check").fetchone()[0]
        size = session.database.stat().st_size / 1e6
        return Check("index", state == "ok", f"{session.database} ({size:.1f} MB): {state}")
    except sqlite3.DatabaseError as error:
        return Check("index", False, f"{error}: delete {session.database}, it is only a cache")


def _hosts() -> Iterator[Check]:
    for host in HOSTS:
        found = shutil.which(host)
        yield Check(host, True, found or "not on PATH (only needed to use that host)")
