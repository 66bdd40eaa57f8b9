"""What git's history of a tree adds to its index: the last commits' messages and changed files.

Read when an index is built, and again when ``HEAD`` moved: only the new commits where the old ones
are still among its ancestors. A tree without usable history is ranked without it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from codeviews.core import config, git
from codeviews.core.store_history import Commit
from codeviews.core.store_write import Writer

ABSENT = "none: not a git work tree"
UNREADABLE = "none: git is missing or cannot read this repository's commits"
NO_COMMITS = "none: no commit yet"


class State(NamedTuple):
    """What an index knows of its tree's history: the mark and hash of the commit it was read to,
    and one phrase for people."""

    mark: str = ""
    head: str = ""
    text: str = ABSENT

    @staticmethod
    def of(stored: str) -> State:
        """From the ``history`` value of the index."""
        return State(*json.loads(stored)) if stored else State()


def is_current(root: Path, stored: str) -> bool:
    """Whether the history in the index is that of the checked-out commit; starts no process."""
    return State.of(stored).mark == git.head_mark(root)


def update_history(root: Path, writer: Writer) -> None:
    """Bring the commits in the index up to ``HEAD``; does nothing when it did not move.

    Raises:
        StorageError: the disk is full.
    """
    known, mark = State.of(writer.meta("history")), git.head_mark(root)
    if known.mark == mark:
        return
    head = (git.head_commit(root) or "") if mark else ""
    follows = bool(known.head and head and git.is_ancestor(root, known.head, head))
    revisions = f"{known.head}..{head}" if follows else head
    written, whole = _log(root, revisions) if head else (b"", False)
    with writer.transaction():
        writer.add_commits(_commits(written), config.HISTORY_COMMITS, anew=not follows)
        text = _described(root, mark, head, whole, writer.commit_count())
        # Cut short, it is read from the start the next time.
        state = State(mark, head if whole else "", text)
        writer.set_meta("history", json.dumps(state))


def _log(root: Path, revisions: str) -> tuple[bytes, bool]:
    return git.log(
        root,
        revisions,
        config.HISTORY_COMMITS,
        config.HISTORY_SECONDS,
        config.HISTORY_BYTES,
    )


def _described(root: Path, mark: str, head: str, whole: bool, count: int) -> str:
    if not mark:
        return ABSENT
    if not head and git.is_unborn(root):
        return NO_COMMITS
    if not head or (not count and not whole):
        return UNREADABLE
    shallow = "; the clone is shallow" if git.is_shallow(root) else ""
    partial = "" if whole else "; git was stopped or failed before the end"
    return f"{count:,} commits{shallow}{partial}"


def _commits(log: bytes) -> Iterator[Commit]:
    """The commits that touch few enough files, newest first; paths that no index holds are out."""
    for record in log.split(b"\x01")[1:]:
        message, _, rest = record.partition(b"\x02")
        names = [os.fsdecode(name.strip(b"\n")) for name in rest.split(b"\0")]
        paths = tuple(name for name in names if name and "\n" not in name and name.isprintable())
        if 0 < len(paths) <= config.COMMIT_FILES:
            text = message.decode("utf-8", "replace").replace("\0", " ").strip()
            yield Commit(text[: config.COMMIT_CHARS], paths)
