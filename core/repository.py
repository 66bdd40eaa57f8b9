"""A repository on disk: its root, the files that count, and reading them safely.

The tree is hostile input. Symbolic links are never followed, only regular files are opened, every
read is bounded, and nothing of the repository's git configuration is obeyed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from codeviews.core import git
from codeviews.core.config import MAX_FILE_BYTES, MAX_PROSE_BYTES
from codeviews.core.errors import MisuseError, NotFoundError, UnreadableFileError
from codeviews.core.files import (
    BINARY_SUFFIXES,
    decode,
    leads_inside,
    not_text_reason,
    read,
    reason_of,
    relative_path,
    safe_join,
    to_utf8,
)
from codeviews.core.ignore import OWN_FILE, PRUNED_DIRECTORIES
from codeviews.core.languages import LANGUAGES, language_of
from codeviews.core.marks import mark_names, marks_of
from codeviews.core.verdict import BY, COUNTS, Folder, Verdict, entered, judge, top_folder

__all__ = [
    "Entry",
    "Skipped",
    "Walk",
    "WalkSettings",
    "decode",
    "explain",
    "find_root",
    "read",
    "relative_path",
    "safe_join",
    "to_utf8",
    "walk",
]

ALMOST_NOTHING = 0.02
"""Below this share of the tree's files the rules are worth a word to the user."""

COUNTED_FILES = 50_000
"""How far ignored folders are counted for that word."""


class Entry(NamedTuple):
    """A file that counts. ``path`` is root-relative with forward slashes; ``size`` is in bytes."""

    path: str
    size: int
    mtime_ns: int


class Skipped(NamedTuple):
    """Something the rules let through that still is not read, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class WalkSettings:
    """What a walk includes. ``max_file_bytes`` bounds one file, in bytes."""

    include_nested: bool = False
    max_file_bytes: int = MAX_FILE_BYTES


DEFAULT_SETTINGS = WalkSettings()


def find_root(path: str | os.PathLike[str]) -> Path:
    """The working tree that holds ``path``: the nearest folder with a ``.git``, else its folder.

    A linked worktree is its own root.

    Raises:
        MisuseError: when the path does not exist, or is a bare repository.
    """
    start = Path(path).expanduser().resolve()
    if not start.exists():
        raise MisuseError(f"{start} does not exist; give the folder of a repository")
    folder = start if start.is_dir() else start.parent
    for candidate in (folder, *folder.parents):
        if git.directory_of(candidate) is not None:
            return candidate
        if candidate.name != ".git" and git.is_bare(candidate):
            raise MisuseError(
                f"{candidate} is a bare git repository, without files; give a work tree of it "
                "('git worktree add' makes one)"
            )
    return folder


def walk(root: Path, settings: WalkSettings = DEFAULT_SETTINGS) -> Walk:
    """The files of the tree that count, in a fixed order; read ``skipped`` after the iteration."""
    return Walk(root, settings)


@dataclass(slots=True)
class Walk:
    """One pass over a tree. Iterate once, then ask for ``skipped`` and ``remark()``."""

    root: Path
    settings: WalkSettings = DEFAULT_SETTINGS
    on_folder: Callable[[str], None] | None = None
    """Told of each directory ("" or ``a/b/``) right before it is listed."""
    skipped: list[Skipped] = field(default_factory=list[Skipped])
    files: int = 0
    ignored_files: int = 0
    ignored_folders: list[str] = field(default_factory=list[str])
    _rules_hit: dict[str, int] = field(default_factory=dict[str, int])

    def __iter__(self) -> Iterator[Entry]:
        stack = [top_folder(self.root)]
        while stack:
            folder = stack.pop()
            below: list[Folder] = []
            for entry in self._folder(folder, below):
                self.files += 1
                yield entry
            stack.extend(reversed(below))

    def remark(self) -> str:
        """A sentence when ignore rules leave almost nothing of the tree, else ""."""
        if not self._rules_hit:
            return ""
        hidden = self.ignored_files + self._count_ignored(2 * int(self.files / ALMOST_NOTHING) + 1)
        if self.files >= ALMOST_NOTHING * (hidden + self.files):
            return ""
        rule = max(self._rules_hit, key=lambda why: self._rules_hit[why])
        return (
            f"Ignore rules hide {hidden:,} files or more and leave {self.files:,}; most {rule}. "
            f"`codeviews why PATH` explains; a line `!PATH` in {OWN_FILE} brings a path back."
        )

    def _folder(self, folder: Folder, below: list[Folder]) -> Iterator[Entry]:
        if self.on_folder is not None:
            self.on_folder(folder.prefix)
        try:
            with os.scandir(f"{self.root}/{folder.prefix}") as found:
                entries = sorted(found, key=_name)
        except OSError as error:
            self.skipped.append(Skipped(folder.prefix or ".", reason_of(error)))
            return
        names = {entry.name for entry in entries}
        inside = entered(self.root, folder, names, self.settings.include_nested)
        if isinstance(inside, str):
            self.skipped.append(Skipped(folder.prefix, inside))
            return
        judged = inside.own_rules or inside.git_rules or inside.closed or ".git" in names
        for entry in entries:
            is_directory = entry.is_dir(follow_symlinks=False)
            verdict = judge(inside, entry.name, is_directory) if judged or is_directory else COUNTS
            if is_directory and verdict.enter:
                below.append(inside.child(entry.name, verdict.closes))
            elif verdict.ignored:
                self._ignore(inside.prefix, entry.name, is_directory, verdict)
            elif (kept := self._file(inside.prefix + entry.name, entry)) is not None:
                yield kept

    def _file(self, path: str, entry: os.DirEntry[str]) -> Entry | None:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            self.skipped.append(Skipped(path, reason_of(error)))
            return None
        limit = self.settings.max_file_bytes
        reason = obstacle(self.root, path, status.st_mode, status.st_size, limit)
        if reason:
            self.skipped.append(Skipped(path, reason))
            return None
        return Entry(path, status.st_size, status.st_mtime_ns)

    def _ignore(self, prefix: str, name: str, is_directory: bool, verdict: Verdict) -> None:
        if is_directory and name in PRUNED_DIRECTORIES:
            return
        if is_directory:
            self.ignored_folders.append(prefix + name)
        elif name != ".git":
            self.ignored_files += 1
        self._rules_hit[verdict.why] = self._rules_hit.get(verdict.why, 0) + 1

    def _count_ignored(self, enough: int) -> int:
        """Files in ignored folders, counted until ``enough``."""
        count = 0
        for folder in self.ignored_folders:
            for _, _, names in os.walk(self.root / folder):
                count += len(names)
                if count >= min(enough, COUNTED_FILES):
                    return count
        return count


# Answers are lines of text, and such a name could pass for another line of one.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def obstacle(root: Path, path: str, mode: int, size: int, limit: int) -> str:
    """Why a file that no rule ignores is not read, as far as its name and status tell; else ""."""
    if not path.isascii() and not _is_unicode(path):
        return "its name is not UTF-8"
    if not path.isprintable() and _CONTROL.search(path):
        return "its name holds a control character"
    reason = not_text_reason(mode, size, limit)
    if reason == "symbolic link" and not leads_inside(root, root / path):
        return "symbolic link that leaves the repository"
    if not reason and path[path.rfind(".") :].lower() in BINARY_SUFFIXES:
        return "binary"
    return reason


def explain(root: Path, path: str, settings: WalkSettings = DEFAULT_SETTINGS) -> str:
    """One sentence on whether ``path`` is in the index and what decided it.

    Raises:
        OutsideRootError: for a path that leaves the root.
        NotFoundError: when nothing is there.
    """
    relative = relative_path(root, path)
    if not os.path.lexists(root / relative):
        raise NotFoundError(f"{relative} does not exist in {root}")
    folder: Folder | str = top_folder(root)
    *above, name = relative.split("/")
    for step in ("", *above):
        if step:
            folder, reason = _step(root, folder, step)
            if reason:
                return f"{relative} is not indexed: {reason}."
        folder = entered(
            root, folder, set(os.listdir(root / folder.prefix)), settings.include_nested
        )
        if isinstance(folder, str):
            return f"{relative} is not indexed: {folder}."
    return _explain_entry(root, folder, name, settings)


def _step(root: Path, folder: Folder, name: str) -> tuple[Folder, str]:
    """The folder below, and why it is not entered ("" when it is)."""
    path = folder.prefix + name
    if (root / path).is_symlink():
        return folder, f"{path} is a symbolic link"
    verdict = judge(folder, name, True)
    subject = f"{path}/ is " if verdict.why.startswith(BY) else ""
    reason = "" if verdict.enter else f"{subject}{verdict.why}"
    return folder.child(name, verdict.closes), reason


def _explain_entry(root: Path, folder: Folder, name: str, settings: WalkSettings) -> str:
    path = folder.prefix + name
    target = root / path
    is_directory = target.is_dir() and not target.is_symlink()
    verdict = judge(folder, name, is_directory) if name else Verdict(False, "it is the root", True)
    if verdict.ignored:
        also = "; files inside that are brought back still count" if verdict.enter else ""
        return f"{path} is not indexed: {verdict.why}{also}."
    if is_directory:
        return f"{path or '.'} is a folder whose files are indexed: {verdict.why}."
    status = target.lstat()
    limit = settings.max_file_bytes
    if not LANGUAGES[language_of(path)]:
        limit = min(limit, MAX_PROSE_BYTES)
    reason = obstacle(root, path, status.st_mode, status.st_size, limit)
    if reason:
        return f"{path} is not indexed: {reason}."
    return _explain_content(root, path, limit, verdict)


def _explain_content(root: Path, path: str, limit: int, verdict: Verdict) -> str:
    try:
        data = read(root, path, limit)
    except UnreadableFileError as error:
        return f"{path} is not indexed: {error.reason}."
    if to_utf8(data) is None:
        return f"{path} is not indexed: binary content."
    names = mark_names(marks_of(path, data))
    marks = f", marked {' and '.join(names)} and ranked lower" if names else ""
    return f"{path} is indexed as {language_of(path)}{marks}: {verdict.why}."


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _is_unicode(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
