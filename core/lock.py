"""One writer per index: an advisory file lock that dies with its process."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


def _try_lock(handle: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def writer_lock(path: Path, wait_s: float = 0.0) -> Generator[bool]:
    """Hold the lock file; yields whether this process became the writer within ``wait_s``."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        deadline = time.monotonic() + wait_s
        held = _try_lock(handle)
        while not held and time.monotonic() < deadline:
            time.sleep(0.01)
            held = _try_lock(handle)
        yield held
    finally:
        os.close(handle)
