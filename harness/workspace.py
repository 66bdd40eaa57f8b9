"""A clean working tree per trial, and its index, with nothing of the future in reach.

A slot is a folder ``SLOTS/REPO@COMMIT/N`` with ``repo`` (what the agent sees), ``git`` (the
harness's own git directory for it, out of the agent's reach) and ``index``. Slots are reused by
later trials on the same commit: the tree is reset and the index restored from a pristine copy, so
every trial starts from the same bytes at the same path. The agent's ``.git`` has one branch, no
remotes and no later commits: a linked worktree would show it the fix in ``git log --all``.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from codeviews.harness.errors import HarnessError
from codeviews.harness.gitrepo import GitError, git, is_git, objects
from codeviews.harness.hosts.process import end_orphan
from codeviews.harness.tasks import Task


class NoRepository(HarnessError):
    """A task's repository or commit is not on this machine."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a task's tree comes from: a git repository and a commit in it."""

    repository: Path
    commit: str
    name: str


@dataclass(frozen=True, slots=True)
class Slot:
    """One working tree, held by one trial at a time."""

    folder: Path
    source: Source

    @property
    def repo(self) -> Path:
        """The tree the agent works in."""
        return self.folder / "repo"

    @property
    def index(self) -> Path:
        """The index folder of the mounted view."""
        return self.folder / "index"

    @property
    def child(self) -> Path:
        """Notes the running host, so that a later harness can end it."""
        return self.folder / "child.json"

    def git(self, *arguments: str | Path, index: Path | None = None) -> str:
        """Git on the tree through the harness's own git directory."""
        paths = (f"--git-dir={self.folder / 'git'}", f"--work-tree={self.repo}")
        return git(*paths, *arguments, cwd=self.repo, index=index)

    def reset(self, keep_ignored: bool = False) -> None:
        """Make the tree exactly the commit, whatever an earlier trial did to it; ``keep_ignored``
        leaves what an installation built there."""
        if not (self.folder / "git" / "HEAD").is_file():
            shutil.rmtree(self.folder / "git", ignore_errors=True)
            _empty(self.folder / "git", self.source.repository, bare=True)
        self.repo.mkdir(exist_ok=True)
        self.git("checkout", "--force", "--quiet", "--detach", self.source.commit)
        self.git("clean", "-ffdq" if keep_ignored else "-ffdxq", "-e", "/.git")
        self._own_git()

    def _own_git(self) -> None:
        """A fresh ``.git`` for the agent with a single branch at the commit."""
        own = self.repo / ".git"
        shutil.rmtree(own) if own.is_dir() and not own.is_symlink() else own.unlink(missing_ok=True)
        _empty(self.repo, self.source.repository, bare=False)
        git("update-ref", "refs/heads/task", self.source.commit, cwd=self.repo)
        git("symbolic-ref", "HEAD", "refs/heads/task", cwd=self.repo)
        shutil.copy2(self.folder / "git" / "index", own / "index")

    def changes(self) -> str:
        """Everything the trial changed or added, as one patch against the commit.

        Raises:
            GitError: the tree is gone.
        """
        scratch = self.folder / "changes.index"
        shutil.copy2(self.folder / "git" / "index", scratch)
        self.git("add", "--all", ".", index=scratch)
        flags = ("--cached", "--binary", "--no-color", "--no-ext-diff", "--no-textconv")
        patch = self.git("diff", *flags, self.source.commit, index=scratch)
        scratch.unlink()
        return patch


def _empty(folder: Path, repository: Path, bare: bool) -> None:
    """A repository without refs that borrows the objects of another."""
    folder.mkdir(parents=True, exist_ok=True)
    git("init", "--quiet", *(["--bare"] if bare else []), folder, "--template=")
    store = folder / ("" if bare else ".git") / "objects" / "info"
    store.mkdir(parents=True, exist_ok=True)
    (store / "alternates").write_text(f"{objects(repository)}\n")
    if bare:
        git("config", "core.bare", "false", cwd=folder)


def locate(task: Task, folder: str, cache: Path) -> Source:
    """The git repository of a task, out of the folder of repositories given for its benchmark.

    ``folder`` holds ``owner__name``, ``owner__name.git`` or ``name`` per repository, or is itself
    one repository or plain tree. A plain tree becomes a git repository under ``cache`` once.

    Raises:
        NoRepository: nothing fits, or the commit is not in it.
    """
    root = Path(folder) if folder else None
    if root is None or not root.is_dir():
        where = f"{folder} is no folder" if folder else "no folder of repositories was given"
        raise NoRepository(f"no repository for {task.repo}: {where} (--repos)")
    found = _choose(root, task.repo)
    if found == root and not is_git(root) and _holds_repositories(root):
        looked = ", ".join(path.name for path in _candidates(root, task.repo))
        raise NoRepository(f"no repository for {task.repo} in {root} (looked for {looked})")
    if not is_git(found):
        return _source(_snapshot(found, cache), "HEAD", found.name, task)
    return _source(found, task.commit or "HEAD", found.name, task)


def _source(repository: Path, revision: str, name: str, task: Task) -> Source:
    try:
        commit = git("rev-parse", "--verify", f"{revision}^{{commit}}", cwd=repository).strip()
    except GitError as error:
        raise NoRepository(f"{repository} has no commit {revision} (task {task.id})") from error
    place = hashlib.sha256(str(repository.resolve()).encode()).hexdigest()[:6]
    return Source(repository, commit, f"{name}-{place}")


def _choose(root: Path, repo: str) -> Path:
    """A repository in the folder; the folder itself when it is a tree of its own."""
    inside = [path for path in _candidates(root, repo) if path.is_dir()]
    repositories = [path for path in inside if is_git(path)]
    own_tree = is_git(root) or any(path.is_file() for path in root.iterdir())
    return next(iter(repositories or ([] if own_tree else inside)), root)


def _candidates(root: Path, repo: str) -> Iterator[Path]:
    owner, _, name = repo.rpartition("/")
    for stem in (f"{owner}__{name}" if owner else "", name):
        if stem:
            yield root / stem
            yield root / f"{stem}.git"


def _holds_repositories(root: Path) -> bool:
    return any(is_git(path) for path in root.iterdir() if path.is_dir())


def _snapshot(folder: Path, cache: Path) -> Path:
    """A plain tree as a git repository with one commit; made once, whole or not at all."""
    place = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:6]
    target = cache / f"{folder.name}-{place}.git"
    cache.mkdir(parents=True, exist_ok=True)
    with locked(target.with_suffix(".lock")):
        if (target / "done").exists():
            return target
        shutil.rmtree(target, ignore_errors=True)
        git("init", "--quiet", "--bare", "--template=", target)
        paths = (f"--git-dir={target}", f"--work-tree={folder.resolve()}")
        git(*paths, "add", "--all", "--force", ".", cwd=folder)
        git(*paths, "commit", "--quiet", "--message", "the tree as given", cwd=folder)
        (target / "done").touch()
    return target


@contextmanager
def locked(path: Path, wait: bool = True) -> Generator[None]:
    """Hold an exclusive lock that dies with the process.

    Raises:
        BlockingIOError: it is taken and ``wait`` is false.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(handle)


@contextmanager
def slot(source: Source, slots: Path) -> Generator[Slot]:
    """The first free slot of a source, reset; a host left by a killed harness is ended first."""
    home = slots / f"{source.name}@{source.commit[:12]}"
    home.mkdir(parents=True, exist_ok=True)
    number = 0
    while True:
        held = Slot(home / str(number), source)
        held.folder.mkdir(exist_ok=True)
        try:
            with locked(held.folder / "lock", wait=False):
                end_orphan(held.child)
                held.reset()
                yield held
                return
        except BlockingIOError:
            number += 1


def note(path: Path, data: object) -> None:
    """Write small JSON whole."""
    scratch = path.with_suffix(".tmp")
    scratch.write_text(json.dumps(data))
    scratch.replace(path)
