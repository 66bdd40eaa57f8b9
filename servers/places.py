"""Files and folders as callers name them."""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import PurePosixPath

from codeviews.core.errors import MisuseError, NotFoundError, OutsideRootError
from codeviews.core.kept import all_files
from codeviews.core.languages import language_of
from codeviews.core.lookup import resolve_path
from codeviews.core.render import Answer
from codeviews.core.repository import explain
from codeviews.core.store import FileRecord
from codeviews.servers.toolkit import Ask

NEAREST = 10  # files listed where a path is not found
LONGEST_SHOWN = 300  # characters of a path that is said again
CLOSE = 0.7  # how alike a file's name has to be to be one of them


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
    path = relative(ask, text)
    ending = ask.store.paths_ending(path)
    if len(ending) < 2 and not _is_path(ask, path):
        return ask.not_found(ask.look_up(text))
    title, near = _near(ask, path, ending)
    answer = Answer(found=False)
    absence = _absence(ask, path, len(ending))
    answer.add("", [absence])
    if near:
        answer.add(title, near[:NEAREST])
    answer.note("" if " is not indexed: " in absence else ask.excuse(path))
    answer.data = {"symbol": text, "results": [], "nearest": near[:NEAREST]}
    return answer


def _near(ask: Ask, path: str, ending: list[str]) -> tuple[str, list[str]]:
    """(what they are, files that may have been meant)."""
    if ending:
        return "Files that end so", ending
    known = [record.path for record in all_files(ask.store)]
    inside = [other for other in known if other.startswith(path + "/")]
    if inside:
        return "Files of that folder", inside
    folder = str(PurePosixPath(path).parent) + "/"
    beside = [other for other in known if other.startswith(folder)]
    names = {PurePosixPath(other).name: other for other in (*reversed(known), *beside)}
    close = get_close_matches(PurePosixPath(path).name, names, NEAREST, CLOSE)
    return "Nearest names", [names[name] for name in close]


def _is_path(ask: Ask, path: str) -> bool:
    known = language_of(path) not in ("", "text")
    return known or "/" in path or os.path.lexists(ask.session.root / path)


def _absence(ask: Ask, path: str, endings: int) -> str:
    path = path[:LONGEST_SHOWN]
    if endings:
        return f"Not found: {endings} files end with {path!r}; give more of the path."
    if not ask.snapshot.complete:
        return f"Not found so far: {path!r}; the index is still being built."
    try:
        why = explain(ask.session.root, path)
    except NotFoundError:
        return f"Not found: there is no file {path!r} in this repository."
    if why.startswith(f"{path} is indexed"):
        return f"Not found: {path} is not indexed yet; ask again."
    return f"Not found: {why}" if " is not " in why else f"Not found: {path} is a folder."
