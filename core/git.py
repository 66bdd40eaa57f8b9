"""git, asked about a repository that nobody vouches for.

Every call switches off what a repository's own configuration could start: hooks, fsmonitor, pagers,
signature programs, diff and text drivers, lazy fetches. Nothing is ever written. Each function
answers with less (``None`` or nothing) where git is missing, refuses, or takes too long.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from pathlib import Path

SAFE_OPTIONS = (
    "--no-pager",
    "--no-optional-locks",
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.attributesFile=/dev/null",
    "-c", "color.ui=false",
    "-c", "log.showSignature=false",
    "-c", "safe.bareRepository=explicit",
    "-c", "protocol.allow=never",
)  # fmt: skip

SECONDS = 10.0
COMMIT_FILES = 30
"""A commit that touches more files than this says nothing about which belong together."""


def environment(root: Path) -> dict[str, str]:
    """The caller's environment without what would redirect git, with what keeps it at home."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    return kept | {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_WORK_TREE": str(root),
        "GIT_CEILING_DIRECTORIES": str(root.parent),
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_ATTR_NOSYSTEM": "1",
        "LC_ALL": "C",
    }


def run(root: Path, *arguments: str, seconds: float = SECONDS) -> bytes | None:
    """Standard output of ``git ARGUMENTS`` in the work tree ``root``, or None when it failed."""
    try:
        done = subprocess.run(
            ["git", *SAFE_OPTIONS, *arguments],
            cwd=root,
            env=environment(root),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


def directory_of(root: Path) -> Path | None:
    """The git directory of a work tree (of a linked one too); None when ``root`` is not one.

    Only the form of ``.git`` is looked at; no configuration is read.
    """
    marker = root / ".git"
    if (marker / "HEAD").is_file():
        return marker
    text = _small_text(marker)
    if not text.startswith("gitdir:"):
        return None
    target = root / text.removeprefix("gitdir:").strip()
    return target if (target / "HEAD").is_file() else None


def is_bare(folder: Path) -> bool:
    """Whether a folder has the form of a git directory."""
    parts = [folder / "objects", folder / "refs"]
    return (folder / "HEAD").is_file() and all(part.is_dir() for part in parts)


def common_directory_of(directory: Path) -> Path:
    """Where ``info/exclude`` lies: shared by all linked work trees of a repository."""
    text = _small_text(directory / "commondir").strip()
    return directory / text if text else directory


def head_commit(root: Path) -> str | None:
    """The full hash of the checked-out commit; None without one."""
    answer = run(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return answer.decode("ascii", "replace").strip() if answer else None


def tracked(root: Path) -> frozenset[str]:
    """Root-relative paths in git's index and the directories above them, as of its last write."""
    directory = directory_of(root)
    if directory is None:
        return frozenset()
    try:
        status = (directory / "index").stat()
    except OSError:
        return frozenset()
    return _tracked(root, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _tracked(root: Path, _mtime_ns: int, _size: int) -> frozenset[str]:
    names = [os.fsdecode(name) for name in (run(root, "ls-files", "-z") or b"").split(b"\0")]
    folders = {name.rpartition("/")[0] for name in names}
    while above := {folder.rpartition("/")[0] for folder in folders} - folders:
        folders |= above
    return frozenset(names).union(folders) - {""}


@lru_cache(maxsize=1)
def user_excludes_file() -> Path | None:
    """The ignore file of the user's own git configuration (never of a repository's)."""
    home = Path.home()
    answer = run(home, "config", "--global", "--type=path", "--get", "core.excludesFile")
    if answer and (name := os.fsdecode(answer).strip()):
        return home / name
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else home / ".config") / "git" / "ignore"


def co_change(root: Path, limit: int = 1000, seconds: float = 5.0) -> Counter[tuple[str, str]]:
    """How often two files changed in one commit, over the last ``limit`` commits.

    Pairs are ordered (``a < b``); commits of more than :data:`COMMIT_FILES` files are left out.
    """
    answer = run(
        root,
        "log", f"--max-count={limit}", "--no-merges", "--name-only", "--no-renames",
        "--no-ext-diff", "--no-textconv", "--format=%x01", "-z",
        seconds=seconds,
    )  # fmt: skip
    pairs: Counter[tuple[str, str]] = Counter()
    for files in _commits(answer or b""):
        if len(files) <= COMMIT_FILES:
            pairs.update(combinations(sorted(files), 2))
    return pairs


def _commits(log: bytes) -> Iterator[set[str]]:
    for commit in log.split(b"\x01"):
        names = (os.fsdecode(name.strip(b"\n")) for name in commit.split(b"\0"))
        yield {name for name in names if name}


def _small_text(path: Path) -> str:
    """A short regular file's text; "" for anything else."""
    try:
        if not path.is_file() or path.stat().st_size > 4096:
            return ""
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
