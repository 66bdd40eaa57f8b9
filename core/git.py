"""git, asked about a repository that nobody vouches for.

Every call switches off what a repository's own configuration could start: hooks, fsmonitor, pagers,
signature programs, diff and text drivers, lazy fetches. Nothing is ever written. Each function
answers with less (``None`` or nothing) where git is missing, refuses, or takes too long.
"""

from __future__ import annotations

import os
import subprocess
from functools import lru_cache
from pathlib import Path
from threading import Timer

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


def head_mark(root: Path) -> str:
    """What changes whenever another commit is checked out or history is deepened; "" outside a work
    tree. A few small files are read and no process is started."""
    directory = directory_of(root)
    if directory is None:
        return ""
    common = common_directory_of(directory)
    head = _small_text(directory / "HEAD").strip()
    name = head.removeprefix("ref:").strip()
    of_branch = _small_text(common / name) if name != head and ".." not in name else ""
    tables = _small_text(common / "reftable" / "tables.list")
    stamps = (_stamp(common / "packed-refs") if not of_branch else "", _stamp(common / "shallow"))
    return "\n".join((head, of_branch.strip(), tables, *stamps))


def is_unborn(root: Path) -> bool:
    """Whether ``HEAD`` is a branch that has no commit yet."""
    is_branch = run(root, "symbolic-ref", "--quiet", "HEAD") is not None
    return is_branch and run(root, "rev-parse", "--verify", "--quiet", "HEAD") is None


def is_shallow(root: Path) -> bool:
    """Whether the history of a work tree was cut off when it was cloned."""
    directory = directory_of(root)
    return directory is not None and (common_directory_of(directory) / "shallow").is_file()


def is_ancestor(root: Path, old: str, new: str) -> bool:
    """Whether the commit ``old`` is in the history of ``new``; both are full hashes."""
    return run(root, "merge-base", "--is-ancestor", old, new) is not None


def log(root: Path, revisions: str, limit: int, seconds: float, size: int) -> tuple[bytes, bool]:
    """Messages and changed paths of the newest ``limit`` commits without merges and first ones.

    Each commit is ``\\1 message \\2`` and its paths between NULs; a rename is two paths. Returns
    what git wrote in ``seconds`` and ``size`` bytes, and whether that is all.
    """
    command = [
        "git", *SAFE_OPTIONS, "-c", "log.showRoot=false", "log", f"--max-count={limit}",
        "--no-merges", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv",
        "--no-notes", "--encoding=UTF-8", "-O/dev/null", "--format=%x01%B%x02", "-z",
        revisions, "--",
    ]  # fmt: skip
    try:
        process = subprocess.Popen(
            command,
            cwd=root,
            env=environment(root),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return b"", False
    with process:
        clock = Timer(seconds, process.kill)
        clock.start()
        written = process.stdout.read(size) if process.stdout else b""
        clock.cancel()
        if len(written) >= size:
            process.kill()
    return written, process.returncode == 0


def _stamp(path: Path) -> str:
    try:
        state = path.stat()
    except OSError:
        return ""
    return f"{state.st_size} {state.st_mtime_ns}"


def _small_text(path: Path) -> str:
    """A short regular file's text; "" for anything else."""
    try:
        if not path.is_file() or path.stat().st_size > 4096:
            return ""
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
