"""Git as the harness uses it: no configuration, hooks, filters or prompts of the machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from codeviews.harness.errors import HarnessError

_SAFE = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0"),
    *("-c", "user.name=harness", "-c", "user.email=harness@localhost", "-c", "color.ui=never"),
    *("-c", "safe.directory=*", "-c", "core.untrackedCache=false", "-c", "commit.gpgsign=false"),
)


class GitError(HarnessError):
    """A git command failed."""


def git(
    *arguments: str | Path, cwd: Path | None = None, stdin: str = "", index: Path | None = None
) -> str:
    """Run git and give its output.

    Raises:
        GitError: git failed; the sentence is git's first line.
    """
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PAGER": "cat",
        "GIT_OPTIONAL_LOCKS": "0",
    }
    if index:
        environment["GIT_INDEX_FILE"] = str(index)
    done = subprocess.run(
        ["git", *_SAFE, *map(str, arguments)],
        cwd=cwd,
        env=environment,
        input=stdin.encode(),
        capture_output=True,
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        verb = next((str(word) for word in arguments if not str(word).startswith("-")), "")
        raise GitError(f"git {verb}: {said[0]}")
    return done.stdout.decode(errors="replace")


def is_git(folder: Path) -> bool:
    """Whether a folder is a repository, with a working tree or bare."""
    return (folder / ".git").exists() or (
        (folder / "HEAD").is_file() and (folder / "objects").is_dir()
    )


def objects(folder: Path) -> Path:
    """The object store of a repository."""
    path = git("rev-parse", "--git-path", "objects", cwd=folder).strip()
    return (folder / path).resolve()


def applies(patch: str, folder: Path) -> bool:
    """Whether a patch applies to the working tree of ``folder`` as it is."""
    try:
        git("apply", "--check", "-", cwd=folder, stdin=patch)
    except GitError:
        return False
    return True
