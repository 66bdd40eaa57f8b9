"""Files and folders as callers name them."""

from __future__ import annotations

import os
from pathlib import PurePosixPath

from codeviews.core.errors import MisuseError, OutsideRootError
from codeviews.core.kept import all_files
from codeviews.core.lookup import resolve_path
from codeviews.core.render import Answer
from codeviews.core.store import FileRecord
from codeviews.servers.toolkit import Ask


def relative(ask: Ask, text: str) -> str:
    """A root-relative path for what was typed; it need not exist.

    Raises:
        OutsideRootError: it leaves the repository.
        MisuseError: it is no path at all.
    """
    typed = text.strip().strip("`'\"").replace("\\", "/")
    if not typed or "\0" in typed:
        raise MisuseError("the path is empty; give one relative to the repository")
    root = str(ask.session.root)
    full = os.path.normpath(os.path.join(root, typed))
    if full != root and not full.startswith(root + os.sep):
        raise OutsideRootError(typed[:200], root)
    return str(PurePosixPath(os.path.relpath(full, root)))


def file_of(ask: Ask, text: str) -> FileRecord | None:
    """The indexed file: by its path, its unique ending, or a symbol or place inside it.

    Raises:
        OutsideRootError: the path leaves the repository.
    """
    path = resolve_path(ask.store, relative(ask, text))
    if path is None:
        found = {d.path for d in ask.look_up(text).found}
        path = found.pop() if len(found) == 1 else None
    return ask.store.file(path) if path else None


def files_of(ask: Ask, text: str) -> list[FileRecord]:
    """The file as :func:`file_of` finds it, or all indexed files of a folder (``.`` = all).

    Raises:
        OutsideRootError: the path leaves the repository.
    """
    folder = relative(ask, text)
    inside = [r for r in all_files(ask.store) if folder == "." or r.path.startswith(folder + "/")]
    if inside:
        return inside
    one = file_of(ask, text)
    return [] if one is None else [one]


def withheld(path: str) -> Answer:
    """The answer about a file that changed after the index was brought up to date (CASES 1)."""
    answer = Answer()
    answer.add("", [f"{path} changed while this was answered; its text is withheld, ask again."])
    return answer


def no_file(ask: Ask, text: str) -> Answer:
    """The normal answer when nothing of that path is in the index (DESIGN 7.5)."""
    answer = ask.not_found(ask.look_up(text))
    answer.note("'codeviews why PATH' tells why a file is not in the index.")
    return answer
