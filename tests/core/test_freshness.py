"""An open session notices edits with and without the kernel's notifications."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from codeviews.core.inotify import Inotify
from codeviews.core.location import index_path, tree_key
from codeviews.core.session import Session
from codeviews.core.watch import Portable


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    (folder / "pkg").mkdir(parents=True)
    (folder / "pkg" / "a.py").write_text("def first():\n    return 1\n")
    return folder


@pytest.fixture
def session(root: Path, tmp_path: Path) -> Iterator[Session]:
    opened = Session(root, tmp_path / "indexes")
    opened.build(jobs=1)
    yield opened
    opened.close()


def refuse(watcher: object, folder: str) -> NoReturn:
    raise OSError("the limit on watches is reached")


def test_without_notifications_every_answer_scans_and_it_is_said_once(
    session: Session, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Inotify, "add", refuse)
    assert session.snapshot().notices == [
        "file notifications are off (the limit on watches is reached); the tree is scanned instead"
    ]
    (root / "pkg" / "b.py").write_text("def second():\n    return 2\n")
    second = session.snapshot()
    assert (second.files, [n for n in second.notices if "file notifications" in n]) == (2, [])


def test_every_edit_is_seen_by_the_next_answer(session: Session, root: Path) -> None:
    files: list[int] = [session.snapshot().files]
    (root / "new").mkdir()
    files.append(session.snapshot().files)
    (root / "new" / "b.py").write_text("def second():\n    return 2\n")
    files.append(session.snapshot().files)
    (root / "new").rename(root / "newer")
    files.append(session.snapshot().files)
    (root / "newer" / "c.py").write_text("def third():\n    return 3\n")
    files.append(session.snapshot().files)
    (root / "newer" / "b.py").unlink()
    files.append(session.snapshot().files)
    (root / "pkg" / "a.py").write_text("def changed():\n    return 1\n")
    files.append(session.snapshot().files)
    assert files == [1, 1, 2, 2, 3, 2, 2]
    with session.reading() as store:
        records = [record.path for record in store.files()]
        assert records == ["newer/c.py", "pkg/a.py"]
        assert [d.name for d in store.symbols_of("pkg/a.py")][-1] == "changed"


def test_ignored_folders_are_not_watched(
    session: Session, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched: list[str] = []
    monkeypatch.setattr(Inotify, "add", lambda watcher, folder: watched.append(folder))
    for folder in ("node_modules/x", "cache/deep", "docs", ".git/objects"):
        (root / folder).mkdir(parents=True)
        (root / folder / "f.js").write_text("f()\n")
    (root / ".codeviewsignore").write_text("cache/\n")
    session.snapshot()
    assert watched == ["", "docs", "pkg"]


def test_notifications_elsewhere_start_again_when_folders_are_added(root: Path) -> None:
    portable = Portable(str(root))
    portable.add("")
    assert portable.poll() == {""}
    portable.add("pkg")
    assert portable.poll() == {""}
    portable.close()


def test_a_changed_ignore_file_changes_the_index(session: Session, root: Path) -> None:
    (root / ".codeviewsignore").write_text("# nothing\n")
    assert session.snapshot().files == 2
    (root / ".codeviewsignore").write_text("pkg/\n")
    assert session.snapshot().files == 1
    (root / ".codeviewsignore").write_text("")
    assert session.snapshot().files == 2


def test_one_tree_has_one_database_however_it_is_named(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alias = tmp_path / "alias"
    alias.symlink_to(root)
    monkeypatch.chdir(tmp_path)
    spellings = [root, alias, Path("repo"), root / "pkg" / ".."]
    assert len({index_path(path, tmp_path / "indexes") for path in spellings}) == 1
    assert tree_key(root) != tree_key(root / "pkg")


def test_case_does_not_matter_where_the_file_system_ignores_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    upper, lower = tmp_path / "Repo", tmp_path / "repo"
    assert tree_key(upper).partition("-")[2] != tree_key(lower).partition("-")[2]
    monkeypatch.setattr("codeviews.core.location.ignores_case", lambda path: True)
    assert tree_key(upper).partition("-")[2] == tree_key(lower).partition("-")[2]


@pytest.mark.parametrize(("seconds", "complete"), [(60.0, True), (0.0, False)])
def test_the_first_answer_waits_a_moment_for_the_index_of_a_small_tree(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, complete: bool
) -> None:
    monkeypatch.setattr("codeviews.core.session.FIRST_WAIT_S", seconds)
    opened = Session(root, tmp_path / "indexes")
    shot = opened.snapshot()
    opened.close()
    assert (shot.complete, shot.files) == (complete, 1 if complete else 0)
    assert shot.line().startswith(f"root {root} · snapshot {'1 files' if complete else 'indexing'}")
