"""The background build: a child process, so that no answer waits for it.

``python -m codeviews.core.builder ROOT DATABASE`` builds or refreshes under the writer lock. It
ends when its standard input closes, so it never outlives the server that started it (CASES 12).
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

from codeviews.core.config import BUILD_NICENESS
from codeviews.core.errors import CodeviewsError
from codeviews.core.index import Indexer
from codeviews.core.lock import writer_lock

BUSY = 3  # exit code: another process is the writer


def lock_path(database: Path) -> Path:
    """The lock file beside a database."""
    return database.with_name("writer.lock")


def start_build(root: Path, database: Path) -> subprocess.Popen[bytes]:
    """Start a build of ``root`` in the background; its last error line goes to ``build.log``."""
    database.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    log = database.with_name("build.log")
    with log.open("wb") as stderr:
        return subprocess.Popen(
            [sys.executable, "-P", "-E", "-m", "codeviews.core.builder", str(root), str(database)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            cwd=database.parent,
        )


def stop_build(process: subprocess.Popen[bytes]) -> None:
    """End a build and wait for it; what it had committed is kept."""
    if process.poll() is None:
        process.terminate()
    process.wait()
    if process.stdin:
        process.stdin.close()


def last_words(database: Path) -> str:
    """The last line that the last build of this index wrote to its log."""
    try:
        log = database.with_name("build.log").read_text("utf-8", "replace").strip()
    except OSError:
        return ""
    return log.splitlines()[-1] if log else ""


def _end_with_parent() -> None:
    while os.read(0, 4096):  # a thread inside sys.stdin at exit makes the interpreter abort
        pass
    os._exit(1)


def main(root: Path, database: Path) -> int:
    """Build under the lock; the exit code of the process."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(BUILD_NICENESS)
    with writer_lock(lock_path(database)) as held:
        if not held:
            return BUSY
        try:
            Indexer(root, database).build()
        except CodeviewsError as error:
            print(error, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), Path(sys.argv[2])))
