"""Which entries of a tree count: all rules put together, one entry at a time.

Order of authority: ``.codeviewsignore`` (the last word, with negation), then the folders that are
never source, then git's rules inside a work tree, where a tracked file counts whatever they say.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from codeviews.core import git
from codeviews.core.errors import CodeviewsError
from codeviews.core.files import read
from codeviews.core.ignore import (
    GIT_FILE,
    OWN_FILE,
    PRUNED_DIRECTORIES,
    RULE_FILE_BYTES,
    VENV_MARKER,
    RuleSet,
    first_match,
    parse_rules,
)

OPEN = ""
CLOSED = "closed"
CLOSED_BY_GIT = "closed by git"

BY = "ignored by "
NESTED = "another repository nested in this one"
VIRTUAL_ENVIRONMENT = "a Python virtual environment"


class WorkTree:
    """A git work tree at ``prefix`` ("" or ``a/b/``) below the walked root."""

    def __init__(self, root: Path, prefix: str) -> None:
        self.root = root / prefix
        self._skip = len(prefix)

    @cached_property
    def _tracked(self) -> frozenset[str]:
        return git.tracked(self.root)

    def tracks(self, path: str) -> bool:
        """Whether git's index holds this file, or a file in this directory."""
        return path[self._skip :] in self._tracked


@dataclass(frozen=True, slots=True)
class Folder:
    """A directory on the way down: ``prefix`` is "" or ends in a slash.

    In a folder with ``closed`` set, ignored itself, only what is brought back by name counts.
    """

    prefix: str
    own_rules: tuple[RuleSet, ...] = ()
    git_rules: tuple[RuleSet, ...] = ()
    tree: WorkTree | None = None
    closed: str = OPEN

    def child(self, name: str, closed: str) -> Folder:
        """The folder below, before its own ignore files are read."""
        prefix = f"{self.prefix}{name}/"
        return Folder(prefix, self.own_rules, self.git_rules, self.tree, closed)


class Verdict(NamedTuple):
    """Whether one entry counts and why. Some ignored directories must be entered all the same."""

    ignored: bool
    why: str
    enter: bool = False
    closes: str = CLOSED


COUNTS = Verdict(False, "no rule ignores it", True, OPEN)
GIT_DATA = Verdict(True, "git's own data")


def top_folder(root: Path, prefix: str = "", own_rules: tuple[RuleSet, ...] = ()) -> Folder:
    """The folder a walk starts in, or the top of a nested repository."""
    directory = git.directory_of(root / prefix)
    if directory is None:
        return Folder(prefix, own_rules)
    exclude = git.common_directory_of(directory) / "info" / "exclude"
    sources = [(exclude, f"{prefix}.git/info/exclude"), (git.user_excludes_file(), "")]
    rules = tuple(
        parse_rules(data, label or str(path), prefix)
        for path, label in sources
        if path is not None and (data := _rule_bytes(path.parent, path.name))
    )
    return Folder(prefix, own_rules, rules, WorkTree(root, prefix))


def entered(root: Path, folder: Folder, names: set[str], include_nested: bool) -> Folder | str:
    """The folder with its ignore files read, or why not to go in. ``names`` are its entries."""
    if folder.prefix and VENV_MARKER in names:
        return VIRTUAL_ENVIRONMENT
    if folder.prefix and ".git" in names and git.directory_of(root / folder.prefix) is not None:
        if not include_nested:
            return NESTED
        folder = replace(top_folder(root, folder.prefix, folder.own_rules), closed=folder.closed)
    if GIT_FILE in names and folder.tree is not None:
        folder = replace(folder, git_rules=(*_rules(root, folder, GIT_FILE), *folder.git_rules))
    if OWN_FILE in names:
        folder = replace(folder, own_rules=(*_rules(root, folder, OWN_FILE), *folder.own_rules))
    return folder


def judge(folder: Folder, name: str, is_directory: bool) -> Verdict:
    """Whether the entry ``name`` of an entered folder counts."""
    path = folder.prefix + name
    if name == ".git":
        return GIT_DATA
    own = first_match(folder.own_rules, name, path, is_directory) if folder.own_rules else None
    if own is not None and own.negated:
        return Verdict(False, f"{own.where()} brings it back", True, OPEN)
    if own is not None:
        return Verdict(True, f"{BY}{own.where()}", is_directory and _reopened(folder, path))
    if folder.closed:
        return _judge_closed(folder, path, is_directory)
    if is_directory and name in PRUNED_DIRECTORIES:
        return Verdict(True, f"folders named {name} are never source", _reopened(folder, path))
    rule = first_match(folder.git_rules, name, path, is_directory) if folder.git_rules else None
    if rule is None or rule.negated:
        return COUNTS
    return _judge_git(folder, path, is_directory, f"{BY}{rule.where()}")


def _judge_git(folder: Folder, path: str, is_directory: bool, why: str) -> Verdict:
    if folder.tree is None or not folder.tree.tracks(path):
        return Verdict(True, why, is_directory and _reopened(folder, path))
    if is_directory:
        return Verdict(True, why, True, CLOSED_BY_GIT)
    return Verdict(False, f"git tracks it, else it would be {why}", True, OPEN)


def _judge_closed(folder: Folder, path: str, is_directory: bool) -> Verdict:
    why = f"ignored with its folder {folder.prefix}"
    if folder.closed == CLOSED_BY_GIT:
        return _judge_git(folder, path, is_directory, why)
    return Verdict(True, why, is_directory and _reopened(folder, path))


def _reopened(folder: Folder, path: str) -> bool:
    return any(path in rules.reopened for rules in folder.own_rules)


def _rules(root: Path, folder: Folder, name: str) -> tuple[RuleSet, ...]:
    data = _rule_bytes(root, folder.prefix + name)
    return (parse_rules(data, folder.prefix + name, folder.prefix),) if data else ()


def _rule_bytes(base: Path, name: str | os.PathLike[str]) -> bytes:
    try:
        return read(base, os.fspath(name), RULE_FILE_BYTES)
    except CodeviewsError:
        return b""
