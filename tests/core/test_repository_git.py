"""The walk agrees with git about which files of a work tree count."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeviews.core.repository import explain, walk

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

NAMES = ["a", "b", "ab", "a.c", "b.txt", "x-1", "é", "[a]", "a b", "#a", "!b"]
GLOB_TEXT = (
    r"* ** *.c *.txt ? ?? a* *b [ab] [!a] [a-c]* a?* *a*b* [[:alpha:]] \#a \!b [ x-[0-9] []a] \*"
    r" [\]a]* [^a [z-a] *** [[:nope:]] [^[:digit:]]* [a/b] a[/]b a\/b \\"
)
GLOBS = [*NAMES, *GLOB_TEXT.split(" "), "a\\ "]

name = st.sampled_from(NAMES)
path = st.lists(name, min_size=1, max_size=4).map("/".join)
pattern = st.builds(
    lambda sign, lead, parts, tail: sign + lead + "/".join(parts) + tail,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/", "**/"]),
    st.lists(st.sampled_from(GLOBS), min_size=1, max_size=3),
    st.sampled_from(["", "", "/", " ", "\r", "/**"]),
)
ignore_file = st.lists(pattern, max_size=6).map("\n".join)
ignore_files = st.dictionaries(st.sampled_from(["", "a/", "ab/", "a/b/"]), ignore_file, max_size=3)


def git(root: Path, *arguments: str) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    done = subprocess.run(
        ["git", "-c", "core.quotePath=false", *arguments],
        cwd=root,
        env=environment,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()


def build(root: Path, files: set[str], rules: dict[str, str], exclude: str) -> None:
    git(root, "init", "-q")
    for file in sorted(files):
        target = root / file
        if not any(parent.is_file() for parent in target.parents) and not target.is_dir():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("text\n")
    for folder, text in rules.items():
        if (root / folder).is_dir():
            (root / folder / ".gitignore").write_text(text)
    (root / ".git" / "info" / "exclude").write_text(exclude)


def listed(root: Path) -> list[str]:
    return sorted(git(root, "ls-files", "-coz", "--exclude-standard").split("\0")[:-1])


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    files=st.sets(path, min_size=1, max_size=12),
    rules=ignore_files,
    exclude=ignore_file,
    added=st.sets(path, max_size=3),
)
def test_walk_lists_what_git_lists(
    files: set[str], rules: dict[str, str], exclude: str, added: set[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        build(root, files | added, rules, exclude)
        tracked = [file for file in sorted(added) if (root / file).is_file()]
        if tracked:
            git(root, "--literal-pathspecs", "add", "-f", "--", *tracked)
        expected = sorted(set(listed(root)))
        assert sorted(entry.path for entry in walk(root)) == expected
        for file in sorted(files):
            if (root / file).is_file():
                assert (" is indexed as " in explain(root, file)) == (file in expected)
