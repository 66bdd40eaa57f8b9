"""Noticing edits: the kernel's file notifications, asked at query time.

Only directories that a walk enters are watched, each by itself, so an ignored ``node_modules``
costs nothing. On Linux the kernel's queue is read directly (:mod:`codeviews.core.inotify`),
elsewhere through ``watchfiles``. Where neither can be had (limits, network drives) the caller
sweeps by stat.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Protocol

from watchfiles._rust_notify import RustNotify

from codeviews.core.inotify import Inotify

_POLL_MS = 10  # how long an event may take through the thread of ``watchfiles``


class Notifications(Protocol):
    """What reports changes below a root; paths are relative to it."""

    def add(self, folder: str) -> None:
        """Watch one more directory."""
        ...

    def poll(self) -> set[str]:
        """Paths touched since the last poll."""
        ...

    def close(self) -> None:
        """Stop watching."""
        ...


class Portable:
    """Notifications through ``watchfiles``; a new set of directories starts a new watch."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._folders: set[str] = set()
        self._started: set[str] = set()
        self._notify: RustNotify | None = None

    def add(self, folder: str) -> None:
        """Watch a directory from the next poll on."""
        self._folders.add(folder)

    def poll(self) -> set[str]:
        """Paths touched since the last poll; "" right after the set of directories has grown."""
        if self._notify is None or self._folders != self._started:
            self._start()
            return {""}
        found = self._notify.watch(1, 1, _POLL_MS, None)
        if isinstance(found, str):
            return set()
        prefix = len(self._root) + 1
        return {path[prefix:].replace(os.sep, "/") for _, path in found}

    def close(self) -> None:
        """Stop watching."""
        if self._notify is not None:
            self._notify.close()
            self._notify = None

    def _start(self) -> None:
        self.close()
        self._folders = {f for f in self._folders if os.path.isdir(os.path.join(self._root, f))}
        places = [os.path.join(self._root, folder) for folder in sorted(self._folders)]
        self._notify = RustNotify(places, False, False, 0, False, True)
        self._started = set(self._folders)


class Watcher:
    """File notifications of one working tree; ``reason`` says why they are off, if they are."""

    def __init__(self, root: Path) -> None:
        self.reason = ""
        self._notify: Notifications | None = None
        real = os.path.realpath(root)
        try:
            self._notify = Inotify(real) if sys.platform == "linux" else Portable(real)
        except OSError as error:
            self._give_up(error)

    @property
    def works(self) -> bool:
        """Whether :meth:`poll` can be trusted."""
        return self._notify is not None

    def add(self, folder: str) -> None:
        """Watch a directory of the tree ("" is the root); call it before listing it."""
        if self._notify is not None:
            try:
                self._notify.add(folder.rstrip("/"))
            except OSError as error:
                self._give_up(error)

    def poll(self) -> set[str]:
        """Root-relative paths that changed since the last poll; "" means: look at everything."""
        if self._notify is None:
            return {""}
        try:
            return self._notify.poll()
        except Exception as error:  # watchfiles raises OSError and errors of its own
            self._give_up(error)
            return {""}

    def close(self) -> None:
        """Stop watching."""
        if self._notify is not None:
            self._notify.close()
            self._notify = None

    def _give_up(self, error: Exception) -> None:
        self.close()
        self.reason = f"file notifications are off ({error}); the tree is scanned instead"
