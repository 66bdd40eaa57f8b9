"""Every trial starts from the same bytes, sees nothing of the future, and is collected whole."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from codeviews.harness import classify, mounting
from codeviews.harness.exchange import Exchange, ExchangeLog
from codeviews.harness.gitrepo import GitError, git
from codeviews.harness.hosts import Launch, Mount, Outcome
from codeviews.harness.hosts.process import Ended
from codeviews.harness.mounting import IndexFailed
from codeviews.harness.tasks import Task
from codeviews.harness.workspace import NoRepository, Slot, locate, slot

Held = Callable[[], Slot]


@pytest.fixture
def task(shop: Path) -> Task:
    """A task on the first of two commits; the second is the future."""
    first = git("rev-parse", "HEAD", cwd=shop).strip()
    (shop / "shop" / "cart.py").write_text("def total(prices):\n    return sum(prices)\n")
    git("commit", "--quiet", "--all", "--message", "the fix", cwd=shop)
    return Task("t", "codeviews/shop", first, "s")


def test_the_agent_sees_one_branch_and_no_later_commit(
    task: Task, shop: Path, tmp_path: Path
) -> None:
    with slot(locate(task, str(shop), tmp_path / "m"), tmp_path / "slots") as held:
        assert git("log", "--all", "--format=%s", cwd=held.repo).split() == ["first"]
        assert git("status", "--porcelain", cwd=held.repo) == ""
        assert git("remote", cwd=held.repo) == ""
        assert "+ 1" in (held.repo / "shop" / "cart.py").read_text()
        assert held.changes() == ""


def test_changes_are_collected_whatever_the_agent_does_to_git(
    task: Task, shop: Path, tmp_path: Path
) -> None:
    with slot(locate(task, str(shop), tmp_path / "m"), tmp_path / "slots") as held:
        (held.repo / "shop" / "new.py").write_text("x = 1\n")
        (held.repo / "README.md").unlink()
        git("add", "--all", cwd=held.repo)
        git("commit", "--quiet", "--message", "mine", cwd=held.repo)
        before = held.changes()
        shutil.rmtree(held.repo / ".git")
        assert held.changes() == before
        assert "+++ b/shop/new.py" in before
        assert "deleted file mode" in before


def test_a_wrecked_tree_is_whole_again_for_the_next_trial(
    task: Task, shop: Path, tmp_path: Path
) -> None:
    source = locate(task, str(shop), tmp_path / "m")
    with slot(source, tmp_path / "slots") as held:
        shutil.rmtree(held.repo)
        with pytest.raises((GitError, OSError)):
            held.changes()
    with slot(source, tmp_path / "slots") as again:
        assert again.folder == held.folder
        assert (again.repo / "shop" / "tax.py").is_file()
        assert git("status", "--porcelain", cwd=again.repo) == ""


def test_two_trials_at_once_get_two_trees(task: Task, shop: Path, tmp_path: Path) -> None:
    source = locate(task, str(shop), tmp_path / "m")
    with slot(source, tmp_path / "slots") as one, slot(source, tmp_path / "slots") as two:
        assert one.repo != two.repo


def test_a_plain_folder_becomes_a_repository_without_being_touched(tmp_path: Path) -> None:
    tree = tmp_path / "linux-6.1"
    (tree / "fs").mkdir(parents=True)
    (tree / "fs" / "a.c").write_text("int a;\n")
    (tree / ".gitignore").write_text("/*\n")
    task = Task("t", "torvalds/linux", "v6.1", "s")
    with slot(locate(task, str(tree), tmp_path / "m"), tmp_path / "slots") as held:
        assert (held.repo / "fs" / "a.c").read_text() == "int a;\n"
    assert sorted(path.name for path in tree.iterdir()) == [".gitignore", "fs"]


@pytest.mark.parametrize(
    ("repos", "sentence"),
    [
        ("", "no folder of repositories was given"),
        ("/nonexistent", "/nonexistent is no folder"),
    ],
)
def test_a_missing_repository_is_named(
    task: Task, tmp_path: Path, repos: str, sentence: str
) -> None:
    with pytest.raises(NoRepository, match=sentence):
        locate(task, repos, tmp_path)


def test_a_missing_commit_is_named(shop: Path, tmp_path: Path) -> None:
    with pytest.raises(NoRepository, match=r"has no commit v9 \(task t\)"):
        locate(Task("t", "codeviews/shop", "v9", "s"), str(shop), tmp_path)


def test_an_edited_index_is_restored_for_the_next_trial(
    task: Task, shop: Path, tmp_path: Path
) -> None:
    write = "import os,pathlib;pathlib.Path(os.environ['CODEVIEWS_INDEX_DIR'],'db').write_text('x')"
    template = ("{python}", "-c", write + ";print('{\"files\": 3}')")
    source = locate(task, str(shop), tmp_path / "m")
    with slot(source, tmp_path / "slots") as held:
        first = mounting.prepare_index(held, template)
        (held.index / "db").write_text("tampered")
        (held.index / "more").touch()
        second = mounting.prepare_index(held, template)
        assert [path.name for path in held.index.iterdir()] == ["db"]
        assert (held.index / "db").read_text() == "x"
    assert (first.files, first.reused) == (3, False)
    assert second == first.model_copy(update={"reused": True})


def test_an_index_that_fails_is_one_sentence(task: Task, shop: Path, tmp_path: Path) -> None:
    with slot(locate(task, str(shop), tmp_path / "m"), tmp_path / "slots") as held:
        with pytest.raises(IndexFailed, match="the index was not built: no room"):
            mounting.prepare_index(held, ("{python}", "-c", "raise SystemExit('no room')"))
        with pytest.raises(IndexFailed, match="the index command printed no JSON"):
            mounting.prepare_index(held, ("{python}", "-c", "print('hello')"))


OK = Exchange(0.0, 1.0, 200, tools=("Read", "mcp__codeviews__ast_explore"))
BARE = Exchange(0.0, 1.0, 200, tools=("Read",))
DONE = {"finished": True, "reason": "completed", "mcp": "connected"}


@pytest.mark.parametrize(
    ("exchanges", "told", "timed_out", "kind"),
    [
        ([OK], DONE, False, ""),
        ([OK], {**DONE, "mcp": "pending"}, False, "mcp_not_connected"),
        ([BARE], DONE, False, "mcp_tools_missing"),
        ([OK], {"finished": False}, True, "timeout"),
        ([OK], {**DONE, "reason": "budget_exhausted", "error": "x"}, False, "budget"),
        ([OK], {**DONE, "reason": "max_turns", "error": "x"}, False, "max_turns"),
        ([OK], {**DONE, "api_status": 429, "error": "x"}, False, "api_rate_limit"),
        ([OK], {**DONE, "api_status": 529, "error": "x"}, False, "api_overloaded"),
        ([Exchange(0, 1, 401, tools=OK.tools)], {**DONE, "error": "x"}, False, "api_refused"),
        ([OK, Exchange(1, 2, 0, tools=OK.tools)], {"finished": False}, False, "api_error"),
        ([OK], {"finished": False}, False, "no_result"),
        ([BARE], {"finished": False}, True, "mcp_tools_missing"),
        ([Exchange(0, 1, 0, tools=OK.tools)], {"finished": False}, True, "api_silent"),
        ([], {"finished": False}, True, "api_silent"),
    ],
)
def test_the_end_of_a_host_is_classified(
    tmp_path: Path, exchanges: list[Exchange], told: dict[str, str], timed_out: bool, kind: str
) -> None:
    mount = Mount("ast", ("server",), tools=("ast_explore",))
    launch = Launch(tmp_path, tmp_path, tmp_path, "p", "u", "k", "m", mount=mount)
    ended = Ended(1 if timed_out else 0, 0.0, 2.0, timed_out)
    found = classify.failure(launch, ended, Outcome(**told), ExchangeLog(exchanges))
    assert (found.kind if found else "") == kind
