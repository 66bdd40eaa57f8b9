"""Noticing edits: the kernel's file notifications through ``watchfiles``, asked at query time.

Only directories that hold indexed files are watched, each by itself, so an ignored ``node_modules``
costs nothing. Where notifications cannot be had (limits, network drives) the caller sweeps by stat.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from watchfiles._rust_notify import RustNotify

_POLL_MS = 2  # an event that is already queued is delivered within this time


class Watcher:
    """File notifications of one working tree."""

    def __init__(self, root: Path, paths: Iterable[str]) -> None:
        """Watch the directories that hold ``paths``; ``reason`` says why that failed, if it did."""
        self.root = os.path.realpath(root)
        self.reason = ""
        self._notify: RustNotify | None = None
        folders = sorted({os.path.dirname(path) for path in paths} | {""})
        self._watch(_with_parents(folders))

    def _watch(self, folders: list[str]) -> None:
        places = [os.path.join(self.root, folder) for folder in folders]
        places = [place for place in places if os.path.isdir(place)]
        try:
            self._notify = RustNotify(places, False, False, 0, False, True)
        except Exception as error:  # the extension raises OSError, FileNotFoundError and its own
            self.reason = f"file notifications are off ({error}); the tree is scanned instead"

    @property
    def works(self) -> bool:
        """Whether :meth:`poll` can be trusted."""
        return self._notify is not None

    def poll(self) -> set[str]:
        """Root-relative paths that changed since the last poll.

        Raises:
            OSError: notifications broke; sweep instead.
        """
        if self._notify is None:
            raise OSError(self.reason)
        found = self._notify.watch(1, 1, _POLL_MS, None)
        if isinstance(found, str):
            return set()
        prefix = len(self.root) + 1
        return {path[prefix:].replace(os.sep, "/") for _, path in found}

    def close(self) -> None:
        """Stop watching."""
        if self._notify is not None:
            self._notify.close()
            self._notify = None


def _with_parents(folders: Iterable[str]) -> list[str]:
    """A new folder shows in its parent, so parents without files are watched as well."""
    out: set[str] = set()
    for folder in folders:
        while folder not in out:
            out.add(folder)
            folder = os.path.dirname(folder)
    return sorted(out)
