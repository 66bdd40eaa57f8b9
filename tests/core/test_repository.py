"""What a walk includes, what it leaves out and says, and that nothing outside is ever read."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from codeviews.core import git
from codeviews.core.errors import MisuseError, NotFoundError, OutsideRootError
from codeviews.core.repository import (
    Walk,
    WalkSettings,
    explain,
    find_root,
    walk,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    return folder


@pytest.fixture
def work_tree(root: Path) -> Path:
    init(root)
    return root


def init(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    run(folder, "init", "-q")
    run(folder, "config", "user.email", "someone@example.org")
    run(folder, "config", "user.name", "Someone")


def run(folder: Path, *arguments: str) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True)


def write(root: Path, files: dict[str, str] | Iterable[str]) -> None:
    for name in files:
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(files[name] if isinstance(files, dict) else "text\n")


def paths(found: Walk) -> list[str]:
    return [entry.path for entry in found]


def test_root_is_the_nearest_work_tree(work_tree: Path) -> None:
    write(work_tree, ["a/b/c.py"])
    assert find_root(work_tree / "a" / "b") == work_tree
    assert find_root(work_tree / "a" / "b" / "c.py") == work_tree


def test_root_without_git_is_the_folder_itself(root: Path) -> None:
    write(root, ["a/b.py"])
    (root / ".git").mkdir()  # an empty one is no repository
    assert find_root(root / "a") == root / "a"
    assert find_root(root / "a" / "b.py") == root / "a"


def test_linked_worktree_is_its_own_root_and_shares_the_exclude_file(work_tree: Path) -> None:
    write(work_tree, ["a.py"])
    run(work_tree, "add", ".")
    run(work_tree, "commit", "-qm", "first")
    (work_tree / ".git" / "info" / "exclude").write_text("scratch\n")
    linked = work_tree.parent / "linked"
    run(work_tree, "worktree", "add", "-q", str(linked))
    write(linked, ["b.py", "scratch"])
    assert find_root(linked / "b.py") == linked
    assert paths(walk(linked)) == ["a.py", "b.py"]


def test_root_that_does_not_exist_is_misuse(root: Path) -> None:
    with pytest.raises(MisuseError, match="does not exist; give the folder"):
        find_root(root / "missing")


def test_order_is_fixed_and_paths_are_relative_with_sizes(root: Path) -> None:
    write(root, {"b.py": "12345", "a/z.py": "1", "a/b/c.py": "", "a.py": "12"})
    entries = list(walk(root))
    assert [(e.path, e.size) for e in entries] == [
        ("a.py", 2),
        ("b.py", 5),
        ("a/z.py", 1),
        ("a/b/c.py", 0),
    ]
    assert entries[0].mtime_ns == (root / "a.py").stat().st_mtime_ns


def test_gitignore_counts_only_inside_a_work_tree(root: Path) -> None:
    write(root, {".gitignore": "/*\n!/debian/\n", "fs/read.c": "", "debian/rules": ""})
    without = walk(root)
    assert paths(without) == [".gitignore", "debian/rules", "fs/read.c"]
    assert without.remark() == ""
    init(root)
    assert paths(walk(root)) == ["debian/rules"]


def test_rules_that_leave_almost_nothing_are_reported(work_tree: Path) -> None:
    write(work_tree, {".gitignore": "/*\n!/kept.py\n", "kept.py": ""})
    write(work_tree, [f"fs/{i}.c" for i in range(120)])
    found = walk(work_tree)
    assert paths(found) == ["kept.py"]
    assert found.remark() == (
        "Ignore rules hide 121 files or more and leave 1; most ignored by .gitignore:1 (/*). "
        "`codeviews why PATH` explains; a line `!PATH` in .codeviewsignore brings a path back."
    )


def test_tracked_files_count_although_a_rule_ignores_them(work_tree: Path) -> None:
    write(work_tree, ["build/kept.py", "build/other.py", "top.log"])
    run(work_tree, "add", "-f", "build/kept.py", "top.log")
    (work_tree / ".gitignore").write_text("build/\n*.log\n")
    assert paths(walk(work_tree)) == [".gitignore", "top.log", "build/kept.py"]


def test_codeviewsignore_has_the_last_word(work_tree: Path) -> None:
    write(work_tree, ["gen/api/a.py", "gen/b.py", "node_modules/x/y.js", "docs/old/a.md", "a.py"])
    (work_tree / ".gitignore").write_text("gen/\n")
    (work_tree / ".codeviewsignore").write_text("docs/old\n!gen/api/\n!node_modules\n")
    write(work_tree, {"docs/.codeviewsignore": "*.txt\n", "docs/n.txt": "", "docs/n.md": ""})
    assert paths(walk(work_tree)) == [
        ".codeviewsignore",
        ".gitignore",
        "a.py",
        "docs/.codeviewsignore",
        "docs/n.md",
        "gen/api/a.py",
        "node_modules/x/y.js",
    ]


def test_codeviewsignore_can_close_a_folder_of_tracked_files(work_tree: Path) -> None:
    write(work_tree, ["gen/api/a.py", "gen/b.py"])
    run(work_tree, "add", ".")
    (work_tree / ".codeviewsignore").write_text("gen/\n!gen/api/\n")
    assert paths(walk(work_tree)) == [".codeviewsignore", "gen/api/a.py"]


def test_environments_and_caches_are_never_source(root: Path) -> None:
    write(root, ["env/pyvenv.cfg", "env/lib/a.py", "pkg/__pycache__/a.py", "node_modules/a.js"])
    write(root, ["pkg/a.py"])
    found = walk(root)
    assert paths(found) == ["pkg/a.py"]
    assert found.skipped == [("env/", "a Python virtual environment")]


def test_nested_repositories_are_left_out_unless_asked(work_tree: Path) -> None:
    init(work_tree / "libs" / "inner")
    write(work_tree, {".gitignore": "*.txt\n", "a.txt": ""})
    write(work_tree / "libs" / "inner", {".gitignore": "*.log\n", "b.txt": "", "b.log": ""})
    found = walk(work_tree)
    assert paths(found) == [".gitignore"]
    assert found.skipped == [("libs/inner/", "another repository nested in this one")]
    asked = walk(work_tree, WalkSettings(include_nested=True))
    assert paths(asked) == [".gitignore", "libs/inner/.gitignore", "libs/inner/b.txt"]


def test_links_are_never_followed(root: Path) -> None:
    (root.parent / "secret.txt").write_text("secret")
    write(root, ["pkg/a.py"])
    for name, target in {
        "pkg/loop": "..",
        "pkg/twin.py": "a.py",
        "out.txt": "../secret.txt",
        "outside": "/etc",
    }.items():
        (root / name).symlink_to(target)
    found = walk(root)
    assert paths(found) == ["pkg/a.py"]
    assert found.skipped == [
        ("out.txt", "symbolic link that leaves the repository"),
        ("outside", "symbolic link that leaves the repository"),
        ("pkg/loop", "symbolic link"),
        ("pkg/twin.py", "symbolic link"),
    ]


def test_what_cannot_be_text_is_skipped_with_its_reason(root: Path) -> None:
    write(root, {"a.py": "", "big.json": "x" * 2001, "logo.PNG": "", "two\nlines.py": ""})
    os.mkfifo(root / "pipe.py")
    with open(os.fsencode(root) + b"/caf\xe9.py", "wb"):
        pass
    found = walk(root, WalkSettings(max_file_bytes=2000))
    assert paths(found) == ["a.py"]
    assert found.skipped == [
        ("big.json", "too large (0.0 MB, limit 0.0 MB)"),
        ("caf\udce9.py", "its name is not UTF-8"),
        ("logo.PNG", "binary"),
        ("pipe.py", "not a regular file"),
        ("two\nlines.py", "its name holds a control character"),
    ]


def test_a_folder_that_vanishes_is_reported_and_the_walk_goes_on(root: Path) -> None:
    write(root, ["a.py", "b/c.py", "d/e.py"])
    found = walk(root)
    entries = iter(found)
    assert next(entries).path == "a.py"
    (root / "b" / "c.py").unlink()
    (root / "b").rmdir()
    assert [entry.path for entry in entries] == ["d/e.py"]
    assert found.skipped == [("b/", "vanished")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_folder_is_reported(root: Path) -> None:
    write(root, ["a.py", "b/c.py"])
    (root / "b").chmod(0)
    found = walk(root)
    assert paths(found) == ["a.py"]
    (root / "b").chmod(0o755)
    assert found.skipped == [("b/", "no read permission")]


def test_an_empty_folder_has_no_files(root: Path) -> None:
    found = walk(root)
    assert (paths(found), found.skipped, found.remark()) == ([], [], "")


def test_a_pattern_made_to_explode_is_matched_in_linear_time(work_tree: Path) -> None:
    write(work_tree, ["a" * 250])
    (work_tree / ".gitignore").write_text("*a" * 60 + "b\n" + "**/a*/" * 40 + "b\n")
    assert paths(walk(work_tree)) == [".gitignore", "a" * 250]


def test_ignore_rules_of_the_user_count_and_those_of_the_repository_configuration_do_not(
    work_tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    write(home, {"rules": "*.swp\n", ".gitconfig": "[core]\n\texcludesFile = ~/rules\n"})
    monkeypatch.setenv("HOME", str(home))
    git.user_excludes_file.cache_clear()
    write(work_tree, {"theirs": "*.py\n", "a.py": "", "b.swp": ""})
    run(work_tree, "config", "core.excludesFile", "theirs")
    run(work_tree, "config", "core.worktree", "/")
    assert paths(walk(work_tree)) == ["a.py", "theirs"]
    assert explain(work_tree, "b.swp") == (
        f"b.swp is not indexed: ignored by {home}/rules:1 (*.swp)."
    )
    git.user_excludes_file.cache_clear()


def test_explain_names_the_rule_that_decided(work_tree: Path) -> None:
    write(work_tree, ["a.py", "x.log", "keep.log", "t.log", "vendor/lib.js", "gone/deep/a.py"])
    write(work_tree, ["pkg/old.py", "node_modules/m.js", "env/pyvenv.cfg", "tests/test_a.py"])
    run(work_tree, "add", "-f", "t.log")
    (work_tree / ".gitignore").write_text("# logs\n*.log\n!keep.log\n/gone\n")
    (work_tree / ".codeviewsignore").write_text("old.py\n!x.log\n")
    (work_tree / "nul.py").write_bytes(b"\0\1\2")
    (work_tree / "link.py").symlink_to("a.py")
    write(work_tree, {"y.log": ""})
    expected = {
        "a.py": "a.py is indexed as python: no rule ignores it.",
        "x.log": "x.log is indexed as text: .codeviewsignore:2 (!x.log) brings it back.",
        "y.log": "y.log is not indexed: ignored by .gitignore:2 (*.log).",
        "keep.log": "keep.log is indexed as text: no rule ignores it.",
        "t.log": "t.log is indexed as text: "
        "git tracks it, else it would be ignored by .gitignore:2 (*.log).",
        "gone/deep/a.py": "gone/deep/a.py is not indexed: "
        "gone/ is ignored by .gitignore:4 (/gone).",
        "pkg/old.py": "pkg/old.py is not indexed: ignored by .codeviewsignore:1 (old.py).",
        "pkg": "pkg is a folder whose files are indexed: no rule ignores it.",
        "nul.py": "nul.py is not indexed: binary content.",
        "link.py": "link.py is not indexed: symbolic link.",
        "node_modules/m.js": "node_modules/m.js is not indexed: "
        "folders named node_modules are never source.",
        ".git/config": ".git/config is not indexed: git's own data.",
        "vendor/lib.js": "vendor/lib.js is indexed as javascript, "
        "marked vendored and ranked lower: no rule ignores it.",
        "tests/test_a.py": "tests/test_a.py is indexed as python, "
        "marked test and ranked lower: no rule ignores it.",
        ".": ". is a folder whose files are indexed: it is the root.",
    }
    assert {path: explain(work_tree, path) for path in expected} == expected
    with pytest.raises(NotFoundError, match=r"missing\.py does not exist"):
        explain(work_tree, "missing.py")
    with pytest.raises(OutsideRootError):
        explain(work_tree, "../x")


def test_git_answers_the_head_and_marks_every_move_of_it(work_tree: Path) -> None:
    assert git.head_commit(work_tree) is None
    marks = [git.head_mark(work_tree)]
    for number in range(3):
        write(work_tree, {"a": str(number)})
        run(work_tree, "add", ".")
        run(work_tree, "commit", "-qm", str(number))
        marks.append(git.head_mark(work_tree))
    assert len(git.head_commit(work_tree) or "") == 40
    for move in (["checkout", "-q", "--detach", "HEAD~1"], ["checkout", "-q", "-b", "side"]):
        run(work_tree, *move)
        marks.append(git.head_mark(work_tree))
    run(work_tree, "pack-refs", "--all")
    marks.append(git.head_mark(work_tree))
    assert len(set(marks)) == len(marks)
    assert git.head_mark(work_tree / "..") == ""


def test_git_runs_nothing_of_the_repository(work_tree: Path) -> None:
    write(work_tree, {"a.py": "", ".gitattributes": "*.py diff=evil filter=evil\n"})
    run(work_tree, "add", ".")
    run(work_tree, "commit", "-qm", "first")
    proof = work_tree.parent / "proof"
    evil = work_tree.parent / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch {proof}\n")
    evil.chmod(0o755)
    keys = "core.fsmonitor core.pager core.sshCommand gpg.program diff.external diff.evil.textconv"
    for key in [*keys.split(), "diff.evil.command", "filter.evil.clean", "pager.log"]:
        run(work_tree, "config", key, str(evil))
    for key in ["log.showSignature", "filter.evil.required"]:
        run(work_tree, "config", key, "true")
    (work_tree / ".git" / "hooks" / "post-index-change").symlink_to(evil)
    assert paths(walk(work_tree)) == [".gitattributes", "a.py"]
    assert git.head_commit(work_tree) is not None
    assert git.tracked(work_tree) == {".gitattributes", "a.py"}
    assert not proof.exists()


def test_a_bare_repository_is_refused_and_its_work_trees_are_not(tmp_path: Path) -> None:
    bare = tmp_path / "project" / "store.git"
    bare.mkdir(parents=True)
    run(bare, "init", "-q", "--bare")
    for inside in (bare, bare / "objects"):
        with pytest.raises(MisuseError, match="is a bare git repository, without files"):
            find_root(inside)
    tree = bare / "tree"
    tree.mkdir()
    (bare / "worktrees" / "tree").mkdir(parents=True)
    (bare / "worktrees" / "tree" / "HEAD").write_text("ref: refs/heads/main\n")
    (tree / ".git").write_text(f"gitdir: {bare}/worktrees/tree\n")
    assert find_root(tree) == tree
