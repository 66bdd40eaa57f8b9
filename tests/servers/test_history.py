"""Answers from repositories with a git history: what is read from it, and what it may not do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from codeviews.core import config
from codeviews.core.session import Session
from codeviews.servers.indexing import status_of

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

Call = Callable[[Session, str, str, dict[str, Any]], tuple[str, bool]]
Build = Callable[[Path], Session]
Said = Callable[[Path], str]
REPORT = "Invoices are rounded twice\n\nThe sum on an invoice differs from the receipt by a cent."
FILES = {
    "shop/invoice.py": "def total_of_invoice(lines):\n    return round(sum(lines), 2)\n",
    "shop/ledger.py": "def book(entry):\n    return {'amount': entry}\n",
    "shop/colours.py": "def shade(value):\n    return value * 3\n",
    "shop/clock.py": "def tick(value):\n    return value + 1\n",
}


def git(root: Path, *arguments: str) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    name = ["-c", "user.name=Someone", "-c", "user.email=someone@example.org"]
    command = ["git", *name, "-c", "protocol.file.allow=always", *arguments]
    done = subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True)
    return done.stdout.decode().strip()


def commit(root: Path, message: str, *paths: str) -> str:
    """Append a line to each path and commit them; returns the commit's hash."""
    for path in paths:
        with (root / path).open("a") as file:
            file.write("# again\n")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A work tree whose first commit holds :data:`FILES`."""
    folder = tmp_path / "repo"
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, "first")
    return folder


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Build]:
    """``index(root)`` builds and opens the index of a tree."""
    opened: list[Session] = []

    def build(root: Path) -> Session:
        opened.append(Session(root, tmp_path / "indexes"))
        opened[-1].build(jobs=1)
        return opened[-1]

    yield build
    for session in opened:
        session.close()


@pytest.fixture
def history(tmp_path: Path) -> Said:
    """``history(root)``: what the status says of a tree's history."""
    return lambda root: status_of(root, tmp_path / "indexes")["history"]


def explored(call: Call, session: Session) -> list[str]:
    """The ranked files that one call with the report answers, each with why it is there."""
    text, failed = call(session, "hybrid", "hybrid_explore", {"query": REPORT})
    assert not failed
    return text.partition("## Ranked files\n")[2].partition("\n## ")[0].splitlines()


def test_files_changed_together_and_by_commits_like_the_report_are_found(
    root: Path, index: Build, history: Said, call: Call
) -> None:
    before = index(root)
    assert explored(call, before) == ["shop/invoice.py  total_of_invoice:1  (by text)"]
    assert history(root) == "0 commits"
    commit(root, "Book what is printed", "shop/invoice.py", "shop/ledger.py")
    commit(root, "The receipt differs by a cent no more", "shop/colours.py")
    commit(root, "Unrelated", "shop/clock.py")
    after = index(root)
    assert history(root) == "3 commits"
    assert explored(call, after) == [
        "shop/invoice.py  total_of_invoice:1  (by text)",
        "shop/ledger.py    (by changes with shop/invoice.py)",
        'shop/colours.py    (by commit "The receipt differs by a cent no more")',
    ]


def test_a_moved_head_is_noticed_and_gives_what_a_new_index_gives(
    root: Path, index: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = index(root)
    builds: list[str] = []
    monkeypatch.setattr(Session, "_start_child", lambda _: builds.append("build"))
    session.snapshot()
    assert builds == []
    first = commit(root, "one", "shop/ledger.py")
    commit(root, "two", "shop/invoice.py", "shop/colours.py")
    session.snapshot()
    assert builds == ["build"]
    known = index(root).store.changed_paths()
    assert [*known.values()] == [["shop/ledger.py"], ["shop/colours.py", "shop/invoice.py"]]
    commit(root, "three", "shop/clock.py")
    grown = index(root).store.changed_paths()
    assert {i: grown[i] for i in known} == known
    assert [*grown.values()][2:] == [["shop/clock.py"]]
    git(root, "reset", "--quiet", "--hard", first)
    assert [*index(root).store.changed_paths().values()] == [["shop/ledger.py"]]


def test_only_the_newest_commits_of_few_files_stay(
    root: Path, index: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "HISTORY_COMMITS", 2)
    monkeypatch.setattr(config, "COMMIT_FILES", 3)
    for number in range(3):
        commit(root, f"change {number}", "shop/ledger.py", f"shop/{'abc'[number]}.py")
    assert [paths[0] for paths in index(root).store.changed_paths().values()] == [
        "shop/b.py",
        "shop/c.py",
    ]
    commit(root, "everything", *FILES)
    commit(root, "the last", "shop/clock.py")
    kept = index(root).store.changed_paths()
    assert [*kept.values()] == [["shop/c.py", "shop/ledger.py"], ["shop/clock.py"]]


def test_linked_work_trees_and_submodules_have_their_own_history(
    root: Path, tmp_path: Path, index: Build, history: Said
) -> None:
    commit(root, "one", "shop/ledger.py")
    linked = tmp_path / "linked"
    git(root, "worktree", "add", "--quiet", "--detach", str(linked))
    commit(linked, "two", "shop/clock.py")
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "--quiet")
    git(outer, "submodule", "--quiet", "add", str(root), "inner")
    for folder, found in ((linked, "2 commits"), (outer / "inner", "1 commits")):
        index(folder)
        assert (folder / ".git").is_file()
        assert history(folder) == found


def test_trees_without_usable_history_are_answered_without_it(
    root: Path,
    tmp_path: Path,
    index: Build,
    history: Said,
    call: Call,
) -> None:
    commit(root, "one", "shop/ledger.py", "shop/invoice.py")
    commit(root, "two", "shop/clock.py")
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{root}", str(shallow))
    bare_folder = shutil.copytree(root, tmp_path / "plain", ignore=shutil.ignore_patterns(".git"))
    unborn = shutil.copytree(bare_folder, tmp_path / "unborn")
    git(unborn, "init", "--quiet")
    broken = shutil.copytree(root, tmp_path / "broken")
    (broken / ".git" / "HEAD").write_bytes(b"\xff\x00 nonsense")
    missing = shutil.copytree(root, tmp_path / "missing")
    (missing / ".git" / "refs" / "heads" / "main").write_text("1" * 40)
    partial = shutil.copytree(root, tmp_path / "partial")
    tree = git(root, "rev-parse", "HEAD~1^{tree}")
    (partial / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    expected = {
        shallow: "0 commits; the clone is shallow",
        bare_folder: "none: not a git work tree",
        unborn: "none: no commit yet",
        broken: "none: git is missing or cannot read this repository's commits",
        missing: "none: git is missing or cannot read this repository's commits",
        partial: "none: git is missing or cannot read this repository's commits",
    }
    for folder in expected:
        assert explored(call, index(folder)) == ["shop/invoice.py  total_of_invoice:1  (by text)"]
    assert {folder: history(folder) for folder in expected} == expected


def test_a_slow_git_is_stopped_and_said(
    root: Path,
    tmp_path: Path,
    index: Build,
    history: Said,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    commit(root, "one", "shop/ledger.py")
    real = shutil.which("git")
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "git"
    script.write_text(
        f"#!{sys.executable}\nimport os, sys, time\n"
        "if 'log' in sys.argv:\n"
        "    os.write(1, b'\\x01one\\x02\\0\\nshop/ledger.py\\0')\n"
        "    time.sleep(600)\n"
        f"os.execv({real!r}, sys.argv)\n"
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(config, "HISTORY_SECONDS", 0.5)
    assert [*index(root).store.changed_paths().values()] == [["shop/ledger.py"]]
    assert history(root) == "1 commits; git was stopped or failed before the end"


def test_a_hostile_configuration_and_hostile_commits_start_nothing(
    root: Path, tmp_path: Path, index: Build, history: Said
) -> None:
    proof, evil = tmp_path / "proof", tmp_path / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch {proof}\n")
    evil.chmod(0o755)
    (root / ".gitattributes").write_text("*.py diff=evil filter=evil\n")
    commit(root, "one \x01two\x02\n\nshop/none.py", "shop/ledger.py")
    keys = "core.fsmonitor core.pager core.sshCommand gpg.program diff.external diff.evil.textconv"
    for key in [*keys.split(), "diff.evil.command", "filter.evil.clean", "pager.log", "alias.log"]:
        git(root, "config", key, f"!{evil}" if key == "alias.log" else str(evil))
    git(root, "config", "log.showSignature", "true")
    git(root, "config", "diff.orderFile", str(tmp_path / "none"))
    git(root, "config", "i18n.logOutputEncoding", "UTF-16")
    session = index(root)
    assert not proof.exists()
    assert history(root) == "1 commits"
    (found,) = session.store.changed_paths().values()
    assert found[-2:] == [".gitattributes", "shop/ledger.py"]
