"""A build that is killed, stalled or out of room leaves a true index and says what it left out."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from codeviews.core import pool
from codeviews.core.files import FolderReader
from codeviews.core.index import Indexer
from codeviews.core.pool import Outcome, extract_one
from codeviews.core.repository import Entry
from codeviews.core.session import Session

_BUILD = """
import os, signal, sys
from pathlib import Path
from codeviews.core import index, pool
pool.BATCH_FILES, index._COMMIT_BATCHES = 4, 2

def stop(phase, done, total):
    if phase == sys.argv[3] and done >= int(sys.argv[4]):
        os.kill(os.getpid(), int(sys.argv[5]))

index.Indexer(Path(sys.argv[1]), Path(sys.argv[2]), 2, stop).build()
"""
_LIMITED = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
runpy.run_module("codeviews.servers.cli", run_name="__main__")
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    for i in range(40):
        calls = f"from m{i - 1} import f{i - 1}\n\n" if i else ""
        body = f"f{i - 1}()" if i else "0"
        (root / f"m{i}.py").write_text(f"{calls}def f{i}():\n    return {body}\n")
    return root


def content(database: Path) -> dict[str, list[Any]]:
    """Everything the index says, without ids and times."""
    db = sqlite3.connect(database)
    name = "(SELECT f.path || ':' || s.qualname FROM symbol s JOIN file f ON f.id = s.file_id "
    queries = {
        "files": "SELECT path, hash, lines FROM file",
        "symbols": "SELECT f.path, s.qualname FROM symbol s JOIN file f ON f.id = s.file_id",
        "edges": f"SELECT {name} WHERE s.id = source), {name} WHERE s.id = target), line FROM edge",
        "words": "SELECT count(*) FROM symbol_text WHERE symbol_text MATCH 'return'",
        "text": "SELECT count(*) FROM file_text WHERE file_text MATCH 'import'",
    }
    out = {key: sorted(db.execute(sql)) for key, sql in queries.items()}
    db.close()
    return out


def built(root: Path, database: Path) -> dict[str, list[Any]]:
    """What a build in this process makes of the tree and of what is in the database already."""
    indexer = Indexer(root, database, jobs=1)
    indexer.build()
    indexer.writer.close()
    return content(database)


@pytest.mark.parametrize(
    ("phase", "done", "how"),
    [
        ("extract", 9, signal.SIGKILL),
        ("extract", 20, signal.SIGINT),
        ("resolve", 0, signal.SIGKILL),
    ],
)
def test_a_stopped_build_is_known_as_incomplete_and_goes_on_to_the_same_index(
    tree: Path, tmp_path: Path, phase: str, done: int, how: signal.Signals
) -> None:
    database = tmp_path / "stopped.db"
    argv = [sys.executable, "-c", _BUILD, str(tree), str(database), phase, str(done), str(int(how))]
    stopped = subprocess.run(argv, capture_output=True, text=True)
    assert stopped.returncode == -how
    db = sqlite3.connect(database)
    kept = db.execute("SELECT count(*) FROM file").fetchone()[0]
    complete = db.execute("SELECT count(*) FROM meta WHERE key = 'built_ns'").fetchone()[0]
    db.close()
    assert complete == 0
    assert (0 < kept < 40) if phase == "extract" else kept == 40
    assert built(tree, database) == built(tree, tmp_path / "fresh.db")


def _misbehaving(reader: FolderReader, entry: Entry) -> Outcome:
    if entry.path == "m7.py":
        os._exit(3)
    while entry.path == "m9.py":
        time.process_time()
    return extract_one(reader, entry)


def test_a_file_that_stalls_or_kills_its_worker_costs_only_itself(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "extract_one", _misbehaving)
    monkeypatch.setattr(pool, "FILE_CPU_SECONDS", 0.3)
    monkeypatch.setattr(pool, "BATCH_FILES", 6)
    indexer = Indexer(tree, tmp_path / "index.db", jobs=2)
    report = indexer.build()
    indexer.writer.close()
    assert {s["path"]: s["reason"] for s in report.skipped} == {
        "m7.py": "the parser crashed on it",
        "m9.py": "took more than 0 s of CPU time",
    }
    assert report.files == 38


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of file sizes there")
def test_a_full_disk_is_one_sentence_and_the_next_build_goes_on(tree: Path, tmp_path: Path) -> None:
    for i in range(40):
        lines = [f"def g{i}_{j}(): return 'word{i}x{j}'" for j in range(200)]
        (tree / f"m{i}.py").write_text("\n".join(lines) + "\n")
    home = tmp_path / "home"
    command = ["index", str(tree), "--index-dir", str(home)]
    full = subprocess.run(
        [sys.executable, "-c", _LIMITED, *command], capture_output=True, text=True
    )
    assert (full.returncode, full.stdout) == (1, "")
    assert full.stderr.startswith(f"codeviews: the index in {home}")
    assert "free some space" in full.stderr
    assert full.stderr.count("\n") == 1
    session = Session(tree, home)
    assert not session.ready()
    session.build(jobs=1)
    assert content(session.database) == built(tree, tmp_path / "fresh.db")
    session.close()


def test_an_edit_that_a_backward_clock_gives_the_old_stamp_is_seen(
    tree: Path, tmp_path: Path
) -> None:
    target, ahead = tree / "m3.py", time.time_ns() + 3_600_000_000_000
    os.utime(target, ns=(ahead, ahead))
    before = built(tree, tmp_path / "index.db")
    target.write_text(target.read_text().replace("def f3", "def g3"))
    os.utime(target, ns=(ahead, ahead))
    after = built(tree, tmp_path / "index.db")
    assert ("m3.py", "f3") in before["symbols"]
    assert ("m3.py", "g3") in after["symbols"]


def test_entries_of_catalogues_and_generated_data_are_text_of_their_file_only(
    tmp_path: Path,
) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "django.po").write_text('msgid "Zebra"\nmsgstr "Streifenpferd"\n')
    (root / "package-lock.json").write_text('{"packages": {"okapi": "1.0"}}')
    (root / "settings.json").write_text('{"colours": {"gazelle": "brown"}}')
    session = Session(root, tmp_path / "home")
    session.build(jobs=1)

    def found(word: str) -> tuple[int, int]:
        store = session.store
        return store.match_count("symbol_text", word), store.match_count("file_text", word)

    assert [found(w) for w in ("zebra", "okapi", "gazelle")] == [(0, 1), (0, 1), (2, 1)]
    assert found("django") == (1, 1)
    (root / "django.po").write_text('msgid "Tapir"\nmsgstr "Schabrackentapir"\n')
    session.snapshot()
    assert [found(w) for w in ("zebra", "tapir", "django")] == [(0, 0), (0, 1), (1, 1)]
    session.close()
